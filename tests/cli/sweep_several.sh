#!/usr/bin/env bash
# Several sweeps in one store: each keeps its points, and what is shown is the newest, or the one that is asked for.
. "$(dirname "${BASH_SOURCE[0]}")/sweep.bash"

# named NAME DESIGN: a sweep of this name into the store that all share.
named() {
    sweep_file "$1.json" 0.4 "$2"
    sed -i "s/\"load\"/\"$1\"/; s/\"mps\", \"fifo\", \"baymax\"/\"mps\", \"fifo\"/; s/\"reps\": 2/\"reps\": 1/" "$1.json"
    "$COTENANT" sweep "$1.json" -o all.db -q >/dev/null || fail "sweep $1"
}
# points FOLDER: the values of the points of which it has tables.
points() { awk -F, 'NR > 1 { print $(NF - 1) "=" $NF }' "$1/points.csv" | sort -u | tr '\n' ' '; }

named rates '{"grid": {"apps.queue.arrivals.rate_per_s": [50, 100]}}'
"$COTENANT" export all.db -o alone -q 2>alone.err || fail "export of one sweep"
[ ! -s alone.err ] || fail "one sweep: $(cat alone.err)"
named both '{"grid": {"apps.queue.arrivals.rate_per_s": [100, 200]}}' # a point in common
"$COTENANT" html all.db -o newest.html -q >/dev/null 2>&1 || fail "page of the newest, which shares a point"
grep -q '"sweep": *"both"' newest.html || fail "the newest bears another one's name: $(grep -o '"sweep": *"[^"]*"' newest.html | head -1)"
named sms '{"grid": {"gpu.sms": [40, 68]}}'
named one '{"grid": {"apps.queue.arrivals.rate_per_s": [25]}}' # a single point, and not the newest
"$COTENANT" html all.db --sweep one -o one.html >one.txt || fail "page of one point"
says one.txt '^2 runs, '
named sms '{"grid": {"gpu.sms": [40, 68]}}'
rate=apps.queue.arrivals.rate_per_s
for case in "rates $rate=100 $rate=50 " "both $rate=100 $rate=200 " "sms gpu.sms=40 gpu.sms=68 "; do
    name=${case%% *}
    "$COTENANT" export all.db --sweep "$name" -o "$name" -q 2>"$name.err" || fail "export of $name"
    same "points of $name" "${case#* }" "$(points "$name")"
    [ ! -s "$name.err" ] || fail "$name: $(cat "$name.err")"
    "$COTENANT" html all.db --sweep "$name" -o "$name.html" >"$name.txt" || fail "page of $name"
    says "$name.txt" '^4 runs, '
done
"$COTENANT" export all.db -o newest >/dev/null 2>newest.err || fail "export of the newest"
same "points of the newest" "gpu.sms=40 gpu.sms=68 " "$(points newest)"
says newest.err "^all.db: notice: has the sweeps .*both.*rates.*sms.*'--sweep NAME'"
refuses 2 "has no sweep 'rate', but " export all.db --sweep rate -o none
refuses 2 "'--sweep' is of one store" html all.db all.db --sweep rates -o none.html
"$COTENANT" run workload.json -o run.db -q >/dev/null
refuses 2 'run.db: error: has no sweep' export run.db --sweep rates -o none

# An older store knows under which name a point was first stored.
sqlite3 all.db 'DROP TABLE sweep_listed'
"$COTENANT" export all.db --sweep rates -o older -q || fail "export of an older store"
same "points of an older store" "$rate=100 $rate=50 " "$(points older)"

if command -v gnuplot >/dev/null; then
    named rates '{"grid": {"apps.queue.arrivals.rate_per_s": [50, 100]}}'
    named sms '{"grid": {"gpu.sms": [40, 68]}}'
    "$COTENANT" plot all.db -o latest >/dev/null 2>latest.err || fail "figures of the newest"
    says latest.err "^all.db: notice: has the sweeps .*: 'sms', the newest, is shown; '--sweep NAME' shows another one$"
    same "co-locations of the newest" "mean sms 40 sms 68 " "$(awk -F, '/^[0-9]/ { print $8 }' latest/colocations-stp.csv | sort -u | tr '\n' ' ')"
    "$COTENANT" plot all.db --sweep rates -o figures -q || fail "figures of rates"
    same "places of a figure" "100 50 " "$(awk -F, '/^[0-9]/ { print $2 }' figures/sweep-stp.csv | sort -u | tr '\n' ' ')"
    same "co-locations of a figure" "mean rate per s 100 rate per s 50 " "$(awk -F, '/^[0-9]/ { print $8 }' figures/colocations-stp.csv | sort -u | tr '\n' ' ')"
fi
[ "$failures" -eq 0 ]
