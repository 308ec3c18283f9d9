#!/usr/bin/env bash
# Results as CSV: every row of the store, numbers that are the store's, a dictionary of every column, and figures of the page
# drawn from it by examples/analysis. Skipped in part, with the reason, where pandas and matplotlib are missing; where CI is set
# it fails instead.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
make_store
"$COTENANT" run mix.json -p baymax -q --timeline t.json -o results.db >/dev/null || fail "run --timeline"

wants 0 'tables/jobs.csv: ' "$COTENANT" export results.db -o tables
imports=()
for file in tables/*.csv; do
    name=${file##*/}
    imports+=(".import $file ${name%.csv}")
done
# ask QUESTION: of the tables, and of the store as s.
ask() {
    printf '%s\n' '.mode csv' "${imports[@]}" '.mode list' "ATTACH 'results.db' AS s;" "$1;" | sqlite3 :memory: 2>&1
}
# same QUESTION QUESTION: the same answer, and one.
same() {
    [ -n "$(ask "$1")" ] && [ "$(ask "$1")" = "$(ask "$2")" ] || fail "$1: $(ask "$1") instead of $(ask "$2")"
}
for table in job task decision; do
    own=main.${table}s
    same "SELECT count(*) FROM $own" "SELECT count(*) FROM s.$table JOIN s.run ON s.run.number = s.$table.run WHERE purpose IS NULL"
done
same "SELECT count(*) FROM decision_notes" "SELECT count(*) FROM s.v_notes"
same "SELECT count(*) FROM runs WHERE policy = 'fifo'" "SELECT 3"
same "SELECT group_concat(1 * p99_over_qos) FROM applications WHERE app = 'queries' ORDER BY 1 * run" \
    "SELECT group_concat(p99_over_qos) FROM s.app JOIN s.run ON s.run.number = run WHERE name = 'queries' AND purpose IS NULL ORDER BY run"
same "SELECT group_concat(1 * stp) FROM main.runs" "SELECT group_concat(stp) FROM s.system JOIN s.run ON s.run.number = run WHERE purpose IS NULL"
# The parts of a job add up to its latency; tables join.
same "SELECT count(*) FROM main.jobs WHERE latency_ms <> '' AND solo_work_ms <> ''
      AND abs(latency_ms - solo_work_ms - host_ms - host_cores_ms - own_queue_ms - ready_pool_ms - device_queue_ms - sm_share_ms - dram_ms
      - row_buffer_ms - sm_contention_ms - pcie_wait_ms - pcie_share_ms - preemption_ms - decision_ms - stages_ms - batcher_ms) < 1e-9 * latency_ms" \
    "SELECT count(*) FROM main.jobs WHERE latency_ms <> '' AND solo_work_ms <> ''"
same "SELECT count(*) FROM tasks JOIN applications USING (run, app) JOIN runs USING (run)" "SELECT count(*) FROM tasks"
# The dictionary has the columns of every table, in their order, each with a meaning.
for file in tables/*.csv; do
    table=${file##*/} table=${table%.csv}
    [ "$table" = dictionary ] || [ "$(head -n 1 "$file")" = "$(ask "SELECT group_concat(\"column\", ',') FROM dictionary WHERE \"table\" = '$table'")" ] ||
        fail "the dictionary has other columns of $table"
done
same "SELECT count(*) FROM dictionary WHERE meaning = ''" "SELECT 0"
mkdir again && "$COTENANT" export results.db -q -o again && diff -r tables again >/dev/null || fail "not the same bytes twice"

# A sweep's runs have the values of their points.
echo '{"schema": "cotenant.sweep/1", "workload": "mix.json", "policies": ["fifo"], "reps": 2, "set": {"duration_s": 2},
       "designs": [{"grid": {"apps.queries.arrivals.rate_per_s": [10, 20]}}]}' >load.json
"$COTENANT" sweep load.json -q -o load.db >/dev/null && "$COTENANT" export load.db -q -o swept || fail "export of a sweep"
[ "$(cut -d, -f3- swept/points.csv | sort -u | tr '\n' ' ')" = "$(printf '%s\n' replication,point,key,value {,0,1},1,apps.queries.arrivals.rate_per_s,10 \
    {,0,1},2,apps.queries.arrivals.rate_per_s,20 | sort -u | tr '\n' ' ')" ] || fail "other points: $(cat swept/points.csv)"

wants 2 "'export' needs '-o FOLDER'" "$COTENANT" export results.db
wants 3 'not a result store' "$COTENANT" export mix.json -o other
wants 3 'cannot make the folder' "$COTENANT" export results.db -o missing/folder

# The figures of the page, from the tables alone.
if ! /usr/bin/python3 -c 'import pandas, matplotlib' 2>/dev/null; then
    [ -n "${CI:-}" ] && fail "pandas and matplotlib are missing: the figures were not drawn again"
    echo "pandas or matplotlib is missing (Debian: python3-pandas, python3-matplotlib): figures are not drawn again"
    exit $((failures ? 1 : 77))
fi
/usr/bin/python3 "$SOURCE_DIR/examples/analysis/redraw.py" tables redrawn || fail "redraw.py"
for name in targets latencies blame; do
    grep -q '</svg>' redrawn/$name.svg || fail "$name.svg is not whole"
done
grep >/dev/null LineCollection redrawn/targets.svg || fail "targets.svg has no intervals"
# p99 by policy: as reported, and from the jobs again.
for policy in fifo priority; do
    want=$(sqlite3 results.db "SELECT p99_over_qos FROM v_p99 WHERE policy = '$policy' AND app = 'queries' AND replication = -1")
    for name in targets:1 latencies:40; do
        awk -F, -v policy=$policy -v want="$want" -v scale="${name#*:}" '$1 == policy { found = ($2 / scale - want) ^ 2 < 1e-12 } END { exit !found }' \
            "redrawn/${name%:*}.csv" || fail "${name%:*}.csv has another p99 under $policy than $want: $(cat "redrawn/${name%:*}.csv")"
    done
done
exit $((failures > 0))
