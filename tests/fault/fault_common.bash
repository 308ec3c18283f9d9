# Sourced by the tests of faults, beside what every script has: a tiny workload, and what every outcome is held against.
. "$(dirname "${BASH_SOURCE[0]}")/../script_case.bash"
unset COTENANT_SHARE COTENANT_TRACE_PATH
export LC_ALL=C
# What the tests preload comes before the library of the address sanitizer.
export ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}verify_asan_link_order=0
checks=0

# expect WHAT EXPECTED ACTUAL
expect() {
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1: '$3' instead of '$2'"
}

# finish NAME: the test's last line and status.
finish() {
    echo "$1: $checks checks, $failures failed"
    [ "$checks" -gt 0 ] && [ "$failures" -eq 0 ]
}

# workload SECONDS: a service beside batch work, w.json.
workload() {
    cat > w.json <<END
{"gpu": "v100", "duration_s": $1, "warmup_s": 0, "apps": [
 {"name": "q", "role": "service", "qos_ms": 20,
  "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 1, "bytes_in": 1000},
  "arrivals": {"process": "poisson", "rate_per_s": 100}},
 {"name": "b", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 2}}]}
END
}

# reports STORE [OPTION...]: every run in it as a report, in one text, without the names of files in its notices.
reports() {
    "$COTENANT" report "$@" --format json 2>&1 | sed 's/^[^ ]*: notice: /notice: /'
}
