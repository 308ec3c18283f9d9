#!/usr/bin/env bash
# Every C file is as clang-format leaves it. Versions differ in taste: only Debian 12's, 14, judges.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

program=$(command -v clang-format-14 || command -v clang-format) || { echo "clang-format is missing"; exit 77; }
if ! "$program" --version | grep >/dev/null 'version 14\.'; then
    echo "not version 14: $("$program" --version)"
    exit 77
fi
files=$(lint_files '\.[ch]$')
if ! said=$(xargs -n 50 -P "$(nproc)" "$program" --dry-run -Werror 2>&1 <<<"$files"); then
    for file in $(sed -n 's/:[0-9]*:[0-9]*: error: .*//p' <<<"$said" | sort -u); do
        lint_fail "$file: run clang-format -i on it"
    done
    grep -q ': error: ' <<<"$said" || lint_fail "$program: $said"
fi
lint_end "format" "$(wc -w <<<"$files")"
