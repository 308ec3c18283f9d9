# Sourced by the tests of report, plot and timeline: a small workload, and a store with a comparison of two policies
# in two replications.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# wants STATUS TEXT COMMAND...: exit code, and a fixed text in standard output or error.
wants() {
    local status=$1 text=$2 is
    shift 2
    "$@" >out.txt 2>err.txt
    is=$?
    [ "$is" = "$status" ] || fail "$*: exit code $is instead of $status: $(cat err.txt)"
    cat out.txt err.txt | grep >/dev/null -F -- "$text" || fail "$*: no '$text' in: $(cat out.txt err.txt)"
}

cat >mix.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "mix", "gpu": "v100", "duration_s": 4, "warmup_s": 1, "seed": 3,
 "apps": [
   {"name": "queries", "role": "service", "qos_ms": 40,
    "synthetic": {"kernels": 2, "blocks": 160, "threads": 256, "duration_ms": {"dist": "exponential", "mean": 4}},
    "arrivals": {"process": "poisson", "rate_per_s": 40}},
   {"name": "solver",
    "synthetic": {"kernels": 4, "blocks": 640, "threads": 256, "duration_ms": {"mean": 3}}}]}
JSON

make_store() {
    "$COTENANT" compare mix.json --policies fifo,priority --reps 2 -q -o results.db >compared.txt ||
        fail "compare does not fill the store"
}
