#!/usr/bin/env bash
# Each folder of src/ includes what the table in src/README.md allows, and nothing else; nothing stands there in vain.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

table=$(awk -F'|' '/^\| `/ { print }' src/README.md)
sources=$(lint_files '^src/.*\.[ch]$')
# shellcheck disable=SC2086  # file names have no blanks
errors=$(lint_strip $sources | awk -v table="$table" -v sources="$sources" '
    function words(cell, into, prefix,    n, i, part) {
        n = split(cell, part, "`")
        for (i = 2; i <= n; i += 2)
            into[prefix SUBSEP part[i]] = 1
        return n
    }
    function folder_of(path) {
        sub(/^src\//, "", path)
        sub(/\/[^\/]*$/, "", path)
        return path
    }
    # A header of ours: by its path from src/. Those that others compile against, wherever they are installed, also by
    # their bare names.
    function allowed(folder, name, ours) {
        if (ours) {
            if (name !~ /\//)
                name = "abi/" name
            used[folder SUBSEP folder_of(name)]
            return (("src/" name) in ours_at) &&
                   (folder_of(name) == folder || ((folder SUBSEP folder_of(name)) in inside))
        }
        used[folder SUBSEP name]
        used[folder SUBSEP name_folder(name)]
        if ((folder SUBSEP name) in outside || (folder SUBSEP name_folder(name)) in outside)
            return 1
        return folder != "policies" && (name in iso)
    }
    function name_folder(name) {
        sub(/\/.*$/, "/", name)
        return name
    }
    BEGIN {
        n = split("assert ctype errno fenv float inttypes limits math signal stdalign stdarg stdatomic stdbool " \
                  "stddef stdint stdio stdlib string strings time", list, " ")
        for (i = 1; i <= n; i++)
            iso[list[i] ".h"] = 1
        n = split(table, rows, "\n")
        for (i = 1; i <= n; i++) {
            split(rows[i], cells, "|")
            split(cells[2], title, "`")
            known[title[2]] = 1
            words(cells[3], inside, title[2])
            words(cells[4], outside, title[2])
        }
        n = split(sources, files, "\n")
        for (i = 1; i <= n; i++)
            ours_at[files[i]]
    }
    match($0, /#[ \t]*include[ \t]*[<"][^>"]*[>"]/) {
        name = substr($0, RSTART, RLENGTH)
        ours = name ~ /"/
        sub(/^[^<"]*[<"]/, "", name)
        sub(/[>"]$/, "", name)
        place = $0
        sub(/:#.*$/, "", place)
        file = place
        sub(/:.*/, "", file)
        folder = folder_of(file)
        if (!(folder in known))
            print place ": the folder \"" folder "\" has no row in src/README.md"
        else if (!allowed(folder, name, ours))
            print place ": \"" folder "\" may not include \"" name "\" (table in src/README.md)"
    }
    END {
        for (entry in inside)
            if (!(entry in used) && split(entry, part, SUBSEP))
                print "src/README.md: nothing in \"" part[1] "\" includes \"" part[2] "\", which its row names"
        for (entry in outside)
            if (split(entry, part, SUBSEP) && !(entry in used) && !(part[2] in iso)) {
                print "src/README.md: nothing in \"" part[1] "\" includes \"" part[2] "\", which its row names"
            }
    }')
lint_report "$errors"
# shellcheck disable=SC2086
lint_end "includes" "$(lint_strip $sources | grep -cE '#[[:space:]]*include')"
