# Sourced by the tests in which calls of the C library fail: one run of the program with one failure, and what it owes.
# With COTENANT_FAULTS=all every allocation fails in turn, else some.
shim=$BUILD_DIR/tests/fault/failing_calls.so
[ -f "$shim" ] || exit 77
LD_PRELOAD=$shim "$COTENANT" --version >/dev/null 2>&1 || exit 77

# attempt SETTING... -- COMMAND...: status, out, err; results.db is as before, other outputs are not there. After begin has
# counted no write, there is nothing to restore.
attempt() {
    local settings=()
    while [ "$1" != -- ]; do
        settings+=("$1")
        shift
    done
    shift
    if [ "$writes" != 0 ]; then
        rm -rf results.db* trace.db* made*
        cp before.db results.db
    fi
    timeout 60 env "${settings[@]}" LD_PRELOAD="$shim" "$COTENANT" "$@" </dev/null >out 2>err
    status=$?
}

# intact WHAT: the earlier results are there, and the store is sound.
intact() {
    expect "$1: earlier results" "$(cat before.txt)" "$(reports results.db)"
}

reasons='[Oo]ut of memory|[Nn]o space (is )?left|Cannot allocate|the disk refuses|disk I/O error'

# judge WHAT: what attempt left. Nothing but builtins: a full run comes here some hundred thousand times.
judge() {
    local text
    checks=$((checks + 1))
    case $status in
    0)
        IFS= read -rd '' text <out
        [ "$text" = "$whole" ] || fail "$1: exit code 0, but another output"
        ;;
    3)
        IFS= read -rd '' text <err
        [[ $text =~ $reasons ]] || fail "$1: exit code 3 and '$(head -1 err)'"
        ;;
    *) fail "$1: exit code $status, '$(head -1 err)'" ;;
    esac
}

# begin COMMAND...: without a failure; its output is what others are held against, allocations and writes are counted.
begin() {
    writes=
    attempt FAIL_COUNT=count -- "$@"
    expect "$* without a failure" 0 "$status"
    IFS= read -rd '' whole <out
    read -r allocations writes < count
}

# sweep_allocations STEP COMMAND...: each STEP-th of them, alone and with all after it.
sweep_allocations() {
    local step=$1 n
    shift
    [ "${COTENANT_FAULTS:-}" = all ] && step=1
    begin "$@"
    for ((n = 1; n <= allocations; n += step)); do
        attempt FAIL_ALLOC=$n -- "$@"
        judge "allocation $n of $allocations of '$*'"
        attempt FAIL_ALLOC=$n FAIL_ALL=1 -- "$@"
        judge "allocations from $n of $allocations of '$*'"
        [ $((n / step % 16)) -ne 0 ] || [ $status -eq 0 ] || intact "allocation $n of '$*'"
    done
}

# some_allocations COUNT COMMAND...: so many of them, evenly spread.
some_allocations() {
    local some=$1
    shift
    begin "$@"
    sweep_allocations $((allocations / some + 1)) "$@"
}

# resume_writes STEP COMMAND...: a sweep whose writes fail, each STEP-th, goes on from there to the same contents.
resume_writes() {
    local step=$1 n contents
    shift
    [ "${COTENANT_FAULTS:-}" = all ] && step=1
    begin "$@"
    contents=$(sqlite3 results.db .dump)
    for ((n = 1; n <= writes; n += step)); do
        attempt FAIL_WRITE=$n FAIL_ALL=$((n / step % 2)) -- "$@"
        judge "write $n of $writes of '$*'"
        "$COTENANT" "$@" >/dev/null 2>err || fail "'$*' after write $n: $(head -1 err)"
        expect "'$*' after write $n" "$contents" "$(sqlite3 results.db .dump)"
    done
}

# sweep_writes COMMAND...: all writes, syncs and renames; what failed has added nothing.
sweep_writes() {
    local n
    begin "$@"
    expect "$* writes" 1 $((writes > 0))
    for ((n = 1; n <= writes; n++)); do
        attempt FAIL_WRITE=$n FAIL_ALL=$((n % 2)) -- "$@"
        judge "write $n of $writes of '$*'"
        [ $status -eq 0 ] || intact "write $n of $writes of '$*'"
        [ $status -eq 0 ] || expect "write $n of $writes of '$*' leaves" "" "$(find . -name '*.part')"
    done
}
