#!/usr/bin/env bash
# A store that another program keeps locked, and folders that nobody may write to: the second writer waits, then says why
# it gave up; readers read on; nothing is lost.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
shim=$BUILD_DIR/tests/fault/jumping_clock.so
[ -f "$shim" ] || exit 77
LD_PRELOAD=$shim "$COTENANT" --version >/dev/null 2>&1 || exit 77
command -v sqlite3 >/dev/null || exit 77
workload 0.02
cat > network.json <<'END'
{"schema": "cotenant.network/1", "name": "net", "input": [3, 32, 32],
 "layers": [{"kind": "linear", "name": "l", "out": 10}]}
END
"$COTENANT" run w.json --quiet -o results.db --timeline before.json >/dev/null || exit 1
"$COTENANT" import network network.json --gpu v100 --quiet -o traces.db || exit 1
before=$(reports results.db)
traces=$("$COTENANT" trace show traces.db)

# lock STORE: another program is in the middle of a transaction until unlock.
lock() {
    coproc LOCK { exec sqlite3 "$1" 2>&1; }
    locker=$LOCK_PID
    exec {to_locker}>&"${LOCK[1]}" {from_locker}<&"${LOCK[0]}"
    printf 'BEGIN IMMEDIATE;\nSELECT 1;\n' >&"$to_locker"
    read -r -u "$from_locker" _
}

unlock() {
    printf 'ROLLBACK;\n.quit\n' >&"$to_locker"
    exec {to_locker}>&- {from_locker}<&-
    wait "$locker" 2>/dev/null
}

# Waiting takes no time under the shim.
gives_up() {
    local message=$1
    shift
    CLOCK_SLEEPLESS=1 LD_PRELOAD=$shim "$COTENANT" "$@" </dev/null >out 2>err
    expect "'$*' on a locked store" 3 $?
    expect "'$*' on a locked store says" "$message" "$(cat err)"
}

lock results.db
gives_up "results.db: error: cannot store the runs: another program keeps it locked; earlier results are intact" \
    run w.json --quiet -o results.db
expect "a reader beside a writer" "$before" "$(reports results.db)"
unlock
lock traces.db
gives_up "traces.db: error: the trace store cannot be used: another program keeps it locked" \
    import network network.json --gpu v100 --app other --quiet -o traces.db
expect "a reader of traces beside a writer" "$traces" "$("$COTENANT" trace show traces.db)"
unlock
expect "results after the lock" "$before" "$(reports results.db)"

# Without the shim it waits until the other is done.
lock results.db
"$COTENANT" run w.json --quiet -o results.db >out 2>err &
pid=$!
sleep 0.3
unlock
wait $pid
expect "a writer that waited" 0 $?
expect "runs after it waited" 2 "$(sqlite3 results.db 'SELECT count(*) FROM run WHERE purpose IS NULL')"

# Several at once make a store that is not there yet, and each adds to it: none takes it for its own alone.
for round in 1 2 3; do
    rm -f new.db
    pids=()
    for app in a b c d; do
        "$COTENANT" import network network.json --gpu v100 --app $app --quiet -o new.db 2>err.$app &
        pids+=($!)
    done
    for pid in "${pids[@]}"; do
        wait "$pid" || fail "one of four imports at once: $(cat err.?)"
    done
    expect "applications of four imports at once, round $round" "a b c d" \
        "$("$COTENANT" trace list new.db --format csv | sed '1d; s/,.*//' | sort | tr '\n' ' ' | sed 's/ $//')"
done

# Nobody may write to the folder: reading works, writing says so.
as_nobody=()
if [ "$(id -u)" -eq 0 ]; then
    command -v setpriv >/dev/null || { finish "locked store"; exit; }
    as_nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)
fi
mkdir sealed
cp w.json network.json sealed
cp results.db traces.db sealed
chmod 755 "$scratch" sealed
chmod 555 sealed
chmod 444 sealed/*
"${as_nobody[@]}" "$COTENANT" --version >/dev/null 2>&1 || { finish "locked store"; exit; }
(
    cd sealed || exit 1
    expect "a report from a sealed folder" "$(reports "$scratch/results.db")" \
        "$("${as_nobody[@]}" "$COTENANT" report results.db --format json 2>&1)"
    expect "traces from a sealed folder" "$traces" "$("${as_nobody[@]}" "$COTENANT" trace show traces.db 2>&1)"
    # refuses COMMAND...
    refuses() {
        "${as_nobody[@]}" "$COTENANT" "$@" </dev/null >"$scratch/out" 2>"$scratch/err"
        expect "'$*' in a sealed folder" 3 $?
        grep -iE 'permission|read-?only|locked' "$scratch/err" >/dev/null || fail "'$*' in a sealed folder says: $(cat "$scratch/err")"
    }
    refuses run w.json --quiet -o results.db
    refuses run w.json -o results.db # before it runs, not after
    grep '%' "$scratch/err" >/dev/null && fail "a run whose store is sealed is run: $(cat "$scratch/err")"
    refuses run w.json --quiet -o new.db
    refuses run w.json --quiet --timeline new.json
    refuses timeline results.db --quiet -o new.json
    chmod 666 results.db traces.db # but no journal
    refuses run w.json --quiet -o results.db
    refuses import network network.json --gpu v100 --quiet -o traces.db
    touch results.db-journal traces.db-journal
    chmod 444 ./*-journal
    refuses run w.json --quiet -o results.db
    refuses import network network.json --gpu v100 --quiet -o traces.db
    rm ./*-journal
    chmod 444 results.db traces.db
    refuses plot results.db --quiet -o plots
    refuses import network network.json --gpu v100 --quiet -o traces.db
    refuses import network network.json --gpu v100 --quiet -o new.db
    [ "$failures" -eq 0 ]
) || failures=$((failures + 1))
chmod 755 sealed
finish "locked store"
