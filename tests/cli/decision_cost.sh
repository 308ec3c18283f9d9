#!/usr/bin/env bash
# A prediction that takes longer than the median kernel: the report says so, and what the policy would reach without that
# cost is what a run with decision_cost=none reaches.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
((!${COTENANT_SMALL:-0})) || sed -i 's/"duration_s": 4, "warmup_s": 1/"duration_s": 0.5, "warmup_s": 0.1/' mix.json
short=(mix.json --set apps.queries.synthetic.duration_ms.mean=0.02 --set apps.solver.synthetic.duration_ms.mean=0.03 -q)

# p99_of ARGUMENTS...: of the queries, in the notice's form.
p99_of() {
    rm -f results.db
    "$COTENANT" run "$@" -o results.db >/dev/null
    sqlite3 results.db "SELECT printf('%.4g', p99_ms) FROM v_p99 WHERE app = 'queries'"
}

# charged POLICY TEXT
charged() {
    local with without
    with=$(p99_of "${short[@]}" -p "$1")
    without=$(p99_of "${short[@]}" -p "$1" --set decision_cost=none)
    "$COTENANT" run "${short[@]}" -p "$1" >report.txt || fail "run -p $1"
    tr -s ' \n' ' ' <report.txt >line.txt
    grep -F >/dev/null "$2" line.txt || fail "$1: no '$2' in: $(cat report.txt)"
    grep -F >/dev/null "without that cost 'queries' has a p99 of $without ms instead of $with" line.txt ||
        fail "$1: $with with and $without without the cost, but: $(cat report.txt)"
    grep -F >/dev/null 'without that cost STP is' line.txt || fail "$1: no STP"
    [ "$with" != "$without" ] || fail "$1: the cost changes nothing"
}

charged baymax 'a prediction takes 50 us and the median kernel 30 us; in the first replication:'
charged laius "a query's prediction takes 470 us and the median kernel 30 us; in the first replication:"
# What a policy charges besides predictions shows in its first run.
charged cqos:cost_ms=0.04 'a decision takes 40 us and the median kernel 30 us; in the first replication:'

# silent ARGUMENTS...
silent() {
    "$COTENANT" run "$@" -q >report.txt || fail "run $*"
    grep >/dev/null 'prediction takes' report.txt && fail "$*: a cost is reported: $(cat report.txt)"
}

silent "${short[@]}" -p baymax --set decision_cost=none
silent "${short[@]}" -p priority
silent mix.json -p baymax
"$COTENANT" compare "${short[@]}" --policies priority,baymax --reps 2 >compared.txt || fail "compare"
"$COTENANT" compare "${short[@]}" --policies priority,baymax --reps 2 -j 3 >threads.txt || fail "compare -j"
cmp -s compared.txt threads.txt || fail "threads change the comparison"
exit $((failures > 0))
