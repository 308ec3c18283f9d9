#!/usr/bin/env bash
# The page of stored results as a file: the same bytes twice, one file that loads nothing, names that are no markup, a
# size that the budget bounds, and clear ends on bad input. What a browser makes of it: tests/html.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
make_store

wants 0 '2 runs' "$COTENANT" html results.db -o page.html
"$COTENANT" html results.db -q -o again.html || fail "html again"
cmp -s page.html again.html || fail "not the same bytes twice"
mkdir elsewhere && cp results.db elsewhere/other.db
"$COTENANT" html elsewhere/other.db -q -o again.html && cmp -s page.html again.html || fail "the page depends on where the store lies"
[ "$(grep -c '^<!doctype html>' page.html)" = 1 ] && [ "$(tail -n 1 page.html)" = '</html>' ] || fail "not one whole page"
grep -E '<(script|img|link|iframe)[^>]*(src|href)="?(https?:)?/' page.html >/dev/null && fail "the page loads something"
grep -F 'ISC' page.html >/dev/null || grep -F 'Permission to use, copy, modify' page.html >/dev/null || fail "no licence of the chart library"

# The data as JSON, from its own element.
data() {
    grep -o '<script type="application/json" id="data">.*</script>' "$1" | head -1 | sed 's/^<[^>]*>//; s/<\/script>$//'
}
data page.html >data.json
sqlite3 :memory: "SELECT json_valid(readfile('data.json')), json_extract(readfile('data.json'), '\$.schema')" >valid.txt
[ "$(cat valid.txt)" = '1|cotenant.page/1' ] || fail "the data is no JSON of this schema: $(cat valid.txt)"
ask() {
    sqlite3 :memory: "SELECT json_extract(readfile('$1'), '$2')"
}
[ "$(ask data.json '$.runs[1].report[0].apps[0].p99_over_qos')" = "$(sqlite3 results.db "SELECT p99_over_qos FROM v_p99 WHERE policy = 'priority' AND app = 'queries' AND replication = -1")" ] ||
    fail "another p99 / target than the store's"

# The conclusion is that of the text, with numbers for names.
[ "$(ask data.json '$.findings[0].texts' | tr -d '[]"' | grep -o 'of all: {[01]}, STP [0-9.]* of 2')" != "" ] || fail "no findings: $(ask data.json '$.findings')"

# Markup in names stays text: one element of data, no tag but the page's own.
evil='</script><script>alert()</script>'
sed "s|\"queries\"|\"$evil\"|; s|\"name\": \"mix\"|\"name\": \"</title><b>\"|" mix.json >evil.json
"$COTENANT" run evil.json -p baymax -q -o evil.db >/dev/null || fail "run of a workload with markup in its names"
"$COTENANT" html evil.db -q -o evil.html || fail "html of markup"
[ "$(grep -o '<script' evil.html | wc -l)" = "$(grep -o '<script' page.html | wc -l)" ] || fail "a name made an element"
grep -F '<title>&lt;/title>&lt;b>' evil.html >/dev/null || fail "the title is not escaped"
data evil.html >evil.data.json
[ "$(ask evil.data.json '$.details[0].apps[0]')" = "$evil" ] || fail "the name is not what it was"

# Runs of one store that differ in a setting, and such as a comparison leaves aside, say in which.
for rate in 10 20; do "$COTENANT" run mix.json -p fifo --set apps.queries.arrivals.rate_per_s=$rate -q -o rates.db >/dev/null || fail "run at $rate"; done
"$COTENANT" html rates.db -q -o rates.html && data rates.html >rates.json || fail "html of two rates"
"$COTENANT" compare mix.json --policies fifo,priority -q -o rates.db >/dev/null && "$COTENANT" html rates.db -q -o aside.html && data aside.html >aside.json || fail "html of a comparison beside them"
set="$(ask rates.json '$.runs[0].set') $(ask rates.json '$.runs[1].set') $(ask aside.json '$.details[2].set') $(ask aside.json '$.details[3].set')"
[ "$set" = "rate_per_s=10 rate_per_s=20 rate_per_s=10 rate_per_s=20" ] || fail "other settings of the runs: $set"

# Several stores, single runs; a budget cuts the log and says so, and the rest stays as it was.
"$COTENANT" run mix.json -p priority -q --timeline t.json -o long.db >/dev/null || fail "run"
wants 0 '3 runs' "$COTENANT" html results.db long.db -o both.html
"$COTENANT" html long.db --budget 0 -q -o whole.html || fail "html without a limit"
data whole.html >whole.json
[ "$(ask whole.json '$.details[0].log.stored')" = "$(sqlite3 long.db "SELECT count(*) FROM decision WHERE run = $(ask whole.json '$.details[0].number')")" ] ||
    fail "not as many decisions as stored"
tasks=$(sqlite3 :memory: "SELECT sum(json_array_length(value, '\$.tasks')) FROM json_each(readfile('whole.json'), '\$.details[0].jobs')")
[ "$tasks" = "$(sqlite3 :memory: "SELECT sum(json_extract(value, '\$.task_count')) FROM json_each(readfile('whole.json'), '\$.details[0].jobs')")" ] &&
    [ "$tasks" -gt 0 ] || fail "tasks are missing without a limit"
"$COTENANT" run "$SOURCE_DIR/workloads/quickstart.json" -p baymax -q --timeline t.json --set duration_s=4 --set warmup_s=0 \
    -o large.db >/dev/null || fail "run of quickstart"
wants 0 'the budget left out' "$COTENANT" html large.db --budget 1 -o small.html
"$COTENANT" html large.db --budget 1000kB -q -o same.html && cmp -s small.html same.html || fail "1000 kB are another budget than 1 MB"
"$COTENANT" html large.db --budget 500kB -q -o smaller.html && [ "$(wc -c <smaller.html)" -lt "$(wc -c <small.html)" ] || fail "500 kB are no smaller budget"
[ "$(wc -c <small.html)" -lt 1600000 ] || fail "larger than its budget of 1 MB and the page's own 0.4: $(wc -c <small.html)"
data small.html >small.json
[ "$(sqlite3 :memory: "SELECT json_array_length(readfile('small.json'), '\$.details[0].log.rows') < json_extract(readfile('small.json'), '\$.details[0].log.stored')")" = 1 ] ||
    fail "the log is whole in spite of the budget"
[ "$(ask small.json '$.runs[0].report[0].system.stp')" = "$(sqlite3 large.db "SELECT stp FROM system WHERE run = $(ask small.json '$.runs[0].number')")" ] ||
    fail "the budget changed the report"
[ "$(ask small.json '$.runs[0].report[0].system.band.stp[0]')" = "$(sqlite3 large.db "SELECT band_stp_low FROM system WHERE run = $(ask small.json '$.runs[0].number')")" ] ||
    fail "the page has another range over the unknown memory demand"

# Bad input; what was there before stays.
cp page.html kept.html
wants 2 "'html' needs '-o FILE.html'" "$COTENANT" html results.db
wants 3 "results.db: error: is in use" "$COTENANT" html results.db -o results.db
wants 3 'not a result store' "$COTENANT" html mix.json -o kept.html
wants 3 'cannot open it' "$COTENANT" html missing.db -o kept.html
: >empty.db
wants 3 'not a result store: the file is empty' "$COTENANT" html empty.db -o kept.html
sqlite3 long.db .schema | sqlite3 bare.db
sqlite3 bare.db "PRAGMA application_id = $(sqlite3 long.db 'PRAGMA application_id'); PRAGMA user_version = $(sqlite3 long.db 'PRAGMA user_version')"
wants 3 'has no finished run' "$COTENANT" html bare.db -o kept.html
wants 3 'cannot write' "$COTENANT" html results.db -o missing/page.html
wants 2 'budget' "$COTENANT" html results.db --budget -1 -o kept.html
cmp -s page.html kept.html || fail "a command that failed has changed its output"
[ -e kept.html.part ] && fail "half a page is left"
exit $((failures > 0))
