#!/usr/bin/env bash
# calibrate and validate on co-locations with known parameters: what is found, what is said when columns are missing,
# the forms of the output, and that the same input gives the same bytes.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export LC_ALL=C

# Latencies exactly by s = 1 + 0.057 + 0.028 P / (1 - min(D, 0.8)) plus 4 us per launch, for ten applications.
awk -v folder="$scratch" 'BEGIN {
    for (i = 0; i < 10; i++) {
        t[i] = 2 + i * 7 % 5; d[i] = 5 + i * 13 % 41; l[i] = 3 + i * 17 % 29; n[i] = 20 + i * 37 % 101
        solo = solo sprintf("net%d_b%d,50,%.17g,40,%d,%d,,%d\n", i / 2, 1 + 7 * (i % 2), t[i], l[i], d[i], n[i])
        plain = plain sprintf("net%d_b%d,50,%.17g,%d,%d\n", i / 2, 1 + 7 * (i % 2), t[i], l[i], d[i])
        bare = bare sprintf("net%d_b%d,50,%.17g\n", i / 2, 1 + 7 * (i % 2), t[i])
    }
    for (i = 0; i < 10; i++)
        for (j = i; j < 10; j++) {
            p = d[i] + d[j] > 80 ? 80 : d[i] + d[j]
            a = t[i] * (1.057 + 0.028 * (d[j] + l[j]) / (100 - p)) + 0.004 * n[i]
            b = t[j] * (1.057 + 0.028 * (d[i] + l[i]) / (100 - p)) + 0.004 * n[j]
            pairs = pairs sprintf("%.17g,net%d_b%d,50,net%d_b%d,50,%s,x\n", a, i / 2, 1 + 7 * (i % 2), j / 2,
                1 + 7 * (j % 2), (i + j) % 3 ? sprintf("%.17g", b) : "")
        }
    printf "app,quota_pct,latency_ms,sm_util_pct,l2_util_pct,dram_util_pct, throughput_per_s,launches\n%s", solo >folder "/solo.csv"
    printf "app,quota_pct,latency_ms,l2_util_pct,dram_util_pct\n%s", plain >folder "/plain.csv"
    printf "app,quota_pct,latency_ms\n%s", bare >folder "/bare.csv"
    printf "latency_a_ms,app_a,quota_a_pct,app_b,quota_b_pct,latency_b_ms,note\n%s", pairs >folder "/pairs.csv"
}'

# near FILE KEY VALUE TOLERANCE: the first number of this name.
near() {
    awk -v key="\"$2\":" -v value="$3" -v most="$4" '
        index($0, key) { sub(/.*: */, ""); sub(/,.*/, ""); d = $0 - value; exit }
        END { exit !(d != "" && d < most && -d < most) }' "$1" || fail "$1: $2 is not $3: $(grep "\"$2\"" "$1" | head -1)"
}

"$COTENANT" calibrate solo.csv pairs.csv -o model.json --gpu v100 >text 2>notes || fail "calibrate ends with $?"
[ "$(cat notes)" = "pairs.csv: notice: unknown column ignored: 'note'" ] || fail "notices: $(cat notes)"
near model.json contention_k0 0.057 1e-8
near model.json contention_k 0.028 1e-8
near model.json launch_delay_us 4 1e-6
near model.json rows 55 0.5
grep -q '"gpu": "v100"' model.json || fail "the GPU is not in the model"
grep -q '16 random co-locations are nearly as good as' text || fail "does not say how many are enough"
[ ! -e model.json.part ] || fail "leaves a part behind"

# What was read is not overwritten.
cp pairs.csv kept.csv
for command in calibrate validate; do
    "$COTENANT" $command solo.csv pairs.csv -o ./pairs.csv >/dev/null 2>notes
    [ $? = 3 ] && grep 'pairs.csv: error: is in use' notes >/dev/null && cmp kept.csv pairs.csv || fail "$command into its input: $(cat notes)"
done
"$COTENANT" calibrate --quiet solo.csv pairs.csv -o titled.json --gpu 'NVIDIA H100 80GB HBM3' || fail "a GPU by its title: $?"
grep -q '"gpu": "h100"' titled.json || fail "the model is of $(grep gpu titled.json)"
"$COTENANT" calibrate --quiet solo.csv pairs.csv -o again.json --gpu v100 >quiet 2>&1 || fail "quiet ends with $?"
cmp -s model.json again.json || fail "the same input gives another model"
[ ! -s quiet ] || fail "quiet prints"

"$COTENANT" validate solo.csv pairs.csv --format json >held.json 2>/dev/null || fail "validate ends with $?"
near held.json rows 28 0.5
near held.json mean_error 0 1e-6
[ "$(grep -c '"rows"' held.json)" = 2 ] || fail "known and unseen are expected"
"$COTENANT" validate solo.csv pairs.csv --holdout 0.2 --seed 3 --format json 2>/dev/null >fifth.json
near fifth.json rows 11 0.5
"$COTENANT" validate solo.csv pairs.csv --model model.json --format json >all.json 2>/dev/null || fail "--model ends with $?"
near all.json rows 55 0.5
near all.json max_error 0 1e-6
sed -n '/unseen/,$p' all.json >none.json
near none.json rows 0 0.5
grep -q '"mean_error": null' none.json || fail "an error of nothing"
sed 's/"name": "net0_b1"/"name": "another"/' model.json >unseen.json
"$COTENANT" validate solo.csv pairs.csv --model unseen.json --format json 2>/dev/null | sed -n '/unseen/,$p' >one.json
near one.json rows 10 0.5
for what in held fifth all; do
    keys=$(tr -d ' {}\n' <$what.json | tr , '\n' | cut -d: -f1 | tr -d '"' | tr '\n' ' ')
    [ "$keys" = "rows mean_error median_error p90_error max_error baseline_none baseline_median unseen mean_error median_error p90_error max_error baseline_none baseline_median " ] ||
        fail "$what.json: $keys"
done

# Every tested latency as a row, whose errors are those that were summed up; the latencies are those of pairs.csv.
"$COTENANT" validate bare.csv pairs.csv -o rows.csv --format json >bare.json 2>/dev/null || fail "-o ends with $?"
[ "$(head -1 rows.csv)" = test,app,quota_pct,beside,beside_quota_pct,alone_ms,measured_ms,predicted_ms,error_pct ] ||
    fail "rows.csv begins with $(head -1 rows.csv)"
for test in held_out unseen_app; do
    awk -F, -v test="${test/_/ }" '$1 == test { e = $8 / $7 - 1; s += e < 0 ? -e : e; d = $9 - 100 * e; n++
            if (d > 1e-9 || d < -1e-9) exit 1 } END { printf "%.12f\n", s / n }' rows.csv >mean || fail "an error of rows.csv"
    sed -n "$([ $test = held_out ] && echo 1,/unseen/p || echo '/unseen/,$p')" bare.json >part.json
    near part.json mean_error "$(cat mean)" 1e-9
done
awk -F, 'NR == FNR { if (FNR > 1) { lone[$2, $4] = $1; other[$2, $4] = $6 } next }
    FNR > 1 && $1 == "held out" { got = ($2, $4) in lone && lone[$2, $4] == $7 || ($4, $2) in other && other[$4, $2] == $7
        if (!got) exit 1 }' pairs.csv rows.csv || fail "rows.csv mixes up the two of a pair"
"$COTENANT" validate bare.csv pairs.csv -o no/such/rows.csv >/dev/null 2>&1
[ $? -eq 3 ] || fail "rows into no folder must end with 3"

# The text says what it means, within 80 columns.
"$COTENANT" validate solo.csv pairs.csv >text 2>/dev/null
grep -q 'better than both baselines' text || fail "no verdict"
grep -q 'hundreds, 32 are comfortable' text || fail "no advice"
awk 'length($0) > 80 { exit 1 }' text || fail "wider than 80 columns"

# Without launches there is no delay; without utilisation only a common slowdown.
"$COTENANT" calibrate plain.csv pairs.csv -o plain.json >/dev/null 2>notes || fail "without launches: $?"
grep -q "'launches' is not there" notes || fail "launches: $(cat notes)"
near plain.json launch_delay_us 0 1e-12
! sed -n '/fitted/,/]/p' plain.json | grep >/dev/null launch || fail "launches are fitted"
"$COTENANT" calibrate bare.csv pairs.csv -o bare.json >/dev/null 2>notes || fail "without columns: $?"
grep -q "neither 'dram_util_pct' nor 'l2_util_pct'" notes || fail "utilisation: $(cat notes)"
near bare.json contention_k 0 1e-12
"$COTENANT" validate bare.csv pairs.csv >text 2>/dev/null
"$COTENANT" validate bare.csv pairs.csv --model model.json 2>&1 >/dev/null | grep >/dev/null 'counts utilisation, which is not known' ||
    fail "a model that cannot be fed"

# Measured on GPUs, with 16 launches of 0.2 ms in each job: a delay per launch is a slowdown that is common to all.
for gpu in h100 h200; do
    "$COTENANT" calibrate "$SOURCE_DIR"/tools/measure/$gpu/{SOLO,PAIRS}.csv -o $gpu.json --gpu $gpu >text 2>/dev/null || fail "calibrate of $gpu: $?"
    grep '^  launch_delay_us *0 *us *not told by the data' text >/dev/null || fail "$gpu: $(grep launch_delay text)"
done

# A model that is no better than a baseline is called so: slowdowns are all the same.
awk -F, 'NR == 1 { print "app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms"; next }
    NR == FNR { next }' pairs.csv >flat.csv
awk -F, 'NR > 1 { print $1 ",50,net0_b1,50," 1.2 * $3 }' bare.csv >>flat.csv
"$COTENANT" validate bare.csv flat.csv 2>/dev/null | tr '\n' ' ' | grep >/dev/null 'does not beat both baselines' ||
    fail "praises a model that is not worth its parameters"

# Files as others write them: empty cells, marks for them, quotas that are not said, throughput instead of latency,
# only the second latency of a pair, counters above 100, a byte-order mark and carriage returns.
printf '\xef\xbb\xbfapp,quota_pct,latency_ms,throughput_per_s,dram_util_pct,sm_util_pct\r\n' >loose.csv
printf '"a_b1",,2,,104.2,?\r\nb_b1,100,,250,nan,\r\n\r\nc_b1,,3,,NA,50\r\nd_b1,100,1,-,10,\r\n' >>loose.csv
printf 'app_b,quota_b_pct,app_a,quota_a_pct,latency_b_ms,latency_a_ms\na_b1,,b_b1,100,2.2,4.4\nc_b1,,a_b1,,3.3,\n' >loose_pairs.csv
printf 'd_b1,100,a_b1,100,1.1,2.2\nb_b1,,d_b1,100,nan,1.1\nc_b1,100,d_b1,,3.3,1.1\n' >>loose_pairs.csv
"$COTENANT" calibrate loose.csv loose_pairs.csv -o loose.json >/dev/null 2>notes || fail "loose files: $(cat notes)"
near loose.json contention_k0 0.1 1e-6
near loose.json rows 5 0.5
near loose.json latencies 8 0.5
grep '1 utilisation is above 100' notes >/dev/null || fail "a utilisation above 100: $(cat notes)"
grep '1 latency is unknown: 1000 / ' notes >/dev/null || fail "throughput for latency: $(cat notes)"
grep '7 quotas are not said' notes >/dev/null || fail "quotas: $(cat notes)"

# Through a link to a file of elsewhere, which stays a link.
mkdir elsewhere && ln -s elsewhere/model.json link.json
"$COTENANT" calibrate solo.csv pairs.csv -o link.json >/dev/null || fail "calibrate into a link"
[ -L link.json ] && [ -s elsewhere/model.json ] || fail "a link was replaced: $(ls -l link.json)"

# Nothing is left where nothing can be written.
"$COTENANT" calibrate solo.csv pairs.csv -o no/such/model.json >/dev/null 2>notes
[ $? -eq 3 ] || fail "an impossible output must end with 3"
echo "$failures wrong"
[ "$failures" -eq 0 ]
