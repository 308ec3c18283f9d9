#!/usr/bin/env bash
# `paper` prints published beside simulated, the same for any number of threads; unknown papers, items and suites are
# refused with the nearest name; the committed report was made of the inputs that lie in the tree.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# refused TEXT ARGUMENT...
refused() { refuses 2 "$1" paper "${@:2}"; }

refused "did you mean 'hsm'" hsn
refused "did you mean 'hsm-11a'" hsm --item hsm-11aa
refused "did you mean 'laius-12'" laius --item laius-122
refused "did you mean 'recorded'" hsm --item hsm-13 --suite recordd
refused "no rows in that suite" hsm --item hsm-3 --suite recorded
refused "'--draws'" hsm --draws 0

# A paper's file that is not sound is named with what is wrong.
mkdir -p share/workloads/papers
broken() {
    printf '%s\n' "$2" >share/workloads/papers/hsm.json
    COTENANT_SHARE=$PWD/share "$COTENANT" paper hsm -q >out 2>err
    [ $? = 3 ] || fail "'$2' passes"
    grep -F -- "$1" err >/dev/null || fail "no '$1' of '$2' in: $(cat err)"
}
head='"schema": "cotenant.paper/1", "paper": "hsm", "title": "t"'
broken "no array" "{$head, \"suites\": [], \"items\": 3}"
broken "no such measure or reduction: speed" "{$head, \"suites\": [], \"items\": [{\"id\": \"a\", \"where\": \"b\",
    \"verdict\": \"C\", \"rows\": [{\"what\": \"w\", \"measure\": \"speed\"}]}]}"
broken "no mixes of that size" "{$head, \"items\": [], \"suites\": [{\"name\": \"s\", \"title\": \"t\",
    \"workload\": {\"gpu\": \"v100\"}, \"apps\": []}]}"
for key in mix_size mixes draws queries; do # an int would make something small of it
    broken "s: '$key' is not from 0 to" "{$head, \"items\": [], \"suites\": [{\"name\": \"s\", \"title\": \"t\",
        \"workload\": {\"gpu\": \"v100\"}, \"apps\": [], \"$key\": -9223372036427387904}]}"
done
broken "no letter with its name" "{$head, \"items\": [], \"suites\": [], \"kinds\": {\"MM\": \"memory\"}}"

# The memory alone (HSM section 2.3.2: 46 to 50 % at a row hit rate of 0.2), without a run.
"$COTENANT" paper hsm --item hsm-3 --format json -q >memory.json || fail "the memory"
awk '/"median"/ { exit !($2 + 0 > 44 && $2 + 0 < 51) }' memory.json || fail "use at row hits 0.2: $(head -12 memory.json)"

# A cheap item of runs: threads change nothing, another seed does; text fits 80 columns.
one=(paper hsm --item hsm-13 --suite table-2 --draws 1 -q)
"$COTENANT" "${one[@]}" --format json >a.json || fail "one item as JSON"
"$COTENANT" "${one[@]}" --format json -j 3 | cmp -s - a.json || fail "threads change the result"
"$COTENANT" "${one[@]}" --format json --seed 2 | cmp -s - a.json && fail "the seed changes nothing"
[ "$(grep -c '"item": "hsm-13"' a.json)" = 6 ] || fail "rows of hsm-13: $(cat a.json)"
grep '"mixes": 45' a.json >/dev/null || fail "45 memory-bound pairs"
grep '"mixes": 50' a.json >/dev/null || fail "50 heterogeneous pairs"
"$COTENANT" "${one[@]}" >a.txt || fail "one item as text"
"$COTENANT" paper hsm --item hsm-13 --suite table-2-issue --draws 1 --no-blame -q >>a.txt || fail "another suite"
awk 'length > 80 { exit 1 }' a.txt || fail "wider than 80 columns: $(awk 'length > 80' a.txt)"
grep 'Inputs of .* 100 % assumed' a.txt >/dev/null || fail "provenance is not counted"
# Pairs of two other classes are in none of its rows, and run by nobody.
grep 'Inputs of 380 runs' a.txt >/dev/null || fail "runs of 95 pairs under four policies: $(grep Inputs a.txt)"
"$COTENANT" "${one[@]}" --no-blame --format json | grep '"cause": ""' >/dev/null || fail "blame in spite of --no-blame"
draws=()
((!${COTENANT_SMALL:-0})) || draws=(--draws 1)
"$COTENANT" paper cqos --item cqos-6 --suite table-1-alone --format markdown -q "${draws[@]}" | grep '^| cqos-6 ' >/dev/null ||
    fail "C-QoS as Markdown"

# Figures: bars by class of mixes and by level; the data is the same for any number of threads.
if command -v gnuplot >/dev/null; then
    "$COTENANT" "${one[@]}" --no-blame --plot figures >/dev/null || fail "figures of one item"
    [ -s figures/hsm-13-table-2-fairness.svg ] && [ -s figures/hsm-13-table-2-fairness.png ] || fail "no picture: $(ls figures)"
    grep '^1,3,0\..*,2 compute$' figures/hsm-13-table-2-fairness.csv >/dev/null || fail "no bars of compute-bound pairs"
    "$COTENANT" "${one[@]}" --no-blame --plot again -j 3 >/dev/null
    cmp -s figures/hsm-13-table-2-fairness.csv again/hsm-13-table-2-fairness.csv || fail "threads change a figure"
    # Only the levels that an item is about; policies in one order in all figures of a suite.
    "$COTENANT" paper cqos --item cqos-3 --item cqos-9 --suite table-1-one --draws 1 -q --no-blame --plot figures >/dev/null ||
        fail "figures by level"
    [ "$(grep -c '^1,' figures/cqos-9-table-1-one-goals_met.csv)" = 3 ] || fail "levels 0.7, 0.8, 0.9: $(cat figures/cqos-9*.csv)"
    grep -F "array label[3] = ['os-sched', 'spart-qos', 'os-sched:kernels=one']" figures/cqos-3-table-1-one-goals_met.gp >/dev/null ||
        fail "order of policies: $(grep '^array label' figures/cqos-3*.gp)"
    # What no mix gives: published beside simulated, a published range with its ends.
    "$COTENANT" paper hsm --item hsm-3 -q --plot figures >/dev/null || fail "figures of the memory"
    grep '^1,1,48,46,50,0,published,"use of ' figures/hsm-3-dram_use.csv >/dev/null && grep '^2,1,4[5-7]\..*,simulated,"use of ' figures/hsm-3-dram_use.csv >/dev/null ||
        fail "46 to 50 published: $(cat figures/hsm-3-dram_use.csv)"
    "$COTENANT" "${one[@]}" --plot out/of/reach 2>err
    [ $? = 3 ] && grep 'cannot make the folder' err >/dev/null || fail "figures in a folder that cannot be made: $(cat err)"
else
    echo "gnuplot is not installed: figures are not drawn"
fi

# A service's load, target and queries go together.
broken "go together" "{$head, \"items\": [], \"suites\": [{\"name\": \"s\", \"title\": \"t\", \"load\": 0.2,
    \"workload\": {\"gpu\": \"v100\"}, \"apps\": [{}, {}]}]}"

# Without a load a service keeps its arrivals, and its target is over its latency alone: a query of 10 ms of the whole GPU
# waits for a batch kernel of 5, 15 ms of a target of 20. With one it is asked at random, and may wait for itself.
cat >share/workloads/papers/hsm.json <<END
{$head, "suites": [{"name": "s", "title": "t", "service_kind": "S", "target": 2, "queries": 50, "draws": 1,
  "workload": {"gpu": "rtx2080ti", "defaults": {"arrivals": {"process": "closed", "start": "at-once"}}}, "apps": [
  {"name": "a", "kind": "S", "app": {"role": "service", "synthetic":
    {"kernels": 1, "blocks": 272, "threads": 256, "duration_ms": 10}}},
  {"name": "b", "kind": "B", "app": {"role": "batch", "synthetic":
    {"kernels": 1, "blocks": 272, "threads": 256, "duration_ms": 5}}}]}],
 "items": [{"id": "i", "where": "w", "verdict": "C", "rows": [
  {"what": "p99", "measure": "p99_target", "policy": "mps", "suite": "s", "unit": "targets"}]}]}
END
closed() { COTENANT_SHARE=$PWD/share "$COTENANT" paper hsm -q --no-blame --format csv "$@" | tail -1 | cut -d, -f8; }
[ "$(closed)" = 0.7500 ] || fail "a closed service waits for $(closed) targets"
[ "$(closed --target 3)" = 0.5000 ] || fail "of thrice its time alone: $(closed --target 3)"
[ "$(closed --load 50)" != 0.7500 ] || fail "a load changes nothing"

# A suite is like one before it; what nobody published is drawn from a range.
broken "no suite before it" "{$head, \"items\": [], \"suites\": [{\"name\": \"s\", \"title\": \"t\", \"like\": \"u\"}]}"
broken "its low is above its high" "{$head, \"items\": [], \"suites\": [{\"name\": \"s\", \"title\": \"t\",
    \"workload\": {\"gpu\": \"v100\"}, \"apps\": [{\"name\": \"a\", \"kind\": \"A\", \"app\": {},
    \"ranges\": [{\"key\": \"instances\", \"low\": 2, \"high\": 1}]}, {}]}]}"
broken "no object of applications that are there" "{$head, \"items\": [], \"suites\": [{\"name\": \"s\", \"title\": \"t\",
    \"workload\": {\"gpu\": \"v100\"}, \"apps\": [{\"name\": \"a\", \"kind\": \"A\", \"app\": {}}, {\"name\": \"b\", \"kind\": \"A\",
    \"app\": {}}], \"change\": {\"c\": {}}}]}"
broken "queries, of which the suite has none" "{$head, \"items\": [], \"suites\": [{\"name\": \"s\", \"title\": \"t\",
    \"workload\": {\"gpu\": \"v100\"}, \"apps\": [], \"variants\": [{\"name\": \"v\", \"set\": [], \"queries\": 5}]}]}"
refused "'--load'" laius --load 0
refused "'--target'" laius --target 0.5

# Section 6.5's controllers: the curves that the device follows there come from the bank-level model; a point of each.
for fit in '32 5 queue-32' '64 5 queue-64' '128 5 queue-128' '64 0 no-cap'; do
    read -r queue cap name <<<"$fit"
    "$COTENANT" dram --locality 0.5 --queue "$queue" --cap "$cap" --reads 0.7 --streams 1 --format json -q >point.json ||
        fail "a queue of $queue"
    use=$(grep -m 1 '"utilisation"' point.json | tr -d ' ,')
    tr -d ' ,' <"$SOURCE_DIR/traces/dram/hsm-hbm-$name.json" | grep -A 2 '^"locality":0.5$' | grep -Fx "$use" >/dev/null ||
        fail "traces/dram/hsm-hbm-$name.json has not $use"
done

# And that each memory's own curve is of its timing.
for name in hsm-hbm hsm-gddr5 hbm2 hbm3 gddr5x gddr6; do
    "$COTENANT" dram --preset $name --locality 0.5 --cap 5 --reads 1 --format json -q >point.json || fail "$name"
    use=$(grep -m 1 '"utilisation"' point.json | tr -d ' ,')
    tr -d ' ,' <"$SOURCE_DIR/traces/dram/$name.json" | grep -A 2 '^"locality":0.5$' | grep -Fx "$use" >/dev/null ||
        fail "traces/dram/$name.json has not $use"
done

# All items are listed without a run.
"$COTENANT" paper cqos --list --format csv | grep '^cqos-9,Fig. 9,B,table-1,C-QoS,76.67' >/dev/null || fail "--list"

# The report lags behind its inputs: renew it with scripts/paper-report.
report_is_of paper-report.md "$("$SOURCE_DIR/scripts/paper-report" --inputs)"
report_is_of paper-report-services.md "$("$SOURCE_DIR/scripts/paper-report" --services --inputs)"
[ "$failures" -eq 0 ]
