#!/usr/bin/env bash
# Files stay below 800 lines, but for tables of numbers (*_tables.c), what is generated (share) and others' code (plot.js);
# functions stay at 80 lines or below, and those of the program in C are short: nine in ten below 50, half of them at most 18.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

files=$(lint_files '^(src|tests|bench|examples|tools|plots|cmake)/.*\.([ch]|cu|sh|bash|awk|py|js|mjs|css|gp|cmake)$' |
    grep -vE '_tables\.c$|/plot\.js$')
files+=$'\n'$(lint_files '^(scripts|tools)/[^.]*$|^\.ci/run$|(^|/)CMakeLists\.txt$')
# shellcheck disable=SC2086  # file names have no blanks
lint_report "$(awk 'FNR == 801 { print FILENAME ": longer than 800 lines" }' $files /dev/null)"

# lengths REGEX: LINES FILE:LINE: NAME of each function, shortest first. In formatted code a function's braces end its head and
# stand alone in the first column.
lengths() {
    # shellcheck disable=SC2046
    awk '
        FNR == 1 { name = "" }
        /^[A-Za-z_].*\(/ && !/;$/ && !/^(typedef|enum|struct [a-z_]+ \{|#)/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); start = FNR }
        /^}$/ && name != "" { print FNR - start + 1, FILENAME ":" start ": " name; name = "" }
        /^[^ \t}].*[;,]$/ && !/\(/ { name = "" }' $(grep -E "$1" <<<"$files") /dev/null | sort -n
}
lint_report "$(lengths '\.([ch]|cu|sh|bash|js|mjs)$|^scripts/|^tools/[^.]*$' |
    awk '$1 > 80 { print $2 " " $3 " has " $1 " lines (80 at most)" }')"

lengths=$(lengths '^src/.*\.[ch]$')
count=$(grep -c . <<<"$lengths")
lint_report "$(awk -v count="$count" '
    { length_of[NR] = $1 }
    END {
        median = length_of[int((count + 1) / 2)]
        ninth = length_of[int((9 * count + 9) / 10)]
        if (median > 18)
            print "half of the functions have more than 18 lines: median " median
        if (ninth >= 50)
            print "one function in ten has 50 lines or more: 90th percentile " ninth
    }' <<<"$lengths")"
awk -v count="$count" '{ l[NR] = $1 } END {
    printf "functions: %d, median %d, 90th percentile %d, longest %d lines\n", count, l[int((count + 1) / 2)],
        l[int((9 * count + 9) / 10)], l[count] }' <<<"$lengths"
lint_end "lengths" "$count"
