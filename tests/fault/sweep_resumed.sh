#!/usr/bin/env bash
# A sweep that was killed or interrupted goes on from there, and its store ends up with the very contents of one that was
# not. COTENANT_KILLS=N kills it N times more, at random times, and resumes as often.
. "$(dirname "${BASH_SOURCE[0]}")/../cli/sweep.bash"
sweep_file sweep.json $((${COTENANT_SMALL:-0} ? 1 : 4)) "$grid" "$random"
begin=${EPOCHREALTIME/[.,]/}
"$COTENANT" sweep sweep.json -o whole.db -q -j 1 >whole.txt || fail "the sweep"
whole_us=$((${EPOCHREALTIME/[.,]/} - begin))
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

# As often as asked for: a kill at a random time within that of the whole sweep, until the store is whole; then from the beginning.
RANDOM=1
rounds=0
for ((kills = 0; kills < ${COTENANT_KILLS:-0};)); do
    "$COTENANT" sweep sweep.json -o often.db -j $((1 + RANDOM % 2)) -q >resumed.txt 2>&1 &
    pid=$!
    delay_us=$(((RANDOM * 32768 + RANDOM) % whole_us))
    sleep "$((delay_us / 1000000)).$(printf %06d $((delay_us % 1000000)))"
    kill -KILL $pid 2>/dev/null
    wait $pid 2>/dev/null
    case $? in
    137) kills=$((kills + 1)) ;;
    0)
        same "contents after $kills kills" "$whole" "$(contents often.db)"
        cmp whole.txt resumed.txt || fail "after $kills kills: another table"
        rm -f often.db
        rounds=$((rounds + 1))
        ;;
    *) fail "after $kills kills: $(cat resumed.txt)" ;;
    esac
    sqlite3 often.db 'PRAGMA integrity_check' 2>/dev/null | grep -v '^ok$' && fail "after $kills kills: a damaged store"
done
if [ "${COTENANT_KILLS:-0}" -gt 0 ]; then
    "$COTENANT" sweep sweep.json -o often.db -q >resumed.txt || fail "resumed after $kills kills"
    same "contents after $kills kills" "$whole" "$(contents often.db)"
    echo "killed $kills times, finished $rounds times in between"
fi

# Interrupted: what is finished is stored, exit code 130.
if can_hold; then
    held COTENANT_HOLD_TENTH sweep sweep.json -o interrupted.db
    kill -INT "$pid"
    exec 3>&-
    wait "$pid"
    same "exit code of an interrupted sweep" 130 $?
    says err 'interrupted: [0-9]+ of 14 points are stored; the same command goes on from there'
    stored=$(sed -n 's/.*interrupted: \([0-9]*\) of 14.*/\1/p' err)
    same "points of the interrupted sweep" "${stored:-none}" "$(query interrupted.db 'SELECT count(*) FROM sweep_point')"
    "$COTENANT" sweep sweep.json -o interrupted.db -q >resumed.txt || fail "resumed after an interrupt"
    same "contents after an interrupt" "$whole" "$(contents interrupted.db)"
fi

# Two at once on the same file: each waits for the other's transactions, and nothing is there twice.
"$COTENANT" sweep sweep.json -o shared.db -q >/dev/null 2>first.err &
first=$!
"$COTENANT" sweep sweep.json -o shared.db -q >/dev/null 2>second.err || fail "the second writer: $(cat second.err)"
wait $first || fail "the first writer: $(cat first.err)"
same "contents by two writers" "$whole" "$(contents shared.db)"
[ "$failures" -eq 0 ]
