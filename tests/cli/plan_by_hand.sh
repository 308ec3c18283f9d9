#!/usr/bin/env bash
# plan and advise on what has its time (a batch job that comes once, one that begins late, a replayed recording), a pipeline, prices.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

service='"name": "q", "role": "service", "qos_ms": 30, "arrivals": {"process": "poisson", "rate_per_s": 20},
  "synthetic": {"blocks": 864, "threads": 256, "duration_ms": 5}'
nightly='"name": "nightly", "role": "batch"'
cat >once.json <<JSON
{"gpu": "a100", "duration_s": 20, "warmup_s": 1, "apps": [{$service},
 {$nightly, "stop": "first-run", "arrivals": {"process": "once", "delay_ms": "5 s"},
  "synthetic": {"kernels": 50, "blocks": 864, "threads": 256, "duration_ms": 20}}]}
JSON
cat >late.json <<JSON
{"gpu": "v100", "duration_s": 20, "warmup_s": 1, "apps": [{$service},
 {$nightly, "arrivals": {"process": "closed", "delay_ms": "15 s"},
  "synthetic": {"kernels": 5, "blocks": 8640, "threads": 256, "duration_ms": 20}}]}
JSON
{ echo seconds && seq 0 0.2 100; } >stamps.csv
cat >replay.json <<'JSON'
{"gpu": "a100", "duration_s": 50, "apps": [{"name": "q", "role": "service", "qos_ms": 2000, "synthetic": {"duration_ms": 100},
 "arrivals": {"process": "trace", "file": "stamps.csv", "column": "seconds", "replay": true}}]}
JSON
cat >stages.json <<'JSON'
{"gpu": "a100", "duration_s": 20, "apps": [
 {"name": "a", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 40}, "server": {}, "synthetic": {"duration_ms": 2}},
 {"name": "z", "role": "service", "qos_ms": 40, "arrivals": {"process": "stage", "after": ["a"]}, "server": {}, "synthetic": {"duration_ms": 3}}]}
JSON

# A second of batch work in twenty makes 5 % of the queries slow: a run 15 times as long, 1 in 300, would hold.
"$COTENANT" plan once.json --find batch-instances:nightly --policies mps --error 0 --quiet >plan.txt || fail "plan of a job that comes once"
says plan.txt '^ +1 +misses .* 20.00$'
"$COTENANT" plan once.json --find batch-instances:nightly --policies mps --error 0 2>notice.txt >/dev/null
says notice.txt "notice: what 'nightly' does depends on when it is: runs stay as long as the workload's"

# advice WORKLOAD ARGUMENT...: what the best of each way does: "MPS, caps|0.245".
advice() {
    "$COTENANT" advise "$@" --quiet >advice.txt || fail "advise $*"
    sed -nE 's/^  (time slices|MPS[a-z, ]*|MIG|a GPU each)  *([(]|holds|misses|open).* ([0-9.]+)  *[0-9]+$/\1|\3/p' advice.txt
}

# Short rounds would have seen nobody but the service. Batch jobs of 100 ms, alone, from a phase of the first after 15 s on: 4.95 s of 19 on average.
advice late.json >rounds || fail "advice on what begins late"
advice late.json --every >every || fail "advise --every"
[ "$(wc -l <every)" -ge 4 ] && cmp rounds every || fail "rounds find others than --every: $(diff rounds every)"
says rounds '^a GPU each[|]0.26[01]'
# A second in nineteen.
advice once.json >once
says once '^a GPU each[|]0.0526'

# A replayed recording has the rate that it has.
for ask in "plan --find max-rate:q" "plan --find gpus" "plan --find gpu:v100 --load 2" "advise --most 2"; do
    "$COTENANT" $ask replay.json --quiet >/dev/null 2>error.txt && fail "$ask: a replayed recording was stretched"
    says error.txt "^--(find|load|most): error: 'q' has no arrival rate .*its recording is replayed as it is"
done

# Where it ends before the run, everybody says so; at the end one gap may be empty, or 1 % of the run: stamps to 100 s, 0.2 s apart.
ends="'q': the recording of its arrivals ends at 100 s of 150: nothing comes after that, and rates"
for ask in check "run --policy mps" "compare --policies mps,fifo" "plan --find gpu:v100 --policies mps" advise; do
    for duration in 150 101; do
        # shellcheck disable=SC2086  # words
        "$COTENANT" $ask replay.json --set duration_s=$duration >end.txt 2>&1 || fail "$ask: a recording that ends"
        tr -s '\n ' ' ' <end.txt >end.$duration
    done
    says end.150 "$ends"
    grep -F "recording of its arrivals ends" end.101 >/dev/null && fail "$ask: a recording is said to end that lasts"
done

# Its replications are one run, and say so; arrivals that are drawn differ.
"$COTENANT" run replay.json --reps 2 >run.txt 2>/dev/null || fail "a replayed recording"
tr -s '\n ' ' ' <run.txt >run.line
says run.line "nothing is left to chance: all replications are the same run"
"$COTENANT" run stages.json --reps 2 >run.txt 2>/dev/null || fail "stages"
grep >/dev/null "left to chance" run.txt && fail "two draws of arrivals are called one run"

# Clients that begin within a hundredth of the run after the warm-up only begin.
"$COTENANT" plan late.json --find max-rate:q --policies mps --budget 1M --set apps.nightly.arrivals.delay_ms=1180 2>&1 >/dev/null |
    grep >/dev/null "depends on when" && fail "a start within 1 % of the run is a date"
"$COTENANT" plan late.json --find max-rate:q --policies mps --budget 1M --set apps.nightly.arrivals.delay_ms=1200 2>&1 >/dev/null |
    grep >/dev/null "depends on when" || fail "a start beyond 1 % of the run is no date"

# A request that goes through two stages is one: 3.6 an hour over 40/s.
"$COTENANT" advise stages.json --gpus a100=3.6 --quiet >advice.txt || fail "advice on stages"
says advice.txt '^  MPS .* (24|25|26)[.][0-9]* +[0-9]+$'
"$COTENANT" plan stages.json --find gpus --quiet >plan.txt || fail "a plan for stages"
says plan.txt '^  mps +1 +1 '

# What waits before a stage is late there, too.
"$COTENANT" run stages.json --set apps.a.arrivals.rate_per_s=600 --set apps.z.synthetic.duration_ms=0.1 >run.txt 2>/dev/null || fail "a stage that does not keep up"
says run.txt 'OVERLOADED a: '
says run.txt 'OVERLOADED z: [1-9][0-9]* jobs wait'
says run.txt 'VIOLATED z: p99 of >'

# Of presets the cheapest is asked first, whatever the list says; one without a price last.
echo '{"a100": 1, "h100": 2, "v100": 5}' >prices.json
"$COTENANT" plan stages.json --find gpu:t4,v100,h100,a100 --prices prices.json --policies mps --quiet >plan.txt 2>prices.err || fail "a plan with prices"
says plan.txt '^  mps +a100 +a100 '
[ "$(sed -n 's/^ *\([a-z]*[0-9][0-9]*\)  *\(holds\|misses\|open\).*/\1/p' plan.txt | head -1)" = a100 ] || fail "another than the cheapest is first: $(cat plan.txt)"

# Of the workload's own GPU, which is not in the list, nobody asks whether it has room.
cat >room.json <<JSON
{"gpu": "a100", "duration_s": 5, "warmup_s": 0.5, "apps": [{$service, "memory_gib": 5},
 {$nightly, "memory_gib": 39, "synthetic": {"blocks": 864, "threads": 256, "duration_ms": 2}}]}
JSON
"$COTENANT" plan room.json --find gpu:h100 --policies priority --error 0 --quiet >plan.txt || fail "an H100 for what an A100 has no room for"
says plan.txt '^ +h100 +holds '
"$COTENANT" plan room.json --find gpu:a100,h100 --policies priority --error 0 --quiet >plan.txt || fail "a list with a GPU that has no room"
says plan.txt '^ +a100 +misses +no fit '
says plan.txt "a100 cannot run it: the applications need 44 GiB"
"$COTENANT" plan room.json --find gpus --policies priority --error 0 --quiet >/dev/null 2>error.txt && fail "GPUs without room were counted"
says error.txt "need 44 GiB of memory together"

# Progress is not judged, which is said: under priorities the queries are in time, and neither they nor the batch work come near it.
cat >progress.json <<JSON
{"gpu": "a100", "duration_s": 5, "warmup_s": 0.5, "apps": [{$service, "np_target": 0.99},
 {"name": "b", "np_target": 0.99, "synthetic": {"blocks": 864, "threads": 256, "duration_ms": 2}}]}
JSON
"$COTENANT" plan progress.json --find gpus --policies priority --error 0 --format json >plan.json 2>notices.txt || fail "a plan with targets of progress"
says notices.txt "notice: 'np_target' of q, b is known to the policies, and whether it is kept is not said: progress against running alone is not measured here"
[ "$(grep -c '"kind": "unjudged"' plan.json)" = 2 ] || fail "targets of progress in the envelope: $(cat plan.json)"
says plan.json '"verdict": "holds"'
"$COTENANT" run progress.json --policy priority --no-blame --quiet --format json >run.json || fail "targets of progress in a run"
says run.json '"goals_met": 0,'
sed 's/"qos_ms": [0-9]*, //' progress.json >only.json
"$COTENANT" plan only.json --find gpus --policies priority --quiet >/dev/null 2>error.txt && fail "a plan for targets of progress alone"
says error.txt "no service has a target that a plan could keep: 'qos_ms', or of one that generates 'ttft_ms' or 'tpot_ms'; 'np_target' is not judged by it"

# A V100 has 16 or 32 GiB: it is no answer to 65, of 20 nobody knows, and 15 surely fit.
doubt="whether it has the 20 GiB of memory that the applications need together (q 20) is not known: it is sold with 16 to 32"
large() { # GIB ARGUMENT...: a plan, in plan.json
    printf '{"gpu": "a100-80gb", "duration_s": 5, "warmup_s": 0.5, "apps": [{%s, "memory_gib": %s}]}' "$service" "$1" >large.json
    "$COTENANT" plan large.json --error 0 --policies mps --format json "${@:2}" >plan.json 2>notices.txt || fail "a plan for $1 GiB"
}
large 65 --find gpu:p100,v100,a100-80gb
says plan.json '"guess": "a100-80gb"'
says plan.json "'v100' has at most 32"
large 20 --find gpu:p100,v100,a100-80gb
says plan.json '"guess": "v100"'
grep -F "$doubt" plan.json >/dev/null || fail "a doubt is not told: $(cat plan.json)"
large 15 --find gpu:p100,v100,a100-80gb --set gpu=k40
grep '"kind": "unknown"' plan.json && fail "a doubt about 15 GiB"
large 20 --find max-rate:q --set gpu=v100
grep -F "v100: notice: $doubt" notices.txt >/dev/null || fail "no notice of the doubt: $(cat notices.txt)"
grep -F "$doubt" plan.json >/dev/null || fail "the doubt of a rate is not told: $(cat plan.json)"
large 20 --find max-rate:q --set gpu=v100 --set gpu.memory_gib=32
grep 'is not known' plan.json notices.txt && fail "a doubt about what is given"

# A p99 of which the run cut jobs off is at least that of the ages that a run tells of, in every form.
printf '%s\n' seconds 0.01 3.7 3.8 3.9 >cut.csv
cat >cut.json <<'JSON'
{"gpu": "a100", "duration_s": 4, "apps": [
 {"name": "q", "role": "service", "qos_ms": 10000, "synthetic": {"blocks": 864, "duration_ms": 2500},
  "arrivals": {"process": "trace", "file": "cut.csv", "column": "seconds", "replay": true}}]}
JSON
cut_off() { "$COTENANT" plan cut.json --find gpu:a100 --policies mps --reps 2 --max-reps 2 --error 0 --quiet "$@" || fail "a plan whose jobs do not end"; }
"$COTENANT" run cut.json --quiet >run.txt
bound=$(sed -n 's/.* ms is >\([0-9.]*\) of its target .*/\1/p' run.txt)
[ -n "$bound" ] || fail "no bound of jobs that do not end: $(cat run.txt)"
cut_off --frontier figure --whole-page cut.html >plan.txt
says plan.txt "^  mps +a100 +- +- +>$bound "
says plan.txt "^ +a100 +open +few jobs +>$bound "
tr -s '\n ' ' ' <plan.txt >plan.line
says plan.line "a100 is open, its p99 >$bound of the target"
cut_off --format json >plan.json
says plan.json '"p99_is_bound": true'
says figure/capacity.csv ",1,mps,a100$"

# Batch work is a part of what the same replications have without services, and known of every point: the first one leaves none.
cat >work.json <<'JSON'
{"gpu": "a100", "duration_s": 5, "warmup_s": 0.5, "apps": [
 {"name": "q", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 300}, "synthetic": {"blocks": 864, "duration_ms": 4}},
 {"name": "b", "synthetic": {"blocks": 864, "duration_ms": 2}}]}
JSON
"$COTENANT" plan work.json --find gpus --policies priority --error 0 --budget 20M --quiet --format csv >plan.csv ||
    fail "a plan whose first point starves the batch work"
"$COTENANT" run work.json --policy priority --reps 5 --quiet --no-blame --set apps.q.arrivals.rate_per_s=100 --format json >run.json || fail "a third of the load"
# work COLUMN: of three GPUs, to six digits.
work() { awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) at[$i] = i} $at["amount"] == 3 {printf "%.6f", $at[name]}' plan.csv; }
seen=$(work batch_throughput_normalised)
[ "$seen" = "$(awk '/"batch_throughput_normalised":/ {printf "%.6f", $2; exit}' run.json)" ] || fail "batch work on three GPUs is $seen, in a run not"
awk -v at="$seen" -v low="$(work batch_throughput_normalised_low)" -v high="$(work batch_throughput_normalised_high)" \
    'BEGIN {exit !(0 < low && low < at && at < high && high < 1)}' || fail "no interval of batch work"
"$COTENANT" plan work.json --find gpus --policies priority --error 0 --budget 20M --quiet >plan.txt
says plan.txt "chance leaves the batch work at 3 between 0[.][0-9]* and 0[.]"

[ "$failures" -eq 0 ]
