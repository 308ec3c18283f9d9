#!/usr/bin/env bash
# From one command on a machine with a GPU to its preset and its page, with a device that follows a law in the GPU's place:
# tools/measure/run-all and what it calls, to the end.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export LC_ALL=C MEASURE
MEASURE=$(under "$BUILD_DIR/tests/cli/measure_synthetic")

# Stand-ins for the program that measures SMs and the control of MPS: what they were told, and where the daemon would be.
mkdir bin
cat >bin/sm <<'END'
#!/bin/sh
folder=$1
shift
echo "sm $* ${CUDA_MPS_PIPE_DIRECTORY##*/}" >>"$folder/TOLD"
END
cat >bin/nvidia-cuda-mps-control <<'END'
#!/bin/sh
[ "${1:-}" = -d ] || read -r word
echo "control ${1:-$word} ${CUDA_MPS_PIPE_DIRECTORY##*/}" >>"${CUDA_MPS_PIPE_DIRECTORY%/*}/TOLD"
END
chmod +x bin/*

PATH=$PWD/bin:$PATH MEASURE_SM=$PWD/bin/sm SYNTHETIC_GPU='NVIDIA H100 80GB HBM3' "$SOURCE_DIR/tools/measure/run-all" results 60 >said 2>&1 || fail "run-all ends with $?: $(cat said)"
for file in SOLO.csv PAIRS.csv COPIES.csv LAUNCH.csv PLACEMENT.csv CONDITIONS.json RESULT.txt MODEL.json ROWS.csv REPORT.md PRESET.json; do
    [ -s "results/$file" ] || fail "no $file"
done
[ "$(paste -sd';' results/TOLD)" = "sm issue draw ends clusters gpcs ;control -d mps-pipe;sm clients mps-pipe;control quit mps-pipe" ] ||
    fail "SMs were measured by: $(cat results/TOLD)"
grep '"gpu": "h100"' results/MODEL.json >/dev/null || fail "the model is not of the GPU: $(head -4 results/MODEL.json)"
grep '^| held out | 342 | ' results/RESULT.txt >/dev/null || fail "RESULT.txt lacks the validation: $(cat results/RESULT.txt)"

# By the law of the device: 8 and 20 GB/s, and no more than 20 in a direction.
[ "$(cat results/PRESET.json)" = '{"base": "h100", "contention": "MODEL.json", "pcie_mb_s": 20000, "pcie_pageable_mb_s": 8000, "pcie_pinned_mb_s": 20000}' ] ||
    fail "the preset is $(cat results/PRESET.json)"

# Where blocks ran: 264 blocks on 66 SMs in turn.
grep '^| chase_b8 | 264 | 66 | 4 |$' results/REPORT.md >/dev/null || fail "placement: $(grep chase_b8 results/REPORT.md)"
grep '^# NVIDIA H100 80GB HBM3, measured$' results/REPORT.md >/dev/null || fail "the report's title: $(head -1 results/REPORT.md)"
worst=$(awk -F, '$1 == "held out" { e = $9 < 0 ? -$9 : $9; if (e > most) most = e } END { printf "%.4g", most }' results/ROWS.csv)
awk -v worst="$worst" -F' \\| ' '/^The worst rows, held out/ { ahead = 5 } ahead && !--ahead { e = $NF + 0; exit !(e == worst || e == -worst) }' \
    results/REPORT.md || fail "the worst row is not the first: $worst"

# The preset is the GPU of a workload, and its contention is that of the model.
cat >results/mix.json <<END
{"gpu": $(cat results/PRESET.json), "duration_s": 0.2, "warmup_s": 0, "apps": [
 {"name": "fma_b2", "synthetic": {"blocks": 132, "threads": 256, "duration_ms": 1}},
 {"name": "stream1_b2", "synthetic": {"blocks": 132, "threads": 256, "duration_ms": 1}}]}
END
"$COTENANT" run results/mix.json --policy mps --format csv --quiet >report.csv 2>&1 || fail "a run on the preset: $(cat report.csv)"
grep 'contention_apps,2$' report.csv >/dev/null || fail "the run knows other applications: $(grep contention report.csv)"

# Applications that were recorded and measured there, too, are predicted on the measured preset.
mkdir -p results/apps
cp "$SOURCE_DIR/traces/h200-apps.db" results/apps/chase.db
cp "$SOURCE_DIR/traces/h200-apps.db" results/apps/compute.db
echo '==WARNING== No kernels were profiled.' >results/apps/METRICS-chase.csv
grep -E '^mode|^slices,(chase|compute),(chase|compute)?,' "$SOURCE_DIR/tools/measure/h200/SHARED.csv" >results/apps/SHARED.csv
"$SOURCE_DIR/tools/measure/evaluate" results >said 2>&1 || fail "evaluate with applications ends with $?: $(cat said)"
grep '^{"gpu": {"base": "h100", "pcie_mb_s": 20000, ' results/WORKLOAD.json >/dev/null || fail "the workload: $(cat results/WORKLOAD.json)"
[ "$(grep -c '^slices,' results/PREDICTED.csv)" = 5 ] && grep '^slices,2,' said >/dev/null || fail "rows: $(cat results/PREDICTED.csv said)"

# A GPU without a preset, with fewer pairs, and a folder in which nothing was measured.
mkdir unknown
cp results/{SOLO,COPIES,LAUNCH,PLACEMENT}.csv unknown
sed 's/"gpu": ".*"/"gpu": "Made \\"up\\" 1"/' results/CONDITIONS.json >unknown/CONDITIONS.json
head -60 results/PAIRS.csv >unknown/PAIRS.csv
"$SOURCE_DIR/tools/measure/evaluate" unknown >said 2>&1 || fail "an unknown GPU ends with $?"
grep "no preset is known for 'Made \"up\" 1'" said >/dev/null || fail "an unknown GPU: $(cat said)"
[ ! -e unknown/PRESET.json ] || fail "a preset of an unknown GPU"
"$SOURCE_DIR/tools/measure/evaluate" . >said 2>&1
[ $? -eq 2 ] || fail "an empty folder must end with 2"
grep 'SOLO.csv is missing: tools/measure/run-all writes it' said >/dev/null || fail "an empty folder: $(cat said)"
[ "$failures" = 0 ] && echo "measure chain: all as expected"
[ "$failures" = 0 ]
