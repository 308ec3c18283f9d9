#!/usr/bin/env bash
# Every folder beside this file is a bad input with the message and the exit code that it must get; README.md says how.
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/../script_case.bash"
unset COTENANT_SHARE COTENANT_TRACE_PATH
export LC_ALL=C
count=0
skipped=0

# text FILE: what stands in it, in `text`.
text() {
    IFS= read -rd '' text <"$1"
}

# unchanged BEFORE AFTER NAME: every file of BEFORE is as it was.
unchanged() {
    local changes line
    changes=$(diff -rq "$1" "$2") && return
    while IFS= read -r line; do
        [[ $line == "Only in $2"* ]] || fail "$3: $line"
    done <<<"$changes"
}

# run_case FOLDER: copies, prepares, runs, compares. Starts no program that it can do without: there are hundreds.
run_case() {
    local name=${1##*/} work=$scratch/${1##*/} before=$1 status prepared=0 args expected text
    cp -r "$1" "$work"
    if [ -f "$work/prepare" ]; then
        (cd "$work" && bash prepare) >"$scratch/prepare.log" 2>&1 || prepared=$?
        if [ $prepared -eq 77 ]; then
            skipped=$((skipped + 1))
            return
        elif [ $prepared -ne 0 ]; then
            fail "$name: prepare ended with $prepared: $(tail -1 "$scratch/prepare.log")"
            return
        fi
        before=$work.before
        cp -r "$work" "$before"
    fi
    text "$1/args"
    args=$text
    (
        cd "$work" || exit 1
        eval "set -- $args"
        exec "$COTENANT" "$@"
    ) </dev/null >"$scratch/stdout" 2>"$scratch/stderr"
    status=$?
    read -r expected <"$1/status"
    [ "$status" = "$expected" ] || fail "$name: exit code $status instead of $expected"
    text "$1/stderr"
    expected=$text
    text "$scratch/stderr"
    [ "$text" = "$expected" ] || { diff -u --label expected --label actual "$1/stderr" "$scratch/stderr"; fail "$name: another message"; }
    unchanged "$before" "$work" "$name"
    count=$((count + 1))
}

for folder in "$here"/*/; do
    run_case "${folder%/}"
done
echo "$count bad inputs, $skipped skipped, $failures failed"
[ "$count" -gt 0 ] && [ "$failures" -eq 0 ]
