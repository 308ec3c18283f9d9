#!/usr/bin/env bash
# Time lines of real runs against the fields that the Chrome trace event format documents: every event has its members, flows
# and asynchronous slices have both ends, counters are numbers, tracks have names, and no two slices of a track overlap.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
command -v sqlite3 >/dev/null || exit 77

cat >odd.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "odd", "gpu": "v100", "duration_s": 0.4, "warmup_s": 0.1, "seed": 3,
 "apps": [
   {"name": "q\"<&>\\_'{}", "role": "service", "qos_ms": 40, "np_target": 0.5,
    "synthetic": {"kernels": 2, "blocks": 400, "threads": 256, "duration_ms": {"dist": "exponential", "mean": 2}, "bytes_in": 400000,
                  "bytes_out": 100000},
    "arrivals": {"process": "poisson", "rate_per_s": 120}},
   {"name": "solver", "instances": 2,
    "synthetic": {"kernels": 4, "blocks": 640, "threads": 256, "duration_ms": {"mean": 3}}}]}
JSON

# wrong FILE: a line for each event that breaks a rule.
wrong() {
    sqlite3 :memory: <<SQL
CREATE TABLE event AS SELECT key AS number, value->>'\$.ph' AS ph, value->>'\$.name' AS name, value->>'\$.cat' AS cat,
  value->>'\$.pid' AS pid, value->>'\$.tid' AS tid, value->>'\$.ts' AS ts, value->>'\$.dur' AS dur, value->>'\$.id' AS id,
  value->>'\$.bp' AS bp, value->>'\$.s' AS scope, value->'\$.args' AS args
  FROM json_each(CAST(readfile('$1') AS TEXT), '\$.traceEvents');
CREATE INDEX by_track ON event(pid, tid, ph, ts);
SELECT 'too few events' WHERE (SELECT count(*) FROM event) < 100;
SELECT 'member', * FROM event WHERE ph NOT IN ('M','X','b','e','s','t','f','i','C') OR ifnull(name, '') = ''
  OR typeof(pid) <> 'integer' OR typeof(tid) <> 'integer' OR typeof(ts) NOT IN ('integer','real') OR ts < 0;
SELECT 'duration', * FROM event WHERE (ph = 'X') <> (typeof(dur) IN ('integer','real')) OR dur < 0;
SELECT 'category', * FROM event WHERE cat IS NULL AND ph NOT IN ('M','C');
SELECT 'id', * FROM event WHERE (id IS NOT NULL) <> (ph IN ('b','e','s','t','f'));
SELECT 'scope', * FROM event WHERE ph = 'i' AND scope NOT IN ('g','p','t');
SELECT 'reason', * FROM event WHERE ph = 'i' AND (args->>'\$.decision' IS NULL OR ifnull(args->>'\$.hook', '') = '');
SELECT 'flow', id, sum(ph = 's'), sum(ph = 'f') FROM event WHERE cat = 'flow' GROUP BY id
  HAVING sum(ph = 's') <> 1 OR sum(ph = 'f') <> 1
  OR min(ts) < min(CASE WHEN ph = 's' THEN ts END) OR max(ts) > max(CASE WHEN ph = 'f' THEN ts END);
SELECT 'flow to no slice', * FROM event e WHERE cat = 'flow' AND NOT EXISTS (SELECT 1 FROM event x WHERE x.ph = 'X'
  AND x.pid = e.pid AND x.tid = e.tid AND x.ts BETWEEN e.ts - 1e-6 AND e.ts + 1e-6);
SELECT 'asynchronous', id FROM event WHERE ph IN ('b','e') GROUP BY cat, id
  HAVING sum(ph = 'b') <> 1 OR sum(ph = 'e') <> 1 OR min(ts) <> min(CASE WHEN ph = 'b' THEN ts END);
SELECT 'counter', event.* FROM event, json_each(args) WHERE ph = 'C' AND json_each.type NOT IN ('integer','real');
SELECT 'metadata', * FROM event WHERE ph = 'M' AND name NOT IN ('process_name','thread_name','process_sort_index','thread_sort_index');
SELECT 'name', * FROM event WHERE ph = 'M' AND name LIKE '%\\_name' ESCAPE '\\' AND ifnull(args->>'\$.name', '') = '';
SELECT 'named twice', pid, tid, name FROM event WHERE ph = 'M' AND name <> 'process_sort_index' GROUP BY pid, tid, name HAVING count(*) > 1;
SELECT 'track without a name', pid, tid FROM event x WHERE ph IN ('X','i') AND NOT EXISTS (SELECT 1 FROM event m WHERE m.ph = 'M'
  AND m.name = 'thread_name' AND m.pid = x.pid AND m.tid = x.tid);
SELECT 'process without a name', pid FROM event x WHERE NOT EXISTS (SELECT 1 FROM event m WHERE m.ph = 'M'
  AND m.name = 'process_name' AND m.pid = x.pid);
SELECT 'overlap', * FROM (SELECT number, pid, tid, ts, max(ts + dur) OVER (PARTITION BY pid, tid ORDER BY ts, number
  ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS busy FROM event WHERE ph = 'X') WHERE ts < busy - 1e-6;
SQL
}

# shown FILE: how many jobs, jobs that had not ended, and tasks, with those that are said to be left out.
shown() {
    sqlite3 :memory: "SELECT sum(value->>'\$.name' LIKE 'job %'), sum(value->>'\$.args.age_us' IS NOT NULL),
        sum(value->>'\$.pid' = 1) + (CAST(readfile('$1') AS TEXT)->>'\$.otherData.tasks_left_out') FROM json_each(CAST(readfile('$1') AS TEXT), '\$.traceEvents') WHERE value->>'\$.ph' = 'X'"
}

# tracks FILE: their names.
tracks() {
    sqlite3 :memory: "SELECT DISTINCT value->>'\$.args.name' FROM json_each(CAST(readfile('$1') AS TEXT), '\$.traceEvents')
        WHERE value->>'\$.name' IN ('thread_name', 'process_name', 'x')"
}

runs=0
for run in priority laius baymax hsm-fair timeslice mig "mps --fidelity block" "hsm-fair --fidelity block" "timeslice --fidelity block"; do
    # shellcheck disable=SC2086  # policy and options
    "$COTENANT" run odd.json --set gpu=a100 -q -o odd.db --timeline odd.out.json -p $run >report.txt 2>err.txt ||
        { fail "run $run: $(cat err.txt)"; continue; }
    found=$(wrong odd.out.json | head -5)
    [ -z "$found" ] || fail "the time line of $run: $found"
    [ "$(shown odd.out.json)" = "$(sqlite3 odd.db "SELECT (SELECT count(*) FROM job), (SELECT count(*) FROM job WHERE end_ps IS NULL), count(*) FROM task")" ] ||
        fail "$run: jobs, unfinished ones and tasks: $(shown odd.out.json) in the time line of $(sqlite3 odd.db "SELECT count(*), sum(end_ps IS NULL), (SELECT count(*) FROM task) FROM job")"
    "$COTENANT" timeline odd.db -q -o again.json && cmp -s odd.out.json again.json || fail "$run: the stored time line differs"
    runs=$((runs + 1))
    rm -f odd.db
done
# More jobs than are served, and one that takes longer than the run.
"$COTENANT" run odd.json --set apps.solver.synthetic.kernels=1000 --set 'apps.solver.arrivals={"process": "closed", "clients": 1, "start": "at-once"}' -q -o odd.db --timeline odd.out.json -p mps-even >report.txt 2>err.txt || fail "run of a long job"
[ "$(shown odd.out.json | cut -d'|' -f 1,2)" = "$(sqlite3 odd.db "SELECT count(*), sum(end_ps IS NULL) FROM job")" ] && [ "$(shown odd.out.json | cut -d'|' -f 2)" -gt 0 ] ||
    fail "jobs that had not ended are not all shown: $(shown odd.out.json)"
found=$(wrong odd.out.json | head -5)
[ -z "$found" ] || fail "the time line of a long job: $found"
[ $runs = 9 ] || fail "$runs of 9 runs"

# In block fidelity groups of SMs have tracks with their residents, which hold all blocks of every kernel's time.
"$COTENANT" run odd.json -q -o block.db --timeline block.json -p mps --fidelity block >report.txt || fail "block run"
[ "$(tracks block.json | grep -c '^SMs [0-9]* to [0-9]*$')" = 8 ] || fail "not eight groups of SMs: $(tracks block.json)"
[ "$(sqlite3 block.db "SELECT count(*) FROM (SELECT 1 FROM task JOIN presence p USING (run, app, instance, job, task)
    GROUP BY app, instance, job, task HAVING min(p.began_ps) <> started_ps OR max(p.ended_ps) <> task.ended_ps)")" = 0 ] || fail "kernels were somewhere else than on their SMs"
[ "$(sqlite3 block.db "SELECT count(*) FROM presence WHERE last_sm <> first_sm + 9 OR last_sm >= 80")" = 0 ] ||
    fail "other groups than ten SMs of eighty"
"$COTENANT" timeline block.db -q -o small.json --timeline-budget 1 2>/dev/null && [ "$(stat -c %s small.json)" -le 1000000 ] ||
    fail "the budget"
found=$(wrong small.json | head -5)
[ -z "$found" ] || fail "the time line within a budget: $found"
# Watching the places changes nothing.
"$COTENANT" run odd.json -q -p mps --fidelity block >plain.txt && cmp -s plain.txt report.txt || fail "a run that is watched differs"
exit $((failures > 0))
