#!/usr/bin/env bash
# The self-check of every report: what must hold in any run, and the settings and axes that change nothing.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

cat >mix.json <<'JSON'
{"gpu": {"base": "rtx2080ti", "pcie_mb_s": 14000}, "duration_s": 2, "warmup_s": 0.2,
 "defaults": {"priority": 1},
 "apps": [{"name": "queue", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 100},
           "synthetic": {"blocks": 136, "threads": 256, "duration_ms": {"dist": "exponential", "mean": 1}}},
          {"name": "work", "synthetic": {"blocks": 272, "threads": 512, "duration_ms": 2}},
          {"name": "more", "synthetic": {"blocks": 272, "threads": 512, "duration_ms": 3}}]}
JSON

# one REPORT: its text on one line.
one() { tr -s '\n ' ' ' <"$1" >"$1.line"; }

# What nobody looks at is named: the link without copies, priorities under a policy without them.
"$COTENANT" run mix.json --policy mps --set hw_queues=7 --set apps.queue.workers=2 --quiet >run.txt || fail "run"
one run.txt
says run.txt.line "conservation ok, Little's law ok, utilisation law ok"
says run.txt.line "settings: the result would be the same without any one of gpu.pcie_mb_s, defaults.priority, hw_queues "

# The same words by hand: without them the numbers do not move; with what acts they do.
numbers() { "$COTENANT" run "$@" --quiet --format csv | grep -E ',(app|system|engine),' | cut -d, -f 6-; }
numbers mix.json --policy mps --set hw_queues=7 >with.csv
sed 's/, "pcie_mb_s": 14000//; s/"priority": 1//' mix.json >plain.json
numbers plain.json --policy mps >without.csv
cmp with.csv without.csv || fail "settings that change nothing change the numbers"
numbers plain.json --policy mps --set apps.queue.workers=2 | cmp -s - without.csv && fail "workers change nothing"

# A policy that looks at priorities, with copies over the link: nothing is idle.
"$COTENANT" run plain.json --policy priority --set apps.more.priority=5 --set apps.work.synthetic.bytes_in=1000000 \
    --quiet >acts.txt || fail "run with what acts"
one acts.txt
says acts.txt.line "settings: leaving out any one of the [0-9]+ optional keys would change the result"

# Values that hold anyway are not asked about.
"$COTENANT" run plain.json --policy mps --set apps.queue.workers=1 --set apps.work.synthetic.threads=256 --quiet \
    --format json | grep -F 'same without' >/dev/null && fail "a default is called idle"

# Options in the names of policies; a setting counts when any of the policies looks at it.
"$COTENANT" compare plain.json --policies mps,priority --reps 2 --set apps.more.priority=5 --quiet >compare.txt ||
    fail "compare"
one compare.txt
says compare.txt.line "conservation ok, Little's law ok, utilisation law ok under every policy"
says compare.txt.line "settings: leaving out any one of the [0-9]+ optional keys would change the result"
"$COTENANT" compare plain.json --policies mps,baymax:margin=0.01,baymax:margin=0.011 --reps 1 --quiet \
    --set apps.queue.arrivals.rate_per_s=1 --set hw_queues=9 >labels.txt || fail "compare with options"
one labels.txt
says labels.txt.line "same without any one of hw_queues, baymax:margin=0.01, baymax:margin=0.011 "

# Applications that all stop within the warm-up leave a window in which nothing was used.
"$COTENANT" run plain.json --policy mps --set defaults.stop=first-run --set 'apps.queue.arrivals={"process":"once"}' \
    --set warmup_s=1 --quiet >early.txt || fail "run that ends in its warm-up"
one early.txt
says early.txt.line "SM use 0 of all"
says early.txt.line "conservation ok, Little's law ok, utilisation law ok"

# Questions have a budget, ten million events where the runs are short: a job of 40,000 kernels in the first second and
# silence later look like the two million events of a look that is cut short, for each policy and for the application alone,
# with the key and without. Under one policy that is eight million, under two twelve: the key is left out.
cat >burst.json <<'JSON'
{"gpu": "v100", "duration_s": 32, "warmup_s": 0, "apps": [{"name": "job", "arrivals": {"process": "once"},
 "synthetic": {"kernels": 40000, "blocks": 8, "duration_ms": 0.01, "threads": 64}}]}
JSON
"$COTENANT" run burst.json --policy mps --set hw_queues=7 --quiet >burst.txt || fail "run of a burst"
one burst.txt
says burst.txt.line "settings: the result in the first [0-9.]+ s would be the same without hw_queues "
"$COTENANT" compare burst.json --policies fifo,mps --reps 1 --set hw_queues=7 --quiet >burst.txt || fail "compare of a burst"
one burst.txt
says burst.txt.line "settings: leaving out any one of the [0-9]+ optional keys would change the result; 1 key would have taken too long to try without: hw_queues "

"$COTENANT" plan mix.json --find max-rate:queue --policies priority --max-reps 5 --tolerance 40 --error 0 --quiet \
    >plan.txt || fail "plan"
one plan.txt
says plan.txt.line "Checks .*conservation ok, Little's law ok, utilisation law ok in all [0-9]+ runs"
says plan.txt.line "settings: the result would be the same without any one of gpu.pcie_mb_s, defaults.priority"
"$COTENANT" plan mix.json --find max-rate:queue --policies priority --max-reps 5 --tolerance 40 --error 0 --quiet \
    --format json >plan.json || fail "plan as JSON"
says plan.json '"broken": null'

cat >sweep.json <<'JSON'
{"schema": "cotenant.sweep/1", "workload": "plain.json", "policies": ["mps"], "set": {"hw_queues": 9, "duration_s": 1},
 "designs": [{"grid": {"gpu.pcie_mb_s": [13000, 14000], "apps.queue.arrivals.rate_per_s": [50, 100, 150]}}]}
JSON
"$COTENANT" sweep sweep.json -o sweep.db --quiet >sweep.txt || fail "sweep"
one sweep.txt
says sweep.txt.line "conservation ok, Little's law ok, utilisation law ok in all 6 results"
says sweep.txt.line "the axis 'gpu.pcie_mb_s' changes nothing at any point"
says sweep.txt.line "settings: the result would be the same without hw_queues"
grep -F "rate_per_s' changes nothing" sweep.txt >/dev/null && fail "an axis that acts is called idle"
"$COTENANT" sweep sweep.json -o sweep.db --quiet | cmp - sweep.txt || fail "the stored sweep says something else"
[ "$failures" -eq 0 ]
