#!/usr/bin/env bash
# The page of `cotenant html` in headless Chromium: page.mjs looks at several stores' pages and uses them as a reader
# would.
. "$SOURCE_DIR/tests/browser_case.bash"
. "$SOURCE_DIR/tests/cli/stored_results.bash"

quick=$SOURCE_DIR/workloads/quickstart.json
short=(-q --set duration_s=3 --set warmup_s=1)
policies=mps,timeslice,priority,mps-priority,baymax,baymax-plus,laius,fifo
"$COTENANT" compare "$quick" --policies $policies --reps 2 -j 2 --baseline all --measures all "${short[@]}" -o eight.db >/dev/null || fail "compare"
for policy in mps baymax; do
    "$COTENANT" run "$quick" -p $policy "${short[@]}" --timeline t.json -o two.db >/dev/null || fail "run -p $policy"
done
"$COTENANT" run mix.json -p priority -q --no-blame -o bare.db >/dev/null || fail "run --no-blame"
# Names that would end the data or run, if they were taken for markup.
evil='</script><script>hit()</script><img/src/onerror/>'
sed "s|\"queries\"|\"$evil\"|; s|\"name\": \"mix\"|\"name\": \"<b>\&amp;</title><script>hit()</script>\"|" mix.json >evil.json
"$COTENANT" run evil.json -p baymax -q --timeline t.json -o evil.db >/dev/null || fail "run of a workload with markup"

# A workload without services, twelve policies, a name of sixty letters.
cat >equals.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "equals", "gpu": "v100", "duration_s": 2, "warmup_s": 0.5, "apps": [
  {"name": "long", "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}},
  {"name": "short", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 2}}]}
JSON
"$COTENANT" compare equals.json --policies mps,timeslice,priority -q -o equals.db >/dev/null || fail "compare without services"
"$COTENANT" compare mix.json --policies $policies,mps-even,stream-priority,even,baymax:margin=0.1 --reps 2 -q -o twelve.db >/dev/null || fail "compare of twelve"
sed 's/"queries"/"a-service-with-a-name-that-is-exactly-sixty-characters-long-x"/' mix.json >long.json
"$COTENANT" compare long.json --policies mps,baymax --reps 2 -q -o long.db >/dev/null || fail "compare of a long name"
for name in equals twelve long; do "$COTENANT" html $name.db -q -o $name.html || fail "html of $name"; done

"$COTENANT" html eight.db -q -o eight.html || fail "html of a comparison"
"$COTENANT" html two.db --budget 0 -q -o two.html || fail "html of two runs"
"$COTENANT" html bare.db -q -o bare.html || fail "html without blame"
"$COTENANT" html evil.db -q -o evil.html || fail "html of markup"
"$COTENANT" html eight.db two.db -q -o both.html 2>/dev/null || fail "html of two stores"

# Two GPUs and two workloads in one store; a service that is overloaded; a run beside a comparison; nine applications; draws of two replications.
for gpu in v100 a100; do
    "$COTENANT" run mix.json -p fifo --set gpu=$gpu -q -o places.db >/dev/null && "$COTENANT" run mix.json -p priority --set gpu=$gpu -q -o places.db >/dev/null || fail "runs on $gpu"
done
"$COTENANT" run equals.json -p mps -q -o places.db >/dev/null || fail "run without targets"
cat >over.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "over", "gpu": "v100", "duration_s": 2, "warmup_s": 0.2, "seed": 1, "apps": [
  {"name": "hot", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 40}, "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}},
  {"name": "solver", "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}}]}
JSON
"$COTENANT" compare over.json --policies mps,timeslice -q -o over.db >over.txt 2>/dev/null || fail "compare of a service that is overloaded"
"$COTENANT" compare mix.json --policies mps,fifo -q -o added.db >/dev/null && "$COTENANT" run mix.json -p fifo -q -o added.db >/dev/null || fail "a run beside a comparison"
apps=$(for i in 1 2 3 4 5 6 7 8 9; do printf '%s{"name": "a%d", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 5}}' "${apps:+, }" $i; apps=more; done)
echo '{"schema": "cotenant.workload/1", "name": "nine", "gpu": "v100", "duration_s": 1, "warmup_s": 0, "apps": ['"$apps"']}' >nine.json
"$COTENANT" run nine.json -p mps -q -o nine.db >/dev/null || fail "run of nine"
"$COTENANT" compare "$quick" --policies mps --reps 2 --bands 3 "${short[@]}" -o bands.db >/dev/null || fail "compare over draws"
"$COTENANT" report bands.db --format json >bands.json || fail "report over draws"
"$COTENANT" compare mix.json --policies mps-caps:caps=solver=20,mps-caps:caps=solver=40,mps-caps:caps=solver=60 --set apps.queries.arrivals.rate_per_s=10 -q -o caps.db >/dev/null || fail "compare of caps"
for name in places over added nine bands caps; do "$COTENANT" html $name.db -q -o $name.html || fail "html of $name"; done

mkdir figures
for name in eight two equals twelve long; do "$COTENANT" plot $name.db -o figures/$name -q || fail "plot of $name"; done

# A server that generates tokens.
"$COTENANT" run "$SOURCE_DIR/workloads/questions/chat.json" -q --no-blame --set duration_s=4 -o chat.db >/dev/null || fail "run of a server"
"$COTENANT" html chat.db -q -o chat.html || fail "html of a server"
"$COTENANT" report chat.db --format json >chat.json || fail "report of a server"

cat >sweep.json <<'JSON'
{"schema": "cotenant.sweep/1", "name": "load", "workload": "mix.json", "policies": ["fifo", "priority", "mps", "mps-priority"], "set": {"duration_s": 2}, "reps": 2,
 "designs": [{"grid": {"gpu": ["v100", "a100"], "apps.queries.arrivals.rate_per_s": [10, 20, 40]}}]}
JSON
"$COTENANT" sweep sweep.json -o sweep.db -q --format csv >sweep.csv || fail "sweep"
"$COTENANT" html sweep.db -q -o sweep.html || fail "html of a sweep"
"$COTENANT" plot sweep.db -o figures/sweep -q || fail "plot of a sweep"

cat >advice.json <<'JSON'
{"schema": "cotenant.workload/1", "gpu": "a100", "duration_s": 4, "warmup_s": 0.5, "apps": [
  {"name": "q", "role": "service", "qos_ms": 8, "arrivals": {"process": "deterministic", "rate_per_s": 50}, "synthetic":
   {"blocks": 216, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 4}},
  {"name": "b", "synthetic": {"blocks": 8640, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 20}}]}
JSON
"$COTENANT" advise advice.json -q --whole-page advice.html >/dev/null || fail "page of an advice"

"$COTENANT" plan advice.json --find max-rate:q --policies mps,timeslice --error 0 --budget 5M -q --set apps.q.qos_ms=100 --whole-page plan.html --format json >plan.json || fail "page of a plan"
"$COTENANT" plan advice.json --find max-rate:q --policies mps,timeslice --error 0 --budget 50k -q --set apps.q.qos_ms=100 --whole-page open.html --format json >open.json 2>/dev/null
"$COTENANT" plan advice.json --find gpu:v100,a100 --policies mps --error 0 --budget 5M -q --set apps.q.qos_ms=100 --set apps.q.arrivals.rate_per_s=40 --whole-page gpus.html >/dev/null || fail "page of a plan over GPUs"
sed 's/{"grid".*/{"random": {"gpu.sms": {"integers": [60, 80]}, "apps.queries.arrivals.rate_per_s": {"uniform": [10, 40]}}, "points": 3}]}/; s/"reps": 2/"reps": 1/' sweep.json >random.json
"$COTENANT" sweep random.json -o random.db -q >/dev/null && "$COTENANT" html random.db -q -o random.html || fail "page of a random design"
cat >cluster.json <<'JSON'
{"schema": "cotenant.cluster/1", "name": "</script><b>six", "gpus": [{"gpu": "v100", "count": 4}, {"gpu": "a100", "count": 2}],
 "duration_s": 2, "warmup_s": 0.5, "placement": "round-robin", "policy": "mps", "apps": [
  {"name": "q", "role": "service", "gpus": 6, "qos_ms": 8, "arrivals": {"process": "poisson", "rate_per_s": 300}, "synthetic":
   {"blocks": 160, "threads": 256, "duration_ms": 4}},
  {"name": "b", "gpus": 3, "synthetic": {"blocks": 1600, "threads": 256, "duration_ms": 20}}]}
JSON
"$COTENANT" cluster cluster.json --placement round-robin,random -q --whole-page cluster.html --format json >cluster.out.json || fail "page of a cluster"

# What the page must show, from other commands and from the store.
baymax=$(sqlite3 two.db "SELECT number FROM run WHERE policy = 'baymax' AND purpose IS NULL")
sqlite3 two.db "SELECT count(*) FROM v_decisions WHERE run = $baymax AND verb = 'hold'" >holds.txt
"$COTENANT" report two.db --format json >two.json || fail "report"
"$COTENANT" explain two.db --run "$baymax" --decisions --format json >decisions.json || fail "explain --decisions"
"$COTENANT" explain two.db --run "$baymax" --worst 1 --format json >explain.json || fail "explain"
node "$SOURCE_DIR/tests/html/page.mjs" "$modules" "$chromium" "$scratch" || fail "in the browser (above)"
exit $((failures > 0))
