#!/usr/bin/env bash
# Every header compiles alone, and again after itself, with no include path but src.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

third_party=$(pkg-config --cflags sqlite3 jansson yajl gsl zlib 2>/dev/null)
headers=$(lint_files '^src/.*\.h$')
for header in $headers; do
    # shellcheck disable=SC2086  # words of options
    if ! message=$(printf '#include "%s"\n#include "%s"\n' "${header#src/}" "${header#src/}" |
        "${CC:-gcc}" -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            -Isrc $third_party -x c - 2>&1); then
        lint_fail "$header does not compile alone:"
        printf '%s\n' "$message"
    fi
done
lint_end "headers" "$(wc -w <<<"$headers")"
