#!/usr/bin/env bash
# A policy in a shared object is set like one that ships: behind its name, by --set, and in the workload that names it.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
object=$BUILD_DIR/tests/contract/policy_shortest.so
[ -f "$object" ] || { echo "policy_shortest.so is not built here"; exit 77; }

workload() { # POLICY: the workload's policy
    sed "s|\"policy\": {[^}]*}|\"policy\": $1|" "$SOURCE_DIR/workloads/made-up.json"
}
p99s() { # FILE ARGUMENT...: of every application
    "$COTENANT" run "$@" --set duration_s=3 --quiet --format json | grep '"p99"'
}
workload '"mps"' >plain.json
grep '"policy": "mps"' plain.json >/dev/null || fail "the workload's policy was not replaced"
workload "{\"name\": \"$object\", \"max_ms\": 0}" >set.json

first=$(p99s plain.json --policy "$object")
never=$(p99s plain.json --policy "$object" --set max_ms=0)
[ -n "$first" ] || fail "no latencies"
[ "$first" != "$never" ] || fail "max_ms changes nothing"
[ "$(p99s plain.json --policy "$object:max_ms=0")" = "$never" ] || fail "an option behind the name does not hold"
[ "$(p99s set.json)" = "$never" ] || fail "the workload's option does not hold"

# Two settings of it beside each other.
"$COTENANT" compare plain.json --policies "$object,$object:max_ms=0" --reps 2 --set duration_s=3 --quiet --format csv >two.csv || fail "compare"
for label in shortest shortest:max_ms=0; do
    grep -E "(^|,)\"?$label\"?," two.csv >/dev/null || fail "no policy is called $label: $(head -3 two.csv)"
done
"$COTENANT" compare plain.json --policies "$object,$object" --quiet >/dev/null 2>said && fail "the same twice is allowed"
grep "policy 'shortest' is named twice" said >/dev/null || fail "said $(cat said)"
[ "$failures" -eq 0 ]
