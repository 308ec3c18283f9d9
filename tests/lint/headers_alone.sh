#!/usr/bin/env bash
# Every header compiles alone, with no include path but src, and again after itself. A header that its own source includes before all
# else, the build compiles alone.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

third_party=$(pkg-config --cflags sqlite3 jansson yajl gsl zlib 2>/dev/null)

# compile_headers HEADER...: prints the compiler's complaint about them, in this order.
compile_headers() {
    # shellcheck disable=SC2086  # words of options
    printf '#include "%s"\n' "${@#src/}" |
        "${CC:-gcc}" -std=c17 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Wpedantic -Werror -fsyntax-only \
            -Isrc $third_party -x c - 2>&1
}

# begins_source HEADER: whether NAME.c includes NAME.h before all else.
begins_source() {
    [ "$(grep -m1 '^#include' "${1%.h}.c" 2>/dev/null)" = "#include \"${1#src/}\"" ]
}

mapfile -t headers < <(lint_files '^src/.*\.h$')
for header in "${headers[@]}"; do
    begins_source "$header" || message=$(compile_headers "$header") || lint_fail "$header does not compile alone: $message"
done
[ ${#headers[@]} -eq 0 ] || message=$(compile_headers "${headers[@]}" "${headers[@]}") || lint_fail "headers do not compile twice: $message"
lint_end "headers" ${#headers[@]}
