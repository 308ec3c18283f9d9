#!/usr/bin/env bash
# Ctrl-C stores what is finished and ends with 130; a second one ends at once; a killed program leaves the store as it
# was or with all of what it added.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
[ -r /proc/self/status ] || exit 77

# catches PID: waits until it is no shell any more, which catches signals for its trap, and has its own idea of SIGINT (bit 1 of
# the caught signals).
catches() {
    local i mask
    for ((i = 0; i < 500; i++)); do
        if [ ! "/proc/$1/exe" -ef "$BASH" ]; then # before its signals are read: the shell has some, too
            mask=$(sed -n 's/^SigCgt:[[:space:]]*//p' "/proc/$1/status" 2>/dev/null) || return 1
            [ -n "$mask" ] && [ $((0x$mask >> 1 & 1)) -eq 1 ] && return 0
        fi
        sleep 0.01
    done
    return 1
}

# reads PID FILE: waits until it is in the midst of the file, beyond what is looked at to find out its format.
reads() {
    local i link position
    for ((i = 0; i < 3000; i++)); do
        for link in $(find "/proc/$1/fd" -lname "*/$2" 2>/dev/null); do
            position=$(sed -n 's/^pos:[[:space:]]*//p' "/proc/$1/fdinfo/${link##*/}" 2>/dev/null)
            [ "${position:-0}" -lt 500000 ] || return 0
        done
        sleep 0.002
    done
    return 1
}

# says FILE PATTERN: waits for a line.
says() {
    local i
    for ((i = 0; i < 3000; i++)); do
        grep -qs "$2" "$1" && return 0
        sleep 0.01
    done
    return 1
}

workload 0.2
"$COTENANT" run w.json --quiet -o before.db >/dev/null || exit 1

# A comparison with replications left to do.
many=$((${COTENANT_SMALL:-0} ? 200 : 4000))
workload 2
cp before.db results.db
"$COTENANT" compare w.json --policies mps,fifo --reps $many -o results.db >out 2>err &
pid=$!
says err '^compare: 10 %' || fail "no progress: $(cat err)"
kill -INT $pid
wait $pid
expect "interrupted comparison" 130 $?
finished=$(sed -n 's/^cotenant: warning: interrupted: \([0-9]*\) of '$many' replications are finished$/\1/p' err)
expect "finished replications" 1 $((${finished:-0} > 0))
expect "replications in the store" "\"reps\": $finished," \
    "$(reports results.db | grep -m 1 -o '"reps": [0-9]*,')"
cp results.db earlier.db
earlier=$(reports earlier.db)

# A terminal that is closed says so once or twice; with nohup nobody hears it.
"$COTENANT" compare w.json --policies mps,fifo --reps 4000 -o closed.db >out 2>err &
pid=$!
catches $pid || fail "SIGINT is not caught"
for signal in STOP HUP CONT HUP; do kill -$signal $pid; done
wait $pid
expect "a closed terminal" 130 $?
(
    trap '' HUP
    exec "$COTENANT" run w.json --set duration_s=20 --quiet >out 2>err
) &
pid=$!
catches $pid || fail "SIGINT is not caught"
kill -HUP $pid
wait $pid
expect "a closed terminal with nohup" 0 $?

# Twice: at once, with nothing stored. Both come to a stopped program, or it might end well between them.
"$COTENANT" compare w.json --policies mps,fifo --reps $many -o results.db >out 2>err &
pid=$!
catches $pid || fail "SIGINT is not caught"
for signal in STOP INT TERM CONT; do kill -$signal $pid; done
wait $pid
code=$?
expect "interrupted twice" 1 $((code == 130 || code == 143))
expect "the store after two interrupts" "$earlier" "$(reports results.db)"

# An import reads the file in hand to its end and begins no other.
awk -v kernels=$((${COTENANT_SMALL:-0} ? 20000 : 300000)) 'BEGIN {
    print "{\"deviceProperties\": [{\"id\": 0, \"name\": \"Tesla V100-SXM2-16GB\"}], \"traceEvents\": ["
    for (i = 0; i < kernels; i++)
        printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":5,\"args\":" \
               "{\"device\":0,\"stream\":7,\"grid\":[80,1,1],\"block\":[256,1,1],\"correlation\":%d}}\n", \
               (i ? "," : ""), i % 10, 10 * i, i
    print "]}" }' > one.json
cp one.json two.json
"$COTENANT" import kineto one.json two.json -o traces.db >out 2>err &
pid=$!
catches $pid && reads $pid one.json || fail "import neither catches SIGINT nor reads"
kill -INT $pid
wait $pid
expect "interrupted import" 130 $?
expect "applications of the interrupted import" "one" \
    "$("$COTENANT" trace list traces.db --format csv | sed -n '2,$s/,.*//p' | tr '\n' ' ' | sed 's/ $//')"

# Killed while it writes: the journal is there from the first page that leaves the cache.
killed=0
for round in 1 2 3 4 5; do
    cp earlier.db results.db
    "$COTENANT" compare w.json --quiet --policies mps,fifo --reps 100 -o results.db >out 2>err &
    pid=$!
    until [ -e results.db-journal ] || ! kill -0 $pid 2>/dev/null; do sleep 0.002; done
    sleep 0.00$round
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    [ $? -eq 137 ] || continue
    killed=$((killed + 1))
    expect "the store after kill -9, round $round" "$earlier" "$(reports results.db)"
    "$COTENANT" run w.json --quiet -o results.db >/dev/null
    expect "a run after kill -9, round $round" 0 $?
done
expect "killed while writing" 1 $((killed > 0))
finish "interrupted"
