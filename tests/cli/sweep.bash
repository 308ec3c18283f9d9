# What the tests of sweeps share: a workload, sweeps of it, and the canonical contents of a store.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# same WHAT A B
same() { [ "$2" = "$3" ] || fail "$1: $3 instead of $2"; }

# contents STORE: everything in it, in the order of the keys.
contents() { sqlite3 "$1" .dump | sha256sum | cut -d' ' -f1; }

# query STORE SQL
query() { sqlite3 "$1" "$2"; }

# sweep_file FILE DURATION DESIGN...: designs as JSON.
sweep_file() {
    local file=$1 duration=$2
    shift 2
    cat >workload.json <<JSON
{"gpu": "rtx2080ti", "duration_s": $duration, "warmup_s": 0.1, "seed": 3,
 "apps": [{"name": "queue", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 100},
           "synthetic": {"blocks": 272, "threads": 256, "duration_ms": {"dist": "exponential", "mean": 1}}},
          {"name": "work", "synthetic": {"blocks": 68, "threads": 256, "duration_ms": 3}}]}
JSON
    cat >"$file" <<JSON
{"schema": "cotenant.sweep/1", "name": "load", "workload": "workload.json", "policies": ["mps", "fifo", "baymax"],
 "reps": 2, "designs": [$(IFS=,; echo "$*")]}
JSON
}

command -v sqlite3 >/dev/null || { echo "skipped: there is no sqlite3"; exit 77; }
grid='{"grid": {"apps.queue.arrivals.rate_per_s": [50, 100, 200], "gpu.sms": [40, 68]}}'
random='{"random": {"apps.queue.arrivals.rate_per_s": {"loguniform": [20, 300]}, "margin": {"uniform": [0.05, 0.3]},
         "apps.work.instances": {"integers": [1, 3]}, "gpu": {"choice": ["rtx2080ti", "v100"]}},
         "points": 8, "seed": 7, "latin": true}'
