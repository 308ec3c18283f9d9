#!/usr/bin/env bash
# The figures of a stored comparison: data and scripts are written, gnuplot draws them, its absence is told.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
make_store
figures="p99 batch tradeoff latency-queries blame-queries"

# Without gnuplot the data and the scripts are still there.
mkdir empty
wants 3 'gnuplot is not installed' env PATH="$folder/empty" "$COTENANT" plot results.db -o bare
for name in $figures; do
    [ -s bare/$name.dat ] || fail "$name.dat is missing"
    [ -s bare/$name.gp ] || fail "$name.gp is missing"
done

# The numbers are the report's.
want=$("$COTENANT" report results.db --format csv --run 1 | sed -n 's/.*,app,queries,p99_over_qos,//p')
awk -F'\t' -v want="$want" '$2 == "fifo" { found = $3 == want } END { exit !found }' bare/p99.dat ||
    fail "p99.dat does not hold $want: $(cat bare/p99.dat)"
[ "$(grep -c '^# ' bare/latency-queries.dat)" = 3 ] || fail "latency-queries.dat has no block per policy"

wants 2 "'plot' needs '-o FOLDER'" "$COTENANT" plot results.db
wants 3 'cannot make the folder' "$COTENANT" plot results.db -o missing/folder
wants 3 'not a result store' "$COTENANT" plot mix.json -o other

if ! command -v gnuplot >/dev/null; then
    echo "gnuplot is not installed: pictures are not drawn"
    exit $((failures ? 1 : 77))
fi
wants 0 'figures/p99.{svg,png}' "$COTENANT" plot results.db -o figures --format both
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
for name in $figures; do
    grep -q '</svg>' figures/$name.svg || fail "$name.svg is not whole"
    [ "$(head -c 4 figures/$name.png | tail -c 3)" = PNG ] || fail "$name.png is no PNG"
done
# Curves over time are those of a run that was stored alone.
"$COTENANT" run mix.json -p priority -q -o alone.db >/dev/null || fail "run -o"
wants 0 'time/usage.svg' "$COTENANT" plot alone.db -o time
[ -s err.txt ] && fail "gnuplot complains: $(cat err.txt)"
awk -F'\t' '!/^#/ { sum = $2 + $3; if (sum < 0 || sum > 100.001) bad = 1; n++ } END { exit bad || n != 300 }' \
    time/usage.dat || fail "usage.dat has other than 300 bins of at most all SMs"
[ -s time/quota.svg ] || fail "no figure of quotas"
# A script draws on its own, wherever it lies.
mkdir copy && cp figures/p99.gp figures/p99.dat copy && (cd copy && gnuplot p99.gp && grep -q '</svg>' p99.svg) ||
    fail "p99.gp does not stand alone"
exit $((failures > 0))
