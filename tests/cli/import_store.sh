#!/usr/bin/env bash
# Metrics of Nsight Compute attach to a trace store as they do to a profiler's recording.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
command -v sqlite3 >/dev/null || exit 77
. "$SOURCE_DIR/tests/cli/docs/recordings.bash"

kernels() { # STORE
    sqlite3 "$1" "SELECT app, name, grid_x, launches, total_ms, dram_bytes_per_s, dram_fraction, dram_read_share, unit_fraction,
        instructions FROM v_kernels ORDER BY 1, 2" "SELECT * FROM v_tasks"
}

"$COTENANT" import app.sqlite app-metrics.csv --app a --jobs nvtx:query --source own -o both.db --quiet || fail "both at once"
"$COTENANT" import app.sqlite --app a --jobs nvtx:query -o plain.db --quiet || fail "the recording"
"$COTENANT" import plain.db app-metrics.csv --source own -o later.db >out || fail "metrics to a store"
says out "metrics of 1 launch attached to 1 kernel, of 0 not found in the recording"
cmp <(kernels both.db) <(kernels later.db) || fail "metrics that come later make another store"
"$COTENANT" trace show later.db >out
says out "nsys: own"
kernels plain.db >before
"$COTENANT" import plain.db app-metrics.csv -o plain.db --quiet || fail "into the same store"
cmp <(kernels both.db) <(kernels plain.db) || fail "a store in its own place is another"
"$COTENANT" import store plain.db app-metrics.csv --app b --licence free -o plain.db --quiet || fail "under another name"
[ "$(sqlite3 plain.db 'SELECT name, licence FROM app')" = $'a|\nb|free' ] || fail "names: $(sqlite3 plain.db 'SELECT name, licence FROM app')"

# Two applications share the metrics; one name is not enough for them.
"$COTENANT" import plain.db app-metrics.csv -o two.db --quiet || fail "two applications"
[ "$(sqlite3 two.db 'SELECT count(*) FROM kernel WHERE dram_fraction > 0.4')" = 2 ] || fail "metrics of two applications"

"$COTENANT" import both.db -o one.db app-metrics.csv --app b --quiet && "$COTENANT" import app.sqlite --app a -o one.db --quiet || fail "a and b"
"$COTENANT" import one.db app-metrics.csv --app a --source mine -o named.db --quiet || fail "one of two applications"
[ "$(sqlite3 named.db "SELECT name, source FROM app")" = $'b|nsys: own\na|nsys: mine' ] || fail "sources: $(sqlite3 named.db 'SELECT name, source FROM app')"

# What was measured takes the place of what follows from shapes.
sqlite3 two.db "UPDATE kernel SET dram_fraction = NULL, dram_bytes_per_s = 1e9, dram_read_share = 1, demand_provenance = 5"
"$COTENANT" import two.db app-metrics.csv -o two.db --quiet || fail "metrics over shapes"
[ "$(sqlite3 two.db 'SELECT count(*) FROM kernel WHERE dram_fraction > 0.4 AND dram_bytes_per_s IS NULL AND dram_read_share IS NULL')" = 2 ] ||
    fail "shapes beside metrics"

refused() { # STATUS TEXT ARGUMENT...
    local status=$1 text=$2
    shift 2
    "$COTENANT" import "$@" -o refused.db 2>err
    [ $? -eq "$status" ] || fail "status of 'import $*' is not $status"
    says err "$text"
    [ ! -e refused.db ] || fail "'import $*' left a store"
}
# Jobs of the beginning stay out; the others are what they were.
"$COTENANT" import later.db -o fewer.db --skip-jobs 1 >out || fail "without the first job"
says out '^a: 3 jobs, 6 kernels'
says out '^read 12 = kept 9 [+] left out 3: skipped job 3$'
says out "^  75.0 % of the GPU's tasks and 75.0 % of its time kept"
"$COTENANT" import app.sqlite app-metrics.csv --app a --jobs nvtx:query --source own -o skipped.db --skip-jobs 1 >out ||
    fail "a recording without its first job"
says out '^read 12 = kept 9 [+] left out 3: skipped job 3$'
says out "^  75.0 % of the GPU's tasks and 75.0 % of its time kept"
cmp <(kernels fewer.db) <(kernels skipped.db) || fail "a job of a store that is skipped is another than one of a recording"
[ "$(sqlite3 fewer.db 'SELECT count(*), min(first_task) FROM job')" = "3|0" ] || fail "jobs left: $(sqlite3 fewer.db 'SELECT * FROM job')"
tasks='SELECT kind, kernel, stream, bytes, duration_ps, start_ps, host_gap_ps, sync, waited_for FROM v_tasks'
cmp -s <(sqlite3 fewer.db "$tasks") <(sqlite3 later.db "$tasks" | tail -n "+$(($(sqlite3 later.db 'SELECT tasks FROM job LIMIT 1') + 1))") ||
    fail "tasks of the jobs left: $(sqlite3 fewer.db "$tasks")"
refused 2 "'--skip-jobs 4' leaves none of its 4 jobs" later.db app-metrics.csv --skip-jobs 4
"$COTENANT" trace check "$SOURCE_DIR/traces/rtx2080ti.db" --format csv | grep '^resnet-train,warm-up,doubtful,.*1 of 29 jobs.*5.4 times' >/dev/null ||
    fail "a slow first job is not found"
"$COTENANT" trace check "$SOURCE_DIR/traces/h200-apps.db" --format csv | grep warm-up && fail "a warm-up where there is none"
"$COTENANT" import later.db -o copied.db --quiet && cmp -s <("$COTENANT" trace show later.db) <("$COTENANT" trace show copied.db) ||
    fail "the applications of a store in another one"
# Names of applications and of files may hold what a workload puts between them.
"$COTENANT" import later.db --app 'a#1' -o 'store#2.db' --quiet || fail "a name with '#'"
# named TRACE
named() {
    echo '{"gpu": "a100-80gb", "apps": [{"name": "x", "trace": "'"$1"'"}]}' >named.json
    "$COTENANT" check named.json >out 2>&1
}
for trace in 'store#2.db#a#1' 'store#2.db'; do
    named "$trace" || fail "check of $trace: $(cat out)"
done
! named 'store#2.db#a' && says out "no application 'a'" || fail "a shorter name"
! named 'store#3.db#a#1' && says out "no file 'store' beside the workload" || fail "no store"
refused 2 "error: '--jobs' changes nothing: 'import store' does not read it" later.db app-metrics.csv --jobs whole
refused 2 "error: '--gpu' changes nothing: 'import store' does not read it" later.db app-metrics.csv --gpu a100-80gb
refused 2 "two.db: error: holds no application 'c', and more than one that it could name" two.db app-metrics.csv --app c
refused 3 "error: two applications of this name" later.db app-metrics.csv both.db app-metrics.csv
head -c 9000 later.db >cut.db
refused 3 "cut.db" store cut.db app-metrics.csv
refused 3 "not a trace store" store app.sqlite app-metrics.csv
[ "$failures" -eq 0 ]
