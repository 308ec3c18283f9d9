#!/usr/bin/env bash
# No circle of files: X.c, X.h and X_internal.h are one module, and so is a file without a header of its own that includes
# X_internal.h. A module may not include, by whatever way around, one that includes it.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

# Circles that are left, as "FILE HEADER reason": an include of each. A line that no circle needs is an error.
known='
'

sources=$(lint_files '^src/.*\.[ch]$')
# shellcheck disable=SC2086  # file names have no blanks
errors=$(lint_strip $sources | awk -v known="$known" -v sources="$sources" '
    function module_of(file) {
        return file in part_of ? part_of[file] : stem(file)
    }
    function stem(file) {
        sub(/\.[ch]$/, "", file)
        sub(/_internal$/, "", file)
        return file
    }
    function own_header(file) {
        sub(/\.c$/, ".h", file)
        return file
    }
    function note(file, header) {
        files[++includes] = file
        headers[includes] = header
        if (header ~ /_internal\.h$/ && !(own_header(file) in there))
            part_of[file] = stem(header)
    }
    # Numbers the modules, and keeps by which include each leads to another.
    function number_of(module) {
        if (!(module in number)) {
            number[module] = ++modules
            name[modules] = module
        }
        return number[module]
    }
    function draw(    i, a, b) {
        for (i = 1; i <= includes; i++) {
            a = number_of(module_of(files[i]))
            b = number_of(module_of(headers[i]))
            if (a != b && !((a SUBSEP b) in by)) {
                by[a, b] = files[i] " " headers[i]
                next_of[a, ++degree[a]] = b
            }
        }
    }
    # A module that leads to none but settled ones lies on no circle.
    function way_on(a,    k, b) {
        for (k = 1; k <= degree[a]; k++) {
            b = next_of[a, k]
            if (((a SUBSEP b) in by) && !(b in settled))
                return b
        }
        return 0
    }
    function settle(    a, again) {
        do {
            again = 0
            for (a = 1; a <= modules; a++)
                if (!(a in settled) && !way_on(a))
                    again = settled[a] = 1
        } while (again)
    }
    # Walks on from the first unsettled module until it is where it was: a circle. Cuts it, and says so unless it is known.
    function cut_circle(    a, b, first, length_of, at, i, text, cut) {
        for (first = 1; first in settled; first++)
            ;
        if (first > modules)
            return 0
        for (a = first; !(a in at); a = way_on(a)) {
            at[a] = ++length_of
            walk[length_of] = a
        }
        for (i = at[a]; i <= length_of; i++) {
            b = i < length_of ? walk[i + 1] : a
            text = text (text == "" ? "" : ", ") by[walk[i], b]
            if (by[walk[i], b] in reason) {
                needed[by[walk[i], b]] = 1
                cut = walk[i] SUBSEP b
            }
        }
        if (cut == "") {
            gsub(/ /, " includes ", text)
            gsub(/, includes /, ", ", text)
            print "a circle: " text
            cut = walk[length_of] SUBSEP a
        }
        delete by[cut]
        return 1
    }
    BEGIN {
        n = split(sources, list, "\n")
        for (i = 1; i <= n; i++)
            there[substr(list[i], 5)]
        n = split(known, list, "\n")
        for (i = 1; i <= n; i++)
            if (split(list[i], word, " ") > 2)
                reason[word[1] " " word[2]]
    }
    match($0, /#[ \t]*include[ \t]*"[^"]*"/) {
        header = substr($0, RSTART, RLENGTH)
        sub(/^[^"]*"/, "", header)
        sub(/"$/, "", header)
        if (header !~ /\//)
            header = "abi/" header
        file = $0
        sub(/:.*/, "", file)
        if (header in there)
            note(substr(file, 5), header)
    }
    END {
        draw()
        settle()
        while (cut_circle())
            settle()
        for (line in reason)
            if (!(line in needed) && split(line, word, " ") && (word[1] in there))
                print "tests/lint/circles.sh: no circle needs \"" line "\""
    }')
lint_report "$errors"
# shellcheck disable=SC2086
lint_end "circles" "$(lint_strip $sources | grep -cE '#[[:space:]]*include[[:space:]]*"')"
