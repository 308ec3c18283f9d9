#!/usr/bin/env bash
# The measuring program on a device with a known law: its plan, its tables, what it rejects, and that calibrate and
# validate read what it writes and find the law.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
program=$(under "$BUILD_DIR/tests/cli/measure_synthetic")
export LC_ALL=C

# cell FILE COLUMN CONDITION: the column of the one row on which an awk condition on the columns c[...] holds.
cell() {
    awk -F, -v column="$2" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
        { for (name in at) c[name] = $(at[name]) } '"$3"' { print c[column]; n++ } END { exit n != 1 }' "$1"
}

# near WHAT GOT EXPECTED: within a ten-thousandth.
near() {
    awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !(a != "" && d * d <= 1e-8 * b * b) }' || fail "$1 is '$2', not $3"
}

"$program" --dry-run --repeats 5 >plan || fail "--dry-run ends with $?"
grep -q '^18 applications of 16 launches each: fma_b1 fma_b2 fma_b8 stream1_b1' plan || fail "the plan: $(cat plan)"
grep -q '^684 pairs, sharing all SMs and in partitions' plan || fail "the plan's pairs: $(cat plan)"
grep -q 'the median of 5 after 2 not counted' plan || fail "the plan's repeats: $(cat plan)"

mkdir full
"$program" --out full --repeats 5 >said || fail "ends with $?"
[ "$(cat said)" = "684 pairs, 0 of them rejected: no neighbour ran long enough beside them" ] || fail "says: $(cat said)"
[ "$(ls full | tr '\n' ' ')" = "BESIDE.csv CONDITIONS.json COPIES.csv LAUNCH.csv PAIRS.csv PLACEMENT.csv REJECTED.csv SOLO.csv " ] ||
    fail "writes: $(ls full)"

# By hand: 3.2 ms * 1.1 (b2) alone; 60 % of 1e12 bytes/s; a quarter of 33 pairs of SMs is 8 of them: 24.2424 %.
near "stream1_b2 alone" "$(cell full/SOLO.csv latency_ms 'c["app"] == "stream1_b2" && c["quota_pct"] == 100')" 3.52
near "its memory" "$(cell full/SOLO.csv dram_util_pct 'c["app"] == "stream1_b2" && c["quota_pct"] == 100')" 60
near "a quarter" "$(cell full/SOLO.csv latency_ms 'c["app"] == "fma_b1" && c["quota_pct"] < 30')" 13.86
near "its quota" "$(cell full/SOLO.csv quota_pct 'c["app"] == "fma_b1" && c["quota_pct"] < 30')" 24.2424
near "the lower quartile" "$(cell full/SOLO.csv q1_ms 'c["app"] == "fma_b1" && c["quota_pct"] == 100')" 3.36
near "fma beside stream" "$(cell full/PAIRS.csv latency_a_ms \
    'c["app_a"] == "fma_b1" && c["app_b"] == "stream1_b2" && c["quota_a_pct"] == 100')" "$(awk 'BEGIN { print 3.36 * 1.17 }')"
near "stream beside fma" "$(cell full/PAIRS.csv latency_b_ms \
    'c["app_a"] == "fma_b1" && c["app_b"] == "stream1_b2" && c["quota_a_pct"] == 100')" "$(awk 'BEGIN { print 3.52 * 1.05 }')"
near "both directions" "$(cell full/COPIES.csv gb_per_s \
    'c["direction"] == "both" && c["memory"] == "pinned" && c["concurrent"] == 8')" 40
# 16 MiB at 8 GB/s behind two at 20.
near "pageable beside pinned" "$(cell full/COPIES.csv gb_per_s 'c["direction"] == "d2h" && c["pinned_beside"] == 2')" "$(awk 'BEGIN { print 1 / (1 / 8 + 2 / 20) }')"
near "a delay" "$(cell full/LAUNCH.csv us 'c["delay"] == "end_to_next_begin"')" 4.5
[ "$(wc -l <full/BESIDE.csv)" = 325 ] && grep '^fma_b1,mixed_b8,1.0000,0.2500,0.5000,1.5000,66,33,32,4$' full/BESIDE.csv >/dev/null ||
    fail "one kernel behind another: $(head -3 full/BESIDE.csv)"
[ "$(grep -c '^chase_b8,' full/PLACEMENT.csv)" = 264 ] || fail "placement of chase_b8"
[ "$(tail -n +2 full/PAIRS.csv | cut -d, -f1-4 | sort | uniq -d | wc -l)" = 0 ] || fail "a pair twice"
for text in '"gpu": "Made \"up\" 1"' '"sm_clock_before_mhz": 1500.0' '"pairs": 684' '"cut_short": false'; do
    grep -qF "$text" full/CONDITIONS.json || fail "CONDITIONS.json lacks $text"
done
"$COTENANT" calibrate full/SOLO.csv full/PAIRS.csv -o model.json --gpu h100 >text 2>notes || fail "calibrate: $(cat notes)"
"$COTENANT" validate full/SOLO.csv full/PAIRS.csv --format json >held.json 2>/dev/null || fail "validate ends with $?"
# The law is near the model's form: 2 % is twice what is left, where doing nothing is off by 8 %.
awk '/"mean_error"/ { sub(/.*: /, ""); exit !($0 + 0 > 0 && $0 + 0 < 0.02) }' held.json || fail "validate: $(head -5 held.json)"

# A beginning of the list is a mixture; what no neighbour covered is kept apart.
mkdir some
SYNTHETIC_UNCOVERED=chase_b2 "$program" --out some --repeats 3 --pairs 60 >said || fail "60 pairs end with $?"
[ "$(($(wc -l <some/PAIRS.csv) + $(wc -l <some/REJECTED.csv)))" = 62 ] || fail "60 pairs are $(wc -l <some/PAIRS.csv)"
[ "$(tail -n +2 some/PAIRS.csv | cut -d, -f1,3 | tr , '\n' | sort -u | wc -l)" -ge 17 ] || fail "60 pairs leave applications out"
awk -F, 'NR > 1 && $1 == "chase_b2" && $5 != "" { exit 1 }' some/PAIRS.csv || fail "a latency that no neighbour covered"
mkdir apart
SYNTHETIC_PARTITIONS=0 "$program" --out apart --repeats 3 >said || fail "without partitions: $?"
[ "$(wc -l <apart/PAIRS.csv)" = 172 ] || fail "without partitions $(wc -l <apart/PAIRS.csv) lines"
"$COTENANT" validate apart/SOLO.csv apart/PAIRS.csv >/dev/null 2>&1 || fail "validate without partitions"

# Tables of SMs, which a GPU alone can write: those that are kept are as the program writes and the page describes them.
for table in ISSUE DRAW DRAW_GPC ENDS CLUSTERS GPCS CLIENTS; do
    header=$(head -1 "$SOURCE_DIR/tools/measure/h100/$table.csv")
    grep -F "| \`$table.csv\` | \`$header\`" "$SOURCE_DIR/docs/measuring.md" >/dev/null || fail "the page has no $table.csv of $header"
    # Strings over several lines make one.
    cat "$SOURCE_DIR"/tools/measure/measure_sm_*.cu | tr -d '\n' | sed 's/" *"//g' | grep -F "\"$header\"" >/dev/null ||
        fail "nothing writes $table.csv of $header"
done
header=$(head -1 "$SOURCE_DIR/tools/measure/h100/UNITS.csv")
grep -F "| \`UNITS.csv\` | \`$header\`" "$SOURCE_DIR/docs/measuring.md" >/dev/null || fail "the page has no UNITS.csv of $header"

# What is wrong is said.
SYNTHETIC_NONE=1 "$program" --out apart 2>said && fail "runs without a device"
grep -q 'no GPU can be measured: there is none' said || fail "no device: $(cat said)"
"$program" 2>said && fail "runs without --out"
"$program" --out apart --repeats 2 2>said && fail "takes two repeats"
grep -q "'2' of '--repeats' is no number from 3 to 101" said || fail "repeats: $(cat said)"
"$program" --out no/such 2>said && fail "writes nowhere"
grep -q 'no/such/SOLO.csv cannot be written' said || fail "no folder: $(cat said)"

[ "$failures" = 0 ] && echo "measure: all as expected"
[ "$failures" = 0 ]
