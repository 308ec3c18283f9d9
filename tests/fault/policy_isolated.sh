#!/usr/bin/env bash
# With --isolate-policy a policy that crashes, ends the program or does not come back ends in a policy fault that says where;
# a sound one gives the same bytes as without.
set -uo pipefail
object=$BUILD_DIR/tests/contract/policy_misbehaves.so
[ -f "$object" ] || { echo "no policy was built"; exit 77; }
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
cp "$object" mine.so
cp "$BUILD_DIR/tests/contract/policy_dies_loading.so" dies.so
failures=0
cat >mix.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "mix", "gpu": "v100", "duration_s": 1, "warmup_s": 0.2, "seed": 7,
 "apps": [
   {"name": "queries", "role": "service", "qos_ms": 40, "synthetic": {"blocks": 160, "threads": 256, "duration_ms": 4},
    "arrivals": {"process": "poisson", "rate_per_s": 40}},
   {"name": "solver", "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 3}}]}
JSON

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# ends CODE PATTERN COMMAND...: exit code, and what standard error holds.
ends() {
    local code=$1 pattern=$2 is
    shift 2
    timeout 60 "$@" >out.txt 2>err.txt
    is=$?
    [ "$is" = "$code" ] || fail "$*: exit code $is instead of $code: $(cat err.txt)"
    grep -E -- "$pattern" err.txt >/dev/null || fail "$*: no '$pattern' in: $(cat err.txt)"
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
ends 4 'misbehaves: error: policy fault .*decide at 0.* 0.3 s' "${run[@]}" --policy ./mine.so:fault=tick
ends 4 "$where"'more in flight' "${run[@]}" --policy ./mine.so:fault=break
ends 4 'outside of a run, such as while a policy was loaded: it crashed' "${run[@]}" --policy ./dies.so
ends 4 "$where"'it (crashed|ended)' "$COTENANT" compare mix.json -q --policies fifo,./mine.so:fault=crash -j 2 --reps 2 \
    --isolate-policy -o results.db
ends 4 "$where"'it has (not come back|slept)' "$COTENANT" compare mix.json -q --policies fifo,./mine.so:fault=loop -j 2 \
    --reps 2 --isolate-policy --policy-timeout 0.3

# Options and interruption.
ends 2 "goes with '--isolate-policy'" "$COTENANT" run mix.json -q --policy-timeout 3
ends 2 "'0' of '--policy-timeout'" "$COTENANT" run mix.json -q --isolate-policy --policy-timeout 0
ends 2 'no_such' "$COTENANT" run mix.json -q --isolate-policy --policy no_such
"$COTENANT" run mix.json -q --set duration_s=100000 --isolate-policy >out.txt 2>err.txt &
sleep 1
kill -TERM $!
wait $!
[ $? = 130 ] || fail "an interrupted run in isolation: $(cat err.txt)"
exit $((failures > 0))
