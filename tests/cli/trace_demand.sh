#!/usr/bin/env bash
# `trace demand`: classes, launches and sources of kernels; and the table of classes that ships is made of the shipped traces.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# of STORE APP KERNEL: class, launch, DRAM, 5 %, 95 %, source of the first kernel whose name begins so.
of() {
    "$COTENANT" trace demand "$SOURCE_DIR/traces/$1" --app "$2" --format json |
        sed -n 's/^ *"\([a-z_]*\)": "\{0,1\}\([^",]*\).*/\1|\2/p' | # a member a line, those of a kernel one after the other
        awk -F'|' -v name="$3" '{ of[$1] = $2 } $1 == "kernel" && index($2, name) == 1 {
            print of["class"], of["launch"], of["dram"], of["low"], of["high"], of["source"]; exit }'
}
[ "$(of gtx1080ti.db cudasdk_transpose 'copy(float')" = "copy full 0.6936 null null measured" ] || fail "$(of gtx1080ti.db cudasdk_transpose 'copy(float')"
[ "$(of tonic-k40.db dig conv2 | awk '{ print $1, $6 }')" = "convolution derived" ] || fail "$(of tonic-k40.db dig conv2)"
[ "$(of v100-orion.db bert_2_fwd 'void (anonymous namespace)::softmax' | awk '{ print $1, $6 }')" = "softmax assumed" ] || fail "$(of v100-orion.db bert_2_fwd 'void (anonymous')"
[ "$(of h100-inference.db timesformer 'void (anonymous namespace)::softmax' | awk '{ print $1, $6, $7 }')" = "softmax from shapes" ] ||
    fail "$(of h100-inference.db timesformer 'void (anonymous namespace)::softmax')"
[ "$(of rtx2080ti.db resnet-train volta_sgemm | awk '{ print $1, $6 }')" = "gemm class" ] || fail "$(of rtx2080ti.db resnet-train volta_sgemm)"

# A kernel whose class decides has a band around the median, of the class's row.
read -r _ _ median low high _ < <(of rtx2080ti.db resnet-train volta_sgemm)
awk -v m="$median" -v l="$low" -v h="$high" 'BEGIN { exit !(l <= m && m < h && h <= 1) }' || fail "$low, $median, $high"

# Times are parts of the kernel time; the check lists the same classes.
"$COTENANT" trace demand "$SOURCE_DIR/traces/h100-inference.db" --app vit --format csv |
    awk -F, 'NR > 1 { sum += $4 } END { exit !(sum > 99 && sum < 101) }' || fail "times do not add up to 100 %"
"$COTENANT" trace check "$SOURCE_DIR/traces/h100-inference.db" --app vit --format csv |
    grep -c '^vit,demand,from shapes,"gemm, partial launches: 60 % of the kernel time, 0.18 of the peak' >/dev/null || fail "check"
"$COTENANT" trace check "$SOURCE_DIR/traces/rtx2080ti.db" --app resnet-train --format csv |
    grep -c '^resnet-train,demand,unknown,"gemm, full launches: 15 % of the kernel time, unknown: by its class' >/dev/null || fail "check of a class"
"$COTENANT" trace check "$SOURCE_DIR/traces/gtx1080ti.db" --app cudasdk_transpose --format csv |
    grep -c '^cudasdk_transpose,demand,measured,"copy, full launches: 100 %' >/dev/null || fail "check of what was measured"

if command -v python3 >/dev/null; then
    "$SOURCE_DIR/scripts/demand-table" --check || fail "the table of classes or its page is stale"
else
    echo "no python3 here: the table of classes is not made again"
fi
[ "$failures" -eq 0 ]
