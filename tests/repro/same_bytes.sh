#!/usr/bin/env bash
# The same bytes from gcc with optimisation and clang without. The clang build also takes warnings as errors.
# Where the program is built as WebAssembly, by clang with warnings as errors, lessons.same_bytes holds that one's against gcc's.
# COTENANT_VARIANTS="COMPILER LEVEL,...": other builds than this one, which differs most; `scripts/check bytes` has all.
if [ -z "${COTENANT_VARIANTS:-}" ] && [ -f "$SOURCE_DIR/build/lessons/core.tar.gz" ]; then
    echo "lessons.same_bytes has another compiler, C library and machine: build/lessons"
    exit 0
fi
. "$(dirname "${BASH_SOURCE[0]}")/repro_common.bash"
command -v clang >/dev/null || { echo "clang is missing"; exit 77; }
failures=0

# repro_reports PROGRAM FILE: what policies of every family report, in both fidelities, bit for bit. As many at a time as
# there are cores.
repro_reports() {
    printf '%s\n' {fifo,timeslice,mps,mps-priority,priority,even,baymax,laius,hsm-qos,dase-fair,themis-fair,os-sched,coop,cqos}.fluid \
        {mps,baymax,hsm-qos,cqos}.block >"$scratch/runs"
    xargs -P "$(nproc)" -I{} bash -c 'run=$4 && "$1" run "$2" --policy "${run%.*}" --fidelity "${run#*.}" --set duration_s=1 \
        --set warmup_s=0.1 --seed 7 --format json --quiet >"$3/$run"' repro "$1" "$workload" "$scratch" {} <"$scratch/runs" &&
        (cd "$scratch" && xargs cat <runs) >"$2"
}

# build_variant COMPILER LEVEL: prints the program's path.
build_variant() {
    local folder=$BUILD_DIR/repro-$1$2
    { cmake -S "$SOURCE_DIR" -B "$folder" -G Ninja -DCMAKE_C_COMPILER="$1" -DCMAKE_BUILD_TYPE= -DCMAKE_C_FLAGS="$2" \
        -DCOTENANT_TESTS=OFF -DCOTENANT_WERROR=ON -DCOTENANT_UNITY=ON && cmake --build "$folder" --target cotenant; } \
        >"$scratch/log" 2>&1 || { tail -20 "$scratch/log" >&2; return 1; }
    printf '%s\n' "$folder/src/cli/cotenant"
}

repro_reports "$COTENANT" "$scratch/reference" || { echo "the reference run failed"; exit 1; }
[ -s "$scratch/reference" ] || { echo "the reference run reports nothing"; exit 1; }
IFS=, read -ra variants <<<"${COTENANT_VARIANTS:-clang -O0}"
for variant in "${variants[@]}"; do
    # shellcheck disable=SC2086  # two words
    program=$(build_variant $variant) || { echo "$variant: does not build"; failures=$((failures + 1)); continue; }
    repro_reports "$program" "$scratch/report" || { echo "$variant: the run failed"; failures=$((failures + 1)); continue; }
    if ! cmp -s "$scratch/reference" "$scratch/report"; then
        echo "$variant: another report than the reference (first differences):"
        diff "$scratch/reference" "$scratch/report" | head -10
        failures=$((failures + 1))
    fi
done
[ "$failures" -eq 0 ] && echo "${#variants[@]} builds beside the reference, the same $(wc -c <"$scratch/reference") bytes"
