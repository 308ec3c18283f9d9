#!/usr/bin/env bash
# `paper baymax`: the host link and a pair against numbers from elsewhere, the same for any number of threads; a data
# centre only when asked for, with the numbers of `cluster`; what is missing is named.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# median FILE MEASURE: of `--format json`.
median() {
    awk -v measure="\"measure\": \"$2\"" 'index($0, measure) { found = 1 }
        found && $1 == "\"median\":" { print $2 + 0; exit }' "$1"
}

# close A B PART
close() {
    awk -v a="$1" -v b="$2" -v part="$3" 'BEGIN { exit !(a > 0 && b > 0 && (a / b - 1) ^ 2 <= part ^ 2) }'
}

# Fewer queries where a run takes several times as long.
if ((${COTENANT_SMALL:-0})); then
    mkdir -p brief/workloads/papers
    ln -s "$SOURCE_DIR/traces" brief/traces
    sed 's/"queries": [0-9]*/"queries": 100/' "$SOURCE_DIR"/workloads/papers/baymax.json >brief/workloads/papers/baymax.json
    export COTENANT_SHARE=$PWD/brief
fi
papers=${COTENANT_SHARE:-$SOURCE_DIR}/workloads/papers

# Fig. 3b: the pair is that of a workload of its own, run by `run` for a given time.
"$COTENANT" paper baymax --item baymax-3b --format json -q >copy.json || fail "baymax-3b"
"$COTENANT" paper baymax --item baymax-3b --format json -q -j 3 | cmp -s - copy.json || fail "threads change the result"
cat >pair.json <<END
{"schema": "cotenant.workload/1", "name": "pair", "gpu": "k40", "duration_s": 60, "seed": 2, "apps": [
 {"name": "copy", "role": "service", "qos_ms": 150, "arrivals": {"process": "closed"},
  "synthetic": {"kernels": 1, "blocks": 1, "threads": 32, "duration_ms": 0.001, "bytes_in": 47250000}},
 {"name": "pf", "instances": 4, "copy_memory": "pinned", "synthetic": {"kernels": 10, "blocks": 463, "threads": 256,
  "duration_ms": 0.181, "bytes_in": 40000000, "bytes_out": 400000, "dram_fraction": 0.21, "unit_fraction": 0.3}}]}
END
"$COTENANT" run pair.json --policy mps --format csv -q >run.csv || fail "the pair alone"
close "$(median copy.json "stemmer's copy alone")" 15 0.001 || fail "alone: $(cat copy.json)"
close "$(median copy.json "beside four pf without pauses, p99")" \
    "$(awk -F, '$6 == "app" && $7 == "copy" && $8 == "latency_ms_p99" { print $9 }' run.csv)" 0.03 ||
    fail "beside pf: $(cat copy.json)"

# The mean latency, over the target of 150 ms, of the same pair.
mkdir -p mean/workloads/papers
ln -s "$SOURCE_DIR/traces" mean/traces
sed 's/"measure": "p99_ms"/"measure": "mean_target"/' "$papers"/baymax.json >mean/workloads/papers/baymax.json
COTENANT_SHARE=$PWD/mean "$COTENANT" paper baymax --item baymax-3b --format json -q >mean.json || fail "mean latency"
close "$(median mean.json "beside four pf without pauses, p99")" \
    "$(awk -F, '$6 == "app" && $7 == "copy" && $8 == "latency_ms_mean" { print $9 / 150 }' run.csv)" 0.03 ||
    fail "mean latency: $(cat mean.json)"

# Fig. 8: three pageable copies have their own rate, four do not.
"$COTENANT" paper baymax --item baymax-8 --format json -q >link.json || fail "baymax-8"
close "$(median link.json 'pageable alone')" 3150 0.001 || fail "pageable alone: $(cat link.json)"
close "$(median link.json 'beside 2')" 3150 0.001 || fail "three copies"
close "$(median link.json 'beside 3')" 3040 0.001 || fail "four copies"

# refused STATUS TEXT ARGUMENT...
refused() { refuses "$1" "$2" paper baymax "${@:3}" -q; }
refused 2 "did you mean 'baymax-11'" --item baymax-111
refused 2 "did you mean 'table-3'" --suite table-33
refused 2 "'--cluster-s'" --item baymax-14 --cluster-s 1

# A share folder of our own: without recordings and clusters, then with a data centre of four GPUs.
mkdir -p share/workloads/papers share/workloads/clusters
sed 's/gtx1080ti\.db/missing.db/; s/baymax-k40\.json/missing.json/' "$SOURCE_DIR"/workloads/papers/baymax.json >share/workloads/papers/baymax.json
ln -s "$SOURCE_DIR/traces" share/traces
export COTENANT_SHARE=$PWD/share
refused 3 "missing.db" --item baymax-9
refused 3 "missing.db" --item baymax-11 --suite table-3 --draws 1
refused 3 "clusters/missing.json" --item baymax-15
cp "$SOURCE_DIR"/workloads/papers/baymax.json share/workloads/papers
for centre in baymax-k40 baymax-k40-stalls; do
    sed -e 's/"count": 800/"count": 4/; s/"duration_s": 60/"duration_s": 15/; /"name": "\(dig\|face\|gmm\|imc\|ner\|pos\|stemmer\|hsort\|hs\|nw\|pf\)"/d' \
        -e '/"name": "asr"/s/"gpus": 100/"gpus": 4/; s/"gpus": 13[34]/"gpus": 2/; /"name": "md"/s/},$/}/' \
        "$SOURCE_DIR/workloads/clusters/$centre.json" >"share/workloads/clusters/$centre.json"
done
"$COTENANT" paper baymax --item baymax-14 --item baymax-15 --format json -q >centre.json || fail "a data centre"
"$COTENANT" cluster share/workloads/clusters/baymax-k40.json --seed 1 --policies mps,baymax \
    --table summary --format csv -q >summary.csv || fail "its cluster"
busy() { # POLICY: of the cluster, in per cent
    awk -F, -v policy="$1" 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["policy"] == policy { print 100 * $at["batch_busy_fraction"] }' summary.csv
}
close "$(median centre.json 'batch busy, mps')" "$(busy mps)" 0.001 || fail "mps: $(cat summary.csv centre.json)"
close "$(median centre.json 'batch busy, Baymax')" "$(busy baymax)" 0.001 || fail "Baymax: $(cat summary.csv centre.json)"

# Figures: the second class of co-locations shaded, then the mean; a data centre by levels, which hold all its GPUs.
if command -v gnuplot >/dev/null; then
    sed 's/"queries": [0-9]*/"queries": 20/' "$SOURCE_DIR"/workloads/papers/baymax.json >share/workloads/papers/baymax.json
    "$COTENANT" paper baymax --item baymax-13 --suite table-3-all --draws 1 --no-blame -q --plot figures >/dev/null || fail "figures"
    grep '^1,9,.*,mean$' figures/baymax-13-table-3-all-p99_target.csv >/dev/null || fail "no mean"
    grep '^1,1,.*,asr + 6 others$' figures/baymax-13-table-3-all-p99_target.csv >/dev/null || fail "no asr"
    "$COTENANT" paper baymax --item baymax-15 --cluster-s 6 -q --plot figures >/dev/null || fail "figures of a data centre"
    awk -F, '/^[0-9]/ { sum[$1] += $3; n[$1]++ }
        END { for (i in sum) if (sum[i] < 99.99 || sum[i] > 100.01 || n[i] != 5) exit 1; exit !n[1] }' figures/baymax-15-levels.csv ||
        fail "levels: $(cat figures/baymax-15-levels.csv)"
fi

# The page lags behind its inputs: renew it with scripts/paper-report --baymax.
report_is_of paper-report-baymax.md "$("$SOURCE_DIR/scripts/paper-report" --baymax --inputs)"
[ "$failures" -eq 0 ]
