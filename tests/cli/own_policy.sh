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
[ "$(p99s set.json --allow-policy-files)" = "$never" ] || fail "the workload's option does not hold"

# Two settings of it beside each other.
"$COTENANT" compare plain.json --policies "$object,$object:max_ms=0" --reps 2 --set duration_s=3 --quiet --format csv >two.csv || fail "compare"
for label in shortest shortest:max_ms=0; do
    grep -E "(^|,)\"?$label\"?," two.csv >/dev/null || fail "no policy is called $label: $(head -3 two.csv)"
done
"$COTENANT" compare plain.json --policies "$object,$object" --quiet >/dev/null 2>said && fail "the same twice is allowed"
grep -F "policy '$object' is named twice" said >/dev/null || fail "said $(cat said)"

# Two builds of it go by their paths.
cp "$object" ./other.so || exit 1
"$COTENANT" compare plain.json --policies "$object,./other.so,./other.so:max_ms=0" --reps 2 --set duration_s=3 --quiet --format csv >builds.csv ||
    fail "compare two builds"
for label in "$object" ./other.so shortest:max_ms=0; do
    grep -F ",$label," builds.csv >/dev/null || grep -E "^$label," builds.csv >/dev/null || fail "no policy is called $label: $(head -3 builds.csv)"
done

# What it says of its decisions stands in the store, so that it is explained where the policy is not.
cp "$object" ./mine.so || exit 1
"$COTENANT" run plain.json --policy ./mine.so --set duration_s=3 --quiet -o run.db >/dev/null || fail "run -o"
decision=$(sqlite3 run.db "SELECT min(d.number) FROM decision AS d JOIN decision_kind AS k ON k.number = d.kind WHERE verb LIKE 'issue%'")
"$COTENANT" explain run.db --what-if "$decision" --quiet >/dev/null 2>said && fail "code that a store names is loaded"
grep -F 'choose to run: pass --allow-policy-files' said >/dev/null || fail "said $(cat said)"
"$COTENANT" explain run.db --what-if "$decision" --allow-policy-files --quiet >/dev/null || fail "explain --what-if of an own policy"
rm mine.so
"$COTENANT" explain run.db --worst 3 >why.txt || fail "explain"
tr -s ' \n' '  ' <why.txt | grep -E '\(decision [0-9]+\): predicted [0-9.]+ ms, another kernel was under way\.' >/dev/null ||
    fail "its reason is not told: $(cat why.txt)"
ask() { sqlite3 run.db "$1"; }
[ "$(ask "SELECT DISTINCT verb || '|' || key || '|' || sentence FROM reason")" = \
    'hold|held_behind_another|[predicted {held_t_ps}, ]another kernel was under way' ] || fail "its reasons are not stored: $(ask 'SELECT * FROM reason')"
[ "$(ask "SELECT DISTINCT reason || ' ' || (number IS NULL) || ' ' || (predicted_ms > 0) FROM v_holds")" = "held_behind_another 1 1" ] ||
    fail "v_holds has other reasons: $(ask "SELECT DISTINCT reason, number, predicted_ms FROM v_holds LIMIT 3")"
# A store that has lost the sentences still says by which of its rules.
sqlite3 run.db 'DROP TABLE reason'
"$COTENANT" explain run.db --worst 3 | grep -F 'held behind another' >/dev/null || fail "without sentences nothing is said"
[ "$failures" -eq 0 ]
