# Sourced by tests that are scripts: a folder of their own, which goes with them, and a count of what failed.
set -uo pipefail
export NO_COLOR=1
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}
