# Sourced by tests of commands: a folder of their own, which goes with them, and a count of what failed. A test ends with
# `[ "$failures" -eq 0 ]`.
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

# under PROGRAM: the path of a script that runs it under what the tests run under, as "$COTENANT" does.
under() {
    local script=$scratch/under-${1##*/}
    printf '#!/bin/sh\nexec %s "%s" "$@"\n' "${COTENANT_UNDER:-}" "$1" >"$script" && chmod +x "$script" && echo "$script"
}

# says FILE PATTERN
says() { grep -E -- "$2" "$1" >/dev/null || { fail "no '$2' in $1:"; cat "$1"; }; }
