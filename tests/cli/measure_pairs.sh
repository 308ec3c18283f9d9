#!/usr/bin/env bash
# Applications measured alone and in pairs, with a stand-in for the GPU whose jobs sleep, and what is predicted for them.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
tools=$SOURCE_DIR/tools/measure
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces PYTHONDONTWRITEBYTECODE=1

"$tools/pairs" results --library "$BUILD_DIR/tests/cli/libmeasure_apps_synthetic.so" --apps compute,stream --seconds 0.4 --no-ncu \
    --modes streams,slices >said 2>&1 || fail "pairs ends with $?: $(cat said results/worker.log)"
[ "$(cut -d, -f1-3 results/SHARED.csv | tail -n +2 | sort | paste -sd' ')" = \
    "slices,compute, slices,compute,stream slices,stream, slices,stream,compute streams,compute, streams,compute,stream streams,stream, streams,stream,compute" ] ||
    fail "rows of $(cat results/SHARED.csv)"
# Jobs that sleep for 1 and 2 ms; a busy machine makes them later, never earlier.
awk -F, 'NR > 1 { least = $2 == "compute" ? 1 : 2; if ($5 < least || $6 < least || $8 < $6 || $9 < $8 || $10 > 1000 / least) exit 1 }' \
    results/SHARED.csv || fail "times of $(cat results/SHARED.csv)"
grep '^{"compute": \[1, 0, 4\], "stream": \[2, 0, 4\]}$' results/APPS.json >/dev/null || fail "numbers: $(cat results/APPS.json)"
[ "$(python3 -c 'import gzip, json; print(len(json.load(gzip.open("results/jobs.json.gz"))))')" = 8 ] || fail "jobs.json.gz has not all windows"

# Slices of 2 ms, of which a switch takes 0.1, where both processes ran.
awk -F, 'NR > 1 && ($3 != 1900 || $4 < 0 || $4 > 2100) { exit 1 } END { exit NR < 2 }' results/SLICES.csv || fail "slices: $(head -5 results/SLICES.csv)"

# An application that does not come up is said, and the others are measured.
"$tools/pairs" others --library "$BUILD_DIR/tests/cli/libmeasure_apps_synthetic.so" --apps compute,none --seconds 0.3 --no-ncu --modes slices \
    >said 2>&1
grep 'none does not start: worker.log' said >/dev/null || fail "an application that is not there: $(cat said)"
grep '^slices,compute,,' others/SHARED.csv >/dev/null || fail "the other one is not measured: $(cat others/SHARED.csv)"

# The second set is another one; none of it is the stand-in's.
"$tools/pairs" second --library "$BUILD_DIR/tests/cli/libmeasure_apps_synthetic.so" --second --seconds 0.1 --no-ncu --modes slices >said 2>&1
for app in burst reader sparse blend; do
    grep " $app does not start" said >/dev/null || fail "the second set lacks $app: $(cat said)"
done
! grep -w compute said >/dev/null || fail "the second set has the first: $(cat said)"

# Two kernels that fill the GPU, in slices of a microsecond that cost nothing to switch: twice as long each, but for the
# last slice of a job.
cat >two.json <<'END'
{"gpu": {"base": "v100", "time_slice_us": 1, "time_slice_switch_us": 0}, "apps": [
 {"name": "a", "role": "batch", "synthetic": {"blocks": 80, "threads": 1024, "duration_ms": 1}},
 {"name": "b", "role": "batch", "synthetic": {"blocks": 80, "threads": 1024, "duration_ms": 1}}]}
END
cat >SHARED.csv <<'END'
mode,app,beside,jobs,mean_ms,p50_ms,p90_ms,p99_ms,max_ms,per_s
slices,a,,100,1,1,1,1,1,1000
slices,b,,100,1,1,1,1,1,1000
slices,a,b,100,2,2,2,2,2,500
slices,b,a,100,4,4,4,4,4,250
mps,a,b,3,,,,,,
END
"$tools/predict" two.json SHARED.csv --program "$COTENANT" --modes slices >rows 2>&1 || fail "predict ends with $?: $(cat rows)"
# near TEXT WANTED: within half a per cent.
near() { awk -v got="$1" -v wanted="$2" 'BEGIN { d = got - wanted; exit !(d < 0.5 && d > -0.5) }'; }
[ "$(grep -c '^slices,' rows)" = 5 ] || fail "rows: $(cat rows)"
near "$(grep '^slices,a,b,' rows | cut -d, -f7)" 0 && near "$(grep '^slices,a,b,' rows | cut -d, -f13)" 0 || fail "a beside b: $(cat rows)"
near "$(grep '^slices,b,a,' rows | cut -d, -f10)" -50 && near "$(grep '^slices,b,a,' rows | cut -d, -f13)" 100 || fail "b beside a: $(cat rows)"
# Errors of the p99: 0 and 50 %, of "no slowdown" 50 and 75 %, of the median slowdown, 3, 50 and 25 %.
summary=$(grep '^slices,2,' rows)
near "$(cut -d, -f3 <<<"$summary")" 25 && near "$(cut -d, -f7 <<<"$summary")" 62.5 && near "$(cut -d, -f9 <<<"$summary")" 37.5 ||
    fail "the summary: $summary"
# The workload names files beside it, for an application and for the GPU.
mkdir beside
cp "$SOURCE_DIR/traces/h200-apps.db" beside/named.db
"$COTENANT" calibrate "$SOURCE_DIR"/tools/measure/h200/{SOLO,PAIRS}.csv -o beside/MODEL.json --gpu h200 --quiet 2>said || fail "calibrate: $(cat said)"
echo '{"gpu": {"base": "h200", "contention": "MODEL.json"}, "apps": [{"name": "chase", "role": "batch", "trace": "named.db#chase"}]}' >beside/chase.json
grep -E '^mode|^mps,chase,,' "$SOURCE_DIR/tools/measure/h200/SHARED.csv" >beside/SHARED.csv
"$tools/predict" beside/chase.json beside/SHARED.csv --program "$COTENANT" --modes mps >said 2>&1 && grep '^mps,chase,-,' said >/dev/null ||
    fail "files beside the workload: $(cat said)"

printf 'Words.\n\n<!-- Below: printed by tools/measure/predict --page. -->\nold\n' >page.md
"$tools/predict" two.json SHARED.csv --program "$COTENANT" --modes slices --page page.md || fail "no page"
grep '^| slices | a | b |' page.md >/dev/null && grep '^Words.$' page.md >/dev/null && ! grep old page.md >/dev/null || fail "page: $(cat page.md)"
[ "$failures" = 0 ] && echo "measure pairs: all as expected"
[ "$failures" = 0 ]
