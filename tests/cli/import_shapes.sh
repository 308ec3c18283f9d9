#!/usr/bin/env bash
# A recording with operators' shapes: from `import` over the store to a run and its report, with demands computed by hand.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# kernel NAME START DURATION CORRELATION, call START CORRELATION, operator NAME START DURATION ID LISTS: one event each.
kernel() {
    printf '{"ph":"X","cat":"kernel","name":"%s","pid":0,"tid":7,"ts":%s.000,"dur":%s.000,"args":{"device":0,"context":1,' "$1" "$2" "$3"
    printf '"stream":7,"correlation":%s,%s"registers per thread":32,"shared memory":0,"grid":[800,1,1],"block":[256,1,1]}}' "$4" "${5:+\"External id\":$5,}"
}
call() {
    printf '{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":%s.000,"dur":1,"args":{"correlation":%s}}' "$1" "$2"
}
operator() {
    printf '{"ph":"X","cat":"cpu_op","name":"%s","pid":1,"tid":1,"ts":%s.000,"dur":%s.000,"args":{"External id":%s%s}}' "$1" "$2" "$3" "$4" "${5:+,$5}"
}
recording() { # FILE EVENT...
    local IFS=,
    printf '{"deviceProperties":[{"id":0,"name":"Tesla V100-SXM2-16GB"}],"traceEvents":[%s]}' "${*:2}" >"$1"
}
dims() { # SIZES TYPES
    printf '"Input Dims":[%s],"Input type":[%s]' "$1" "$2"
}
add=$(dims '[1000000],[1000000],[]' '"c10::Half","c10::Half","Scalar"')
norm=$(dims '[1000,1000],[],[1000],[],[]' '"float","ScalarList","float","","Scalar"')
copy=$(dims '[1000,1000],[1000,1000],[]' '"float","float","Scalar"')
backward=$(dims '[8,64,50,50],[8,64,50,50],[64,64,3,3],[],[],[],[],[],[],[],[]' '"float","float","float","","","","","","","",""')
weight=$(dims '[],[8,64,50,50],[8,64,50,50]' '"","float","float"')
relu=$(dims '[4000000]' '"float"')

# The memory of a V100 gives 900 GB/s.
# add: 2 x 2 MB in, 2 MB out, in 20 us: 300 GB/s, a third. Layer norm: the copy inside has its own 8 MB in 20 us, 400 GB/s;
# the norm 4.004 MB in, 4.008 MB out in 20 us. A convolution's gradients: the operator inside has no rule, that around it
# has; its two kernels share 3 x 5.12 MB and twice 147,456 bytes by time, 40 us in all; the one that copies for them is
# unknown. relu: 32 MB in 20 us, more than the peak. Last, an operator that nobody knows.
events() { # WITH_ID
    id() { [ "$1" = yes ] && echo "$2"; }
    operator aten::add 10 10 11 "$add"; echo
    call 12 1; echo
    kernel vectorized_elementwise_kernel 100 20 1 "$(id "$1" 11)"; echo
    operator aten::native_layer_norm 30 30 12 "$norm"; echo
    operator aten::copy_ 32 10 13 "$copy"; echo
    call 34 2; echo
    kernel direct_copy 130 20 2 "$(id "$1" 13)"; echo
    call 50 3; echo
    kernel layer_norm 160 20 3 "$(id "$1" 12)"; echo
    operator aten::cudnn_convolution_backward 70 40 14 "$backward"; echo
    operator aten::cudnn_convolution_backward_weight 72 30 15 "$weight"; echo
    call 74 4; echo
    kernel nchwToNhwcKernel 190 20 4 "$(id "$1" 15)"; echo
    call 80 5; echo
    kernel wgrad_engine 220 30 5 "$(id "$1" 15)"; echo
    call 105 6; echo
    kernel splitKreduce 260 10 6 "$(id "$1" 14)"; echo
    operator aten::relu 120 10 16 "$relu"; echo
    call 122 7; echo
    kernel relu_kernel 300 20 7 "$(id "$1" 16)"; echo
    operator mine::thing 140 10 17 "$relu"; echo
    call 142 8; echo
    kernel thing 330 20 8 "$(id "$1" 17)"; echo
}
demand() {
    "$COTENANT" trace demand "$1" --format csv |
        awk -F, 'NR > 1 { print $NF, $5, $(NF - 1) }' | sort
}
cat >expected <<'END'
direct_copy 0.4444 from shapes
layer_norm 0.4451 from shapes
nchwToNhwcKernel 0.6879 class
relu_kernel 1.0000 from shapes
splitKreduce 0.4349 from shapes
thing 0.3034 class
vectorized_elementwise_kernel 0.3333 from shapes
wgrad_engine 0.4349 from shapes
END
for with_id in yes no; do
    mapfile -t list < <(events "$with_id")
    recording "shapes-$with_id.json" "${list[@]}"
    "$COTENANT" import "shapes-$with_id.json" -o "$with_id.db" --app a --source test --licence MIT >said || fail "import"
    grep -qx '  memory demand of 75.0 % of the kernel time from operators. shapes' said || fail "import says: $(cat said)"
    demand "$with_id.db" >seen
    diff expected seen || fail "demands, ids of operators recorded: $with_id"
done

# Operations over time: 10^6 in 20 us; two gradients of 2 x 8 x 64 x 2500 x 576 in 40 us.
flops() {
    "$COTENANT" trace demand yes.db --format json | tr -d '\n ' | grep -o '"tflop_s":[^,]*,"units":[^,]*,"units_source":"[^"]*","source":"[^"]*","kernel":"'"$1" | cut -d: -f2 | cut -d, -f1
}
[ "$(flops vectorized_elementwise_kernel)" = 0.05 ] || fail "operations of add: $(flops vectorized_elementwise_kernel)"
[ "$(flops wgrad_engine)" = 73.73 ] || fail "operations of a convolution: $(flops wgrad_engine)"
[ "$(flops thing)" = null ] || fail "operations of what nobody knows: $(flops thing)"

# Without shapes nothing is said of them, and the rest of the store is the same.
sed 's/,"Input Dims":[^}]*}/}/g' shapes-yes.json >plain.json
grep -q Dims plain.json && fail "the plain recording still has shapes"
"$COTENANT" import plain.json -o plain.db --app a --source test --licence MIT >said || fail "import of the plain one"
grep -q shapes said && fail "shapes said of a recording without: $(cat said)"
for store in yes plain; do
    "$COTENANT" trace export "$store.db" --format csv >"$store.csv"
done
cmp -s yes.csv plain.csv || fail "shapes change more than the demand"

# What is known is said.
"$COTENANT" trace check yes.db --format csv >said
grep -q '^a,shapes,from shapes,the DRAM demand of 75 % of the kernel time' said || fail "check: $(cat said)"
grep -q '^a,caches,from shapes,"1 launches, 12.5 % of the kernel time' said || fail "check: $(cat said)"
grep -q '^a,demand,from shapes,"normalisation, full launches: 12 %' said || fail "check: $(cat said)"

# The run uses it, and the report says of how much: 120 us of 160.
echo '{"schema":"cotenant.workload/1","gpu":"v100","policy":"mps","apps":[{"name":"a","trace":"yes.db","arrivals":{"process":"once"}}]}' >mix.json
"$COTENANT" run mix.json --format json --quiet >report.json 2>errors || fail "run: $(cat errors)"
grep -q '"from_shapes": 0.75' report.json || fail "the report does not say 0.75 from shapes"
grep -q '"unknown": 0.25' report.json || fail "the report does not say 0.25 unknown"

# Kept with the run, as the run took it: of relu no more than the memory gives, of `thing` what the workload says.
"$COTENANT" run mix.json --set apps.a.kernels.thing.dram_fraction=0.5 -o runs.db --quiet >/dev/null || fail "run into a store"
"$COTENANT" explain runs.db >said || fail "explain"
for line in 'a: elementwise, full launches, 25 % of the kernel time: 0.60 of the peak DRAM bandwidth, from shapes' \
    'a: other, full launches, 12 % of the kernel time: 0.50 of the peak DRAM bandwidth, given' \
    'a: copy, full launches, 12 % of the kernel time: unknown'; do
    tr '\n' ' ' <said | tr -s ' ' | grep -qF "$line" || fail "explain does not say '$line': $(cat said)"
done
"$COTENANT" explain runs.db --format json | tr -d '\n ' |
    grep -q '"class":"convolution","launch":"full","time_fraction":0.1875,"dram_fraction":0.4348' || fail "explain in JSON"
[ "$failures" -eq 0 ]
