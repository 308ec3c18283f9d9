#!/usr/bin/env bash
# Every C file is as clang-format leaves it. Versions differ in taste: only Debian 12's, 14, judges.
. "$(dirname "${BASH_SOURCE[0]}")/lint_common.bash"

program=$(command -v clang-format-14 || command -v clang-format) || { echo "clang-format is missing"; exit 77; }
if ! "$program" --version | grep >/dev/null 'version 14\.'; then
    echo "not version 14: $("$program" --version)"
    exit 77
fi
files=$(lint_files '\.[ch]$')
# All at once, and one by one only where something is wrong.
if ! xargs -n 50 -P "$(nproc)" "$program" --dry-run -Werror >/dev/null 2>&1 <<<"$files"; then
    for file in $files; do
        "$program" --dry-run -Werror "$file" >/dev/null 2>&1 || lint_fail "$file: run clang-format -i on it"
    done
fi
lint_end "format" "$(wc -w <<<"$files")"
