#!/usr/bin/env bash
# `import network`: a shipped network becomes a trace on three GPUs, runs alone in the sum of its layers, and gives
# Baymax one decision per layer; what is refused writes no store.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
networks=$SOURCE_DIR/workloads/networks

# refuse STATUS TEXT ARGUMENT...: ends so, says so, and writes no store.
refuse() {
    rm -f new.db
    refuses "$1" "$2" import network "${@:3}" -o new.db
    [ ! -e new.db ] || fail "'import network ${*:3}' has written a store"
}

# csv_value SCOPE NAME KEY: from run.csv.
csv_value() {
    awk -F, -v scope="$1" -v name="$2" -v key="$3" '$6 == scope && $7 == name && $8 == key { print $9 }' run.csv
}

gpus="gtx1080ti k40 rtx2080ti"
((!${COTENANT_SMALL:-0})) || gpus=k40
for gpu in $gpus; do
    for network in "$networks"/*.json; do
        "$COTENANT" import network "$network" --gpu "$gpu" -o "$gpu.db" --quiet || fail "$network on $gpu"
    done
    "$COTENANT" trace show "$gpu.db" --app alexnet | grep -F 'kernels   21 (21 distinct)' >/dev/null ||
        fail "AlexNet on $gpu does not have 21 kernels"
    cat >mix.json <<END
{"schema": "cotenant.workload/1", "name": "alone", "gpu": "$gpu", "duration_s": 2, "seed": 1,
 "apps": [{"name": "imc", "role": "service", "trace": "$gpu.db#alexnet", "qos_ms": 50,
           "arrivals": {"process": "closed", "clients": 1}}]}
END
    "$COTENANT" run mix.json --policy fifo --quiet --format csv >run.csv || fail "alone on $gpu"
    recorded=$("$COTENANT" trace show "$gpu.db" --app alexnet | awk '$1 == "query" { print $4 }')
    awk -v a="$recorded" -v b="$(csv_value app imc latency_ms_p50)" 'BEGIN { exit !(b > 0 && (a - b) ^ 2 < 1e-6) }' ||
        fail "AlexNet alone on $gpu takes $(csv_value app imc latency_ms_p50) ms instead of $recorded"
    "$COTENANT" run mix.json --policy baymax --quiet --format csv >run.csv || fail "Baymax on $gpu"
    awk -v jobs="$(csv_value app imc jobs)" -v decisions="$(csv_value system "" decisions)" \
        'BEGIN { exit !(jobs > 0 && decisions >= 23 * jobs && decisions <= 23 * (jobs + 1)) }' ||
        fail "Baymax on $gpu does not decide once for each of 21 layers and 2 copies"
done

# The shipped stores of Tonic's services are those that their script makes; 44 ms is what it says it is.
# Some hundred imports lead there, which are not repeated where each takes several times as long.
if ((!${COTENANT_SMALL:-0})); then
    "$SOURCE_DIR/scripts/tonic-stores" "$COTENANT" "$PWD" || fail "scripts/tonic-stores"
else
    cp "$SOURCE_DIR"/traces/tonic-*.db .
fi
for gpu in k40 rtx2080ti; do
    cmp -s "tonic-$gpu.db" "$SOURCE_DIR/traces/tonic-$gpu.db" ||
        fail "traces/tonic-$gpu.db lags behind the networks: renew it with scripts/tonic-stores"
    "$COTENANT" trace show "tonic-$gpu.db" | awk '/^[a-z]+-44ms on/ { scaled = 1 } /^[a-z]+ on/ { scaled = 0 }
        $1 == "query" && scaled { n++; if ($4 > 44.002 || $4 < 43) exit 1 } END { exit n != 7 }' ||
        fail "a scaled query of tonic-$gpu.db does not take 43 to 44 ms"
done

# And the steps of a language model.
"$SOURCE_DIR/scripts/qwen-steps-store" "$COTENANT" "$PWD" || fail "scripts/qwen-steps-store"
cmp -s qwen05b-steps-h100.db "$SOURCE_DIR/traces/qwen05b-steps-h100.db" ||
    fail "traces/qwen05b-steps-h100.db is not what scripts/qwen-steps-store makes"

# Twice the inputs are twice the multiply-adds, and twice the bytes that a predictor sees.
"$COTENANT" import network "$networks/alexnet.json" --gpu k40 --batch 2 --app two -o two.db >said || fail "--batch 2"
grep -x 'two: 21 layers, batch 2' said >/dev/null && grep -x '  1449 million multiply-adds, 60.97 million parameters' said >/dev/null ||
    fail "--batch 2 says: $(cat said)"

refuse 2 "needs '--gpu PRESET'" "$networks/alexnet.json"
refuse 2 "did you mean 'k40'?" "$networks/alexnet.json" --gpu k41
refuse 2 "'--compute-efficiency'" "$networks/alexnet.json" --gpu k40 --compute-efficiency 1.5
refuse 2 'needs one NET.json' "$networks/alexnet.json" "$networks/vgg16.json" --gpu k40
refuse 2 "'--jobs' changes nothing: 'import network' does not read it" "$networks/alexnet.json" --gpu k40 --jobs whole
refuse 3 'cannot open' missing.json --gpu k40
"$COTENANT" import kineto "$networks/alexnet.json" --batch 2 -o new.db >said 2>&1
[ $? -eq 2 ] && grep -F "'--batch' changes nothing: 'import kineto' does not read it" said >/dev/null ||
    fail "--batch of a recording is not refused: $(cat said)"
[ "$failures" -eq 0 ]
