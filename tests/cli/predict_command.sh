#!/usr/bin/env bash
# `predict` prints how well durations can be predicted: recorded ones, and those of a workload's policy; the same table
# in every form, within 80 columns, the same for the same seed; what it cannot do is refused with the reason.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
store=$SOURCE_DIR/traces/gtx1080ti.db
workload=$SOURCE_DIR/workloads/quickstart.json

# refused STATUS TEXT ARGUMENT...
refused() { refuses "$1" "$2" predict "${@:3}"; }

# cell FILE TASK FUNCTION COLUMN: of a CSV without commas in the function.
cell() {
    awk -F, -v task="$2" -v text="$3" -v column="$4" '$1 == task && index($2, text) { print $column; exit }' "$1"
}

# Rodinia: k-NN is several times better than a line (Baymax section 7.2.3 says so of its own runs).
"$COTENANT" predict "$store" --app rodinia --format csv >a.csv || fail "recorded durations"
"$COTENANT" predict "$store" --app rodinia --format csv | cmp -s - a.csv || fail "the same seed gives another table"
"$COTENANT" predict "$store" --app rodinia --format csv --seed 2 | cmp -s - a.csv && fail "the seed changes nothing"
awk -v knn="$(cell a.csv kernel 'features vary' 6)" -v linear="$(cell a.csv kernel 'features vary' 5)" \
    'BEGIN { exit !(knn > 1 && knn < 10 && linear > 3 * knn) }' || fail "Rodinia: $(grep vary a.csv)"
[ "$(cell a.csv copy 'longer than 2 ms' 9)" = 3.2 ] || fail "the published error of copies: $(grep longer a.csv)"
"$COTENANT" predict "$store" --app rodinia --format json >a.json || fail "recorded durations as JSON"
[ "$(grep -c '"knn_pct"' a.json)" = $(($(wc -l <a.csv) - 1)) ] || fail "rows of JSON and CSV"
"$COTENANT" predict "$store" --app rodinia >a.txt || fail "recorded durations as text"
grep 'held out as in Baymax' a.txt >/dev/null || fail "no explanation"
"$COTENANT" predict "$store" --app rodinia --quiet | grep 'held out as in Baymax' >/dev/null && fail "--quiet explains"

# The models of Baymax: lines for library calls and copies, and no error where all jobs have one size.
"$COTENANT" predict --workload "$workload" --format csv >b.csv || fail "a workload"
grep -E '^(call|copy),' b.csv | grep -v ',linear,' && fail "models of calls and copies"
[ "$(grep -c '^call,' b.csv)" -gt 20 ] || fail "no library calls"
grep '^kernel,' b.csv >/dev/null && fail "kernels of library calls are models of their own"
[ "$(cell b.csv query vit 7)" = 0.00 ] || fail "a service with one size has an error: $(grep '^query' b.csv)"
[ "$(cell b.csv query vit 4)" = mean ] || fail "the model of one size"
"$COTENANT" predict --workload "$workload" >b.txt || fail "a workload as text"
grep "All jobs of 'vit' have one size" b.txt >/dev/null || fail "nothing is said about one size"
# Laius: trees, one per share, and a cost per query.
"$COTENANT" predict --workload "$workload" --policy laius --shares --format csv >c.csv || fail "all shares of Laius"
[ "$(grep -c '^query,vit,' c.csv)" = 10 ] || fail "shares of Laius: $(grep -c '^query,vit,' c.csv)"
sed 1d c.csv | grep -v ',tree,' && fail "models of Laius"
[ "$(cell c.csv query vit 8)" = 0.47 ] || fail "the cost of a query: $(grep '^query' c.csv)"
"$COTENANT" predict --workload "$workload" --gpu h200 | grep 'alone on h200' >/dev/null || fail "--gpu changes nothing"

# Both at once, within 80 columns.
"$COTENANT" predict "$store" --app rodinia --workload "$workload" >d.txt || fail "both tables"
[ "$(grep -c '^task ' d.txt)" = 2 ] || fail "not two tables"
awk 'length($0) > 80 { print; bad = 1 } END { exit bad }' d.txt || fail "lines of more than 80 columns"

# The oracle marks every form of a report, but not that of a policy which predicts nothing.
for form in text json csv markdown; do
    "$COTENANT" run "$SOURCE_DIR/workloads/made-up.json" --policy baymax --set predictor=oracle --set duration_s=0.2 \
        --set warmup_s=0 --quiet --format "$form" | grep -iE 'oracle"?(: true|,yes|: the policy)' >/dev/null || fail "no mark in $form"
done
"$COTENANT" run "$SOURCE_DIR/workloads/made-up.json" --policy mps --set predictor=oracle --set duration_s=0.2 \
    --set warmup_s=0 --quiet --format csv | grep oracle >/dev/null && fail "a mark where nothing was predicted"

refused 2 "needs a trace store"
refused 2 "'--shares' changes nothing without '--workload'" "$store" --shares
refused 2 "'--app' changes nothing without a trace store" --workload "$workload" --app vit
refused 2 "two tables do not fit one csv" "$store" --workload "$workload" --format csv
refused 2 "'0' of '--splits' is not a whole number from 1 to 1000" "$store" --splits 0
refused 2 "policy 'mps' predicts nothing" --workload "$workload" --policy mps
refused 2 "unknown gpu 'h1000', did you mean 'h100'?" --workload "$workload" --gpu h1000
refused 3 "no application's name begins with 'rodina'" "$store" --app rodina
refused 3 "has 10 samples with a measured duration" "$store" --app poly_gemm
refused 3 "not a trace store" "$workload"
"$COTENANT" run "$SOURCE_DIR/workloads/queue.json" --set duration_s=1 --set warmup_s=0 --quiet -o results.db >/dev/null 2>&1
refused 3 "results.db" results.db

[ "$failures" -eq 0 ]
