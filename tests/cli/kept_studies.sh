#!/usr/bin/env bash
# plan, advise and paper keep their runs as run and compare do (kept_runs.sh). They change a workload in memory - rates, instances, GPUs, lengths,
# kernels, unknown demand - so that one folder for all of it shows whether a run is ever taken for another one. Some of the changes are
# tried with COTENANT_KEPT=all alone: each has another here that is kept in the same way.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export COTENANT_CACHE=$PWD/cache
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces

cat >w.json <<'END_W'
{"schema": "cotenant.workload/1", "gpu": "a100", "duration_s": 1, "warmup_s": 0.2,
 "apps": [{"name": "q", "role": "service", "qos_ms": 8, "arrivals": {"process": "poisson", "rate_per_s": 60},
           "synthetic": {"blocks": 216, "threads": 256, "duration_ms": {"dist": "exponential", "mean": 2}}},
          {"name": "b", "instances": 2, "synthetic": {"blocks": 400, "threads": 256, "duration_ms": 1}}]}
END_W
cat >s.json <<'END_S'
{"schema": "cotenant.workload/1", "gpu": "rtx2080ti", "duration_s": 1, "warmup_s": 0.2,
 "apps": [{"name": "q", "role": "service", "qos_ms": 20, "arrivals": {"process": "mmpp", "rate_per_s": 60, "burst_rate_per_s": 200, "burst_s": 0.1, "quiet_s": 0.4},
           "server": {"max_batch": 4, "queue_delay_ms": 1}, "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 2}},
          {"name": "t", "trace": "rtx2080ti.db#linear-train"}]}
END_S

# What is run again is another file under its name.
files() { find cache -type f -printf '%i %f\n' 2>/dev/null | sort; }
# told ARGUMENT...: the study and its exit code, without what it says of time. With one thread it is the same each time which of the runs
# that a budget ends are over before.
threads=1
told() {
    local code=0
    "$COTENANT" "$@" -j "$threads" -q 2>err || code=$?
    echo "exit $code"
    grep -v 'would tell' err || true
}
# Without the folder, with what others left in it, and from it alone.
asked=0
same() {
    local before
    asked=$((asked + 1))
    COTENANT_CACHE='' told "$@" >wanted
    grep -Eq '^exit (0|3)$' wanted || fail "$*: $(tail -2 wanted)"
    told "$@" | cmp -s - wanted || fail "$*: other bytes than without the folder"
    before=$(files)
    [ -n "$before" ] || fail "$*: nothing is kept"
    told "$@" | cmp -s - wanted || fail "$*: other bytes the second time"
    [ "$(files)" = "$before" ] || fail "$*: the second time runs anew"
    cp wanted "answer.$asked"
}
# if_all COMMAND...: with COTENANT_KEPT=all.
if_all() { [ "${COTENANT_KEPT:-}" != all ] || "$@"; }
# differs ARGUMENT...: and another answer than the question before it, so that something was tried.
differs() {
    same "$@"
    cmp -s "answer.$asked" "answer.$((asked - 1))" && fail "$*: the same answer as before"
}

plan=(plan w.json --policies mps,priority --budget 400k --tolerance 20 --error 0 --format json)
same "${plan[@]}" --find max-rate:q
threads=3 told "${plan[@]}" --find max-rate:q | cmp -s - wanted || fail "three threads: other bytes"
differs "${plan[@]}" --find gpus --load 20
if_all differs "${plan[@]}" --find gpus --load 30
differs "${plan[@]}" --find gpus --load 30 --spare 1
differs "${plan[@]}" --find batch-instances:b --most 8
differs "${plan[@]}" --find gpu:v100,a100,h100 --load 3
if_all differs "${plan[@]}" --find gpu:h100,a100 --load 3.5
differs "${plan[@]}" --find max-rate:q --error 10
if_all differs "${plan[@]}" --find max-rate:q --confidence 0.99
differs "${plan[@]}" --find max-rate:q --budget 600k
differs "${plan[@]}" --find max-rate:q --reps 3 --max-reps 3
for changed in apps.q.qos_ms=6 seed=5 apps.q.synthetic.blocks=300 apps.b.duration_scale=1.2 fidelity=block; do
    differs "${plan[@]}" --find max-rate:q --set "$changed"
done
for changed in apps.b.instances=3 duration_s=1 gpu.sms=60 apps.q.arrivals.rate_per_s=40 apps.q.arrivals.process=deterministic; do
    if_all differs "${plan[@]}" --find max-rate:q --set "$changed"
done
plan=(plan s.json --policies mps,priority --budget 150k --tolerance 20 --error 0 --format json)
same "${plan[@]}" --find max-rate:q
differs "${plan[@]}" --find max-rate:q --bands 2
if_all differs "${plan[@]}" --find max-rate:q --bands 3
differs "${plan[@]}" --find gpus --load 4
differs "${plan[@]}" --find gpus --load 4 --set apps.q.server.max_batch=2
same plan w.json --find max-rate:q --policies baymax,laius --budget 200k --tolerance 30 --error 0

same advise w.json --format json
if_all differs advise w.json --format json --every
differs advise w.json --format json --gpus h100=2,a100
if_all differs advise w.json --format json --set apps.q.qos_ms=5
differs advise w.json --format json --set 'apps.b.arrivals={"process":"closed","clients":4}'
if_all differs advise w.json --format json --seed 7
if_all differs advise w.json --format json --reps 3 --max-reps 4
same advise s.json --format json --bands 1

# Papers: runs of experiments, and runs that end with so many queries, of which the values are kept.
same paper laius --item laius-2 --suite tonic --draws 1 --format csv
differs paper laius --item laius-2 --suite tonic --draws 1 --format csv --seed 2
same paper baymax --item baymax-3b --suite copy --format csv

# What was ended early is kept as nothing: a budget that ends in the middle of a run, and one in seconds, which keeps and takes none.
rm -rf cache
same plan w.json --policies mps --find max-rate:q --budget 70k --error 0
same plan w.json --policies mps --find max-rate:q --budget 150k --error 0
rm -rf cache
told plan w.json --policies mps --find max-rate:q --budget 1s --error 0 >/dev/null
[ ! -e cache ] || fail "a budget in seconds keeps something"
for study in "plan w.json --find max-rate:q --budget 100k --error 0" "advise w.json" "paper laius --item laius-2 --suite tonic --draws 1"; do
    # shellcheck disable=SC2086 # words
    "$COTENANT" $study --no-cache -q >/dev/null 2>&1
    [ ! -e cache ] || fail "$study --no-cache keeps something"
done
[ "$failures" -eq 0 ]
