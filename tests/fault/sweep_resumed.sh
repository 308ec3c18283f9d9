#!/usr/bin/env bash
# A sweep that was killed or interrupted goes on from there, and its store ends up with the very contents of one that was
# not.
. "$(dirname "${BASH_SOURCE[0]}")/../cli/sweep.bash"
sweep_file sweep.json 4 "$grid" "$random"
"$COTENANT" sweep sweep.json -o whole.db -q >whole.txt || fail "the sweep"
whole=$(contents whole.db)

# Killed at other times in each round, with one thread and two, until it comes to its end.
killed=0
for threads in 1 2; do
    store=killed$threads.db
    for delay in 0.05 0.3 0.5 0.2; do
        "$COTENANT" sweep sweep.json -o $store -j $threads -q >/dev/null 2>&1 &
        pid=$!
        sleep $delay
        kill -KILL $pid 2>/dev/null
        wait $pid 2>/dev/null
        [ $? -eq 137 ] && killed=$((killed + 1))
    done
    "$COTENANT" sweep sweep.json -o $store -j $threads >resumed.txt 2>resumed.err || fail "resumed after kill -9"
    cmp whole.txt resumed.txt || fail "resumed after kill -9 with $threads threads: another table"
    same "contents after kill -9 with $threads threads" "$whole" "$(contents $store)"
    says resumed.err '^sweep: 14 points stored'
done
[ $killed -gt 0 ] || fail "no round was killed"

# Interrupted: what is finished is stored, exit code 130.
"$COTENANT" sweep sweep.json -o interrupted.db >/dev/null 2>err &
pid=$!
for ((i = 0; i < 2000; i++)); do
    grep '^sweep: 10 %' err >/dev/null && break
    sleep 0.005
done
kill -INT $pid
wait $pid
same "exit code of an interrupted sweep" 130 $?
says err 'interrupted: [0-9]+ of 14 points are stored; the same command goes on from there'
stored=$(sed -n 's/.*interrupted: \([0-9]*\) of 14.*/\1/p' err)
same "points of the interrupted sweep" "${stored:-none}" "$(query interrupted.db 'SELECT count(*) FROM sweep_point')"
"$COTENANT" sweep sweep.json -o interrupted.db -q >resumed.txt || fail "resumed after an interrupt"
same "contents after an interrupt" "$whole" "$(contents interrupted.db)"

# Two at once on the same file: each waits for the other's transactions, and nothing is there twice.
"$COTENANT" sweep sweep.json -o shared.db -q >/dev/null 2>first.err &
first=$!
"$COTENANT" sweep sweep.json -o shared.db -q >/dev/null 2>second.err || fail "the second writer: $(cat second.err)"
wait $first || fail "the first writer: $(cat first.err)"
same "contents by two writers" "$whole" "$(contents shared.db)"
[ "$failures" -eq 0 ]
