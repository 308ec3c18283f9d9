#!/usr/bin/env bash
# kill -9 while a store is written, at the calls that change files: the store is as it was or has all of what is added, and the next
# run goes into it. COTENANT_FAULTS=all kills at every one of them.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
. "$(dirname "${BASH_SOURCE[0]}")/failing_common.bash"
workload 0.2
"$COTENANT" run w.json --quiet -o before.db >/dev/null || exit 1
reports before.db >before.txt

# killed_writes KILLS COMMAND...: at so many calls, evenly spread.
killed_writes() {
    local kills=$1 n step left=0 now
    shift
    [ "${COTENANT_FAULTS:-}" != all ] || kills=100000
    begin "$@"
    step=$((writes / kills + 1))
    for ((n = 1; n <= writes; n += step)); do
        attempt 0 $n 0 1
        expect "'$*' killed at write $n of $writes" 137 "$status"
        [ ! -s results.db-journal ] || left=$((left + 1))
        now=$(reports results.db)
        [ "$now" = "$after" ] || expect "the store after kill -9 at write $n of '$*'" "$(cat before.txt)" "$now"
        "$COTENANT" run w.json --quiet -o results.db >/dev/null || fail "a run after kill -9 at write $n of '$*'"
        expect "runs after kill -9 at write $n of '$*'" "$(($(runs "$now") + 1))" "$(runs "$(reports results.db)")"
    done
    end
    expect "'$*': a journal was left behind" 1 $((left > 0))
}

# runs REPORTS: how many there are.
runs() { grep -c '"reps": ' <<<"$1"; }

killed_writes 12 run w.json --quiet -o results.db
killed_writes 6 compare w.json --quiet --policies mps,fifo --reps 100 -o results.db # its pages leave the cache before its end
finish "killed"
