#!/usr/bin/env bash
# Every folder beside this file is a bad input with the message and the exit code that it must get; README.md says how.
set -uo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
unset COTENANT_SHARE COTENANT_TRACE_PATH
export LC_ALL=C NO_COLOR=1
failures=0
count=0
skipped=0

fail() {
    echo "FAILED $1: $2"
    failures=$((failures + 1))
}

# run_case FOLDER: copies, prepares, runs, compares.
run_case() {
    local name=${1##*/} work=$scratch/${1##*/} status prepared=0
    cp -r "$1" "$work"
    if [ -f "$work/prepare" ]; then
        (cd "$work" && bash prepare) >"$scratch/prepare.log" 2>&1 || prepared=$?
        if [ $prepared -eq 77 ]; then
            skipped=$((skipped + 1))
            return
        elif [ $prepared -ne 0 ]; then
            fail "$name" "prepare ended with $prepared: $(tail -1 "$scratch/prepare.log")"
            return
        fi
    fi
    cp -r "$work" "$work.before"
    (
        cd "$work" || exit 1
        eval "set -- $(cat args)"
        exec "$COTENANT" "$@"
    ) </dev/null >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    [ "$status" = "$(cat "$1/status")" ] || fail "$name" "exit code $status instead of $(cat "$1/status")"
    diff -u --label expected --label actual "$1/stderr" "$scratch/stderr" || fail "$name" "another message"
    while IFS= read -r file; do
        cmp -s "$work.before/$file" "$work/$file" || fail "$name" "$file was changed"
    done < <(cd "$work.before" && find . -type f)
    count=$((count + 1))
}

for folder in "$here"/*/; do
    run_case "${folder%/}"
done
echo "$count bad inputs, $skipped skipped, $failures failed"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
