#!/usr/bin/env bash
# `dram` runs the bank-level model: keys of its JSON agree with each other, options do what they say, wrong ones are
# refused with their reason, and `dram fit` writes its file only when all is well.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# value FILE KEY: the number of the first member of this name.
value() {
    sed -n "s/^ *\"$2\": \([-0-9.e+]*\),*\$/\1/p" "$1" | head -1
}

# near A B TOLERANCE
near() {
    awk -v a="$1" -v b="$2" -v t="$3" 'BEGIN { exit !(a != "" && b != "" && a - b <= t && b - a <= t) }'
}

# refused STATUS TEXT ARGUMENT...
refused() { refuses "$1" "$2" dram "${@:3}"; }

"$COTENANT" dram --preset hsm-hbm --locality 0.2 --requests 100000 --format json >a.json || fail "a plain run"
# 0.461: the closed form of the activate limit at a row hit rate of 0.2; 900 GB/s of HSM Table 1; 128 B lines.
near "$(value a.json rbh)" 0.2 0.02 || fail "row hits: $(cat a.json)"
near "$(value a.json utilisation)" 0.461 0.012 || fail "utilisation: $(cat a.json)"
near "$(value a.json bandwidth_gb_s)" "$(awk -v u="$(value a.json utilisation)" 'BEGIN { print u * 900 }')" 1 ||
    fail "bandwidth: $(cat a.json)"
near "$(value a.json requests_per_s)" "$(awk -v b="$(value a.json bandwidth_gb_s)" 'BEGIN { print b * 1e9 / 128 }')" 1e6 ||
    fail "requests per second: $(cat a.json)"
near "$(value a.json cycles)" "$(awk -v u="$(value a.json utilisation)" 'BEGIN { print 200000 / u }')" 2 ||
    fail "cycles: $(cat a.json)"
"$COTENANT" dram --preset hsm-hbm --locality 0.2 --requests 100000 --format json | cmp -s - a.json ||
    fail "the same run twice differs"
"$COTENANT" dram --preset hsm-hbm --locality 0.2 --requests 100000 --format json --seed 2 | cmp -s - a.json &&
    fail "the seed changes nothing"

"$COTENANT" dram --locality 0 --no-refresh --format json >b.json
near "$(value b.json utilisation)" 0.4 0.0001 || fail "four activates per 20 cycles: $(cat b.json)"
[ "$(value b.json refreshes)" = 0 ] || fail "--no-refresh refreshes"
"$COTENANT" dram --locality 0 --no-refresh --set tFAW=40 --format json >b.json
near "$(value b.json utilisation)" 0.2 0.0001 || fail "--set tFAW=40: $(cat b.json)"

"$COTENANT" dram --apps 0.2:0.25,0.8:0.75 --format json >c.json || fail "two applications"
near "$(value c.json bandwidth_share)" 0.25 0.04 || fail "share of the first: $(cat c.json)"
"$COTENANT" dram --apps 0.2:0.25,0.8:0.75 | grep >/dev/null -E '^ +2 +0\.800 +0\.750 ' || fail "table of applications"
[ "$("$COTENANT" dram --timing --requests 1000 --format json | grep -c host_requests_per_s)" = 1 ] || fail "--timing"
grep -q host_requests_per_s a.json && fail "the machine's speed without --timing"

"$COTENANT" dram fit --preset gddr6 --requests 5000 --reads 0.7 -o d.json >out || fail "dram fit"
grep -q '"schema": "cotenant.dram/1"' d.json || fail "schema of the fit"
[ "$(grep -c '"locality"' d.json)" = 21 ] || fail "points of the fit"
grep -q '^line: ' out || fail "the fit says nothing"
[ -z "$("$COTENANT" dram fit --requests 1000 -o e.json --quiet 2>&1)" ] || fail "--quiet is not silent"

refused 2 "did you mean 'hbm2'?" --preset hbm
refused 2 "'0' of 'tRC' is not a whole number from 1" --set tRC=0
refused 2 "'tRAS' (30) is longer than 'tRC' (24)" --set tRAS=30
refused 2 "did you mean 'tFAW'?" --set tFAV=3
refused 2 "is no assignment" --set tFAW
refused 2 "'1.5' of '--locality' is not a number from 0 to 1" --locality 1.5
refused 2 "is not a list of LOCALITY:SHARE" --apps 0.2,0.8
refused 2 "'share' of application 2 is 0" --apps 0.2:1,0.8:0
refused 2 "gives it none of the 64 entries" --apps 0.2:1,0.8:0.001
refused 2 "'--locality' changes nothing beside '--apps'" --apps 0.2:1 --locality 0.5
refused 2 "'--output' is for 'dram fit'" -o f.json
refused 2 "'dram fit' needs '-o D.json'" fit
refused 2 "did you mean 'fit'?" fti
refused 2 "'--locality' changes nothing in 'dram fit'" fit -o f.json --locality 0.5
refused 2 "longer than 'tREFI'" fit -o f.json --set tRFC=1700
refused 3 "cannot write" fit -o missing/f.json --requests 100
[ ! -e f.json ] || fail "a refused fit left a file"
"$COTENANT" dram --set tFAW=3 >/dev/null || fail "a tFAW below four tRRD is legal"
cp d.json before.json
"$COTENANT" dram fit -o d.json --set tRFC=1700 >/dev/null 2>&1
cmp -s d.json before.json || fail "a refused fit touched the file that was there"
"$COTENANT" dram fit -o /dev/full --requests 100 >/dev/null 2>&1
[ $? -eq 3 ] || fail "a full disk must end with 3"

# A run follows the fitted curve or the fitted line, and its report says which, with its R2.
cat >two.json <<'EOF'
{"schema": "cotenant.workload/1", "gpu": "v100", "duration_s": 0.1, "apps": [
 {"name": "a", "synthetic": {"blocks": 9, "duration_ms": 1, "dram_fraction": 0.6, "row_hit_rate": 0.3}},
 {"name": "b", "synthetic": {"blocks": 9, "duration_ms": 1, "dram_fraction": 0.6, "row_hit_rate": 0.3}}]}
EOF
says() {
    "$COTENANT" run two.json --policy mps --set "gpu.dram=$1" 2>&1 | grep >/dev/null -E "$2" || fail "dram=$1 does not say '$2'"
}
r2=$(sed -n 's/.*R2 \([0-9.]*\),.*/\1/p' out)
says line 'dram: row-buffer line, c1 0.5, c2 0.36$'
says curve 'dram: row-buffer curve of 21 points; a line has R2 0.850$' # HBM2's own
says d.json "dram: row-buffer curve of 21 points; a line has R2 $r2"
says d.json#curve "dram: row-buffer curve of 21 points; a line has R2 $r2"
says d.json#line "dram: row-buffer line, c1 0\.[0-9]+, c2 0\.[0-9]+, R2 $r2"
[ "$failures" -eq 0 ]
