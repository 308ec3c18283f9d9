#!/usr/bin/env bash
# Allocations and writes fail in every command that has work to do, as failing_calls.sh has it for the shortest ones.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
. "$(dirname "${BASH_SOURCE[0]}")/failing_common.bash"
workload 0.02
"$COTENANT" run w.json --quiet -o before.db --timeline before.json >/dev/null || exit 1
reports before.db > before.txt
cat > network.json <<'END'
{"schema": "cotenant.network/1", "name": "net", "input": [3, 32, 32],
 "layers": [{"kind": "conv", "name": "c", "out": 6, "kernel": 5}, {"kind": "linear", "name": "l", "out": 10}]}
END
"$COTENANT" import network network.json --gpu v100 --quiet -o recorded.db || exit 1
printf 'seconds\n0\n0.5\n2\n' > stamps.csv
cat > sweep.json <<'END'
{"schema": "cotenant.sweep/1", "name": "s", "workload": "w.json", "policies": ["mps", "fifo"],
 "designs": [{"grid": {"gpu.sms": [40, 80]}}]}
END
cat > cluster.json <<'END'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 2}], "duration_s": 0.02, "profile_s": 0.01,
 "policy": "mps", "placement": "best-profile", "apps": [
 {"name": "q", "role": "service", "gpus": 2, "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 100},
  "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 1}},
 {"name": "b", "gpus": 1, "role": "batch", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 2}}]}
END
# Copies that come and go, on a GPU that is cut by MIG and one that is not.
cat > moving.json <<'END'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "a100", "count": 1, "mig": "any"}, {"gpu": "v100", "count": 1}],
 "duration_s": 0.02, "fleet": "fleet.csv", "apps": [
 {"name": "q", "role": "service", "gpus": 1, "slice": "2g", "arrivals": {"process": "poisson", "rate_per_s": 500},
  "synthetic": {"duration_ms": 1}},
 {"name": "b", "gpus": 0, "role": "batch", "share_pct": 40, "synthetic": {"duration_ms": 1}}]}
END
printf 'app,arrive_s,stay_s,share_pct\nb,0.001,0.005,\nb,0.002,,70\nq,0.004,0.003,\n' > fleet.csv
# A recording of unknown memory demand, which is drawn.
cat > unknown.json <<'END'
{"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB"}], "traceEvents": [
 {"ph": "X", "cat": "kernel", "name": "gemm", "pid": 0, "tid": 7, "ts": 10, "dur": 1000, "args": {"device": 0, "context": 1,
  "stream": 7, "correlation": 1, "registers per thread": 32, "shared memory": 0, "grid": [40, 1, 1], "block": [64, 1, 1]}},
 {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": 5, "dur": 4, "args": {"correlation": 1}}]}
END
"$COTENANT" import kineto unknown.json --quiet -o unknown.db || exit 1
cat > drawn.json <<'END'
{"schema": "cotenant.workload/1", "name": "d", "gpu": "v100", "duration_s": 0.01,
 "apps": [{"name": "u", "role": "batch", "trace": "unknown.db#unknown"}]}
END
awk 'BEGIN {
    print "app,quota_pct,latency_ms,sm_util_pct,l2_util_pct,dram_util_pct,launches" > "solo.csv"
    print "app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms" > "pairs.csv"
    for (i = 0; i < 5; i++) {
        printf "a%d,100,%d,50,%d,%d,100\n", i, 10 + i, 10 * i + 5, 15 * i + 10 > "solo.csv"
        for (k = 0; k < i; k++)
            printf "a%d,100,a%d,100,%g,%g\n", i, k, (10 + i) * (1.1 + 0.05 * k), (10 + k) * (1.1 + 0.05 * i) > "pairs.csv"
    } }'
# A listing reads every store there is; here a small one stands before each of them.
mkdir -p share/workloads/papers share/traces
for store in "$SOURCE_DIR"/traces/*.db; do
    cp recorded.db "share/traces/${store##*/}"
done
cat > share/workloads/papers/laius.json <<'END'
{"schema": "cotenant.paper/1", "paper": "laius", "title": "t", "suites": [{"name": "s", "title": "t",
 "workload": {"gpu": "v100", "duration_s": 0.02}, "mix_size": 2, "apps": [
 {"name": "a", "kind": "C", "app": {"synthetic": {"blocks": 8, "threads": 64, "duration_ms": 1}}},
 {"name": "b", "kind": "M", "app": {"synthetic": {"blocks": 80, "threads": 64, "duration_ms": 2}}}]}],
 "items": [{"id": "laius-1", "where": "w", "verdict": "v", "rows": [
 {"what": "STP", "unit": "", "suite": "s", "policy": "mps", "published": "1", "measure": "stp", "reduce": "mean"}]}]}
END
export COTENANT_SHARE=$PWD/share

some_allocations 2 compare drawn.json --quiet --policies mps,fifo --reps 1 --bands 2
some_allocations 4 plan w.json --quiet --policies mps --find batch-instances:b --most 1 --reps 2 --max-reps 2 --error 0 \
    --set duration_s=15
some_allocations 4 cluster cluster.json --quiet
some_allocations 4 cluster moving.json --quiet
some_allocations 4 sweep sweep.json --quiet -o results.db
some_allocations 4 explain results.db
some_allocations 4 plot results.db --quiet -o made
some_allocations 4 timeline results.db --quiet -o made.json
some_allocations 4 html results.db --quiet -o made.html
some_allocations 4 predict --workload w.json --policy baymax
some_allocations 4 predict "$SOURCE_DIR/traces/h100-inference.db" --splits 1
some_allocations 4 calibrate solo.csv pairs.csv --quiet -o made.json
some_allocations 4 validate solo.csv pairs.csv --quiet
some_allocations 4 paper laius --quiet
some_allocations 4 train --gpu v100 --colocations 10 --rounds 1 --quiet -o made.json
some_allocations 4 import network network.json --gpu v100 --quiet -o trace.db
some_allocations 4 import arrivals stamps.csv --column seconds --quiet -o made.csv
some_allocations 2 trace show recorded.db
some_allocations 2 trace check recorded.db
some_allocations 2 dram --requests 1000 --quiet
some_allocations 2 show gpu v100
some_allocations 40 show gpu 'Tesla V100'
some_allocations 2 list traces
some_allocations 2 exercise leftover -c
some_allocations 2 exercise refill -c --format json
sweep_writes run w.json --quiet --timeline made.json
sweep_writes timeline results.db --quiet -o made.json
sweep_writes html results.db --quiet -o made.html
sweep_writes plot results.db --quiet -o made
sweep_writes calibrate solo.csv pairs.csv --quiet -o made.json
sweep_writes import arrivals stamps.csv --column seconds --quiet -o made.csv
sweep_writes import network network.json --gpu v100 --quiet -o trace.db
command -v sqlite3 >/dev/null && resume_writes 24 sweep sweep.json --quiet -o results.db
finish "failing commands"
