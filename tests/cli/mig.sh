#!/usr/bin/env bash
# MIG instances: profiles by default and by name, what stays unused, and times by hand.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# Kernels of 3456 blocks are four waves on the 864 slots of an A100.
cat >"$scratch/mix.json" <<'JSON'
{"schema": "cotenant.workload/1", "gpu": "a100", "duration_s": 0.5,
 "apps": [
  {"name": "a", "role": "service", "synthetic": {"kernels": 3, "blocks": 3456, "threads": 256,
   "registers_per_thread": 32, "duration_ms": 1, "dram_fraction": 0.5, "row_hit_rate": 0.8, "compute_fraction": 0.3},
   "arrivals": {"process": "deterministic", "rate_per_s": 20}},
  {"name": "b", "instances": 2, "synthetic": {"kernels": 3, "blocks": 3456, "threads": 256,
   "registers_per_thread": 32, "duration_ms": 1, "dram_fraction": 0.9, "compute_fraction": 0.3}}
 ]}
JSON

# expect ARGUMENTS KEY VALUE: the first row of the report that begins with the key.
expect() {
    local value
    # shellcheck disable=SC2086 # several arguments
    value=$("$COTENANT" run "$scratch/mix.json" $1 --quiet | awk -v key="$2" '$1 == key { print $(key ~ /:/ ? 2 : 4); exit }')
    [ "$value" = "$3" ] || fail "$1: $2 is '$value', not $3"
}

# Three instances: 2g each, 28 of 108 SMs and 2 of 8 memory slices. A's kernel asks for 0.5 of the peak and gets a quarter of
# the 0.76 that its row hits allow: 3 ms / 0.38, more than its 0.3 of computing in 16 waves instead of four: 3 ms x 0.3 x 4. With 3g it gets half of them: 3 ms / 0.76. B's slices do not matter to it.
expect "--policy mig" a 7.895
expect "--policy mig" sms_unused: 24
expect "--policy mig" compute_slices_unused: 1
expect "--policy mig" memory_slices_unused: 2
expect "--policy mig:profiles=a=3g" a 3.947
expect "--policy mig:profiles=a=3g+b=1g" a 3.947
expect "--policy mig:profiles=a=3g.20gb+b=2g" sms_unused: 10
expect "--policy mig:profiles=a=3g.20gb+b=2g" memory_slices_unused: 0
expect "--policy mig --set apps.b.instances=3" memory_slices_unused: 0
expect "--policy mig --set apps.b.instances=3" sms_unused: 52

# Other SMs than the preset's have no profiles but those that are given with them.
"$COTENANT" run "$scratch/mix.json" --policy even --set gpu.sms=54 --quiet >/dev/null ||
    fail "half an A100"
"$COTENANT" run "$scratch/mix.json" --policy mig --set gpu.sms=54 --quiet >/dev/null 2>&1 &&
    fail "MIG on half an A100"
"$COTENANT" run "$scratch/mix.json" --policy mig --set gpu.sms=54 --set 'gpu.mig=1g:7:1 4g:28:4 7g:54:8' --quiet >/dev/null ||
    fail "profiles of its own"

# Nobody is delayed by a neighbour.
"$COTENANT" run "$scratch/mix.json" --policy mig --quiet | grep >/dev/null "a: .*delayed by a 4.895" ||
    fail "a slice's losses are its own"

# MPS inside an instance. A kernel of 12,096 blocks is 14 waves on all 108 SMs and 27 on the 56 of a "4g", which has half of the
# memory: what a slice with two applications does is what a GPU of that size does, job by job, whoever is in the other slice.
two='{"name": "b", "role": "service", "arrivals": {"process": "poisson", "rate_per_s": 6}, "synthetic": SYNTHETIC},
     {"name": "c", "arrivals": {"process": "closed", "start": "at-once"}, "synthetic": SYNTHETIC}'
synthetic() { # DURATION_MS DRAM_FRACTION
    printf '{"blocks": 12096, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": %s, "dram_fraction": %s}' "$1" "$2"
}
printf '{"gpu": "a100", "duration_s": 10, "apps": [%s, {"name": "a", "synthetic": {"blocks": 864, "duration_ms": 3}}]}' \
    "${two//SYNTHETIC/$(synthetic 28 0.45)}" >"$scratch/slice.json"
printf '{"gpu": "a100", "duration_s": 10, "apps": [%s]}' "${two//SYNTHETIC/$(synthetic 54 0.46666666666666667)}" >"$scratch/gpu.json"

# jobs FILE ARGUMENTS...: how b and c fared.
jobs() {
    "$COTENANT" run "$scratch/$1" "${@:2}" --set gpu.contention_k0=0.3 --set gpu.contention_k=0.5 --set gpu.launch_delay_us=20 \
        --quiet --format csv | grep -E ',app,[bc],(jobs|latency_ms_(mean|p50|p99|max)|throughput_per_s),' | cut -d, -f7-
}
for caps in "" ":caps=c=50" ":caps=b=75+c=50"; do
    jobs slice.json --policy "mig:profiles=a=3g+b=4g:shared=c=b$caps" >"$scratch/slice"
    jobs gpu.json --policy "mps${caps:+-caps$caps}" --set gpu.sms=56 --set gpu.mig= --set gpu.dram_gb_s=777.5 >"$scratch/gpu"
    [ "$(wc -l <"$scratch/gpu")" -eq 12 ] && diff "$scratch/slice" "$scratch/gpu" || fail "a slice under MPS$caps"
done

# Alone, who shares has the instance for itself; nobody else delays it.
"$COTENANT" run "$scratch/slice.json" --policy mig:profiles=a=3g+b=4g:shared=c=b --quiet | grep >/dev/null '  c: .*delayed by b [0-9.]*, c' ||
    fail "c is delayed by b and by itself alone"

# Memory of all that share; no chains; not block by block.
refused() {
    "$COTENANT" run "$scratch/slice.json" --quiet "${@:2}" >/dev/null 2>"$scratch/log" && fail "${*:2}: ran"
    grep -F "$1" "$scratch/log" >/dev/null || fail "${*:2}: not '$1'"
}
refused "'c' needs 15 GiB of memory, and its slice '4g.20gb' of 'a100' has 10 beside those that share it" \
    --policy mig:profiles=a=3g+b=4g:shared=c=b --set apps.b.memory_gib=10 --set apps.c.memory_gib=15
refused "slices are shared in the fluid model alone" --policy mig:profiles=a=3g+b=4g:shared=c=b --set fidelity=block
refused "has a profile and shares another's instance" --policy mig:profiles=a=3g+b=2g+c=2g:shared=c=b
refused "'caps': 'c=200' is not APPLICATION=PER CENT, 0.1 to 100" --policy mig:profiles=a=3g+b=4g:shared=c=b:caps=c=200
[ "$failures" -eq 0 ]
