#!/usr/bin/env bash
# train: the same command writes the same bytes, and a network serves only the GPU and fidelity that it was trained for.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
export COTENANT_TRACE_PATH=$SOURCE_DIR/traces

cat >two.json <<'END'
{"schema": "cotenant.workload/1", "gpu": "gtx1080ti", "duration_s": 0.5, "seed": 1,
 "defaults": {"copies": "none", "trace": "gtx1080ti.db#cudasdk_binomialOptions", "iterations": 20, "stop": "first-run"},
 "apps": [{"name": "a"}, {"name": "b"}]}
END
small=(--colocations 40 --rounds 30)

# refused CODE TEXT ARGUMENT...: of `run two.json --policy themis-fair`.
refused() { refuses "$1" "$2" run two.json --policy themis-fair --quiet "${@:3}"; }

"$COTENANT" train --gpu gtx1080ti "${small[@]}" -o a.json >text 2>/dev/null || fail "train ends with $?"
grep -F "held out" text >/dev/null || fail "train does not say what its network is worth"
[ -z "$("$COTENANT" train --gpu gtx1080ti "${small[@]}" -o again.json --quiet 2>&1)" ] || fail "--quiet is not silent"
cmp a.json again.json || fail "the same command writes other bytes"
"$COTENANT" train --gpu gtx1080ti "${small[@]}" --seed 2 --quiet -o other.json && cmp -s a.json other.json && fail "the seed changes nothing"
"$COTENANT" train --gpu gtx1080ti "${small[@]}" --fidelity block --quiet -o block.json || fail "train at block fidelity"
"$COTENANT" train --gpu gtx1080ti "${small[@]}" --set dram=curve --quiet -o curve.json && cmp -s a.json curve.json && fail "the curve changes nothing"
"$COTENANT" train --gpu gtx1080ti "${small[@]}" --inputs plain --quiet -o plain.json || fail "train without HSM's inputs"
grep -F '"inputs": "plain"' plain.json >/dev/null || fail "a plain network does not say so"
# Of the 16 neurons' 11 first weights each, those of row hits (3, 5) and of Eq. 2 (7).
[ "$(python3 -c 'import json; w = json.load(open("plain.json"))["weights"]; print(sum(w[n * 11 + i] == 0 for n in range(16) for i in (3, 5, 7)), w[:321].count(0))')" = '48 48' ] ||
    fail "a plain network sees what HSM brought"
"$COTENANT" train --gpu v100 "${small[@]}" --quiet -o v100.json || fail "train for v100"

# Both applications are alike: what the network says of them is equal, and nothing moves.
for set in "" gpu.themis=a.json; do
    "$COTENANT" run two.json --policy themis-fair ${set:+--set "$set"} --quiet >out || fail "a run with '$set'"
    awk '$1 == "epochs:" && $2 > 100 { ran = 1 } $1 == "reallocations:" && $2 == 0 { still = 1 } END { exit !(ran && still) }' out ||
        fail "with '$set': not 100 epochs, or SMs moved between equals"
done
"$COTENANT" run two.json --policy themis-fair --fidelity block --set gpu.themis=block.json --quiet >/dev/null || fail "a run at block fidelity"

refused 2 "trained for 'v100', and does not hold for 'gtx1080ti'" --set gpu.themis=v100.json
refused 2 "trained at fidelity 'fluid', and does not hold for 'block'" --set gpu.themis=a.json --fidelity block
refused 2 "trained for a GPU whose 'sms' is 28, and does not hold for 20" --set gpu.sms=20
refused 2 "cannot be found beside the workload" --set gpu.themis=none.json
refused 2 "'cotenant.workload/1' is not 'cotenant.themis/1'; 'cotenant run' reads it" --set gpu.themis=two.json
sed 's/^    16,/    12,/' a.json >layers.json
refused 2 "not the layers of this program" --set gpu.themis=layers.json
sed '/"weights"/,/,/{/"weights"/n;d}' a.json >short.json
refused 2 "not an array of 321 numbers" --set gpu.themis=short.json
head -20 a.json >cut.json
refused 2 "cut.json" --set gpu.themis=cut.json

# Another GPU's serves where it is asked for by name, no other than that one, and the report says so.
"$COTENANT" run two.json --policy themis-fair --set gpu.themis=v100.json --set gpu.themis_gpu=v100 --quiet >out ||
    fail "another GPU's network that was asked for"
grep -x '  gpu.themis_gpu: v100' out >/dev/null || fail "the report does not say whose network it was"
refused 2 "trained for 'v100', and does not hold for 'k40'" --set gpu.themis=v100.json --set gpu.themis_gpu=k40
refused 2 "trained for 'gtx1080ti', and does not hold for 'v100'" --set gpu.themis=a.json --set gpu.themis_gpu=v100
refused 2 "trained at fidelity 'fluid', and does not hold for 'block'" --set gpu.themis=v100.json --set gpu.themis_gpu=v100 --fidelity block
refused 2 "v101: error: no trained network for this GPU" --set gpu.themis_gpu=v101
for of in gtx1080ti k40; do # its own by name, and one that ships for another
    "$COTENANT" run "$SOURCE_DIR/workloads/gtx1080ti-hsm-mix.json" --policy themis-fair --set gpu.themis_gpu=$of --quiet >$of.txt ||
        fail "the network that ships for $of"
done
grep -v themis_gpu k40.txt | cmp -s - <(grep -v themis_gpu gtx1080ti.txt) && fail "whose network it is changes nothing"

# A preset of one's own has no network before it is trained.
mkdir -p share/gpus
sed 's/"name": "gtx1080ti"/"name": "mine"/' "$SOURCE_DIR/src/models/gpus/gtx1080ti.json" >share/gpus/mine.json
COTENANT_SHARE=$scratch/share refused 2 "no trained network for this GPU at fidelity 'fluid'" --set gpu=mine
mkdir -p share/themis
COTENANT_SHARE=$scratch/share "$COTENANT" train --gpu mine "${small[@]}" --quiet -o share/themis/mine-fluid.json || fail "train for a preset of one's own"
COTENANT_SHARE=$scratch/share "$COTENANT" run two.json --policy themis-qos --set gpu=mine --quiet >/dev/null || fail "a run on a preset of one's own"

# Every preset ships with both.
for preset in "$SOURCE_DIR"/src/models/gpus/*.json; do
    name=$(basename "$preset" .json)
    for fidelity in fluid block; do
        [ -f "$SOURCE_DIR/src/models/themis/$name-$fidelity.json" ] || fail "no network for '$name' at fidelity '$fidelity'"
    done
done

refuses 2 "needs '-o T.json'" train --gpu gtx1080ti
refuses 2 "needs '--gpu NAME'" train -o t.json
refuses 2 "did you mean 'gtx1080ti'?" train --gpu gtx1080 -o t.json
refuses 2 "'sms' is no assignment" train --gpu gtx1080ti --set sms -o t.json
[ -e t.json ] && fail "a file was written in spite of an error"
[ "$failures" -eq 0 ]
