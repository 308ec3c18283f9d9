#!/usr/bin/env bash
# Designs of a sweep: which points there are, what their runs are like, what is stored of them and how it is shown.
. "$(dirname "${BASH_SOURCE[0]}")/sweep.bash"
sweep() { "$COTENANT" sweep "$@"; }

sweep_file grid.json 0.6 "$grid"
sweep grid.json -o one.db >one.txt 2>one.err || fail "a grid"
says one.err '^sweep: 6 points, up to 72 runs'
says one.err '^sweep: 6 points stored, 64 runs, 8 reused' # alone, the batch work does not know the rate
says one.txt 'rate_per_s=50 sms=40 +mps +queue'
awk 'length > 80 { print FILENAME ": " $0; wide = 1 } END { exit wide }' one.txt one.err || fail "a line beyond 80 columns"

# The last axis is the fastest.
same "points of the grid" "50,40;50,68;100,40;100,68;200,40;200,68;" \
    "$(sweep grid.json -o one.db --format csv -q | awk -F, 'NR > 1 && !seen[$1]++ { printf "%s,%s;", $2, $3 }')"

# Threads change nothing; neither does a second time, which runs nothing.
sweep grid.json -o two.db -j 2 -q >two.txt || fail "two threads"
cmp one.txt two.txt || fail "two threads print something else"
same "contents by two threads" "$(contents one.db)" "$(contents two.db)"
before=$(contents one.db)
sweep grid.json -o one.db >again.txt 2>again.err || fail "a second time"
says again.err ' 0 runs, 0 reused'
cmp one.txt again.txt || fail "a second time prints something else"
same "contents after a second time" "$before" "$(contents one.db)"

# A point is what `compare` says of the same workload.
"$COTENANT" compare workload.json --policies mps,fifo,baymax --reps 2 --set apps.queue.arrivals.rate_per_s=100 \
    --set gpu.sms=68 --format json -q | sed '1,2d' >compare.json
sweep grid.json -o one.db -q --format json >points.json
python3 - points.json >point.json <<'PY' || fail "the JSON of a sweep"
import json, sys
sweep = json.load(open(sys.argv[1]))
assert sweep["schema"] == "cotenant.comparison/1" and sweep["sweep"] == "load"
assert len(sweep["reports"]) == 18 and len(sweep["comparisons"]) > 6
mine = [r for r in sweep["reports"] if r["values"] == {"apps.queue.arrivals.rate_per_s": 100, "gpu.sms": 68}]
assert len(mine) == 3
for report in mine:
    print(json.dumps({k: report[k] for k in ("policy", "apps", "system", "engine")}, sort_keys=True))
print(json.dumps([{k: v for k, v in d.items() if k != "point"} for d in sweep["comparisons"] if d["point"] == mine[0]["point"]], sort_keys=True))
PY
python3 - >compared.json <<'PY' || fail "the JSON of a comparison"
import json
compared = json.loads('{"schema": "",' + open("compare.json").read())
for report in compared["reports"]:
    print(json.dumps({k: report[k] for k in ("policy", "apps", "system", "engine")}, sort_keys=True))
print(json.dumps(compared["comparisons"], sort_keys=True))
PY
cmp point.json compared.json || fail "a point differs from the same comparison"

# The values by SQL, of pooled runs and their replications; numbers are numbers.
same "values of a run" "apps.queue.arrivals.rate_per_s|50|integer gpu.sms|40|integer" \
    "$(query one.db "SELECT key, value, typeof(value) FROM v_sweep WHERE run = 1" | tr '\n' ' ' | sed 's/ $//')"
sweep_file units.json 0.6 '{"grid": {"apps.queue.arrivals.rate_per_s": ["50Hz", "0.1 kHz"]}}'
sweep units.json -o units.db -q >/dev/null || fail "values with units"
same "values with units are numbers" "50|integer 100|integer" \
    "$(query units.db "SELECT DISTINCT value, typeof(value) FROM v_sweep WHERE key LIKE '%rate_per_s' ORDER BY value" | tr '\n' ' ' | sed 's/ $//')"
sweep_file units.json 0.6 '{"random": {"apps.queue.arrivals.rate_per_s": {"uniform": ["50Hz", "0.1 kHz"]}}, "points": 3}'
sweep units.json -o range.db -q >/dev/null || fail "a range with units"
same "a range with units" 3 "$(query range.db "SELECT count(DISTINCT value) FROM v_sweep WHERE value BETWEEN 50 AND 100")"
same "runs with values" "$(query one.db 'SELECT count(*) FROM run')" \
    "$(query one.db 'SELECT count(DISTINCT run) FROM v_sweep')"
"$COTENANT" report one.db >report.txt 2>report.err || fail "report of a sweep's store"
says report.err "shows point 6 of the 6 of sweep 'load'"
says report.txt '^set: .*apps[.]queue[.]arrivals[.]rate_per_s=200'
"$COTENANT" report one.db --list | awk '/gpu[.]?sms=40|rate_per_s=50/ { n++ } END { exit n < 9 }' || fail "the list does not tell points apart"

# Random designs: ranges, strata, and the same points each time. Policies without the option `margin`, and applications
# alone, have nothing new to run where nothing else changes.
sweep_file random.json 0.3 "$random" '{"grid": {"margin": [0.1, 0.2]}}'
sweep random.json -o random.db --format csv >random.csv 2>random.err || fail "a random design"
says random.err '^sweep: 10 points'
sweep random.json -o random2.db -j 3 --format csv -q >random2.csv
cmp random.csv random2.csv || fail "random points differ from one time to the next"
same "contents of random designs" "$(contents random.db)" "$(contents random2.db)"
awk -F, 'NR > 1 && $1 <= 8 && !seen[$1]++ {
        rates[int(8 * log($2 / 20) / log(300 / 20))]++; margins[int(8 * ($3 - 0.05) / 0.25)]++
        if ($4 !~ /^[123]$/ || ($5 != "rtx2080ti" && $5 != "v100")) bad = 1
    }
    END { for (i = 0; i < 8; i++) if (rates[i] != 1 || margins[i] != 1) bad = 1; exit bad }' random.csv ||
    { fail "a latin hypercube has a point in each of eight parts of each range:"; cat random.csv; }
sweep_file bare.json 0.3 '{"grid": {"margin": [0.1, 0.2, 0.3]}}'
sweep bare.json -o bare.db >/dev/null 2>bare.err || fail "an option of one policy"
# By replication: 2 alone, the batch work without services, mps, fifo and 3 times baymax.
says bare.err ', 16 runs, 20 reused'

# Axes whose keys end alike are told apart by more of them.
sweep_file alike.json 0.3 '{"grid": {"apps.work.instances": [2], "apps.queue.instances": [1], "gpu.sms": [40]}}'
sweep alike.json -o alike.db -q >alike.txt || fail "keys that end alike"
says alike.txt '^load: 1 point$'
says alike.txt '^ *1: work.instances=2 queue.instances=1 sms=40$'

# What an application does alone depends on the cores of its host: nothing is reused.
sweep_file cores.json 0.3 '{"grid": {"host.cores": [1, 2], "apps.work.launches": ["one-by-one"],
    "apps.work.synthetic.kernels": [4], "apps.work.stall_ms": [5], "apps.work.host_threads": [2]}}'
sweep cores.json -o cores.db >/dev/null 2>cores.err || fail "cores of the host"
says cores.err ', 24 runs, 0 reused'

# More replications and one more policy: the first ones are there.
sed -i 's/"reps": 2/"reps": 3/; s/"mps", /"mps", "timeslice", /' bare.json
sweep bare.json -o bare.db >/dev/null 2>more.err || fail "more of everything"
says more.err 'stored, 11 runs, '

# A store with other results is as good.
sweep_file grid.json 0.6 "$grid"
"$COTENANT" run workload.json -o mixed.db -q >/dev/null
sweep grid.json -o mixed.db -q >mixed.txt || fail "a store with another run"
cmp one.txt mixed.txt || fail "other results in the store change a sweep"

# Targets of tokens: 2 ms to the first one and 1 ms each, alone; a row each in text, columns in CSV, as `compare` has them.
. "$SOURCE_DIR/tests/whole/continuous/steps.bash" >/dev/null
cat >chat.json <<'JSON'
{"gpu": "k40", "duration_s": 1, "apps": [
  {"name": "chat", "role": "service", "arrivals": {"process": "deterministic", "rate_per_s": 100}, "server": {"max_requests": 9, "continuous":
    {"cache_blocks": 100, "max_tokens": 200, "max_sequences": 4, "ttft_ms": 4, "tpot_ms": 0.8, "prompt_tokens": 100, "output_tokens": 3,
     "prefill": [{"tokens": 100, "trace": "steps.db#of-2-ms"}], "decode": [{"batch": 1, "trace": "steps.db#of-1-ms"}]}}}]}
JSON
cat >tokens.json <<'JSON'
{"schema": "cotenant.sweep/1", "workload": "chat.json", "policies": ["mps"],
 "designs": [{"grid": {"apps.chat.arrivals.rate_per_s": [10, 100]}}]}
JSON
sweep tokens.json -o tokens.db -q >tokens.txt || fail "targets of tokens"
says tokens.txt '^ *rate_per_s=10 +mps +chat TTFT +0[.]500 '
says tokens.txt '^ +chat TPOT +1[.]250! '
sweep tokens.json -o tokens.db -q --format csv >tokens.csv
same "columns of tokens" "0,297,2,0.5,1,1.25" "$(awk -F, '
    NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
    NR == 3 { print $at["dropped_fraction"] "," sprintf("%.0f", $at["tokens_per_s"]) "," $at["ttft_p99_ms"] "," $at["ttft_p99_over_target"] "," \
        $at["tpot_p99_ms"] "," $at["tpot_p99_over_target"] }' tokens.csv)"

# Beside a longer policy the labels have no room, and no two points may look alike: numbers, and what they are.
sweep_file labels.json 0.6 '{"grid": {"apps.queue.arrivals.rate_per_s": [50, 100], "apps.work.instances": [1, 2]}}'
sed -i 's/"mps", "fifo", "baymax"/"mps-priority"/' labels.json
sweep labels.json -o labels.db -q >labels.txt || fail "labels"
says labels.txt '^  4 +mps-priority +queue'
says labels.txt '4: rate_per_s=100 instances=2'

[ "$failures" -eq 0 ]
