# Sourced by the tests in which calls of the C library fail: one run of the program with one failure, and what it owes.
# With COTENANT_FAULTS=all every allocation fails in turn, else the first from each place, or some.
shim=$BUILD_DIR/tests/fault/failing_calls.so
[ -f "$shim" ] || exit 77
LD_PRELOAD=$shim "$COTENANT" --version >/dev/null 2>&1 || exit 77
shopt -s nullglob globstar
# GSL gives back nothing of what it has when it does not get the rest (multifit_nlinear/trust.c, multifit/work.c).
echo 'leak:libgsl.so' >leaks
export LSAN_OPTIONS=${LSAN_OPTIONS:+$LSAN_OPTIONS:}print_suppressions=0:suppressions=$PWD/leaks
echo 0 1 >count # of the run before: its allocations and writes; nothing in it where it crashed

# attempt ALLOCATION WRITE ALL [KILL]: one run of the command that begin was given, with these settings of the shim: status, out, err.
# results.db is as before, other outputs are not there. The program is loaded once (FAIL_SERVER).
attempt() {
    local written left
    read -r _ written <count
    left=(results.db-* trace.db* made*)
    if [ "$written" != 0 ] || [ ${#left[@]} -gt 0 ]; then
        rm -rf results.db* trace.db* made*
        cp before.db results.db
    fi
    : >count
    echo "$1 $2 $3 ${4:-0}" >&"${PROGRAM[1]}"
    read -r status <&"${PROGRAM[0]}"
}

# intact WHAT: the earlier results are there, and the store is sound. Nothing is added, but a sweep keeps each point that it
# has finished.
intact() {
    local alone=()
    [[ $1 != *"'sweep "* ]] || alone=(--run 1)
    expect "$1: earlier results" "$(cat before.txt)" "$(reports results.db "${alone[@]}")"
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
        [ ! -e trace.db ] || fail "$1: exit code 3, and a trace store is left"
        ;;
    *) fail "$1: exit code $status, '$(head -1 err)'" ;;
    esac
}

# begin COMMAND...: without a failure; its output is what others are held against, allocations and writes are counted.
begin() {
    in_one_thread "$@"
    coproc PROGRAM { FAIL_SERVER=1 FAIL_COUNT=count LD_PRELOAD=$shim exec "$COTENANT" "${words[@]}" 2>/dev/null; }
    attempt 0 0 0
    expect "$* without a failure" 0 "$status"
    IFS= read -rd '' whole <out
    read -r allocations writes < count
    after=$(reports results.db)
}

# end: of the command that begin was given.
end() {
    local server=$PROGRAM_PID requests=${PROGRAM[1]} # of the coprocess
    exec {requests}>&-
    wait "$server"
}

# fail_allocations COMMAND HOW NUMBER...: each of these, alone ("alone"), alone and with all after it ("both"), or the two in turn
# ("either"). Who fails having stored has stored all.
fail_allocations() {
    local what=$1 how=$2 n tried=0 all
    shift 2
    for n; do
        for all in 0 1; do
            [ "$how" != alone ] || [ $all = 0 ] || continue
            [ "$how" != either ] || [ $all -eq $((tried % 2)) ] || continue
            attempt "$n" 0 $all
            judge "allocation $n (all after it: $all) of $allocations of '$what'"
        done
        [ $((++tried % 16)) -ne 0 ] || [ "$status" -eq 0 ] || [ "$(reports results.db)" = "$after" ] ||
            intact "allocations from $n of '$what'"
    done
}

# some_allocations WHICH COMMAND...: so many of them, evenly spread; "places": the first from each place, which are many; "all" of
# them, each alone.
some_allocations() {
    local which=$1 how=both numbers
    shift
    [ "$which" != places ] || how=either
    [ "$which" != all ] || how=alone
    [ "${COTENANT_FAULTS:-}" != all ] || which=all how=both
    begin "$@"
    case $which in
    places) read -ra numbers < <(tail -n 1 count) ;;
    all) mapfile -t numbers < <(seq "$allocations") ;;
    *) mapfile -t numbers < <(seq 1 $((allocations / which + 1)) "$allocations") ;;
    esac
    fail_allocations "$*" $how "${numbers[@]}"
    end
}

# resume_writes STEP COMMAND...: a sweep whose writes fail, each STEP-th, goes on from there to the same contents.
resume_writes() {
    local step=$1 n contents
    shift
    [ "${COTENANT_FAULTS:-}" = all ] && step=1
    begin "$@"
    contents=$(sqlite3 results.db .dump)
    for ((n = 1; n <= writes; n += step)); do
        attempt 0 $n $((n / step % 2))
        judge "write $n of $writes of '$*'"
        "$COTENANT" "$@" >/dev/null 2>err || fail "'$*' after write $n: $(head -1 err)"
        expect "'$*' after write $n" "$contents" "$(sqlite3 results.db .dump)"
    done
    end
}

# sweep_writes COMMAND...: all writes, syncs and renames; what failed has added nothing.
sweep_writes() {
    local n left
    begin "$@"
    expect "$* writes" 1 $((writes > 0))
    for ((n = 1; n <= writes; n++)); do
        attempt 0 $n $((n % 2))
        judge "write $n of $writes of '$*'"
        [ "$status" -eq 0 ] || intact "write $n of $writes of '$*'"
        left=(**/*.part)
        [ "$status" -eq 0 ] || expect "write $n of $writes of '$*' leaves" "" "${left[*]}"
    done
    end
}
