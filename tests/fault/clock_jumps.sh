#!/usr/bin/env bash
# Clocks that jump by years in both directions change no result and print no nonsense; whoever waits in vain for a store
# that another program keeps locked says so, while readers read on, and nothing is lost.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
shim=$BUILD_DIR/tests/fault/jumping_clock.so
[ -f "$shim" ] || exit 77
LD_PRELOAD=$shim "$COTENANT" --version >/dev/null 2>&1 || exit 77
workload 0.2
cat > sweep.json <<'END'
{"schema": "cotenant.sweep/1", "name": "s", "workload": "w.json", "policies": ["mps", "fifo"],
 "designs": [{"grid": {"gpu.sms": [40, 60, 80]}}]}
END
jump=(env "LD_PRELOAD=$shim")

# same COMMAND...: the same output as with a steady clock, but for progress.
same() {
    "$COTENANT" "$@" >steady.txt 2>steady.err || fail "'$*'"
    local seed
    for seed in 1 2 3; do
        CLOCK_SEED=$seed "${jump[@]}" "$COTENANT" "$@" >out 2>err
        expect "'$*' with a jumping clock" 0 $?
        cmp -s steady.txt out || fail "'$*' with a jumping clock: another output"
        sed -i '/^[a-z]*: [0-9.]* %[, ]/d' err # a minute may have gone by
        cmp -s steady.err err || fail "'$*' with a jumping clock says: $(diff steady.err err | head -3)"
    done
}

same run w.json
same compare w.json --policies mps,fifo --reps 20 -j 2
same plan w.json --policies mps --find batch-instances:b --most 1 --reps 2 --max-reps 2 --error 0 --set duration_s=15
for seed in 1 2 3; do
    rm -f jumped.db steady.db
    "$COTENANT" sweep sweep.json --quiet -j 2 -o steady.db >steady.txt || fail "the sweep"
    CLOCK_SEED=$seed "${jump[@]}" "$COTENANT" sweep sweep.json --quiet -j 2 -o jumped.db >out
    cmp -s steady.txt out || fail "sweep with a jumping clock: another output"
    expect "reports of a sweep with a jumping clock" "$(reports steady.db)" "$(reports jumped.db)"
done

# In a pipe, progress is a line after a quarter of a minute and then one a minute at most, with the time left: 40 runs
# tell of themselves whenever one is asked for.
lines() { # SECONDS: what is said where so many pass between two looks at the clock
    CLOCK_STEP=$1 "${jump[@]}" "$COTENANT" compare w.json --policies mps,fifo --reps 20 --jobs 1 2>&1 >out | grep -cE '^[a-z]+: ([0-9.]+ %, some [0-9]+ [a-z]+ left|0 % after [0-9]+ [a-z]+: nothing is over yet)$'
}
each=$(lines 61) third=$(lines 21)
expect "lines where each look is a minute later, and every third one" 1 $((each > 20 && third > each / 4 && third <= each / 3 + 10))

# However much is simulated, it says within 20 s how long it will take; here a look at the clock is 4 s after the one before.
said=$(CLOCK_STEP=4 "${jump[@]}" "$COTENANT" run w.json --jobs 1 --set duration_s=1000000 2>&1 >out | head -1)
expect "what a run of a million seconds says first" 1 "$(grep -cE '^run: [0-9.]+ %, some [0-9]+ [a-z]+ left$' <<<"$said")"

# On a terminal the bar tells how long it will take: never less than nothing.
if command -v script >/dev/null; then
    CLOCK_SEED=1 script -qec "env LD_PRELOAD=$shim $COTENANT compare w.json --policies mps,fifo --reps 20" /dev/null >out 2>&1
    expect "percentages and times of the bar" "" "$(tr '\r' '\n' <out | grep -aE -- '-[0-9]+ s left|nan|inf|1[0-9][1-9] %')"
fi
finish "clock jumps"
