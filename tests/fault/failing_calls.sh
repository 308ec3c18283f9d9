#!/usr/bin/env bash
# Every n-th allocation and every n-th write fails, once or from then on: the program ends with a sentence and exit code
# 3, or does all that it was asked to, and leaves earlier results as they were.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
shim=$BUILD_DIR/tests/fault/failing_calls.so
[ -f "$shim" ] || exit 77
LD_PRELOAD=$shim "$COTENANT" --version >/dev/null 2>&1 || exit 77
workload 0.02
"$COTENANT" run w.json --quiet -o before.db >/dev/null || exit 1
reports before.db > before.txt
cat > recording.json <<'END'
{"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB"}], "traceEvents": [
{"ph": "X", "cat": "kernel", "name": "k", "pid": 0, "tid": 7, "ts": 10, "dur": 5,
 "args": {"device": 0, "stream": 7, "grid": [80, 1, 1], "block": [256, 1, 1], "registers per thread": 32,
  "shared memory": 0, "correlation": 1}}]}
END

# attempt SETTING... -- COMMAND...: status, out, err; results.db is as before, trace.db is not there.
attempt() {
    local settings=()
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    rm -f results.db* trace.db*
    cp before.db results.db
    timeout 60 env "${settings[@]}" LD_PRELOAD="$shim" "$COTENANT" "$@" </dev/null >out 2>err
    status=$?
}

# intact WHAT: the earlier results are there, and the store is sound.
intact() {
    expect "$1: earlier results" "$(cat before.txt)" "$(reports results.db)"
}

# judge WHAT: what attempt left.
judge() {
    checks=$((checks + 1))
    case $status in
    0) cmp -s whole out || fail "$1: exit code 0, but another output" ;;
    3) grep -qE "out of memory|No space left|no space left|Cannot allocate|the disk refuses" err ||
        fail "$1: exit code 3 and '$(head -1 err)'" ;;
    *) fail "$1: exit code $status, '$(head -1 err)'" ;;
    esac
}

# sweep STEP COMMAND...: allocations, each STEP-th of them.
sweep() {
    local step=$1 n count
    shift
    attempt FAIL_COUNT=count -- "$@"
    expect "$* without a failure" 0 "$status"
    cp out whole
    read -r count _ < count
    for ((n = 1; n <= count; n += step)); do
        attempt FAIL_ALLOC=$n -- "$@"
        judge "allocation $n of $count of '$*'"
        attempt FAIL_ALLOC=$n FAIL_ALL=1 -- "$@"
        judge "allocations from $n of $count of '$*'"
        [ $((n / step % 16)) -eq 0 ] && intact "allocation $n of '$*'"
    done
}

# sweep_writes COMMAND...: all writes and syncs; a run that failed has added nothing.
sweep_writes() {
    local n count
    attempt FAIL_COUNT=count -- "$@"
    expect "$* without a failure" 0 "$status"
    cp out whole
    read -r _ count < count
    expect "$* writes" 1 $((count > 0))
    for ((n = 1; n <= count; n++)); do
        attempt FAIL_WRITE=$n FAIL_ALL=$((n % 2)) -- "$@"
        [ $status -eq 3 ] && cp whole out
        judge "write $n of $count of '$*'"
        [ $status -eq 0 ] || intact "write $n of $count of '$*'"
    done
}

sweep 3 check w.json --quiet --set apps.q.qos_ms=30
sweep 3 run w.json --quiet --policy baymax
sweep 97 compare w.json --quiet --policies mps,fifo --reps 2 -o results.db
sweep 97 report results.db
sweep 23 import kineto recording.json -o trace.db
sweep_writes run w.json --quiet -o results.db
sweep_writes compare w.json --quiet --policies mps,fifo --reps 2 -o results.db
finish "failing calls"
