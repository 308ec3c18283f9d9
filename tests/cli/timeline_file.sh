#!/usr/bin/env bash
# A time line from a store equals the one that the run wrote; budget, and what is refused.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
"$COTENANT" run mix.json -p priority -q -o results.db --timeline run.json >/dev/null || fail "run --timeline"
"$COTENANT" timeline results.db -q -o stored.json || fail "timeline"
cmp -s run.json stored.json || fail "the stored time line differs from the run's"
grep -q '"traceEvents":\[' stored.json || fail "no events"
for phase in M X C s f; do
    grep -q "\"ph\":\"$phase\"" stored.json || fail "no event of phase $phase"
done
grep -q '"SMs: queries"' stored.json || fail "no track of the service's SMs"

[ "$(sqlite3 results.db "SELECT count(*) FROM sample WHERE name = 'sm_share' AND (value < 0 OR value > 100.001)")" = 0 ] ||
    fail "an application holds more than all SMs, or less than none"
with_copies=(mix.json --set apps.queries.synthetic.bytes_in=4000000 --format json -p priority -q)
"$COTENANT" run "${with_copies[@]}" >plain.txt || fail "run"
"$COTENANT" run "${with_copies[@]}" --timeline copies.json >watched.txt || fail "run --timeline"
cmp -s plain.txt watched.txt || fail "a run that is watched differs"
for curve in sm_share pcie_h2d; do
    grep "\"name\":\"$curve\"" copies.json >/dev/null || fail "no curve of $curve"
done

# Compressed where the path says so, the same bytes each time.
"$COTENANT" run mix.json -p priority -q --timeline run.json.gz >/dev/null || fail "run --timeline, compressed"
gzip -dc run.json.gz | cmp - run.json || fail "the compressed time line holds something else"
wants 0 'MB, compressed, in stored.json.gz' "$COTENANT" timeline results.db -o stored.json.gz
cmp run.json.gz stored.json.gz || fail "the compressed time line of the store differs"
find . -name '*.part' | grep . && fail "a part is left"

make_store
wants 0 'run 1 (priority)' "$COTENANT" timeline results.db -o again.json
wants 3 'this run was stored without task times' "$COTENANT" timeline results.db --run 2 -o none.json
[ -e none.json ] && fail "a file was left for a run without tasks"
wants 2 "'timeline' needs '-o FILE.json'" "$COTENANT" timeline results.db
wants 3 'cannot write it: No such file or directory' "$COTENANT" timeline results.db -o missing/t.json
wants 2 "'-1' of '--timeline-budget'" "$COTENANT" timeline results.db -o t.json --timeline-budget -1
"$COTENANT" run mix.json -p priority -q --set duration_s=60 -o long.db --timeline long.json >/dev/null || fail "long run"
wants 0 'the budget left out the' "$COTENANT" timeline long.db -o small.json --timeline-budget 1
[ "$(stat -c %s small.json)" -le 1000000 ] || fail "the budget of 1 MB is exceeded"
tail -c 4 small.json | grep >/dev/null ']}' || fail "the time line does not end"
wants 3 'not a result store' "$COTENANT" timeline mix.json -o t.json
exit $((failures > 0))
