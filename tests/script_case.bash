# Sourced by tests that are scripts: a folder of their own, which goes with them, and a count of what failed.
set -uo pipefail
export NO_COLOR=1 COTENANT_CACHE= # results kept from another test would hide what this one runs
unset COLUMNS                         # tables are then as wide as where no terminal is
failures=0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

fail() {
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# can_hold: whether the program has places where a test holds it (cli_hold): builds for tests alone.
can_hold() { grep -qa COTENANT_HOLD_ASKED "${BUILD_DIR:-.}/src/cli/cotenant"; }

# in_one_thread COMMAND...: the command in `words`, with one thread where it takes several: what happens comes in one order.
in_one_thread() {
    words=("$@")
    case $1 in run | compare | plan | advise | cluster | sweep | paper) words+=(--jobs 1) ;; esac
}

# held PLACE COMMAND...: starts it, $pid, with its output in `out` and `err`, and comes back when it has come to the place,
# where it stays until `exec 3>&-`.
held() {
    local place=$1
    shift
    [ -p gate ] || mkfifo gate
    in_one_thread "$@"
    env "$place=$PWD/gate" "$COTENANT" "${words[@]}" >out 2>err &
    pid=$!
    exec 3>gate
}
