#!/usr/bin/env bash
# cppcheck over the program's sources; only Debian 12's version, 2.10, judges.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

command -v cppcheck >/dev/null || { echo "cppcheck is missing"; exit 77; }
if ! cppcheck --version | grep >/dev/null 'Cppcheck 2\.10'; then
    echo "not version 2.10"
    exit 77
fi

files=$(lint_files '^src/.*\.c$')
# shellcheck disable=SC2086  # one word per file
found=$(cppcheck --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem --quiet \
    -D__GNUC__=12 -D__GLIBC__=2 -DCOTENANT_HOLDS -DCOTENANT_GLPK -DCOTENANT_MPI \
    -j "$(nproc)" --std=c11 --template='{file}:{line}: {id}: {message}' -Isrc -Isrc/abi $files 2>&1)
lint_report "$found"
lint_end "cppcheck" "$(wc -w <<<"$files")"
