#!/usr/bin/env bash
# `check` says what a workload asks for, computed by hand here, and is silent with --quiet.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# expect TEXT ARGUMENT...: the CSV has this line.
expect() {
    local line=$1
    shift
    "$COTENANT" check "$@" --format csv 2>/dev/null | grep >/dev/null -xF -- "$line" ||
        fail "no '$line' in: $("$COTENANT" check "$@" --format csv 2>&1)"
}

cat >mix.json <<'JSON'
{"gpu": "h100", "apps": [
  {"name": "q", "role": "service", "qos_ms": 50, "synthetic": {"kernels": 4, "duration_ms": 2.5},
   "arrivals": {"process": "mmpp", "rate_per_s": 10, "burst_rate_per_s": 50, "burst_s": 1, "quiet_s": 3}},
  {"name": "b", "instances": 3, "iterations": 5, "duration_scale": 2, "synthetic": {"duration_ms": 1}}]}
JSON
# 4 kernels of 2.5 ms; (10 x 3 s + 50 x 1 s) / 4 s = 20 jobs/s; 20/s x 10 ms = 0.2.
expect "q,service,1,,10.000,20.000,0.200,50.000" mix.json
# 5 iterations of 1 ms twice as long; a closed loop offers no load.
expect "b,batch,3,,10.000,,," mix.json
# Two workers halve the load of each.
expect "q,service,1,,10.000,20.000,0.100,50.000" mix.json --set apps.q.workers=2
expect "b,batch,8,,10.000,,," mix.json --set apps.b.instances=8
# A server whose batches take what a job takes has a fourth of it for each of four requests.
expect "q,service,1,,10.000,20.000,0.050,50.000" mix.json --set 'apps.q.server={"max_batch":4}'
# Half of the speed is wanted, 2 x 10 ms; what is given goes first.
expect "b,batch,3,,10.000,,,20.000" mix.json --set apps.b.np_target=0.5
expect "q,service,1,,10.000,20.000,0.200,50.000" mix.json --set apps.q.np_target=0.5

"$COTENANT" check mix.json 2>/dev/null | tr '\n' ' ' >legend.txt
says legend.txt "load alone: jobs/s times the time from arrival to end, alone, per instance and worker; 1: saturated"
"$COTENANT" check mix.json 2>/dev/null | grep 'what a report judges' && fail "a target of progress where there is none"
"$COTENANT" check mix.json --set apps.b.np_target=0.5 2>/dev/null | tr '\n' ' ' >progress.txt
says progress.txt "policies hold a job; what a report judges is the progress of each instance, not a latency"

# A V100 has 16 or 32 GiB.
for memory in 5.3 5.4; do
    for command in check "run --policy mps" "compare --policies mps,fifo --reps 2"; do
        read -ra words <<<"$command"
        "$COTENANT" "${words[@]}" mix.json --set gpu=v100 --set apps.b.memory_gib=$memory --set duration_s=0.1 >/dev/null 2>err ||
            fail "$command of three times $memory GiB on a V100"
        grep -c "v100: notice: whether it has the 16.2 GiB of memory that the applications need together (3 x b 5.4) is not known: it is sold with 16 to 32 ('gpu.memory_gib'" err
    done
done >doubts
[ "$(tr '\n' ' ' <doubts)" = "0 0 0 1 1 1 " ] || fail "doubts about the memory of a V100: $(cat doubts)"

# "solo ms" is what a run measures by that name, of a job that the host prepares before its first kernel, too.
mixed=$SOURCE_DIR/workloads/h100-qwen-with-timesformer.json
measured=$("$COTENANT" run "$mixed" --policy mps --set duration_s=3 --set warmup_s=0 -q --format json | sed -n 's/.*"solo_ms": \([0-9.]*\).*/\1/p')
checked=$("$COTENANT" check "$mixed" --format csv 2>/dev/null | awk -F, 'NR > 1 { print $5 }')
paste -d' ' <(echo "$measured") <(echo "$checked") | awk '{ if (($1 - $2) ^ 2 > 1e-6 * $1 ^ 2) exit 1; n++ } END { exit n != 2 }' ||
    fail "'solo ms' of run, $measured, is not that of check, $checked"

# The standard input, beside which files are looked up in this folder. A pipe is there once, whoever asks: what --set changes is asked
# about by further runs.
cat mix.json | "$COTENANT" check - --format csv 2>/dev/null | grep -xF 'q,service,1,,10.000,20.000,0.200,50.000' >/dev/null || fail "check of the standard input"
for command in run "compare --policies mps,fifo --reps 2" "plan --find gpus --budget 1M"; do
    # shellcheck disable=SC2086  # words
    cat mix.json | "$COTENANT" $command - --set duration_s=1 -q --format csv >piped.csv && "$COTENANT" $command mix.json --set duration_s=1 -q --format csv >named.csv ||
        fail "$command of the standard input"
    [ "$(wc -l <piped.csv)" = "$(wc -l <named.csv)" ] && [ "$(wc -l <piped.csv)" -gt 2 ] || fail "$command of the standard input gives another report"
done

# An application that begins after the run is told of, by a run in its report.
late=(mix.json --set 'apps.b.arrivals={"process":"once","delay_ms":1000}' --set duration_s=1)
for command in check "plan --find gpus --budget 1M" advise; do
    # shellcheck disable=SC2086  # words
    "$COTENANT" $command "${late[@]}" >/dev/null 2>err
    says err "apps[[]1[]]: notice: 'b' begins after 1 s, and the run is over after 1 s"
done
for command in run "compare --policies mps,fifo --reps 2"; do
    # shellcheck disable=SC2086  # words
    "$COTENANT" $command "${late[@]}" 2>/dev/null | tr -s '\n ' ' ' >said.txt
    says said.txt "'b' did nothing in the measured time"
done

# So is a state that nobody prints.
"$COTENANT" run mix.json --set duration_s=1 --policy baymax --dump-at 100 >/dev/null 2>err || fail "run --dump-at 100"
says err "baymax: notice: no state is printed at 100 s: the run is over after [0-9.]* s"
"$COTENANT" run mix.json --set duration_s=1 --policy mps --dump-at 0.5 >/dev/null 2>err || fail "run --dump-at"
says err "mps: notice: has no state to print"

# Sweeps and clusters.
echo '{"schema": "cotenant.sweep/1", "workload": "mix.json", "policies": ["mps", "fifo"], "designs": [{"grid": {"gpu.sms": [40, 60]}}]}' >sweep.json
"$COTENANT" check sweep.json >said.txt && grep -E ': a sweep of 2 points and 2 policies, up to [0-9]+ runs$' said.txt >/dev/null || fail "check of a sweep: $(cat said.txt)"
sed 's/gpu.sms": .40/gpu.sms": [0/' sweep.json >wrong.json
"$COTENANT" check wrong.json 2>err && fail "a wrong value of a sweep is not found"
says err "'0' of 'sms'"
"$COTENANT" check sweep.json --set seed=3 2>err && fail "check --set of a sweep"
says err "'--set' is not for a sweep"
for file in "$SOURCE_DIR"/workloads/clusters/*.json; do
    "$COTENANT" check "$file" >said.txt && grep -E ': a cluster of [0-9]+ GPUs and [0-9]+ applications$' said.txt >/dev/null || fail "check of $file: $(cat said.txt)"
done

# Of a cluster, too, whose memory is not known.
"$COTENANT" check "$SOURCE_DIR/workloads/clusters/two-presets.json" --set apps.resnet50.memory_gib=2 2>err >/dev/null || fail "check of two-presets"
says err 'notice: how much GPU memory is taken is not known of transformer, lavamd, pathfinder: whether it fits is not checked'

[ -z "$("$COTENANT" check mix.json --quiet 2>&1)" ] || fail "--quiet is not silent"
"$COTENANT" check mix.json --policy baymax:margin=0.2 --quiet || fail "a policy with an option"
"$COTENANT" check mix.json --policy baymax:margin=2 --quiet 2>/dev/null
[ $? -eq 2 ] || fail "an option out of range must end with 2"
NO_COLOR=1 "$COTENANT" check mix.json --set apps.q.qos_ms=1 2>&1 >/dev/null | grep >/dev/null 'misses its target of 1 ms' ||
    fail "no warning of a target below the solo latency"
# What counts is a job on the workload's own link: this service was recorded on one where its copies took 160 ms.
fwt=$SOURCE_DIR/workloads/gtx1080ti-fwt-with-lavamd.json
"$COTENANT" check "$fwt" 2>&1 | grep >/dev/null 'even alone' && fail "a target is said to be out of reach that is not"
"$COTENANT" check mix.json >/dev/full 2>/dev/null
[ $? -eq 3 ] || fail "a full disk must end with 3"

# A cap says that it is per cent, a number of SMs has no unit.
cat >caps.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "caps", "gpu": "v100", "duration_s": 2, "apps": [
  {"name": "a", "synthetic": {"blocks": 640, "duration_ms": 5}}, {"name": "b", "synthetic": {"blocks": 640, "duration_ms": 5}}]}
JSON
for cap in 'a=60%+b=40' 'a=60 %+b=40%' a=60+b=40; do
    "$COTENANT" run caps.json -p mps-caps --set "policy.caps=$cap" -q --format csv | cut -d, -f6- >"caps.$cap" || fail "caps $cap"
    cmp -s "caps.$cap" 'caps.a=60%+b=40' && [ -s "caps.$cap" ] || fail "caps $cap are others than 60 and 40 %"
done
"$COTENANT" run caps.json -p mps-static --set 'policy.sms=a=40%' -q >out 2>err && fail "per cent are taken for SMs"
grep -q "'sms': 'a=40%' is not" err || fail "SMs in per cent: $(cat err)"
[ "$failures" -eq 0 ]
