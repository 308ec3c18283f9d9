#!/usr/bin/env bash
# A stored comparison is rendered as it was printed; every form, single runs, and what is refused.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
make_store

"$COTENANT" report results.db >report.txt || fail "report"
cmp -s report.txt compared.txt || fail "the stored comparison differs: $(diff report.txt compared.txt)"
tr -s '\n ' ' ' <compared.txt | grep >/dev/null 'of late jobs in percentage points' || fail "the difference of shares has no unit"
# What two replications can tell is as in the table: an interval is as many times their distance as is said there.
said=$(tr -s '\n ' ' ' <compared.txt | sed -n 's/.*an interval reaches \([0-9]*\) times.*/\1/p')
sqlite3 results.db "SELECT (simultaneous_high - simultaneous_low) / (ci95_high - ci95_low) * 6.3531 FROM difference WHERE measure = 'stp'" |
    awk -v said="$said" '{ right = said > 6 && (said - $1) ^ 2 < 1 } END { exit !right }' || fail "two replications reach '$said' times their distance"
# The conclusion, what STP could be at most, and a p99 without an interval, which is not one whose interval holds 0.
grep -E >/dev/null '^  The highest throughput of all: (fifo|priority), STP [0-9.]+ of 2' report.txt || fail "no conclusion"
tr -s '\n ' ' ' <report.txt | grep >/dev/null 'STP: sum of progress, 2 if nobody is slowed' || fail "what STP is of"
grep -E >/dev/null '^  p99, ms +queries .* -  too few$' report.txt || fail "a p99 without an interval"
"$COTENANT" run mix.json -p fifo -q | tr -s '\n ' ' ' | grep >/dev/null "progress: of a service, latency alone over latency, both from arrival" || fail "what progress is of"
awk 'length > 80 { exit 1 }' report.txt || fail "a line of the text is wider than 80 columns"

for form in json csv markdown; do
    "$COTENANT" report results.db --format $form >stored.$form || fail "report --format $form"
    "$COTENANT" compare mix.json --policies fifo,priority --reps 2 -q --format $form >direct.$form ||
        fail "compare --format $form"
    cmp -s stored.$form direct.$form || fail "$form of the stored comparison differs"
done
grep -q '"schema": "cotenant.comparison/1"' stored.json || fail "no schema in the JSON"
sqlite3 :memory: "SELECT json_extract(value, '\$.verdict'), json_extract(value, '\$.ci95[0]') IS NULL FROM json_each(readfile('stored.json'), '\$.comparisons') WHERE json_extract(value, '\$.measure') = 'p99_ms'" >p99.row
[ "$(cat p99.row)" = 'open|1' ] || fail "for programs it is open, with an unknown interval: $(cat p99.row)"
head -1 stored.csv | grep >/dev/null '^measure,app,policy_a,policy_b,mean_a,mean_b,difference,' || fail "the CSV's header"

# What lies between 0 and 1 differs by at most 1, in text by at most 100 %; the text says which policy is taken from which.
"$COTENANT" compare mix.json --policies fifo,priority --reps 2 --measures all -q --format csv | awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    $1 == "fairness" || $1 == "late_fraction" { seen++; if ($column["simultaneous_low"] < -1 || $column["simultaneous_high"] > 1) bad = 1 }
    END { exit bad || seen != 2 }' || fail "a difference of shares beyond 1"
grep -E >/dev/null '^  late, % +queries' report.txt || fail "late jobs are compared in per cent"
grep >/dev/null 'Difference: the policy named first minus the other one' report.txt || fail "which policy is taken from which"

# Names that are too wide for a column stay apart.
"$COTENANT" compare mix.json --policies laius:margin=0.3,laius:margin=0.5,mps -q >wide.txt || fail "compare of wide names"
for margin in 0.3 0.5; do grep -q "^  laius~.*=$margin " wide.txt || fail "laius:margin=$margin is not told from the other"; done
awk 'length > 80 { exit 1 }' wide.txt || fail "a line is wider than 80 columns"

# A service that had no query in the run has no progress: neither has the system, and no share of it is fair.
cat >unserved.json <<'END'
{"schema": "cotenant.workload/1", "name": "unserved", "gpu": "h100", "duration_s": 0.02, "policy": "mps", "apps": [
 {"name": "rare", "role": "service", "qos_ms": 10, "arrivals": {"process": "poisson", "rate_per_s": 0.001},
  "synthetic": {"kernels": 1, "blocks": 10, "threads": 256, "duration_ms": 1}},
 {"name": "first", "role": "batch", "synthetic": {"kernels": 10, "blocks": 100, "threads": 256, "duration_ms": 0.1}},
 {"name": "second", "role": "batch", "synthetic": {"kernels": 10, "blocks": 100, "threads": 256, "duration_ms": 0.1}}]}
END
"$COTENANT" run unserved.json -q --format json >unserved.out || fail "run unserved.json"
grep '"normalised_progress": 1' unserved.out >/dev/null || fail "no progress of the batch applications"
for measure in stp antt fairness; do
    grep "\"$measure\": null" unserved.out >/dev/null || fail "$measure of three applications, of which one is unknown"
done

# What nobody says of the units is told, and of how much of the time: 4 of 6 ms.
given=()
for app in first second; do given+=(--set "apps.$app.synthetic.unit_fraction=0.2"); done
wants 0 'use of units, by time on the device: 100 % unknown' "$COTENANT" run unserved.json -q
wants 0 'use of units, by time on the device: 67 % unknown, 33 % assumed' "$COTENANT" run unserved.json -q "${given[@]}" --set apps.rare.synthetic.duration_ms=4

# What was set stands in the report, and in the list what tells runs apart, for programs all of it.
for rate in 10 20; do "$COTENANT" run mix.json -p fifo --set duration_s=2 --set gpu='"a100"' --set apps.queries.arrivals.rate_per_s=$rate -q -o set.db >set$rate.txt || fail "run at $rate"; done
wants 0 'set: duration_s=2, gpu=a100, apps.queries.arrivals.rate_per_s=10' "$COTENANT" report set.db
"$COTENANT" report set.db --run 2 | cmp - set20.txt || fail "a stored report of settings is not the one that was printed"
"$COTENANT" report set.db --list >list.txt || fail "the list of runs with settings"
for run in 1 2; do says list.txt "^ *$run +mix +fifo +3 +0 +rate_per_s=${run}0 +report"; done
wants 0 '2,mix,fifo,3,0,"duration_s=2, gpu=a100, apps.queries.arrivals.rate_per_s=20",report' "$COTENANT" report set.db --list --format csv
"$COTENANT" compare mix.json --policies fifo,priority --set duration_s=2 -q -o comparison.db >/dev/null || fail "a comparison with a setting"
wants 0 'set: duration_s=2' "$COTENANT" report comparison.db
grep >/dev/null 'set:' report.txt && fail "something is set where nothing was"

wants 0 'mix under fifo' "$COTENANT" report results.db --run 2
wants 0 'app,queries,latency_ms_p99,' "$COTENANT" report results.db --run 2 --format csv
wants 0 'all 2' "$COTENANT" report results.db --list
wants 2 'has no run 99: its runs are 1 to 6' "$COTENANT" report results.db --run 99
wants 2 "'0' of '--run' is not a whole number" "$COTENANT" report results.db --run 0
wants 2 'text, json, csv, markdown' "$COTENANT" report results.db --format xml
wants 3 'missing.db: error: cannot open it: No such file or directory' "$COTENANT" report missing.db
wants 3 'mix.json: error: not a result store: it is no SQLite file' "$COTENANT" report mix.json
head -c 20000 results.db >cut.db
wants 3 'cut.db: error: cannot read it: the file is damaged or cut off' "$COTENANT" report cut.db
"$COTENANT" report results.db >/dev/full 2>err.txt
[ $? = 3 ] || fail "a full disk is exit code 3"
[ -s err.txt ] || fail "a full disk is not told"
# Requests that a stage before dropped are in no column of a server that they never came to.
cp "$SOURCE_DIR"/tests/whole/server/dropped-before/{workload.json,stamps.csv} .
"$COTENANT" run workload.json --policy mps -q >stages.txt || fail "a pipeline"
grep "^  post: 50 % of the pipeline's 4 requests were dropped, by it or by a stage" stages.txt >/dev/null || fail "what was lost is not told: $(cat stages.txt)"
[ "$(grep -c 'requests were dropped, by it' stages.txt)" = 1 ] || fail "what the columns say is told again: $(cat stages.txt)"
exit $((failures > 0))
