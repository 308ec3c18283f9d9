#!/usr/bin/env bash
# Normalised progress and what follows from it, on runs that are short enough to be done by hand; an application of several
# instances is as several applications.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# workload SECONDS APPLICATION...: a file w.json on 20 SMs that hold a block each.
workload() {
    local seconds=$1 apps
    shift
    apps=$(printf '%s, ' "$@")
    printf '{"schema": "cotenant.workload/1", "gpu": {"base": "k40", "sms": 20, "threads_per_sm": 256}, "duration_s": %s, "apps": [%s]}' \
        "$seconds" "${apps%, }" >w.json
}

# application NAME ROLE BLOCKS MS ARRIVALS [KEYS]: one kernel, which nothing slows but the SMs that it lacks.
application() {
    printf '{"name": "%s", "role": "%s", "synthetic": {"blocks": %s, "threads": 256, "duration_ms": %s, "unit_fraction": 0, "dram_fraction": 0}, "arrivals": %s%s}' \
        "$1" "$2" "$3" "$4" "$5" "${6+, $6}"
}

# report [ARGUMENT]...: runs w.json.
report() { "$COTENANT" run w.json --quiet --format csv "$@" >report.csv 2>err || fail "run $*: $(cat err)"; }

# measure MEASURE [APPLICATION]: of the report; empty: unknown.
measure() { awk -F, -v measure="$1" -v app="${2-}" '$7 == app && $8 == measure { print $9 }' report.csv; }

# is WHAT GOT WANTED: to a millionth; empty is unknown.
is() {
    awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !((a == "") == (b == "") && d * d <= 1e-12 * b * b) }' ||
        fail "$1 is '$2', not '$3'"
}

# system: the measures of the system that follow from progress, in a line.
system() { for name in stp antt fairness goals_met turnaround_ms; do echo "$name=$(measure $name)"; done | tr '\n' ' '; }

at_once='{"process": "closed", "start": "at-once"}'

# ---- First runs ----

# Each of the two takes all SMs for 8 ms: the first ends at 8 ms, the second at 16, when the run of 12 ms is over.
workload 0.012 "$(application a batch 20 8 "$at_once" '"stop": "first-run", "instances": 2')"
report
is "progress where an instance did not end" "$(measure normalised_progress a)" ""
for name in stp antt fairness turnaround_ms; do is "$name where an instance did not end" "$(measure $name)" ""; done
workload 0.012 "$(application a batch 20 8 "$at_once" '"stop": "first-run"')" "$(application b batch 20 8 "$at_once" '"stop": "first-run"')"
instances=$(system)
report
[ "$(system)" = "$instances" ] || fail "first runs of two applications: $(system), of two instances: $instances"

# In 20 ms both end: NP 8 / 8 and 8 / 16, STP 1.5, ANTT (1 + 2) / 2.
workload 0.02 "$(application a batch 20 8 "$at_once" '"stop": "first-run", "instances": 2')"
report
is "progress of two first runs" "$(measure normalised_progress a)" 0.75
is "their STP" "$(measure stp)" 1.5
is "their ANTT" "$(measure antt)" 1.5
is "their fairness" "$(measure fairness)" 0.5
is "their turnaround" "$(measure turnaround_ms)" 12
instances=$(system)
workload 0.02 "$(application a batch 20 8 "$at_once" '"stop": "first-run"')" "$(application b batch 20 8 "$at_once" '"stop": "first-run"')"
report
[ "$(system)" = "$instances" ] || fail "first runs of two applications: $(system), of two instances: $instances"

[ "$failures" = 0 ] && echo "progress: all as by hand"
[ "$failures" = 0 ]
