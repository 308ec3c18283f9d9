# What the tests of reproducibility share. Sourced.
set -uo pipefail
workload=$SOURCE_DIR/tests/repro/repro_pair.json
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
