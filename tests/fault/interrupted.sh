#!/usr/bin/env bash
# Ctrl-C stores what is finished, or ends at once what has nothing to store, with 130; a second one ends at once. The program is
# held where the signal is to find it.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
can_hold || { echo "built without COTENANT_HOLDS"; exit 77; }

# release WHAT CODE: what becomes of it.
release() {
    exec 3>&-
    wait $pid
    expect "$1" "$2" $?
}

workload 0.2
"$COTENANT" run w.json --quiet -o before.db >/dev/null || exit 1

# A comparison with replications left to do.
cp before.db results.db
held COTENANT_HOLD_TENTH compare w.json --policies mps,fifo --reps 40 -o results.db
kill -INT $pid
release "interrupted comparison" 130
finished=$(sed -n 's/^cotenant: warning: interrupted: \([0-9]*\) of 40 replications are finished$/\1/p' err)
expect "finished replications" 1 $((${finished:-0} > 0 && ${finished:-40} < 40))
expect "replications in the store" "\"reps\": $finished," \
    "$(reports results.db | grep -m 1 -o '"reps": [0-9]*,')"
earlier=$(reports results.db)

# A terminal that is closed says so once or twice; with nohup nobody hears it.
held COTENANT_HOLD_ASKED compare w.json --policies mps,fifo --reps 40 -o closed.db
kill -HUP $pid && kill -HUP $pid
release "a closed terminal" 130
trap '' HUP
held COTENANT_HOLD_ASKED run w.json --quiet
trap - HUP
kill -HUP $pid
release "a closed terminal with nohup" 0

# Twice: at once, with nothing stored.
held COTENANT_HOLD_ASKED compare w.json --policies mps,fifo --reps 40 -o results.db
kill -INT $pid && kill -TERM $pid
wait $pid
expect "interrupted twice" 130 $?
exec 3>&-
expect "the store after two interrupts" "$earlier" "$(reports results.db)"

# What was not there is not there after a command of which nothing is kept, whatever ended it, once or twice; a store that was
# there is as it was. What a second process puts in meanwhile stays. COTENANT_ROUNDS=40 tries each command that often.
echo '{"schema": "cotenant.sweep/1", "name": "s", "workload": "w.json", "policies": ["mps", "fifo"],
    "designs": [{"grid": {"gpu.sms": [40, 80]}}]}' >sweep.json
echo '{"schema": "cotenant.cluster/1", "name": "c", "duration_s": 0.1, "gpus": [{"gpu": "v100", "count": 2}], "apps": [
    {"name": "b", "gpus": 1, "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 2}}]}' >cluster.json
echo '{"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB"}], "traceEvents": [{"ph": "X", "cat": "kernel", "name":
    "k", "ts": 1, "dur": 5, "args": {"device": 0, "stream": 7, "grid": [80, 1, 1], "block": [256, 1, 1]}}]}' >one.json
for ((round = 0; round < ${COTENANT_ROUNDS:-1}; round++)); do
    for command in "run w.json -o" "compare w.json --policies mps,fifo -o" "sweep sweep.json -q -o" "plan w.json --find batch-instances:b -o" \
        "cluster cluster.json -o" "import kineto one.json -o"; do
        for signals in INT TERM HUP "INT TERM"; do
            # shellcheck disable=SC2086  # one word per word
            held COTENANT_HOLD_ASKED $command new.db
            for signal in $signals; do kill -$signal $pid; done
            release "$command under $signals" 130
            case $command in # a file that was read is kept
            import*) "$COTENANT" trace list new.db >/dev/null 2>&1 && rm new.db ;;
            esac
            [ -z "$(find . -name 'new*')" ] || fail "$command under $signals leaves $(find . -name 'new*' | tr '\n' ' ')"
            rm -rf new*
        done
    done
done
held COTENANT_HOLD_ASKED run w.json -o results.db
kill -INT $pid
release "a run into the store" 130
expect "the store after a run without a result" "$earlier" "$(reports results.db)"
held COTENANT_HOLD_ASKED run w.json -o new.db
"$COTENANT" run w.json --quiet -o new.db >/dev/null || fail "a second run into a new store"
kill -INT $pid
release "the first run into a new store" 130
expect "what the second run stored" "\"reps\": 1," "$(reports new.db | grep -m 1 -o '"reps": [0-9]*,')"
rm new.db

# What keeps nothing before its end asks nobody: every signal ends it at once, and its output is not there.
for signal in INT TERM HUP; do
    held COTENANT_HOLD_TENTH train --gpu v100 --colocations 10 -o network.json
    kill -$signal $pid
    wait $pid
    expect "a training under SIG$signal" 130 $?
    exec 3>&-
done
expect "left behind by trainings" "" "$(find . -name 'network*')"

# An import keeps the files that are read when it is interrupted in the next.
cp one.json two.json
held COTENANT_HOLD_ASKED import kineto one.json two.json -o traces.db
kill -INT $pid
release "interrupted import" 130
expect "applications of the interrupted import" "one" \
    "$("$COTENANT" trace list traces.db --format csv | sed -n '2,$s/,.*//p' | tr '\n' ' ' | sed 's/ $//')"

finish "interrupted"
