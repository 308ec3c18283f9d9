#!/usr/bin/env bash
# What explain says of a shipped workload is what the store holds; every form; one decision forced the other way.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
workload=$SOURCE_DIR/workloads/quickstart.json
short=(--set duration_s=$((${COTENANT_SMALL:-0} ? 1 : 3)) --set warmup_s=0 -q -o r.db)
for policy in baymax mps; do
    "$COTENANT" run "$workload" -p "$policy" "${short[@]}" >/dev/null || fail "run -p $policy"
done
ask() { sqlite3 r.db "$1"; }

# The slowest query by hand, from the tables.
slowest=$(ask "SELECT 'vit:' || job FROM v_latency WHERE run = 1 AND app = 'vit' ORDER BY latency_ms DESC LIMIT 1")
wants 0 "$slowest" "$COTENANT" explain r.db --run 1 --worst 1
"$COTENANT" explain r.db --run 1 --format csv >r.csv || fail "explain --format csv"
[ "$(wc -l <r.csv)" = 11 ] || fail "not ten jobs: $(cat r.csv)"
[ "$(sed -n 2p r.csv | cut -d, -f1,3 | tr , :)" = "$slowest" ] || fail "not the slowest first"
# Parts add up to the latency (to what decimals of milliseconds keep), whoever waits names the head of its queue.
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) column[$i] = i }
    NR > 1 { sum = 0; for (i = column["solo_work_ms"]; i <= column["decision_ms"]; i++) sum += $i
    d = sum - $5; if (d > 1e-6 || d < -1e-6) exit 1
    if (($column["own_queue_ms"] > 0) != ($8 != "")) exit 1 }' r.csv || fail "parts do not add up, or a queue has no head"
"$COTENANT" explain r.db --run 1 --format json >r.json || fail "explain --format json"
[ "$(grep -c '"sentences"' r.json)" = 10 ] || fail "not ten jobs in JSON"
"$COTENANT" explain r.db --run 1 >once.txt && "$COTENANT" explain r.db --run 1 >twice.txt
cmp -s once.txt twice.txt || fail "not the same twice"
awk 'length > 80 { exit 1 }' once.txt || fail "a line is longer than 80 columns"
wants 0 '- Where the time went' "$COTENANT" explain r.db --run 1 --format markdown
wants 0 'were slow under baymax' "$COTENANT" explain r.db --policy baymax --worst 1
wants 2 "unknown policy 'baimax', did you mean 'baymax'?" "$COTENANT" explain r.db --policy baimax
wants 2 "'--policy' does not go with it" "$COTENANT" explain r.db --policy baymax --run 1
wants 0 'mps, replication 0, seed 1, on h100 (--run 2)' "$COTENANT" explain r.db --worst 1
wants 0 'mps holds no task back' "$COTENANT" explain r.db --run 2 --worst 1

# Of a comparison the first replication is told about, as on the page; a note is told in words, in the unit that is said.
make_store
wants 0 'fifo, replication 0, seed 3, on v100 (--run 2)' "$COTENANT" explain results.db --policy fifo --worst 1
wants 0 'priority, replication 1, seed 3, on v100 (--run 6)' "$COTENANT" explain results.db --run 6 --worst 1
"$COTENANT" explain r.db --run 1 --decisions >decisions.txt || fail "explain --decisions"
grep >/dev/null 'note of vit (the query begins with a' decisions.txt || fail "a note is told by its sentence"
"$COTENANT" run "$SOURCE_DIR/workloads/gtx1080ti-hsm-mix.json" -p hsm-fair --set duration_s=0.2 --set warmup_s=0 -q -o hsm.db >/dev/null
"$COTENANT" explain hsm.db --decisions --format json | grep >/dev/null '"note (fwt np [0-9.]*, binomial np [0-9.]*)"' || fail "a note of each client"

# What the memory is asked for follows from shapes, in these recordings, and of the rest is unknown: said, unless the user says it.
wants 0 'by time on the device: 95 % from shapes, 3 % unknown' "$COTENANT" explain r.db --run 1 --worst 1
grep -qE '"memory_demand_unknown": 0\.028' r.json || fail "unknown demand in JSON"
wants 0 'vit: gemm, partial launches, 60 % of the kernel time: 0.18 of the peak' "$COTENANT" explain r.db --run 1 --worst 1
"$COTENANT" run "$workload" -p mps --set duration_s=1 --set warmup_s=0 --set 'defaults.kernels.*.dram_fraction=0.3' -q -o given.db >/dev/null ||
    fail "run with what is given"
"$COTENANT" explain given.db --worst 1 >given.txt || fail "explain of it"
grep -q 'Memory demand' given.txt && fail "demand that is given is called unknown"

# Jobs of a service that generates tokens are steps, which have no target; of its requests the report is told: the slowest of four
# takes 3.1 ms, and is in no step for the 0.2 of another one's prompt (tests/whole/continuous/max-sequences).
cp -r "$SOURCE_DIR/tests/whole/continuous/max-sequences" steps
(cd steps && bash prepare && "$COTENANT" run workload.json -p mps --set apps.s.qos_ms=2 -q -o tokens.db) >/dev/null 2>&1 || fail "run of steps"
"$COTENANT" explain steps/tokens.db --worst 1 | tr -s '\n ' ' ' >steps.txt
for words in '4 requests came; 50 % of those that can be judged were late. VIOLATED s: p99 of 3.1 ms is 1.55 of its target of 2 ms; 50 % of its jobs are late.' \
    'on average: its own work 2.9 ms (94 %), waiting in its server for a batch 0.2 ms (6 %).' \
    'one step of 5, which took 1.5 ms; alone a step takes 0.66 ms on average.' 's:1 It took 1.5 ms; alone a step'; do
    grep >/dev/null -F -- "$words" steps.txt || fail "no '$words' in $(cat steps.txt)"
done
[ "$("$COTENANT" explain steps/tokens.db --worst 1 --format csv | sed -n 2p | cut -d, -f5,6,7)" = 1.5,,0.66 ] || fail "a step has a target in CSV"
"$COTENANT" explain steps/tokens.db --worst 1 --format json | grep >/dev/null '"qos_ms": null' || fail "a step has a target in JSON"

# Behind a server that drops two thirds of its requests the verdict is that of run, and what is told about are batches, of those that are left:
# of three that come in 3 ms one is run and one waits. Another one, which all keep, is said to be met.
{ echo s && for at in {0..38}; do printf '0.%03d\n' "$at"; done; } >drops.csv
cat >drops.json <<'END'
{"gpu": "k40", "duration_s": 0.05, "apps": [{"name": "a", "role": "service", "qos_ms": 20, "server": {"max_queue": 1},
  "synthetic": {"blocks": 1, "duration_ms": 3, "dram_fraction": 0, "unit_fraction": 0},
  "arrivals": {"process": "trace", "file": "drops.csv", "column": "s", "replay": true}}]}
END
"$COTENANT" run drops.json -p mps -q -o drops.db | tr -s '\n ' ' ' >drops-run.txt || fail "run of drops"
"$COTENANT" explain drops.db --worst 1 | tr -s '\n ' ' ' >drops.txt
verdict=$(grep -oE 'VIOLATED a: p99 of [0-9.]+ ms is [0-9.]+ of its target of 20 ms; [0-9.]+ % of its jobs are late, dropped ones among them; [0-9.]+ % of its requests were dropped' drops-run.txt)
[ "$verdict" ] || fail "run says no verdict: $(cat drops-run.txt)"
grep -qF "$verdict." drops.txt || fail "explain has another verdict than '$verdict': $(cat drops.txt)"
for words in '39 requests came; ' 'dropped ones among them' 'Its slowest 1 % is one batch of 14, which took ' '; alone a batch takes 3 ms on average'; do
    grep -qF -- "$words" drops.txt || fail "no '$words' in $(cat drops.txt)"
done
grep -q 'met the target' drops.txt && fail "a target is met where two thirds were dropped: $(cat drops.txt)"
"$COTENANT" run drops.json -p mps --set apps.a.server.max_queue=100 --set apps.a.synthetic.duration_ms=0.5 -q -o kept.db >/dev/null || fail "run without drops"
"$COTENANT" explain kept.db --worst 1 | tr -s '\n ' ' ' | grep >/dev/null -F '39 requests came; 0 % of those that can be judged were late. met a: p99 of' || fail "the verdict without drops: $("$COTENANT" explain kept.db --worst 1)"

# A hold that explain names is in the log, as long as there.
"$COTENANT" explain r.db --run 1 --app timesformer --worst 5 >holds.txt || fail "explain --app"
tr '\n' ' ' <holds.txt | tr -s ' ' | grep -oE 'task [0-9]+ of timesformer:[0-9]+, held for [0-9.]+ ms \(decision [0-9]+\)' |
    head -20 >named.txt
[ -s named.txt ] || fail "baymax held nothing of the slowest batch jobs"
while read -r _ task _ job _ _ length _ _ number; do
    found=$(ask "SELECT count(*) FROM v_holds WHERE run = 1 AND decision = ${number%)} AND task = $task AND
        'timesformer:' || job = '${job%,}' AND abs(held_ms - $length) <= 0.001 * held_ms")
    [ "$found" = 1 ] || fail "the log has no hold of task $task of $job for $length ms at ${number%)}"
done <named.txt
# A store of an earlier version has no sentences, and is told of in the same words.
cp r.db earlier.db && sqlite3 earlier.db 'DROP TABLE reason' || fail "the store has no sentences"
"$COTENANT" explain earlier.db --run 1 --app timesformer --worst 5 >earlier.txt || fail "explain of an earlier store"
cmp -s holds.txt earlier.txt || fail "an earlier store is told of in other words: $(diff holds.txt earlier.txt | head -4)"

# A job that has not ended when the run does is counted with its age, as in the report: in the store, in explain, in the figure. A store of
# before has none, and its view knows them once a run is added.
cp "$SOURCE_DIR/tests/whole/blame/unfinished-held/workload.json" held.json
"$COTENANT" run held.json -p priority -q -o held.db --format json >held-report.json 2>/dev/null || fail "run held.json"
grep -q '"max": 120' held-report.json || fail "the report has another latency: $(grep '"max"' held-report.json)"
[ "$(sqlite3 held.db "SELECT count(*), max(latency_ms), sum(unfinished) FROM v_latency WHERE app = 'batch'")" = '3|120.0|1' ] || fail "v_latency lacks the job"
"$COTENANT" explain held.db --app batch --worst 1 | tr -s '\n ' ' ' >held.txt
for words in 'is one job of 3, which had not ended after 120 ms' 'held back by the policy 100 ms (83 %), its own work 20 ms (17 %)' \
    'What sharing cost it is known only of jobs that have ended' 'batch:2 It had not ended after 120 ms' 'The longest: task 1 of batch:2, held and never issued (decision 10): 1 kernel of services under way or ready. Next: task 1 of batch:2, held for 10 ms'; do
    grep -qF "$words" held.txt || fail "explain does not say '$words': $(cat held.txt)"
done
[ "$("$COTENANT" explain held.db --app batch --format csv | awk -F, '{ print $3 "," $5 "," $NF }' | tr '\n' ' ')" = 'number,latency_ms,unfinished 2,120,yes 0,40,no 1,40,no ' ] ||
    fail "explain as CSV: $("$COTENANT" explain held.db --app batch --format csv)"
"$COTENANT" export held.db -q -o held && grep -q '^1,priority,0,batch,0,2,80,80,,120,20,' held/jobs.csv || fail "export: $(cat held/jobs.csv)"
"$COTENANT" run "$SOURCE_DIR/tests/whole/blame/unfinished-queue/workload.json" -p mps -q -o queue.db >/dev/null 2>&1 || fail "run of a queue"
"$COTENANT" plot queue.db -q -o figures >/dev/null 2>&1; grep -q ',mps (at least)$' figures/latency-long.csv || fail "the curve is not marked"
"$COTENANT" html queue.db -q -o queue.html && grep -qE '"app": ?"long", ?"jobs": ?2, ?"unfinished": ?2' queue.html || fail "the page's curve is not marked"
sqlite3 held.db "DROP VIEW v_latency; CREATE VIEW v_latency AS SELECT run, end_ps FROM job; DELETE FROM job WHERE end_ps IS NULL; ALTER TABLE job DROP COLUMN until_ps"
wants 0 'is one job of 2, which took 40 ms' "$COTENANT" explain held.db --app batch --worst 1
"$COTENANT" run held.json -p fifo -q -o held.db >/dev/null 2>&1 && [ "$(sqlite3 held.db "SELECT sum(unfinished) FROM v_latency WHERE run = 1")" = 0 ] ||
    fail "the view of an extended store"

# Whom a policy starves from before the measured time on is told about, and is not said to have been away.
"$COTENANT" run "$SOURCE_DIR/tests/whole/rule/starved/workload.json" -p priority --set warmup_s=0.02 --set duration_s=0.2 -q -o starved.db >starved.txt 2>&1 ||
    fail "run of the starved"
grep -qF "'batch' did nothing in the measured time" starved.txt || fail "the starved: $(cat starved.txt)"
wants 0 'task 0 of batch:0, held and never' "$COTENANT" explain starved.db --app batch

# Forced the other way: an issue, a hold; the same bytes twice, and a policy that passes everything has nothing to force.
for verb in issue hold; do
    number=$(ask "SELECT number FROM v_decisions WHERE run = 1 AND verb = '$verb' AND app = 'timesformer' LIMIT 1 OFFSET 20")
    wants 0 "What if decision $number" "$COTENANT" explain r.db -q --run 1 --what-if "$number"
    cp out.txt first.txt
    "$COTENANT" explain r.db -q --run 1 --what-if "$number" >again.txt || fail "what-if again"
    cmp -s first.txt again.txt || fail "not the same what-if twice"
    "$COTENANT" explain r.db -q --run 1 --what-if "$number" --format json >w.json || fail "what-if as JSON"
    grep >/dev/null '"p99_ms"' w.json || fail "no p99 in: $(cat w.json)"
done
note=$(ask "SELECT number FROM v_decisions WHERE run = 1 AND verb = 'note' LIMIT 1")
wants 2 'is no decision that could go another way' "$COTENANT" explain r.db --run 1 --what-if "$note"
wants 2 'has no decision 999999999' "$COTENANT" explain r.db --run 1 --what-if 999999999
wants 2 "'mps' made no decision" "$COTENANT" explain r.db --run 2 --what-if 1
wants 2 "has no job 999999" "$COTENANT" explain r.db --run 1 --job vit:999999
wants 2 "has no application 'vet'" "$COTENANT" explain r.db --run 1 --app vet

# Inputs that moved or changed.
"$COTENANT" run mix.json -p baymax -q -o moved.db >/dev/null || fail "run mix.json"
number=$(sqlite3 moved.db "SELECT number FROM v_decisions WHERE verb = 'issue' LIMIT 1")
mv mix.json elsewhere.json
wants 3 'mix.json' "$COTENANT" explain moved.db -q --what-if "$number"
wants 0 'What if' "$COTENANT" explain moved.db -q --what-if "$number" --workload elsewhere.json
sed -i 's/"rate_per_s": 40/"rate_per_s": 41/' elsewhere.json
wants 3 'have changed since run 1 was stored' "$COTENANT" explain moved.db -q --what-if "$number" --workload elsewhere.json
exit $((failures > 0))
