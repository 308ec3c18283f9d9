#!/usr/bin/env bash
# A cluster: the same bytes for any number of threads, tables that add up, files that ship and run, Ctrl-C.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

cat >c.json <<'JSON'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 3}, {"gpu": "k40", "count": 2}],
 "duration_s": 4, "warmup_s": 0.5, "policy": "priority", "profile_s": 1, "defaults": {"role": "batch"},
 "apps": [
  {"name": "q", "role": "service", "gpus": 2, "qos_ms": 40, "synthetic": {"kernels": 3, "blocks": 160, "duration_ms": 2},
   "arrivals": {"process": "poisson", "rate_per_s": 40}},
  {"name": "r", "role": "service", "gpus": 2, "qos_ms": 40, "synthetic": {"blocks": 160, "duration_ms": 5},
   "arrivals": {"process": "closed", "clients": 2, "think_ms": 30}},
  {"name": "b", "gpus": 2, "instances": 3, "synthetic": {"blocks": 160, "duration_ms": 8}},
  {"name": "c", "gpus": 2, "synthetic": {"blocks": 20, "duration_ms": {"dist": "exponential", "mean": 3}}}]}
JSON
placements=random,round-robin,best-profile,hungarian
if "$COTENANT" cluster c.json --quiet --placement hungarian 2>&1 >/dev/null | grep 'built without' >/dev/null; then
    placements=random,round-robin,best-profile
fi
run() { "$COTENANT" cluster c.json --quiet --policies priority,baymax --placement "$placements" "$@"; }

run --reps 2 -o one >one.txt || fail "one thread"
run --reps 2 -o two -j 3 >two.txt || fail "three threads"
cmp one.txt two.txt || fail "the number of threads changes the report"
diff -r one two || fail "the number of threads changes a table"
run --reps 2 --seed 9 >other.txt || fail "another seed"
cmp -s one.txt other.txt && fail "the seed changes nothing"
[ "$(awk 'length > 80' one.txt | wc -l)" -eq 0 ] || fail "a line is longer than 80 columns"
grep 'conservation ok' one.txt >/dev/null || fail "conservation"
grep -F 'mean of all GPUs, +- half its' one.txt >/dev/null || fail "what +- means"

# Balancers that look at the load: the same bytes, too, also where two services tie all GPUs together.
sed 's/"gpus": 2, "qos_ms": 40, "synthetic": {"blocks": 160, "duration_ms": 5}/"gpus": 3, "qos_ms": 40, "synthetic": {"blocks": 160, "duration_ms": 5}/
     s/"process": "closed", "clients": 2, "think_ms": 30/"process": "poisson", "rate_per_s": 90/
     s/"profile_s"/"services_per_gpu": 2, "profile_s"/' c.json >tied.json
for balancer in least-outstanding two-choices predicted-finish; do
    for jobs in 1 3; do
        "$COTENANT" cluster tied.json --quiet --policies priority,baymax --placement random,round-robin --reps 2 \
            --balancer $balancer -j $jobs --format json >$balancer.$jobs || fail "$balancer with $jobs threads"
    done
    cmp $balancer.1 $balancer.3 || fail "$balancer: the number of threads changes the report"
    grep '"conservation": "broken"' $balancer.1 && fail "$balancer: conservation"
done

# A query of 25 ms every 10 ms on three GPUs: one of them is always free. Two at random are not always.
cat >d.json <<'JSON'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 3}], "duration_s": 10, "policy": "fifo",
 "apps": [{"name": "q", "role": "service", "gpus": 3, "qos_ms": 26, "synthetic": {"blocks": 160, "duration_ms": 25},
   "arrivals": {"process": "deterministic", "rate_per_s": 100}}]}
JSON
late() { "$COTENANT" cluster d.json --quiet --balancer "$1" --table colocations --format csv | cut -d, -f7 | tail -1; }
for balancer in round-robin least-outstanding predicted-finish; do
    [ "$(late $balancer)" = 0.000000 ] || fail "$balancer: $(late $balancer) of the queries wait"
done
for balancer in random two-choices; do
    [ "$(late $balancer)" != 0.000000 ] || fail "$balancer: no query waits"
done

# One query at a time on a fast and a slow GPU: the predicted finish is always that of the fast one.
cat >e.json <<'JSON'
{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "k40", "count": 1}, {"gpu": "v100", "count": 1}], "duration_s": 20,
 "policy": "fifo", "placement": "round-robin",
 "apps": [{"name": "q", "role": "service", "gpus": 2, "trace": "v100-orion.db#resnet50_4_fwd",
   "arrivals": {"process": "deterministic", "rate_per_s": 2}}]}
JSON
"$COTENANT" cluster e.json --quiet --balancer predicted-finish --table gpus --format csv >e.csv || fail "a slow and a fast GPU"
[ "$(cut -d, -f6 e.csv | tail -2 | tr '\n' ' ')" = "0 39 " ] || fail "the slow GPU has queries: $(cut -d, -f6 e.csv | tail -2)"

# Requests that come one by one, from 100 ms to 100 ms, take on each of three GPUs what one takes alone: none of the GPUs is left out,
# also behind servers whose batches and steps could hold more.
one_by_one() { # GPU SERVER
    printf '{"gpus": [{"gpu": "%s", "count": 3}], "duration_s": 6, "policy": "mps", "apps": [{"name": "q", "role": "service", "gpus": 3,
        "copies": "none", "arrivals": {"process": "deterministic", "rate_per_s": 10}, "server": {%s}}]}' "$1" "$2" >f.json
    "$COTENANT" cluster f.json --quiet --balancer predicted-finish --table gpus --format csv >f.csv || fail "one by one"
    [ "$(awk -F, 'NR > 1 && $6 < 8' f.csv)" = "" ] || fail "a GPU is left out: $(cut -d, -f6 f.csv | tail -3)"
}
one_by_one rtx2080ti '"max_batch": 16, "batches": [{"size": 1, "trace": "tonic-rtx2080ti.db#imc"},
    {"size": 101, "trace": "tonic-rtx2080ti.db#imc-44ms"}]'
one_by_one h100 '"continuous": {"cache_blocks": 8000, "prompt_tokens": 16, "output_tokens": 9,
    "prefill": [{"tokens": 16, "trace": "qwen05b-steps-h100.db#prefill-16"}, {"tokens": 8192, "trace": "qwen05b-steps-h100.db#prefill-8192"}],
    "decode": [{"batch": 1, "trace": "qwen05b-steps-h100.db#decode-1-16"}, {"batch": 256, "trace": "qwen05b-steps-h100.db#decode-256-16"}]}'

# sums FILE COLUMN: by policy and placement.
sums() {
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) c = i; next } { s[$1 "," $2] += $c }
        END { for (k in s) printf "%s %.1f\n", k, s[k] }' "$1" | sort
}
diff <(sums one/summary.csv queries) <(sums one/gpus.csv queries) || fail "queries of the GPUs"
diff <(sums one/summary.csv batch_jobs_per_s) <(sums one/gpus.csv batch_jobs_per_s) || fail "batch jobs of the GPUs"
diff <(sums one/summary.csv queries) <(sums one/colocations.csv queries) || fail "queries of the co-locations"
[ "$(wc -l <one/gpus.csv)" -eq $((1 + 5 * 2 * $(tr ',' '\n' <<<"$placements" | wc -l))) ] || fail "not a row per GPU"

# JSON holds every table, and is JSON.
run --format json >all.json || fail "json"
if command -v sqlite3 >/dev/null 2>&1; then
    rows=$(sqlite3 :memory: "SELECT json_array_length(readfile('all.json'), '\$.gpus')")
    [ "$rows" = $((5 * 2 * $(tr ',' '\n' <<<"$placements" | wc -l))) ] || fail "json: '$rows' GPUs"
fi
for table in summary colocations gpus profiles; do
    run --table $table --format csv >t.csv || fail "$table"
    run --table $table --format markdown | grep '^| policy' >/dev/null || fail "$table as Markdown"
done

# Shares, by hand. Two GPUs, 60, 50, 10, 40, 40 %: best-fit puts the 10 where 40 are free, and the last 40 finds 30 and 10;
# fgd keeps the 40 that two copies would ask for, and all fit.
[ ! -e one/shares.csv ] || fail "a table of shares where nobody asks for any"
shares=$SOURCE_DIR/workloads/clusters/shares.json
"$COTENANT" cluster "$shares" --quiet -o shares >shares.txt || fail "shares"
[ "$(cut -d, -f6,8 shares/shares.csv | tail -4 | tr '\n' ' ')" = "0,0.0000 0,0.0000 0,0.0000 0,0.0000 " ] || fail "not full: $(cat shares/shares.csv)"
"$COTENANT" cluster "$shares" --quiet --placement best-fit >refused.txt 2>&1 && fail "best-fit places what does not fit"
grep "copy 2 of 2 of 'lavamd' fits on no GPU: it asks for 40 %, and of 2 GPUs 40 % are free in all, at most 30 % on one" \
    refused.txt >/dev/null || fail "the refusal: $(cat refused.txt)"
# With one copy of 40 %, 30 and 10 % stay free: too little for 60, 50 and 40, four times 10. (3 x 0.4 + 0) / 4 are fragmented.
sed 's/"gpus": 2, "share_pct": 40/"gpus": 1, "share_pct": 40/' "$shares" >less.json
for placement in best-fit fgd; do
    "$COTENANT" cluster less.json --quiet --placement $placement --table shares --format csv | cut -d, -f6-9 | tail -4 | tr '\n' ' ' >less
    [ "$(cat less)" = "0,0.4000,0.4000,0.3000 0,0.4000,0.4000,0.3000 4,0.0000,0.4000,0.3000 0,0.4000,0.4000,0.3000 " ] ||
        fail "$placement: $(cat less)"
done
for placement in random round-robin; do
    "$COTENANT" cluster less.json --quiet --placement $placement | grep 'GPUs that nobody asked for' >/dev/null || fail "$placement with shares"
done
"$COTENANT" cluster less.json --quiet --placement hungarian >refused.txt 2>&1 && fail "hungarian with shares"
"$COTENANT" cluster c.json --quiet --placement fgd >>refused.txt 2>&1 && fail "fgd without shares"
grep "'hungarian' goes by places" refused.txt >/dev/null || fail "hungarian with shares: $(cat refused.txt)"
grep "'fgd' goes by shares of a GPU" refused.txt >/dev/null || fail "fgd without shares: $(cat refused.txt)"

# More copies of services than GPUs: three of 10 % on two GPUs, in whatever order. A service runs on a GPU once, which the refusal says.
service='"role": "service", "qos_ms": 50, "arrivals": {"process": "poisson", "rate_per_s": 9}'
few() { # FILE KEYS X Y: services x on one GPU and y on two, of two
    printf '{"gpus": [%s], "duration_s": 1, "apps": [
        {"name": "x", %s, "gpus": 1, %s, "synthetic": {"duration_ms": 1}}, {"name": "y", %s, "gpus": 2, %s, "synthetic": {"duration_ms": 1}}]}' \
        "$2" "$service" "$3" "$service" "$4" >"$1"
}
few few.json '{"gpu": "v100", "count": 2}' '"share_pct": 10' '"share_pct": 10'
few cut.json '{"gpu": "a100", "count": 2, "mig": "any"}' '"slice": "2g"' '"slice": "1g"'
for placement in first-fit best-fit worst-fit fgd random round-robin; do
    "$COTENANT" cluster few.json --policies mps --placement $placement -t shares -f csv >few.csv || fail "three copies of 10 %: $placement"
    "$COTENANT" cluster few.json --policies mps --placement $placement --place-only >/dev/null || fail "three copies of 10 %, placed only: $placement"
    [ "$(cut -d, -f4-7 few.csv | tail -2 | tr '\n' ' ')" = "10,1,1,0.0000 10,2,0,0.0000 " ] || fail "three copies of 10 %: $placement: $(cat few.csv)"
    "$COTENANT" cluster cut.json --placement $placement >/dev/null || fail "three slices: $placement"
done
"$COTENANT" cluster few.json --quiet --policies mps --placement first-fit --set apps.x.share_pct=95 >refused.txt 2>&1 && fail "95 and two of 10 %"
says refused.txt "^first-fit: error: copy 2 of 2 of 'y' fits on no GPU: it asks for 10 %, and of 1 GPUs without it 5 % are free in all, at most 5 % on one"

# A cluster's own keys by --set.
"$COTENANT" cluster less.json --quiet --set apps.lavamd.gpus=2 --set placement=fgd --set 'gpus=[{"gpu":"v100","count":3}]' -f json >set.json ||
    fail "a cluster's own keys by --set"
grep -q '"share_pct": 40, "copies": 2' <(tr -s ' \n' ' ' <set.json) || fail "gpus of an application by --set"
grep -q '"GPUs": 3\|"gpus": 3' set.json || fail "groups of GPUs by --set"
"$COTENANT" cluster less.json --quiet --set apps.lavamd.gpus=none >refused.txt 2>&1 && fail "a number of GPUs that is none"
says refused.txt "^--set apps.lavamd.gpus: error: "

# Memory. Two copies of 25 GiB stand on a GPU of 40 each, one of 60 on the GPU of 80, whatever places them.
memory() { # FILE GPUS KEYS X Y: two applications of batch work
    printf '{"gpus": [%s], "duration_s": 1, "profile_s": 1, "policy": "mps", %s "apps": [
        {"name": "x", %s, "synthetic": {"blocks": 864, "duration_ms": 4}}, {"name": "y", %s, "synthetic": {"blocks": 864, "duration_ms": 2}}]}' \
        "$2" "$3" "$4" "$5" >"$1"
}
stands() { # WHAT FILE PLACEMENTS GPUS...: what stands on each GPU, by placement
    local what=$1 file=$2 placement
    for placement in ${3//,/ }; do
        [[ $placement != hungarian || ,$placements, == *,hungarian,* ]] || continue
        "$COTENANT" cluster "$file" --quiet --placement "$placement" --table gpus --format csv >memory.csv || fail "$what: $placement"
        [ "$(cut -d, -f5 memory.csv | tail -n +2 | tr '\n' ' ')" = "$4 " ] || fail "$what: $placement: $(cut -d, -f5 memory.csv)"
    done
}
a100='{"gpu": "a100", "count": 2}'
memory half.json "$a100" '"placement": "first-fit",' '"gpus": 1, "share_pct": 50, "memory_gib": 25' '"gpus": 1, "share_pct": 50, "memory_gib": 25'
stands "shares" half.json first-fit,best-fit,worst-fit,fgd,round-robin "x y"
# Where it is not known nothing is kept apart.
memory unknown.json "$a100" "" '"gpus": 1, "share_pct": 50, "memory_gib": 25' '"gpus": 1, "share_pct": 50'
stands "unknown memory" unknown.json first-fit "x + y "
both='{"gpu": "a100", "count": 1}, {"gpu": "a100-80gb", "count": 1}'
memory groups.json "$both" "" '"gpus": 1, "memory_gib": 60' '"gpus": 1, "memory_gib": 25'
stands "groups" groups.json round-robin,best-profile,hungarian "y on a100 x on a100-80gb"
# Not all that fit by themselves fit together: 60 and 15 on the GPU of 80, 15 on the other, of which there is one place.
memory places.json "$both" '"batch_per_gpu": 2,' '"gpus": 1, "memory_gib": 60' '"memory_gib": 15, "gpus": 3'
stands "places" places.json round-robin,best-profile,hungarian "2 x y on a100 x + y on a100-80gb"
"$COTENANT" cluster places.json --quiet --placement hungarian --set apps.y.memory_gib=21 >refused.txt 2>&1 && fail "three times 21 GiB"
says refused.txt "^hungarian: error: copy [23] of 3 of 'y' fits on no GPU: it needs 21 GiB of memory, and at most (19|20) are left where there is room, on GPU"
# A service stands where its memory fits, and further copies are those for which there is memory, too.
memory service.json "$both" "" '"role": "service", "qos_ms": 50, "arrivals": {"process": "poisson", "rate_per_s": 9}, "gpus": 1, "memory_gib": 60' '"gpus": 1, "memory_gib": 25'
stands "a service" service.json random,round-robin,best-profile,hungarian "y on a100 x on a100-80gb"
"$COTENANT" cluster half.json --quiet --set apps.y.share_pct=10 --table shares --format csv >memory.csv || fail "what more fits"
[ "$(cut -d, -f6 memory.csv | tail -2 | tr '\n' ' ')" = "0 0 " ] || fail "more fits than there is memory for: $(cat memory.csv)"
"$COTENANT" cluster half.json --quiet --set apps.y.gpus=2 >refused.txt 2>&1 && fail "three times 25 GiB on two GPUs"
says refused.txt "^first-fit: error: copy 2 of 2 of 'y' fits on no GPU: it needs 25 GiB of memory, and at most 15 are left where there is room, on GPU 0 \('a100'\)"

# A V100 has 16 or 32 GiB: 16 are there, of two copies of 10 on one nobody knows.
memory v100.json '{"gpu": "v100", "count": 1}' '"schema": "cotenant.cluster/1", "placement": "first-fit",' '"gpus": 1, "share_pct": 50, "memory_gib": 10' '"gpus": 1, "share_pct": 50, "memory_gib": 6'
"$COTENANT" cluster v100.json >/dev/null 2>doubt.txt || fail "16 GiB on a V100"
grep "is not known" doubt.txt && fail "a doubt about 16 GiB"
for command in cluster check; do
    "$COTENANT" $command v100.json --set apps.y.memory_gib=10 >/dev/null 2>doubt.txt || fail "$command: 20 GiB on a V100"
    says doubt.txt "gpus\[0\].gpu: notice: how much memory 'v100' has is not known: it is sold with 16 to 32; copies are placed as if it had the most"
done
# A service stands on a GPU once, and no more of them than there are places.
printf '%s, {"name": "q", "role": "service", "gpus": %d, "qos_ms": 50, "memory_gib": 12, "synthetic": {"duration_ms": 5}, "arrivals": {"process": "poisson", "rate_per_s": 10}}]}\n' \
    '{"schema": "cotenant.cluster/1", "gpus": [{"gpu": "v100", "count": 3}], "services_per_gpu": 1, "duration_s": 0.5, "apps": [
    {"name": "p", "role": "service", "gpus": 1, "qos_ms": 50, "memory_gib": 6, "synthetic": {"duration_ms": 5}, "arrivals": {"process": "poisson", "rate_per_s": 10}}' 2 >once.json
"$COTENANT" check once.json >doubt.txt 2>&1 || fail "services of 6 and 12 GiB on V100s"
grep "is not known" doubt.txt && fail "a doubt about services that never meet"
"$COTENANT" check once.json --set services_per_gpu=2 >doubt.txt 2>&1 || fail "services of 6 and 12 GiB on one V100"
says doubt.txt "how much memory 'v100' has is not known"
"$COTENANT" cluster v100.json --quiet --set apps.y.memory_gib=33 >refused.txt 2>&1 && fail "33 GiB on a V100"
says refused.txt "'y' needs 33 GiB of memory, and fits on no GPU: 'v100' has at most 32"
"$COTENANT" cluster v100.json --quiet --set apps.y.memory_gib=10 --set gpu.memory_gib=16 >refused.txt 2>&1 && fail "20 GiB on 16"
says refused.txt "it needs 10 GiB of memory, and at most 6 are left"

# Two services of 20 GiB take both places of the GPU that has room for them: what lacks is a place, though memory is free elsewhere.
printf '{"gpus": [{"gpu": "t4", "count": 1}, {"gpu": "a100-80gb", "count": 1}], "services_per_gpu": 2, "duration_s": 1, "policy": "mps",
    "defaults": {%s, "synthetic": {"duration_ms": 1}}, "apps": [{"name": "x", "gpus": 1, "memory_gib": 20},
    {"name": "y", "gpus": 1, "memory_gib": 20}, {"name": "z", "gpus": 2}]}' "$service" >full.json
"$COTENANT" cluster full.json --quiet --placement round-robin >refused.txt 2>&1 && fail "a service without a place"
says refused.txt "^round-robin: error: copy 2 of 2 of 'z' fits on no GPU: it runs once on a GPU, and where it does not run yet other services have all places \('services_per_gpu' is 2\)"

# A target of progress is not judged, which is said.
"$COTENANT" cluster c.json --placement random --set apps.b.np_target=0.5 >/dev/null 2>np.txt || fail "a target of progress"
says np.txt "^c.json: notice: 'np_target' of b is known to the policies, and whether it is kept is not said"

# A recording that does not say what its kernels ask of the memory: what flows is unknown, not little.
sed 's/"trace": "v100-orion.db#resnet50_4_fwd"/"trace": "rtx2080ti.db#linear-train"/; s/"k40"/"rtx2080ti"/; s/"v100"/"rtx2080ti"/' e.json >u.json
"$COTENANT" cluster u.json --quiet -o u >/dev/null || fail "unknown demand"
for table in summary colocations gpus; do
    awk -F, -v table=$table 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "dram_utilisation") c = i; next } $c != "" { exit 1 }' u/$table.csv ||
        fail "$table: the memory's use is a number where it is unknown"
done

# What ships runs (for a moment, and the data centre without its profiles).
for file in "$SOURCE_DIR"/workloads/clusters/*.json; do
    placement=random
    grep -q '"share_pct"' "$file" && placement=fgd
    "$COTENANT" cluster "$file" --quiet --placement $placement --policies mps --set duration_s=0.1 --set warmup_s=0 \
        >shipped.txt || fail "$file"
    grep 'conservation ok' shipped.txt >/dev/null || fail "$file: conservation"
done

# Ctrl-C: what is finished is shown.
if can_hold; then
    held COTENANT_HOLD_TENTH cluster c.json --policies priority,mps --reps 2000
    kill -INT "$pid"
    exec 3>&-
    wait "$pid"
    [ $? -eq 130 ] || fail "Ctrl-C does not end with 130"
    grep 'interrupted: [01] of 2 placements and policies are finished' err >/dev/null || fail "not said: $(cat err)"
fi

# What a server drops: one query of 10 ms at a time and one more that waits, 200 a second. The numbers are those of a run; half of the
# queries are dropped, which is no answer in time, though each of the others is one.
apps='"duration_s": 4, "apps": [
  {"name": "q", "role": "service", "qos_ms": 40, "synthetic": {"blocks": 160, "duration_ms": 10},
   "arrivals": {"process": "deterministic", "rate_per_s": 200}, "server": {"max_batch": 1, "max_requests": 2}GPUS}]}'
printf '{"gpu": "v100", %s' "${apps/GPUS/}" >drops.json
printf '{"gpus": [{"gpu": "v100", "count": 1}], %s' "${apps/GPUS/, \"gpus\": 1}" >cluster-drops.json
"$COTENANT" run drops.json --quiet --policy mps --format csv >run.csv || fail "a server that drops"
"$COTENANT" cluster cluster-drops.json --quiet --policies mps --table colocations --format csv >drops.csv || fail "a cluster that drops"
of_run() { awk -F, -v key="$1" '$8 == key { print $9 }' run.csv; }
of_cluster() { awk -F, -v key="$1" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == key) column = i } NR == 2 { print $column }' "$2"; }
same() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a != "" && a - b < 1e-3 * b && b - a < 1e-3 * b) }' || fail "$3: '$1' of a run, '$2' of a cluster"; }
same "$(of_run latency_ms_p99)" "$(of_cluster p99_ms drops.csv)" "p99 of a server that drops"
same "$(of_run server_dropped_fraction)" "$(of_cluster dropped_fraction drops.csv)" "dropped"
"$COTENANT" cluster cluster-drops.json --quiet --policies mps >drops.txt
says drops.txt '^mps +random +1/1 +1 +0[.]50'
says drops.txt '^q +q +1 +799 +49[.]81 '

# Times of tokens, and their targets.
. "$SOURCE_DIR/tests/whole/continuous/steps.bash"
apps='"duration_s": 2, "apps": [
  {"name": "chat", "role": "service", "arrivals": {"process": "deterministic", "rate_per_s": 100}GPUS,
   "server": {"continuous": {"cache_blocks": 100, "max_tokens": 200, "max_sequences": 4, "tpot_ms": 0.9, "prompt_tokens": 100,
     "output_tokens": 3, "prefill": [{"tokens": 100, "trace": "steps.db#of-2-ms"}], "decode": [{"batch": 1, "trace": "steps.db#of-1-ms"}]}}}]}'
printf '{"gpus": [{"gpu": "k40", "count": 1}], %s' "${apps/GPUS/, \"gpus\": 1}" >chat.json
"$COTENANT" cluster chat.json --quiet --policies mps --table colocations --format csv >chat.csv || fail "a cluster that generates"
same 2 "$(of_cluster first_token_p99_ms chat.csv)" "time to the first token"
same 1 "$(of_cluster each_token_p99_ms chat.csv)" "time of each token"
same 1.111 "$(of_cluster p99_over_qos chat.csv)" "of its target"
[ "$(of_cluster target chat.csv)" = tpot_ms ] || fail "the target that decides"
same 0.9 "$(of_cluster target_ms chat.csv)" "what it is"
"$COTENANT" cluster chat.json --quiet --policies mps >chat.txt || fail "a cluster that generates"
says chat.txt "^chat tpot_ms .* 1[.]0 +1[.]11 "
same 298.5 "$(of_cluster tokens_per_s_per_gpu chat.csv)" "tokens per second"

# Late is later than any target. Alone the first token comes after 2 ms, the others 1 ms each.
tokens() { # TARGETS RATE GPUS [APPLICATION]
    printf '{"duration_s": 2, "warmup_s": 0, "profile_s": 1, "policy": "fifo", "gpus": [{"gpu": "k40", "count": %s}], "apps": [
      {"name": "chat", "role": "service", "gpus": 1, "arrivals": {"process": "deterministic", "rate_per_s": %s},
       "server": {"continuous": {"cache_blocks": 100, "max_tokens": 200, "max_sequences": 1, %s, "prompt_tokens": 100, "output_tokens": 3,
         "prefill": [{"tokens": 100, "trace": "steps.db#of-2-ms"}], "decode": [{"batch": 1, "trace": "steps.db#of-1-ms"}]}}}%s]}' \
        "$3" "$2" "$1" "${4:-}" >tokens.json
}
late_tokens() { # PART TARGETS RATE
    tokens "$2" "$3" 1
    "$COTENANT" cluster tokens.json --quiet --table summary --format csv >tokens.csv || fail "targets of tokens: $2"
    [ "$(of_cluster late_fraction tokens.csv)" = "$1" ] || fail "$2 at $3/s: $(of_cluster late_fraction tokens.csv) are late instead of $1"
}
late_tokens 0.000000 '"ttft_ms": 2.5, "tpot_ms": 1.5' 100
late_tokens 1.000000 '"ttft_ms": 1.5, "tpot_ms": 1.5' 100
late_tokens 1.000000 '"ttft_ms": 2.5, "tpot_ms": 0.5' 100
# Query i comes at 2 i and has its first token at 4 i, until 499 of 999 are done at 2000: of these 251 and later are late, of the
# others those that came before 1500, the 749th and earlier; of the last 250 nothing is known yet. 499/749.
late_tokens 0.666222 '"ttft_ms": 500' 500

# What is met exactly is kept, also where ms and ps of it differ by rounding: the first token comes after 2.01 ms, a query takes 1.13.
tokens '"ttft_ms": 2.01' 100 1
sed -i 's/"role": "service"/&, "duration_scale": 1.005/' tokens.json
"$COTENANT" cluster tokens.json --quiet --table summary --format csv >tokens.csv || fail "a target that is met exactly"
[ "$(of_cluster late_fraction tokens.csv)" = 0.000000 ] || fail "exactly 2.01 ms: $(of_cluster late_fraction tokens.csv) are late"
queries() { # QOS RATE DURATION GPUS QUERY_MS [APPLICATION]
    printf '{"schema": "cotenant.cluster/1", "duration_s": %s, "profile_s": %s, "policy": "mps", "placement": "best-profile", "balancer": "round-robin",
      "warmup_s": 0, "gpus": [{"gpu": "k40", "count": %s}], "apps": [{"name": "q", "role": "service", "gpus": %s, "qos_ms": %s,
      "arrivals": {"process": "deterministic", "rate_per_s": %s}, "synthetic": {"blocks": 15, "threads": 1024, "duration_ms": %s}}%s]}' \
        "$3" "$3" "$4" "$4" "$1" "$2" "$5" "${6:-}" >queries.json
}
queries 1.13 50 2 1 1.13
sed -i 's/best-profile/round-robin/' queries.json
"$COTENANT" cluster queries.json --quiet --table summary --format csv >queries.csv || fail "a query that takes as long as its target"
[ "$(of_cluster violated queries.csv)" = 0 ] || fail "exactly 1.13 ms is a violation: $(cat queries.csv)"

# Profiles, by which applications are placed, tell of the same queries as co-locations: those of which it is known.
queries 45 100 0.4005 2 30 ', {"name": "b", "gpus": 1, "arrivals": {"process": "closed", "clients": 1}, "synthetic": {"blocks": 1, "threads": 32, "duration_ms": 3}}'
for table in profiles colocations; do
    "$COTENANT" cluster queries.json --quiet --table $table --format csv | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "late_fraction") c = i } /q [+] b/ { print $c; exit }'
done >late.txt
[ "$(uniq late.txt | wc -l)" = 1 ] && grep -q '^0[.]' late.txt || fail "profiles and co-locations differ in what is late: $(cat late.txt)"
# So placements see it: beside a kernel of 5 ms the first token is late, and the other GPU is idle.
tokens '"ttft_ms": 2.5' 100 2 ', {"name": "b", "gpus": 1, "synthetic": {"blocks": 1000, "duration_ms": 5}}'
for placement in best-profile hungarian; do
    [[ ,$placements, == *,$placement,* ]] || continue
    "$COTENANT" cluster tokens.json --quiet --placement $placement --table gpus --format csv >tokens.csv || fail "tokens by $placement"
    [ "$(cut -d, -f5 tokens.csv | tail -2 | tr '\n' ' ')" = "chat b " ] || fail "$placement puts batch work beside tokens that it delays: $(cat tokens.csv)"
done

# What an overloaded service is over its target is a bound wherever it stands; the sums are of the worst.
cat >over.json <<'JSON'
{"gpus": [{"gpu": "v100", "count": 2}], "duration_s": 2, "policy": "mps", "apps": [
  {"name": "hot", "role": "service", "gpus": 1, "qos_ms": 20, "arrivals": {"process": "deterministic", "rate_per_s": 80}, "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}},
  {"name": "cool", "role": "service", "gpus": 1, "qos_ms": 20, "arrivals": {"process": "deterministic", "rate_per_s": 5}, "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}}]}
JSON
"$COTENANT" cluster over.json --quiet --placement round-robin -o over >over.txt || fail "an overloaded service"
says over.txt '^mps +round-robin +[12]/2 +1 +>[0-9.]+ '
says over.txt '^hot +hot +1 +[0-9]+ +>[0-9.]+ +>[0-9.]+ '
says over.txt '^cool +cool +1 +[0-9]+ +[0-9.]+ +[0-9.]+ '
[ "$(of_cluster worst_is_bound over/summary.csv)" = yes ] || fail "the worst of all is no bound: $(cat over/summary.csv)"
awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i } NR > 1 && $at["p99_is_bound"] != ($at["colocation"] == "hot" ? "yes" : "no") { exit 1 }' over/gpus.csv || fail "bounds of GPUs: $(cat over/gpus.csv)"

# Recorded tokens go with their request to whatever GPU it is sent to. Request i of 40 comes at 10 i ms, has 100, 150 or 200 tokens
# of prompt (2, 3, 4 ms) and wants 1 to 4 in turn (1 ms for each after the first): all 100 tokens in 0.5 s, no two requests meet, and
# the mean is 119 / 40 + 1.5 = 4.475 ms, the p99 that of the longest, 4 + 3 ms.
seq 0 39 | awk 'BEGIN { print "seconds,prompt,output" } { printf "%.3f,%d,%d\n", $1 / 100, 100 + $1 % 3 * 50, 1 + $1 % 4 }' >lengths.csv
recorded() { # GPUS [MORE-OF-THE-APPLICATION]
    printf '{"gpus": [{"gpu": "k40", "count": %s}], "duration_s": 0.5, "policy": "mps", "apps": [{"name": "s", "role": "service", "gpus": %s, %s
      "arrivals": {"process": "trace", "file": "lengths.csv", "column": "seconds", "prompt_column": "prompt", "output_column": "output", "replay": true},
      "server": {"continuous": {"cache_blocks": 100, "ttft_ms": 5,
        "prefill": [{"tokens": 100, "trace": "steps.db#of-2-ms"}, {"tokens": 200, "trace": "steps.db#of-4-ms"}],
        "decode": [{"batch": 1, "trace": "steps.db#of-1-ms"}, {"batch": 3, "trace": "steps.db#of-2-ms"}]}}}]}' "$1" "$1" "${2:-}"
}
keeps_lengths() { # GPUS ARGUMENT...
    "$COTENANT" cluster lengths.json --quiet --table colocations --format csv "${@:2}" >lengths.txt || fail "recorded tokens: $*"
    got="$(of_cluster mean_ms lengths.txt) $(of_cluster p99_ms lengths.txt) $(of_cluster first_token_p99_ms lengths.txt)"
    [ "$got" = "4.4750 7.0000 4.0000" ] || fail "$*: mean, p99 and first token of recorded tokens: $got"
    same "$((200 / $1))" "$(of_cluster tokens_per_s_per_gpu lengths.txt)" "tokens per second: $*"
}
recorded 1 >lengths.json
keeps_lengths 1
for balancer in random round-robin least-outstanding two-choices predicted-finish; do
    recorded 2 >lengths.json
    keeps_lengths 2 --balancer $balancer
done
recorded 1 '"share_pct": 50, "arrive_s": 0, "depart_s": 0.5,' >lengths.json
keeps_lengths 1 --placement first-fit
[ "$failures" -eq 0 ]
