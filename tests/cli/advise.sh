#!/usr/bin/env bash
# Advice on a mix whose best settings are found by hand, what it costs, how many GPUs, and what cannot be asked.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# On an A100 (108 SMs, 8 of these blocks each) the query fills a quarter, 4 ms, and batch kernels are ten waves of 2 ms.
cat >"$scratch/mix.json" <<'JSON'
{"schema": "cotenant.workload/1", "name": "by-hand", "gpu": "a100", "duration_s": 4, "warmup_s": 0.5,
 "apps": [
  {"name": "q", "role": "service", "qos_ms": 8, "arrivals": {"process": "deterministic", "rate_per_s": 50},
   "synthetic": {"blocks": 216, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 4}},
  {"name": "b",
   "synthetic": {"blocks": 8640, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 20}}
 ]}
JSON

# advise NAME ARGUMENT...: the advice as JSON in $scratch/NAME; its exit code.
advise() {
    local name=$1
    shift
    "$COTENANT" advise "$scratch/mix.json" --format json --quiet "$@" >"$scratch/$name" 2>"$scratch/$name.err"
}

# best NAME MEMBER VALUE
best() {
    local value
    value=$(sed -n '/"best"/,/"switch_on"/s/^ *"'"$2"'": "\{0,1\}\([^",]*\).*/\1/p' "$scratch/$1")
    [ "$value" = "$3" ] || fail "$1: the best one's $2 is '$value', not '$3'"
}

# Whoever is next at the end of a wave waits for 2 ms at most, so priorities keep 8 ms, and cost batch work only what the
# queries take: a quarter of the SMs for a fifth of the time.
advise eight || fail "no advice: $(cat "$scratch/eight.err")"
best eight policy stream-priority
best eight sure true
says "$scratch/eight" 'CUDA_MPS_CLIENT_PRIORITY=0 <command of q>'

# Why the others lost stands in the JSON, too, and so on the page.
"$COTENANT" advise "$scratch/mix.json" --quiet | sed -n '/^Why not the others/,/^To switch it on/p' | tr -s ' \n' ' ' >"$scratch/losses"
sed -n '/"notes"/,/\]/s/^ *"\(.*\)",\{0,1\}$/\1/p' "$scratch/eight" | grep -v '^notes"' >"$scratch/notes"
[ "$(wc -l <"$scratch/notes")" -gt 3 ] || fail "no notes: $(cat "$scratch/notes")"
while IFS= read -r note; do grep -F -- "$note" "$scratch/losses" >/dev/null || fail "the text has no '$note'"; done <"$scratch/notes"
says "$scratch/eight" '"interrupted": false'
says "$scratch/eight" '"not_tried": \[\]'
# So does what was not tried, and why.
"$COTENANT" advise "$scratch/mix.json" --quiet --bands 0 --gpus a100-80gb,a100,v100 --set apps.b.memory_gib=30 --set apps.q.memory_gib=30 2>/dev/null | tr -s ' \n' ' ' >"$scratch/out"
says "$scratch/out" "a100: left out: the applications need 60 GiB of memory together .*'a100' has 40 v100: left out: "
"$COTENANT" advise "$scratch/mix.json" --quiet --bands 0 --set gpu=v100 2>/dev/null | tr -s ' \n' ' ' >"$scratch/out"
says "$scratch/out" "not tried, as v100 has not got it or these applications cannot use it: MPS, static; MIG; MPS in MIG "

# Ways that chance does not tell apart are named, with the simplest of them.
"$COTENANT" advise "$scratch/mix.json" --quiet --bands 0 --set apps.b.synthetic.blocks=8 --set apps.q.synthetic.blocks=8 \
    --set 'apps.q.arrivals={"process":"poisson","rate_per_s":50}' --set apps.q.qos_ms=40 | tr -s ' \n' ' ' >"$scratch/alike"
says "$scratch/alike" "Within chance of [A-Za-z, ]+, with as much batch work: .*MPS.* The simplest of all these is MPS [(]--policy mps[)][.]"
says "$scratch/losses" "MPS, static"
grep -F 'Within chance' "$scratch/losses" >/dev/null && fail "what does less batch work is not within chance"

# Without batch applications nothing is compared by batch work.
sed 's/"name": "b",/"name": "b", "role": "service", "qos_ms": 100, "arrivals": {"process": "poisson", "rate_per_s": 50},/' "$scratch/mix.json" >"$scratch/services.json"
"$COTENANT" advise "$scratch/services.json" --quiet --bands 0 --set apps.b.synthetic.duration_ms=4 --set apps.b.synthetic.blocks=216 \
    --set 'apps.q.arrivals={"process":"poisson","rate_per_s":50}' --set apps.q.qos_ms=40 |
    tr -s ' \n' ' ' >"$scratch/alike"
says "$scratch/alike" "Within chance of [A-Za-z, ]+: .*MPS"
grep -F 'batch work' "$scratch/alike" >/dev/null && fail "batch work where there is none: $(cat "$scratch/alike")"

# Where nothing holds, what comes nearest says why: four launch threads on one core, which no way of sharing the GPU changes.
cat >"$scratch/host.json" <<'JSON'
{"gpu": "gtx1080ti", "duration_s": 4, "warmup_s": 0.5, "host": {"cores": 1}, "apps": [
 {"name": "q", "role": "service", "qos_ms": 8, "arrivals": {"process": "poisson", "rate_per_s": 20},
  "launches": "one-by-one", "stall_ms": 0.4, "synthetic": {"kernels": 10, "duration_ms": 0.01}},
 {"name": "b", "instances": 3, "launches": "one-by-one", "stall_ms": 0.4, "synthetic": {"kernels": 10, "duration_ms": 0.01}}]}
JSON
"$COTENANT" advise "$scratch/host.json" --quiet --bands 0 2>/dev/null | tr -s ' \n' ' ' >"$scratch/out"
says "$scratch/out" "With it the p99 of 'q' is [0-9.]+ of its target; sharing costs its slowest jobs [0-9.]+ ms each, lost mainly waiting for a core of its host [(][0-9.]+ ms[)], chiefly due to b[.]"
"$COTENANT" advise "$scratch/host.json" --quiet --bands 0 --format json --set host.cores=4 --set apps.q.qos_ms=3.5 --set apps.q.arrivals.rate_per_s=2 \
    2>/dev/null >"$scratch/out"
says "$scratch/out" "With it 'q' misses its target of 3.5 ms even without the others: its p99 alone is [0-9.]+ ms; its slowest jobs lose most in gaps of its host"

# They do not keep 5 ms. A query needs 27 SMs, 7 chunks of 4; the other 80 SMs hold 640 blocks, so that a batch kernel takes
# 14 waves: 20 of 28 ms. Caps come in steps of 10 %, and 70 % hold 604 blocks: 15 waves.
advise five --set apps.q.qos_ms=5 || fail "no advice for 5 ms"
best five policy "mps-static:sms=q=28+b=80"
says "$scratch/five" "sm_partition add <UUID of the GPU> 20"
says "$scratch/five" '"batch_work": 0.71'
says "$scratch/five" '"policy": "mps-caps:caps=q=30\+b=70"'
advise every --set apps.q.qos_ms=5 --every || fail "no advice from all settings"
best every policy "mps-static:sms=q=28+b=80"
advise threads --set apps.q.qos_ms=5 --jobs 2
cmp -s "$scratch/five" "$scratch/threads" || fail "another advice with two threads"

# Time slices come to an application that waits longest: longer ones keep a query waiting for longer, and change nothing for whom
# no slice is cut short. The driver's settings stand with their command.
"$COTENANT" advise "$scratch/mix.json" --quiet --format csv | awk -F, '$3 == "time slices" {print $5 "," $10}' >"$scratch/slices"
p99_of() { awk -F, -v of="$1" '$1 == of {print $2}' "$scratch/slices"; }
awk -v own="$(p99_of '')" -v eight="$(p99_of 'slices of 8 ms')" -v long="$(p99_of 'slices of 30 ms')" \
    'BEGIN {exit !(own > 1 && eight > own && long > eight)}' || fail "lengths of slices: $(cat "$scratch/slices")"

# 50 requests a second are 180,000 an hour. An H100 costs more and has nothing to add.
advise price --gpus h100=3,a100=0.9 || fail "no advice with prices"
best price gpu a100
best price usd_per_million 5
# A footprint that only one of the two has room for, and only its larger slices.
advise memory --gpus a100=1,h100=3 --set apps.b.memory_gib=42 || fail "no advice with footprints"
best memory gpu h100
says "$scratch/memory.err" "a100: warning: is left out: .* 42 GiB"
grep -F '"policy": "mig:' "$scratch/memory" >/dev/null && fail "a slice beside another one holds 42 GiB"

# A V100 has 16 or 32 GiB: it is left out for 33, and of 20 nobody knows.
advise large --gpus v100=1,a100=2 --set apps.b.memory_gib=33 || fail "no advice for 33 GiB"
best large gpu a100
says "$scratch/large.err" "v100: warning: is left out: .*: 'v100' has at most 32"
advise doubt --gpus v100=1,a100=20 --set apps.b.memory_gib=20 || fail "no advice for 20 GiB"
best doubt gpu v100
grep -F 'whether it has the 20 GiB of memory that the applications need together (b 20) is not known' "$scratch/doubt" >/dev/null ||
    fail "a doubt that is not told: $(cat "$scratch/doubt")"

# Progress is not judged.
advise progress --set apps.b.np_target=0.9 --set apps.q.qos_ms=20 || fail "no advice with a target of progress"
grep -F '"kind": "unjudged", "about": "b"' <(tr -s ' \n' ' ' <"$scratch/progress") >/dev/null || fail "what is not judged is not said: $(cat "$scratch/progress")"

# 300 queries of 4 ms a second are more than one worker's: two GPUs, on which some wait, half of them on each.
advise many --set apps.q.arrivals.rate_per_s=300
[ $? -eq 3 ] || fail "one GPU for 1.2 times its load: $(cat "$scratch/many.err")"
says "$scratch/many.err" "no setting that was tried keeps the targets"
advise two --set apps.q.arrivals.rate_per_s=300 --set apps.q.qos_ms=80 --most 3 || fail "no advice for several GPUs"
best two gpus 2

# With a GPU each 200 queries of 4 ms a second are all answered, whatever sharing would lose: 2 x 3.6 $ for 720,000 an hour.
"$COTENANT" advise "$scratch/mix.json" --gpus a100=3.6 --quiet --set apps.q.arrivals.rate_per_s=200 >"$scratch/each" 2>/dev/null
says "$scratch/each" "^  a GPU each [(]2[)] .* 10[.]00 "

# Three applications and two instances of MIG: a query of 4 ms beside one of two batch kernels keeps 8 ms in an instance of 42
# SMs only where the other is capped at half of it, and has the rest of the slots free. All settings give the same.
sed 's/^ \]}/ ,{"name": "c", "synthetic": {"blocks": 8640, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 20}}]}/' \
    "$scratch/mix.json" >"$scratch/three.json"
for every in "" --every; do
    # shellcheck disable=SC2086 # none or one
    "$COTENANT" advise "$scratch/three.json" --quiet $every >"$scratch/three$every" || fail "no advice for three"
    says "$scratch/three$every" "^  MPS in MIG +holds +1\.000 .* 0\.692"
    says "$scratch/three$every" "MPS in MIG \(q 3g.20gb, .* with q 50 %"
done
"$COTENANT" advise "$scratch/three.json" --quiet --format csv >"$scratch/three.csv"
says "$scratch/three.csv" "mig:profiles=q=4g.20gb\+c=3g.20gb:shared=b=q:caps=b=50"
awk -F, '$3 == "MPS in MIG" && $7 == 0 {exit 1}' "$scratch/three.csv" || fail "settings that were not tried are listed"

# A server that waits for as many requests as it may: fewer of them keep a target that it would miss, 6 ms for each batch.
cat >"$scratch/server.json" <<'JSON'
{"gpu": "a100", "duration_s": 6, "warmup_s": 1, "apps": [
  {"name": "q", "role": "service", "qos_ms": 25, "arrivals": {"process": "poisson", "rate_per_s": 60},
   "server": {"max_batch": 16, "queue_delay_ms": 40}, "synthetic": {"blocks": 216, "duration_ms": 6}},
  {"name": "b", "synthetic": {"blocks": 8640, "duration_ms": 20}}]}
JSON
"$COTENANT" advise "$scratch/server.json" --quiet --format json >"$scratch/limits" || fail "no advice for a server"
says "$scratch/limits" "batches of q up to (4|1)\""
says "$scratch/limits" "#   max_batch_size: (4|1)"

# Of the settings that keep a target by what one replication shows, those with the most batch work do so by chance. Where that one
# does not hold, another of its way is judged: the query has SMs enough in several divisions. So do all settings, tried to the end.
cat >"$scratch/chance.json" <<'JSON'
{"gpu": "a100", "duration_s": 5, "warmup_s": 0.5, "apps": [
  {"name": "q", "role": "service", "qos_ms": 25, "arrivals": {"process": "poisson", "rate_per_s": 40},
   "synthetic": {"blocks": 8640, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 4}},
  {"name": "b",
   "synthetic": {"blocks": 8640, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 200}}]}
JSON
for every in "" --every; do
    # shellcheck disable=SC2086 # none or one
    "$COTENANT" advise "$scratch/chance.json" --quiet --seed 4 $every >"$scratch/chance$every" 2>/dev/null || fail "no advice by the second best"
    says "$scratch/chance$every" "^  MPS, static +holds "
done
tr -s '\n ' ' ' <"$scratch/chance" >"$scratch/chance.line"
says "$scratch/chance.line" "the p99 of 'q' is 0[.][0-9]* of its target, and chance leaves it between 0[.][0-9]* and 1[.]"

# Requests that are dropped have no p99: what misses for them says so. A GPU alone does a second of batch work in a second.
"$COTENANT" advise "$SOURCE_DIR/workloads/rtx2080ti-imc-server.json" --quiet --bands 0 >"$scratch/drops" 2>/dev/null || fail "no advice for what drops"
says "$scratch/drops" "more than 1 % of the jobs of 'imc' are"
tr -s ' \n' ' ' <"$scratch/drops" >"$scratch/out"
says "$scratch/out" "not tried: [0-9]+ settings with other slices or limits, whose plain setting was left out after the first round"
says "$scratch/drops" "^  a GPU each [(]2[)] .* 1[.]000 "

# Batch jobs of 10 ms that come in pairs, every 50 ms, are 0.4 seconds of work in a second, though one of each pair waits for the other.
awk 'BEGIN {print "at"; for (i = 0; i < 160; i++) print int(i / 2) * 0.05}' >"$scratch/pairs.csv"
cat >"$scratch/pairs.json" <<'JSON'
{"gpu": "a100", "duration_s": 4, "apps": [
  {"name": "q", "role": "service", "qos_ms": 50, "arrivals": {"process": "deterministic", "rate_per_s": 20},
   "synthetic": {"blocks": 216, "threads": 256, "duration_ms": 1}},
  {"name": "b", "arrivals": {"process": "trace", "file": "pairs.csv", "column": "at", "replay": true},
   "synthetic": {"blocks": 864, "threads": 256, "duration_ms": 10}}]}
JSON
"$COTENANT" advise "$scratch/pairs.json" --quiet --bands 0 >"$scratch/pairs" 2>/dev/null || fail "no advice for pairs of jobs"
says "$scratch/pairs" "^  a GPU each [(]2[)] .* 0[.]400 "
says "$scratch/pairs" "^  MPS, priorities +holds .* 0[.]400 "

# What would do more, and is open, is said beside what is sure.
cat >"$scratch/open.json" <<'JSON'
{"gpu": "a100", "duration_s": 2, "warmup_s": 0.1, "seed": 19, "apps": [
  {"name": "s0", "role": "service", "qos_ms": 69.61, "arrivals": {"process": "poisson", "rate_per_s": 19.09},
   "synthetic": {"kernels": 4, "blocks": 160, "threads": 512, "registers_per_thread": 0, "duration_ms": 1.984, "dram_fraction": 0.07, "compute_fraction": 0.91}},
  {"name": "b0", "arrivals": {"process": "closed", "clients": 2, "think_ms": 2},
   "synthetic": {"kernels": 2, "blocks": 640, "threads": 128, "registers_per_thread": 0, "duration_ms": {"dist": "exponential", "mean": 0.557},
    "dram_fraction": 0, "compute_fraction": 0.7}}]}
JSON
"$COTENANT" advise "$scratch/open.json" --quiet --every --format json >"$scratch/open" 2>/dev/null || fail "no advice beside what is open"
says "$scratch/open" '"MPS would do 0[.]6[0-9]* of batch work, not 0[.]5[0-9]*, and whether it keeps the targets is open: a larger .duration_s. may tell"'
"$COTENANT" advise "$scratch/open.json" --quiet --every 2>/dev/null | head -6 >"$scratch/open"
says "$scratch/open" "^MPS would do 0[.]6"

# What nobody knows is drawn alike for all; nothing is unknown of what is made up.
"$COTENANT" advise "$SOURCE_DIR/workloads/v100-resnet-with-retinanet.json" --quiet --set duration_s=5.5 --reps 2 --bands 2 \
    >"$scratch/bands" 2>/dev/null
says "$scratch/bands" "drawn 2 times from what kernels of"
says "$scratch/bands" "in [0-2] of 2"
grep >/dev/null "drawn" "$scratch/three" && fail "draws of what is made up"

# For people and for spreadsheets.
"$COTENANT" advise "$scratch/mix.json" --quiet --set apps.q.qos_ms=5 >"$scratch/text" || fail "no text"
says "$scratch/text" "^1 x a100, MPS, static: q 28 SMs, b 80 SMs"
says "$scratch/text" "memory is unknown for 100 % of the time"
says "$scratch/text" "the p99 of 'q' is 1\.[12][0-9]* of its target"
"$COTENANT" advise "$scratch/mix.json" --quiet --format csv >"$scratch/csv"
[ "$(wc -l <"$scratch/csv")" -gt 100 ] || fail "not all candidates"

# refused CODE PATTERN ARGUMENT...
refused() {
    local code=$1 pattern=$2 status=0
    shift 2
    "$COTENANT" advise "$scratch/mix.json" --quiet "$@" >"$scratch/out" 2>"$scratch/err" || status=$?
    [ $status -eq "$code" ] || fail "exit code $status, not $code: $*"
    says "$scratch/err" "$pattern"
    [ ! -s "$scratch/out" ] || fail "an answer all the same: $*"
}
refused 2 "no arrival rate that could be split" --set 'apps.q.arrivals={"process": "closed"}' --most 2
refused 2 "'much' is no price of 'h100' per hour" --gpus h100=much
refused 2 "unknown .*'h10000'" --gpus h10000=1
refused 2 "need 90 GiB of memory together" --set apps.b.memory_gib=90
sed -i 's/"qos_ms": 8, //' "$scratch/mix.json"
refused 2 "no service has a target"
[ "$failures" -eq 0 ]
