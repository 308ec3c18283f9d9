#!/usr/bin/env bash
# A cluster: the same bytes for any number of threads, tables that add up, files that ship and run, Ctrl-C.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

cat >c.json <<'JSON'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 3}, {"gpu": "k40", "count": 2}],
 "duration_s": 4, "warmup_s": 0.5, "policy": "priority", "profile_s": 1, "defaults": {"role": "batch"},
 "apps": [
  {"name": "q", "role": "service", "gpus": 2, "qos_ms": 40, "synthetic": {"kernels": 3, "blocks": 160, "duration_ms": 2},
   "arrivals": {"process": "poisson", "rate_per_s": 40}},
  {"name": "r", "role": "service", "gpus": 2, "qos_ms": 40, "synthetic": {"blocks": 160, "duration_ms": 5},
   "arrivals": {"process": "closed", "clients": 2, "think_ms": 30}},
  {"name": "b", "gpus": 2, "instances": 3, "synthetic": {"blocks": 160, "duration_ms": 8}},
  {"name": "c", "gpus": 2, "synthetic": {"blocks": 20, "duration_ms": {"dist": "exponential", "mean": 3}}}]}
JSON
placements=random,round-robin,best-profile,hungarian
if "$COTENANT" cluster c.json --quiet --placement hungarian 2>&1 >/dev/null | grep 'built without' >/dev/null; then
    placements=random,round-robin,best-profile
fi
run() { "$COTENANT" cluster c.json --quiet --policies priority,baymax --placement "$placements" "$@"; }

run --reps 2 -o one >one.txt || fail "one thread"
run --reps 2 -o two -j 3 >two.txt || fail "three threads"
cmp one.txt two.txt || fail "the number of threads changes the report"
diff -r one two || fail "the number of threads changes a table"
run --reps 2 --seed 9 >other.txt || fail "another seed"
cmp -s one.txt other.txt && fail "the seed changes nothing"
[ "$(awk 'length > 80' one.txt | wc -l)" -eq 0 ] || fail "a line is longer than 80 columns"
grep 'conservation ok' one.txt >/dev/null || fail "conservation"

# sums FILE COLUMN: by policy and placement.
sums() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { s[$1 "," $2] += $c }
        END { for (k in s) printf "%s %.1f\n", k, s[k] }' "$1" | sort
}
diff <(sums one/summary.csv queries) <(sums one/gpus.csv queries) || fail "queries of the GPUs"
diff <(sums one/summary.csv batch_jobs_per_s) <(sums one/gpus.csv batch_jobs_per_s) || fail "batch jobs of the GPUs"
diff <(sums one/summary.csv queries) <(sums one/colocations.csv queries) || fail "queries of the co-locations"
[ "$(wc -l <one/gpus.csv)" -eq $((1 + 5 * 2 * $(tr ',' '\n' <<<"$placements" | wc -l))) ] || fail "not a row per GPU"

# JSON holds every table, and is JSON.
run --format json >all.json || fail "json"
if command -v sqlite3 >/dev/null 2>&1; then
    rows=$(sqlite3 :memory: "SELECT json_array_length(readfile('all.json'), '\$.gpus')")
    [ "$rows" = $((5 * 2 * $(tr ',' '\n' <<<"$placements" | wc -l))) ] || fail "json: '$rows' GPUs"
fi
for table in summary colocations gpus profiles; do
    run --table $table --format csv >t.csv || fail "$table"
    run --table $table --format markdown | grep '^| policy' >/dev/null || fail "$table as Markdown"
done

# What ships runs (for a moment, and the data centre without its profiles).
for file in "$SOURCE_DIR"/workloads/clusters/*.json; do
    "$COTENANT" cluster "$file" --quiet --placement random --policies mps --set duration_s=0.1 --set warmup_s=0 \
        >shipped.txt || fail "$file"
    grep 'conservation ok' shipped.txt >/dev/null || fail "$file: conservation"
done

# Ctrl-C: what is finished is shown.
"$COTENANT" cluster c.json --policies priority,mps --reps 2000 >out 2>err &
pid=$!
for ((i = 0; i < 1000; i++)); do
    grep -s '^cluster: 10 %' err >/dev/null && break
    sleep 0.01
done
kill -INT $pid
wait $pid
[ $? -eq 130 ] || fail "Ctrl-C does not end with 130"
grep 'interrupted: [01] of 2 placements and policies are finished' err >/dev/null || fail "not said: $(cat err)"
[ "$failures" -eq 0 ]
