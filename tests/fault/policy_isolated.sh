#!/usr/bin/env bash
# With --isolate-policy a policy that crashes, ends the program or does not come back ends in a policy fault that says where,
# in every command that loads one; a sound one gives the same bytes as without. Lies need no process of their own.
. "$(dirname "${BASH_SOURCE[0]}")/../script_case.bash"
object=$BUILD_DIR/tests/contract/policy_misbehaves.so
[ -f "$object" ] || { echo "no policy was built"; exit 77; }
cp "$object" mine.so
cp "$BUILD_DIR/tests/contract/policy_dies_loading.so" dies.so
cp "$BUILD_DIR/tests/contract/policy_unsound.so" unsound.so
cat >mix.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "mix", "gpu": "v100", "duration_s": 1, "warmup_s": 0.2, "seed": 7,
 "apps": [
   {"name": "queries", "role": "service", "qos_ms": 40, "synthetic": {"blocks": 160, "threads": 256, "duration_ms": 4},
    "arrivals": {"process": "poisson", "rate_per_s": 40}},
   {"name": "solver", "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 3}}]}
JSON

# ends CODE PATTERN COMMAND...: exit code, and what standard error holds.
ends() {
    local code=$1 pattern=$2 is
    shift 2
    timeout 60 "$@" >out.txt 2>err.txt
    is=$?
    [ "$is" = "$code" ] || fail "$*: exit code $is instead of $code: $(cat err.txt)"
    [ -z "$pattern" ] || grep -E -- "$pattern" err.txt >/dev/null || fail "$*: no '$pattern' in: $(cat err.txt)"
}

# A sound policy, and one that is refused what it asks for: the same bytes, also in the store and the time line.
for policy in mine.so mine.so:fault=lie; do
    for way in plain isolated; do
        set --
        [ $way = plain ] || set -- --isolate-policy
        "$COTENANT" run mix.json --policy "./$policy" --format json -o $way.db --timeline $way.json "$@" >$way.txt 2>$way.err ||
            fail "run $policy, $way: $(cat $way.err)"
    done
    cmp plain.txt isolated.txt && cmp plain.err isolated.err && cmp plain.json isolated.json ||
        fail "run with $policy differs in isolation"
done
grep '"rejected_verbs": 0' plain.txt >/dev/null && fail "the lies were believed"
[ "$(sqlite3 plain.db 'SELECT count(*), sum(end_ps) FROM job')" = "$(sqlite3 isolated.db 'SELECT count(*), sum(end_ps) FROM job')" ] ||
    fail "the stores differ"
compare=(compare mix.json --policies "fifo,./mine.so" --reps 3 --format json -q)
"$COTENANT" "${compare[@]}" >plain.txt && "$COTENANT" "${compare[@]}" -j 2 --isolate-policy >isolated.txt || fail "compare"
cmp plain.txt isolated.txt || fail "compare differs in isolation"

# What goes wrong is said with hook, simulated time and seed; nothing is left behind.
where='misbehaves: error: policy fault in decide at 0\.[0-9]+ s \(seed 7, replication [0-9]\): '
run=("$COTENANT" run mix.json -q --isolate-policy --policy-timeout 0.3)
ends 4 "$where"'(it crashed|it ended the program)' "${run[@]}" --policy ./mine.so:fault=crash --timeline t.json
ls t.json* >/dev/null 2>&1 && fail "a crash leaves a time line"
ends 4 "$where"'it crashed: Abort' "${run[@]}" --policy ./mine.so:fault=abort
ends 4 "$where"'it ended the program with code' "${run[@]}" --policy ./mine.so:fault=exit
ends 4 "$where"'it has (not come back|slept).*0.3 s' "${run[@]}" --policy ./mine.so:fault=loop
ends 4 "$where"'it has slept for 0.3 s' "${run[@]}" --policy ./mine.so:fault=sleep
ends 4 'misbehaves: error: policy fault .*decide at 0.* 0.3 s' "${run[@]}" --policy ./mine.so:fault=think
ends 4 "$where"'more in flight' "${run[@]}" --policy ./mine.so:fault=break
# Without a process of its own the policy is named before the program dies of its signal.
named='^cotenant: error: misbehaves: policy fault in decide: it crashed'
ends 139 "$named" "$COTENANT" run mix.json -q --policy ./mine.so:fault=crash
ends 134 "$named" "$COTENANT" compare mix.json -q --policies fifo,./mine.so:fault=abort
ends 134 '^cotenant: error: \./dies\.so: policy fault in loading: it crashed' "$COTENANT" run mix.json -q --policy ./dies.so
died='^\./dies\.so: error: policy fault while it was loaded: it crashed'
ends 4 "$died" "${run[@]}" --policy ./dies.so
ends 4 "$where"'it (crashed|ended)' "$COTENANT" compare mix.json -q --policies fifo,./mine.so:fault=crash -j 2 --reps 2 \
    --isolate-policy -o results.db
ends 4 "$where"'it has (not come back|slept)' "$COTENANT" compare mix.json -q --policies fifo,./mine.so:fault=loop -j 2 \
    --reps 2 --isolate-policy --policy-timeout 0.3

# Every other command that loads a policy. What a sweep had finished is kept, and it goes on from there.
cat >sweep.json <<'JSON'
{"schema": "cotenant.sweep/1", "name": "s", "workload": "mix.json", "policies": ["fifo", "./mine.so"],
 "designs": [{"grid": {"fault": ["none", "crash"]}}]}
JSON
cat >cluster.json <<'JSON'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 2}], "duration_s": 1, "profile_s": 0.1,
 "placement": "round-robin", "apps": [
 {"name": "queries", "role": "service", "gpus": 2, "qos_ms": 40, "arrivals": {"process": "poisson", "rate_per_s": 40},
  "synthetic": {"blocks": 160, "threads": 256, "duration_ms": 4}},
 {"name": "solver", "gpus": 1, "role": "batch", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 2}}]}
JSON
isolated=(-q --isolate-policy --policy-timeout 0.3)
crash="policy fault in decide at 0\.[0-9]+ s \(seed [0-9]+, replication [0-9]+\): it crashed"
ends 4 "$crash" "$COTENANT" plan mix.json --find batch-instances:solver --policies ./mine.so:fault=crash "${isolated[@]}"
ends 4 "$crash" "$COTENANT" cluster cluster.json --policies ./mine.so:fault=crash -j 2 -o tables "${isolated[@]}"
ends 4 "$crash" "$COTENANT" sweep sweep.json -o sweep.db --allow-policy-files "${isolated[@]}"
ends 4 "$crash" "$COTENANT" sweep sweep.json -o sweep.db -j 2 --allow-policy-files "${isolated[@]}"
sed -i 's/"none", "crash"/"none", "lie"/' sweep.json
for way in plain isolated; do
    set --
    [ $way = plain ] || set -- --isolate-policy
    "$COTENANT" sweep sweep.json -o sweep.$way.db -q --allow-policy-files "$@" >sweep.$way.txt || fail "sweep, $way"
    "$COTENANT" plan mix.json --find batch-instances:solver --most 2 --policies ./mine.so -q "$@" >plan.$way.txt 2>&1
    echo "exit code $?" >>plan.$way.txt # 3 without an answer, and nothing more is said
    "$COTENANT" cluster cluster.json --policies ./mine.so -q "$@" >cluster.$way.txt || fail "cluster, $way"
    "$COTENANT" explain plain.db --what-if 2 --format json -q --allow-policy-files "$@" >explain.$way.txt || fail "explain, $way"
done
for command in sweep plan cluster explain; do
    cmp $command.plain.txt $command.isolated.txt || fail "$command differs in isolation"
done
ends 4 "$died" "$COTENANT" check mix.json --policy ./dies.so "${isolated[@]}"
ends 4 "$died" "$COTENANT" show policy ./dies.so "${isolated[@]}"
ends 4 "$died" "$COTENANT" predict --workload mix.json --policy ./dies.so "${isolated[@]}"

# What is no hang and no crash is caught without a process of its own: time that stands still, verbs that cannot be, each
# told once with its reason, and descriptions that are none.
ends 4 'policy fault in timer at 0\.[0-9]+ s \(seed 7, replication 0\): a million timers.*simulated time stands still' \
    "$COTENANT" run mix.json -q --policy ./mine.so:fault=tick
ends 0 'misbehaves: warning: timer rejected in decide: the time has passed' "$COTENANT" run mix.json --policy ./mine.so:fault=lie
for reason in "issue rejected in decide: that is no task of this run" "set_share rejected in decide: the share is not from 1 to 1000" \
    "charge rejected in decide: the time is negative"; do
    [ "$(grep -c "$reason" err.txt)" -eq 1 ] || fail "not once '$reason': $(cat err.txt)"
done
unsound() {
    UNSOUND=$1 ends 2 "^\./unsound\.so: error: $2" "$COTENANT" run mix.json -q --policy ./unsound.so
}
ends 0 "" "$COTENANT" show policy ./unsound.so
UNSOUND='none: a note' ends 0 "" "$COTENANT" show policy ./unsound.so
unsound needs 'not a sound policy: its needs'
unsound predictor 'not a sound policy: its predictor'
unsound step 'not a sound policy: its profile_step_pct'
unsound cost 'not a sound policy: .*cost of a prediction is negative'
unsound size 'not a sound policy: one of its sizes'
unsound name 'not a sound policy: two options have one name'
unsound kind 'not a sound policy: the kind of an option'
unsound offset 'not a sound policy: the offset of an option'
unsound help 'not a sound policy: .*no help'
unsound choices 'not a sound policy: .*no choices'
unsound reserved 'not a sound policy: a reserved member is not NULL'
unsound verb 'not a sound policy: the verb of a reason'
unsound words 'not a sound policy: a reason has no sentence'
unsound brace 'not a sound policy: a brace in a sentence is not closed'
unsound twice 'not a sound policy: a brace in a sentence is not closed'
unsound closed 'not a sound policy: a brace in a sentence is not opened'
unsound key 'not a sound policy: braces in a sentence name no note'
unsound noun 'not a sound policy: a noun in a sentence'
unsound plural 'not a sound policy: a noun in a sentence'
unsound bracket 'not a sound policy: a bracket in a sentence is not closed'
unsound opened 'not a sound policy: a bracket in a sentence is not opened'
unsound nested 'not a sound policy: brackets in a sentence stand in brackets'
unsound null 'not a sound policy: its entry point'
unsound default "'eleven' of 'number' is not a whole number from 0 to 10"
unsound choice "'three' of 'choice' is none of"

# Options and interruption.
ends 2 "goes with '--isolate-policy'" "$COTENANT" run mix.json -q --policy-timeout 3
ends 2 "'0' of '--policy-timeout'" "$COTENANT" run mix.json -q --isolate-policy --policy-timeout 0
ends 2 'no_such' "$COTENANT" run mix.json -q --isolate-policy --policy no_such
"$COTENANT" run mix.json -q --set duration_s=100000 --isolate-policy >out.txt 2>err.txt &
sleep 1
kill -TERM $!
wait $!
[ $? = 130 ] || fail "an interrupted run in isolation: $(cat err.txt)"
# A policy that takes the signal away is killed.
"$COTENANT" run mix.json -q --set duration_s=100000 --isolate-policy --policy ./mine.so:fault=deaf >out.txt 2>err.txt &
sleep 1
kill -TERM $!
wait $!
[ $? = 130 ] || fail "a policy that is deaf to SIGTERM: $(cat err.txt)"
# At any moment, also before either process catches signals (143: the one that was started has not come to it). A shell that
# has not yet become the program would obey the trap.
trap - EXIT
for delay in 0.001 0.002 0.003 0.004 0.005 0.006 0.007 0.008 0.01 0.012 0.015 0.02 0.03; do
    "$COTENANT" run mix.json -q --set duration_s=100000 --isolate-policy >out.txt 2>err.txt &
    sleep $delay
    kill -TERM $!
    wait $!
    status=$?
    [ $status = 130 ] || [ $status = 143 ] || fail "interrupted after $delay s: code $status, $(cat err.txt)"
done
rm -rf "$scratch"
[ "$failures" -eq 0 ]
