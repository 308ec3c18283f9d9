#!/usr/bin/env bash
# cppcheck over the program's sources. It takes a minute that the tests do not have: COTENANT_CPPCHECK=1 runs it.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

[ -n "${COTENANT_CPPCHECK:-}" ] || { echo "skipped: COTENANT_CPPCHECK=1 runs it"; exit 77; }
command -v cppcheck >/dev/null || { echo "cppcheck is missing"; exit 77; }

folders=$(lint_files '^src/.*\.h$' | xargs -n 1 dirname | sort -u | sed 's/^/-I/')
files=$(lint_files '^src/.*\.c$')
# shellcheck disable=SC2086  # one word per folder and file
found=$(cppcheck --enable=warning,performance,portability --inline-suppr --suppress=missingIncludeSystem --quiet \
    -j "$(nproc)" --std=c11 --template='{file}:{line}: {id}: {message}' $folders $files 2>&1)
lint_report "$found"
lint_end "cppcheck" "$(wc -w <<<"$files")"
