# What the tests of reproducibility share. Sourced.
set -uo pipefail
workload=$SOURCE_DIR/tests/repro/repro_pair.json
policies="mps priority timeslice baymax"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# The commands may not exist yet.
if ! "$COTENANT" run --help >/dev/null 2>&1; then
    echo "this program has no 'run' yet"
    exit 77
fi

# repro_reports PROGRAM FILE: what every policy reports, bit for bit.
repro_reports() {
    local policy
    for policy in $policies; do
        "$1" run "$workload" --policy "$policy" --seed 7 --format json --quiet || return 1
    done >"$2"
}
