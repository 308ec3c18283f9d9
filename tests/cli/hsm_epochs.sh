#!/usr/bin/env bash
# HSM on the device, against arithmetic: two copies of one compute-bound kernel on a GTX 1080 Ti (28 SMs, 1582 MHz).
#
# The kernel lasts 1.339555 ms alone: 1024 blocks, 16 per SM, 3 waves of 448. On 14 SMs it has 5 waves of 224: 2.2326 ms.
# An epoch of 500,000 cycles is 0.316056 ms. 20 kernels each, one behind the other, both applications in step:
#   restart=kernel  7 epochs in each kernel (2.2124 ms), and all ends but the last cut one short: 140 and 19
#   restart=name    141 epochs in 44.65 ms
# NP is 14/28 for both (Eq. 4): fair. For a target of 0.8 the first needs 23 SMs (22/28 = 0.786): 9 move, once.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces
cat >"$scratch/two.json" <<'END'
{"schema": "cotenant.workload/1", "gpu": "gtx1080ti", "duration_s": 0.5, "seed": 1,
 "defaults": {"copies": "none", "trace": "gtx1080ti.db#cudasdk_binomialOptions", "iterations": 20, "stop": "first-run"},
 "apps": [{"name": "a"}, {"name": "b"}]}
END

# expect POLICY COUNTER VALUE
expect() {
    local value
    value=$("$COTENANT" run "$scratch/two.json" --policy "$1" --quiet | awk -v key="  $2:" 'index($0, key) == 1 { print $2 }')
    [ "$value" = "$3" ] || fail "$1: $2 is '$value', not $3"
}

expect hsm-fair:restart=kernel epochs 140
expect hsm-fair:restart=kernel epochs_cut_short 19
expect hsm-fair:restart=name epochs 141
expect hsm-fair:restart=name epochs_cut_short 0
expect hsm-fair:restart=name reallocations 0
expect hsm-fair:restart=name np_unknown 0
expect hsm-fair:restart=name np_above_one 0
expect hsm-qos:restart=name reallocations 1
expect hsm-qos:restart=name sms_moved 9

expect bw-app epochs 141

# Device and predictor share the model on the row-buffer line, and the report says it.
"$COTENANT" run "$scratch/two.json" --policy hsm-fair 2>&1 | grep >/dev/null "device and predictor share the model" ||
    fail "the report does not say that device and predictor share the model"
[ "$failures" -eq 0 ]
