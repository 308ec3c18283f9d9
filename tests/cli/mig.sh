#!/usr/bin/env bash
# MIG instances: profiles by default and by name, what stays unused, and times by hand.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# Kernels of 3456 blocks are four waves on the 864 slots of an A100.
cat >"$scratch/mix.json" <<'JSON'
{"schema": "cotenant.workload/1", "gpu": "a100", "duration_s": 0.5,
 "apps": [
  {"name": "a", "role": "service", "synthetic": {"kernels": 3, "blocks": 3456, "threads": 256,
   "registers_per_thread": 32, "duration_ms": 1, "dram_fraction": 0.5, "row_hit_rate": 0.8},
   "arrivals": {"process": "deterministic", "rate_per_s": 20}},
  {"name": "b", "instances": 2, "synthetic": {"kernels": 3, "blocks": 3456, "threads": 256,
   "registers_per_thread": 32, "duration_ms": 1, "dram_fraction": 0.9}}
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
# the 0.76 that its row hits allow: 3 ms / 0.38. With 3g it gets half of them: 3 ms / 0.76. B's slices do not matter to it.
expect "--policy mig" a 7.895
expect "--policy mig" sms_unused: 24
expect "--policy mig" compute_slices_unused: 1
expect "--policy mig" memory_slices_unused: 2
expect "--policy mig:profiles=a=3g" a 3.947
expect "--policy mig:profiles=a=3g+b=1g" a 3.947
expect "--policy mig:profiles=a=3g.20gb+b=2g" sms_unused: 10
expect "--policy mig:profiles=a=3g.20gb+b=2g" memory_slices_unused: 0
expect "--policy mig:profiles=c=1g" profiles_without_application: 1
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
[ "$failures" -eq 0 ]
