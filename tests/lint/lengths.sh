#!/usr/bin/env bash
# Files stay below 800 lines, but for tables of numbers (*_tables.c); in src, functions below 80, nine in ten below 50, half of them at most 18.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

files=$(lint_files '^(src|tests|bench|examples|tools)/.*\.([ch]|sh|bash|awk)$')
# shellcheck disable=SC2046  # file names have no blanks
lint_report "$(awk 'FNR == 801 { print FILENAME ": longer than 800 lines" }' \
    $(grep -v '_tables\.c$' <<<"$files"))"

# In formatted code a function's braces end its head and stand alone in the first column.
sources=$(lint_files '^src/.*\.[ch]$')
# shellcheck disable=SC2086
lengths=$(awk '
    FNR == 1 { name = "" }
    /^[A-Za-z_].*\(/ && !/;$/ && !/^(typedef|enum|struct [a-z_]+ \{|#)/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name); start = FNR }
    /^}$/ && name != "" { print FNR - start + 1, FILENAME ":" start ": " name; name = "" }
    /^[^ \t}].*[;,]$/ && !/\(/ { name = "" }' $sources | sort -n)
count=$(grep -c . <<<"$lengths")
lint_report "$(awk '$1 > 80 { print $2 " " $3 " has " $1 " lines (80 at most)" }' <<<"$lengths")"
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
