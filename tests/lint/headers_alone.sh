#!/usr/bin/env bash
# Every header compiles alone, and again after itself, with no include path but the folders that its own may include.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

# paths_of FOLDER: -I options for the folder, for those of its row in src/README.md, and for the policies' ct_option.h.
paths_of() {
    printf -- '-Isrc/%s ' "$1"
    awk -F'|' -v folder="\`$1\`" '
        { cell = $2; gsub(/[ \t]/, "", cell) }
        cell == folder {
            n = split($3, part, "`")
            for (i = 2; i <= n; i += 2) {
                sub(/\/[^\/]*\.h$/, "", part[i])
                printf "-Isrc/%s ", part[i]
            }
        }' src/README.md
}

third_party=$(pkg-config --cflags sqlite3 jansson yajl gsl zlib 2>/dev/null)
headers=$(lint_files '^src/.*\.h$')
for header in $headers; do
    folder=${header%/*}
    # shellcheck disable=SC2046,SC2086  # words of options
    if ! message=$(printf '#include "%s"\n#include "%s"\n' "${header##*/}" "${header##*/}" |
        "${CC:-gcc}" -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            $(paths_of "${folder#src/}") $third_party -x c - 2>&1); then
        lint_fail "$header does not compile alone:"
        printf '%s\n' "$message"
    fi
done
lint_end "headers" "$(wc -w <<<"$headers")"
