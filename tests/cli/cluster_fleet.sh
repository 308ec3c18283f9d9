#!/usr/bin/env bash
# Slices of MIG as what a cluster places, and copies that come and go: runs of slices are those of one GPU, who stays all
# the time is who does not move, refusals say the sum, any number of threads gives the same bytes.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

apps='{"name": "q", "role": "service", "gpus": 1, "slice": "3g.20gb", "qos_ms": 26, "synthetic": {"blocks": 160, "duration_ms": 5},
   "arrivals": {"process": "poisson", "rate_per_s": 100}},
  {"name": "b", "role": "batch", "gpus": 2, "slice": "1g", "synthetic": {"blocks": 160, "duration_ms": 5}}'
cat >mig.json <<JSON
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "a100", "count": 1, "mig": "any"}], "duration_s": 4, "placement": "first-fit", "apps": [$apps]}
JSON
# The same GPU by itself, under the policy that its slices mean.
sed 's/"gpus": 1, "slice": "3g.20gb", //; s/"gpus": 2, "slice": "1g"/"instances": 2/
    s/cotenant.cluster/cotenant.workload/; s/"gpus": \[.*\], "duration_s"/"gpu": "a100", "duration_s"/; s/"placement": "first-fit", //' mig.json >one.json
"$COTENANT" cluster mig.json -q -o mig >/dev/null || fail "slices"
"$COTENANT" run one.json -q --policy mig:profiles=q=3g.20gb+b=1g.5gb -f csv >one.csv || fail "the GPU by itself"
column() { # FILE COLUMN ROW
    awk -F, -v name="$2" -v row="$3" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } NR == row + 1 { print $c }' "$1"
}
for measure in p99 mean; do
    a=$(column mig/colocations.csv ${measure}_ms 1) b=$(awk -F, -v name=latency_ms_$measure '$7 == "q" && $8 == name { print $9 }' one.csv)
    [ -n "$a" ] && awk -v a="$a" -v b="$b" 'BEGIN { exit !(a - b < 1e-3 && b - a < 1e-3) }' || fail "$measure is $a, and $b on the GPU by itself"
done
# 3g at 0, 1g at 4 and 5: another 1g at 6, and no 3g.
[ "$(cut -d, -f6 mig/shares.csv | tail -2 | tr '\n' ' ')" = "0 1 " ] || fail "what more fits: $(cat mig/shares.csv)"

# Who comes at 0 and stays is who does not move: the same tables of what ran.
for apps in slices shares; do
    file=mig.json
    [ $apps = slices ] || file=$SOURCE_DIR/workloads/clusters/shares.json
    sed 's/"role": "batch",/"role": "batch", "arrive_s": 0,/' "$file" >moves.json
    "$COTENANT" cluster "$file" -q --balancer round-robin -o stay >/dev/null || fail "$apps that stay"
    "$COTENANT" cluster moves.json -q --balancer round-robin -o moves >/dev/null || fail "$apps that move"
    for table in colocations gpus; do
        cmp stay/$table.csv moves/$table.csv || fail "$apps: $table of who stays and of who might have moved"
    done
    [ ! -e moves/shares.csv ] && [ -e moves/changes.csv ] || fail "$apps: tables of who might move"
done

# Who comes at once: copies of 'gpus', then the rows of a fleet in their order, where a GPU has room for one.
at_once() { # COPIES OF THE SERVICE FROM 'gpus'
    printf 'app,arrive_s,stay_s\nb,1,9\ns,1,9\n' >order.csv
    cat >order.json <<JSON
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 2}], "duration_s": 10, "placement": "first-fit", "fleet": "order.csv", "apps": [
  {"name": "b", "gpus": 0, "share_pct": 60, "synthetic": {"duration_ms": 5}},
  {"name": "s", "role": "service", "gpus": $1, "arrive_s": 1, "share_pct": 60, "synthetic": {"duration_ms": 5},
   "arrivals": {"process": "poisson", "rate_per_s": 20}}]}
JSON
    "$COTENANT" cluster order.json --place-only -q -t copies -f csv 2>/dev/null
}
at_once 0 >order.out || fail "a fleet that comes at once"
at_once 1 >behind.out || fail "a fleet beside a copy of 'gpus'"
[ "$(cut -d, -f4,11 order.out | tr '\n' ' ')" = "app,gpu b,0 s,1 " ] || fail "another order than the fleet's: $(cat order.out)"
[ "$(cut -d, -f4,11 behind.out | tr '\n' ' ')" = "app,gpu s,0 b,1 s, " ] || fail "a fleet before copies of 'gpus': $(cat behind.out)"

# What ships: by hand, first-fit lets a 1g and a 2g shut 4g out of both GPUs, behind which all others wait; fgd places all.
fleet=$SOURCE_DIR/workloads/clusters/fleet.json
"$COTENANT" cluster "$fleet" -q --place-only --placement first-fit,best-fit,fgd -o placed >/dev/null || fail "the fleet placed"
[ "$(cut -d, -f2,3,4,6 placed/fleet.csv | tail -3 | tr '\n' ' ')" = "first-fit,14,7,7 best-fit,14,7,7 fgd,14,14,0 " ] ||
    fail "the fleet: $(cat placed/fleet.csv)"
[ ! -e placed/gpus.csv ] || fail "GPUs that were not simulated have a table"
for jobs in 1 3; do
    "$COTENANT" cluster "$fleet" -q --reps 2 -j $jobs -f json >fleet.$jobs || fail "the fleet, $jobs threads"
done
cmp fleet.1 fleet.3 || fail "the number of threads changes the report"
grep '"conservation": "broken"' fleet.1 && fail "conservation"
# Queries while no copy of their service stands are lost, and counted: at 100/s in the second before it comes.
sed 's/"arrivals"/"arrive_s": 1, "arrivals"/' mig.json >late.json
"$COTENANT" cluster late.json -q -o late >late.txt || fail "a service that comes later"
lost=$(column late/fleet.csv lost_queries 1) all=$(column mig/colocations.csv queries 1) left=$(column late/gpus.csv queries 1)
[ "$lost" -gt 50 ] && [ $((lost + left)) = "$all" ] || fail "$lost queries are lost and $left are not, of $all"
# Nobody answers them: they are queries of the sum, and late.
[ "$(column late/summary.csv lost_queries 1),$(column late/summary.csv queries 1)" = "$lost,$all" ] || fail "the sum of what is lost: $(cat late/summary.csv)"
part=$(awk -v lost="$lost" -v late="$(column late/gpus.csv late_fraction 1)" -v left="$left" -v all="$all" \
    'BEGIN { printf "%.6f", (lost + late * left) / all }')
[ "$(column late/summary.csv late_fraction 1)" = "$part" ] || fail "$(column late/summary.csv late_fraction 1) are late instead of $part"
says late.txt "^mig +first-fit +q +$all +$lost +"
"$COTENANT" cluster mig.json -q | grep -i lost && fail "lost queries where every copy stands"
# Without a target no query is late.
sed 's/"qos_ms": 26, //' late.json >aimless.json
"$COTENANT" cluster aimless.json -q -t summary -f csv >late.csv || fail "lost queries without a target"
[ "$(column late.csv late_fraction 1),$(column late.csv lost_queries 1)" = "0.000000,$lost" ] || fail "lost without a target: $(cat late.csv)"

# The columns of a public trace: who asks for no GPU is left out, who asks for two has them each by itself.
cat >pods.csv <<'CSV'
name,cpu_milli,memory_mib,num_gpu,gpu_milli,gpu_spec,qos,pod_phase,creation_time,deletion_time,scheduled_time
p0,1000,1,1,460,,LS,Running,100,130,110
p1,1000,1,0,0,,LS,Running,101,130,101
p2,1000,1,2,1000,,LS,Running,105,115,105
p3,1000,1,1,1000,,BE,Pending,112,118,
CSV
cat >pods.json <<'JSON'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 2}], "duration_s": 40, "placement": "best-fit", "fleet": "pods.csv",
 "fleet_from_s": 100, "apps": [{"name": "b", "role": "batch", "gpus": 0, "share_pct": 10, "synthetic": {"duration_ms": 5}}]}
JSON
"$COTENANT" cluster pods.json --place-only -t copies -f csv >pods.out 2>pods.err || fail "pods"
# p0 at 0 on GPU 0 for 20; the first half of p2 at 5 on GPU 1 for 10, the second when p0 goes; p3 at 15.
[ "$(cut -d, -f7-9,11 pods.out | tail -4 | tr '\n' ' ')" = \
    "0.000000,0.000000,20.000000,0 5.000000,5.000000,15.000000,1 5.000000,15.000000,25.000000,1 12.000000,20.000000,26.000000,0 " ] ||
    fail "pods: $(cat pods.out)"
says pods.err "1 rows ask for no GPU"
says pods.err "1 rows ask for several GPUs"

# Refusals.
refused() { # PATTERN ARGUMENT...
    "$COTENANT" cluster "${@:2}" -q >refused.txt 2>&1 && fail "not refused: ${*:2}"
    says refused.txt "$1"
}
refused "copy 2 of 2 of 'b' fits on no GPU: it asks for a '3g.20gb', and of the 8 memory slices of 1 GPUs that are cut by MIG 0 are free" \
    mig.json --set apps.b.slice=3g.20gb
refused "'4g.20gb', and of the 8 memory slices of 1 GPUs that are cut by MIG 4 are free in all, at most 4 on one, and it may begin at none" \
    mig.json --set apps.b.slice=4g.20gb
refused "'b' fits on no GPU: it asks for a '5g', which none of 1 GPUs that are cut by MIG offers: 'a100' has 1g.5gb, 1g.10gb, 2g.10gb, 3g.20gb, 4g.20gb, 7g.40gb" mig.json --set apps.b.slice=5g
refused "'mps' would run nowhere" mig.json --policies mps
refused "'two-choices' looks at the load" "$fleet" --balancer two-choices
refused "has no place for all of '4g\+4g'" mig.json --set 'gpus=[{"gpu":"a100","count":1,"mig":"4g+4g"}]'
refused "'v100' cannot be cut by MIG" mig.json --set 'gpus=[{"gpu":"v100","count":1,"mig":"any"}]'
refused "leaves at 1 s and arrives at 2 s" mig.json --set apps.b.arrive_s=2 --set apps.b.depart_s=1
sed 's/, "slice": "1g"//' mig.json >some.json
refused "1 of 2 applications have 'share_pct' or 'slice': all ask for a part" some.json
printf 'app,arrive_s\nx,1\n' >bad.csv
refused "bad.csv:2: error: no application is called 'x'" pods.json --set fleet=bad.csv
[ "$failures" -eq 0 ]
