#!/usr/bin/env bash
# A stored run has its decisions with their reasons; keeping them changes no result; the views say how long a kernel was
# held and what for, as the tables do when they are searched by hand.
. "$SOURCE_DIR/tests/cli/stored_results.bash"

sed -i 's/"mean": 3/"mean": 9/' mix.json # kernels that often exceed a headroom
grep >/dev/null '"mean": 9' mix.json || fail "the mix is as it was"

ask() { sqlite3 results.db "$1"; }

for policy in fifo priority baymax baymax-plus laius hsm-fair proportional; do
    "$COTENANT" run mix.json -p "$policy" --format json -q >plain.json || fail "run -p $policy"
    "$COTENANT" run mix.json -p "$policy" --format json -q -o results.db >stored.json || fail "run -p $policy -o"
    cmp -s plain.json stored.json || fail "$policy: keeping decisions changes the report"
done
[ "$(ask "SELECT count(DISTINCT policy) FROM v_decisions")" = 6 ] || fail "only fifo decides nothing"
# The report counts verbs, the log has holds and notes too.
[ "$(ask "SELECT count(*) FROM system JOIN run ON run.number = system.run WHERE decisions <> (SELECT count(*) FROM
    v_decisions AS d WHERE d.run = run.number AND verb NOT IN ('hold', 'note'))")" = 0 ] ||
    fail "the report counts other decisions than the log has"

# By hand: the first hold and the issue of a task, from the tables.
[ "$(ask "SELECT count(*) FROM v_holds WHERE policy = 'baymax'")" -gt 0 ] || fail "baymax held nothing"
by_hand="SELECT (SELECT min(time_ps) FROM decision AS i JOIN decision_kind AS k ON k.number = i.kind WHERE verb = 'issue'
    AND i.run = h.run AND i.app = h.app AND i.instance = h.instance AND i.job = h.job AND i.task = h.task)
    - min(h.time_ps) FROM decision AS h JOIN decision_kind AS k ON k.number = h.kind JOIN run ON run.number = h.run
    WHERE verb = 'hold' AND policy = 'baymax' GROUP BY h.app, h.instance, h.job, h.task"
[ "$(ask "SELECT sum(ps) FROM (SELECT 0 AS ps UNION ALL $by_hand)")" = \
    "$(ask "SELECT CAST(round(sum(held_ms) * 1e9) AS INTEGER) FROM v_holds WHERE policy = 'baymax'")" ] ||
    fail "the lengths of the holds differ from the times of the entries"
[ "$(ask "SELECT count(*) FROM v_holds WHERE policy LIKE 'baymax%' AND reason = 'held_headroom_ps' AND
    (predicted_ms IS NULL OR predicted_ms <= number_ms OR limited_by IS NOT 'queries')")" = 0 ] ||
    fail "a kernel was held for a headroom that it fits, or for nobody's"
sentence=$(ask "SELECT 'kernel ' || task || ' of ' || app || ' held ' || round(held_ms, 1) || ' ms: predicted ' ||
    round(predicted_ms, 1) || ' ms, headroom of ' || limited_by || ' ' || round(number_ms, 1) || ' ms' FROM v_holds
    WHERE reason = 'held_headroom_ps' LIMIT 1")
grep -E >/dev/null '^kernel [0-9]+ of solver held [0-9.]+ ms: predicted [0-9.]+ ms, headroom of queries -?[0-9.]+ ms$' \
    <<<"$sentence" || fail "not a sentence: $sentence"

[ "$(ask "SELECT count(*) FROM v_quotas WHERE policy = 'laius' AND what = 'query' AND app = 'queries'")" -gt 20 ] ||
    fail "laius set no quotas"
# 64 of 80 SMs for the service (HSM, Fig. 12).
[ "$(ask "SELECT app || ' ' || sms FROM v_partitions WHERE policy = 'proportional' AND decision = 2 ORDER BY app" | xargs)" = \
    "queries 64 solver 16" ] || fail "the partition is not in the log"
[ "$(ask "SELECT count(*) FROM (SELECT sum(sms) AS sms FROM v_partitions GROUP BY run, decision) WHERE sms <> 80")" = 0 ] ||
    fail "a partition does not have all SMs"
exit $((failures > 0))
