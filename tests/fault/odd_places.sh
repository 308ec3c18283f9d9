#!/usr/bin/env bash
# Stores in places that are no plain files or have names that SQLite takes for something else, and standard streams that
# are closed: a sentence and exit code 3, or the whole result where it was asked for; a device stays where it is.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
workload 0.02
cat > sweep.json <<'END'
{"schema": "cotenant.sweep/1", "name": "s", "workload": "w.json", "policies": ["mps"],
 "designs": [{"grid": {"gpu.sms": [80]}}]}
END
cat > network.json <<'END'
{"schema": "cotenant.network/1", "name": "net", "input": [3, 32, 32],
 "layers": [{"kind": "linear", "name": "l", "out": 10}]}
END
"$COTENANT" run w.json --quiet >report.txt || exit 1

# refuses REASON PLACE COMMAND...: a store there.
refuses() {
    local reason=$1 place=$2
    shift 2
    timeout 20 "$COTENANT" "$@" "$place" </dev/null >out 2>err # whoever reads a pipe waits for somebody to write
    expect "'$* $place'" 3 $?
    expect "'$* $place' says" "${place:-"''"}: error: cannot open it: $reason" "$(cat err)"
    expect "'$* $place' prints" "" "$(cat out)"
}

mkfifo pipe
ln -s /dev/null device # a mistake would take the link away, not the device
mkdir folder
for command in "run w.json --quiet -o" "sweep sweep.json --quiet -o" "import network network.json --gpu v100 --quiet -o" \
    "report" "trace show"; do
    read -ra words <<<"$command"
    refuses "a device or a pipe holds no store" pipe "${words[@]}"
    refuses "a device or a pipe holds no store" device "${words[@]}"
    refuses "Is a directory" folder "${words[@]}"
    refuses "No such file or directory" "" "${words[@]}"
done
[ -p pipe ] || fail "a pipe that was named as a store is gone"
expect "a link to a device that was named as a store" "/dev/null" "$(readlink device)"

# A file is a file, also with a name that SQLite would take for a place in memory.
for place in :memory: 'file:results.db?mode=memory'; do
    "$COTENANT" run w.json --quiet -o "$place" >/dev/null || fail "a run into '$place'"
    "$COTENANT" report "$place" >out || fail "no report of '$place'"
    cmp -s report.txt out || fail "another report of '$place'"
    [ -s "$place" ] || fail "no file '$place'"
done

# The file that is opened first would take the number of a stream that is closed, and get what is printed there.
"$COTENANT" run w.json --timeline before.json >/dev/null 2>&1 || exit 1
whole() {
    cmp -s before.json made.json || fail "$1: another time line"
    rm -f made.json
}
"$COTENANT" run w.json --timeline made.json >out 2>&-
expect "a run without standard error" 0 $?
cmp -s report.txt out || fail "a run without standard error: another report"
whole "a run without standard error"
"$COTENANT" run w.json --timeline made.json <&- >&- 2>err
expect "a run without standard input and output" 3 $?
expect "a run without standard input and output says" "cotenant: error: cannot write to standard output" \
    "$(grep -v '^[a-z]*: [0-9.]* %' err)"
whole "a run without standard input and output"
"$COTENANT" run w.json --timeline made.json <&- >&- 2>&-
expect "a run without any stream" 3 $?
whole "a run without any stream"
finish "odd places"
