#!/usr/bin/env bash
# A comment on an enumerator stands above it: nothing else is on the lines of a comment in an enum, nor a comment behind its brace.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

files=$(lint_files '^(src|tests|bench|examples|tools)/.*\.(c|h|cu|cuh)$')
# shellcheck disable=SC2086  # file names have no blanks
found=$(lint_strip -v comment=@ $files | awk '
    function blame(text) {
        if (text ~ /@/ && text ~ /[^@ \t]/)
            print place ": the comment on an enumerator stands above it"
    }
    {
        match($0, /:[0-9]+:/)
        place = substr($0, 1, RSTART + RLENGTH - 2)
        rest = substr($0, RSTART + RLENGTH)
    }
    !inside && match(rest, /(^|[^A-Za-z0-9_])enum([ \t]+[A-Za-z0-9_]+)?[ \t]*\{/) {
        inside = 1
        enums++
        rest = substr(rest, RSTART)
    }
    inside {
        if (match(rest, /\}[^@;]*;?[ \t]*/)) {
            inside = 0
            behind = RSTART + RLENGTH
            rest = substr(rest, 1, behind - 1) (substr(rest, behind) ~ /^@/ ? "@" : "")
        }
        blame(rest)
    }
    END { print enums + 0 }')
lint_report "$(sed '$d' <<<"$found")"
lint_end "enums" "$(tail -n 1 <<<"$found")"
