#!/usr/bin/env bash
# The capture library from end to end, against a stand-in for CUPTI: exit, signals, fork, several processes and threads,
# buffers that run out, another profiler, wrong settings. A program that is not recorded runs all the same.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
library=$BUILD_DIR/src/capture/cupti/libcotenant_capture.so
native=$BUILD_DIR/tests/cli/capture_host
host=$(under "$native")
[ -f "$library" ] || { echo "the capture library is off: no CUPTI headers"; exit 77; }
export LC_ALL=C CUDA_INJECTION64_PATH=$library NVTX_INJECTION64_PATH=$library
export COTENANT_CAPTURE_CUPTI=$BUILD_DIR/tests/cli/libfake_cupti.so

# play HOW RC [VARIABLE=VALUE...]: the program ends with RC; what the library says is in "said".
play() {
    local how=$1 expected=$2 got
    shift 2
    timeout $((${COTENANT_SMALL:-0} ? 1800 : 60)) env "$@" "$host" "$how" >printed 2>said
    got=$?
    [ "$got" = "$expected" ] || fail "$how ends with $got, not $expected: $(cat said)"
}

# holds FILE: the two queries that the program plays.
holds() {
    "$COTENANT" trace export "$1" --format csv >rows 2>&1 || fail "$1 is no store: $(cat rows)"
    cut -d, -f2-4,6-17 rows | tail -n +2 | sed 's/"scale(float\*, int)"/scale/; s/"scale(float\*/scale/' >tasks
    cmp -s tasks queries || fail "$1 holds: $(cat tasks)"
}

# By hand from capture_host.c: copy call 2 to 9 us, copy 4 to 8; launch 10 to 12, kernel 15 to 65. The host waited for the
# copy (to 8) and launched 2 us later.
printf 'query#%d,0,copy,h2d,pinned,0,4096,1000,8000,3000,4000,1000,0,,\nquery#%d,1,kernel, int)",,,0,0,9000,11000,14000,50000,2000,1,0\n' 0 0 1 1 >queries

export COTENANT_CAPTURE_JOBS=nvtx:query
play exit 0 COTENANT_CAPTURE_OUT=exit.db
holds exit.db
grep -q 'exit.db: 2 jobs, 2 kernels, 2 copies, 0 memsets; 0 records left out, 0 lost$' said || fail "exit says: $(cat said)"
"$COTENANT" trace show exit.db >shown
for line in 'GPU: Tesla V100-SXM2-16GB' 'multiprocessors: 80' 'recorder: CUPTI' 'left out, of an unknown kind: 1' 'scale(float\*, int)  *160  *256  *2'; do
    grep -q "$line" shown || fail "exit.db does not show '$line'"
done

# A signal: the store is whole and the program ends as it would have ended.
play sigterm 143 COTENANT_CAPTURE_OUT=sigterm.db
holds sigterm.db
play sigint 130 COTENANT_CAPTURE_OUT=sigint.db
holds sigint.db
play sighup 129 COTENANT_CAPTURE_OUT=sighup.db
holds sighup.db
play reads 0 COTENANT_CAPTURE_OUT=reads.db
holds reads.db
play handler 7 COTENANT_CAPTURE_OUT=handler.db
holds handler.db
play context 0 COTENANT_CAPTURE_OUT=context.db
holds context.db
play saved 0 COTENANT_CAPTURE_OUT=saved.db COTENANT_CAPTURE_SAVE_S=0.2
holds saved.db
# Saving takes nothing from a kernel that is under way.
play under_way 0 COTENANT_CAPTURE_OUT=under_way.db COTENANT_CAPTURE_SAVE_S=0.2 COTENANT_CAPTURE_JOBS=whole
grep -q '1 job, 1 kernels, 0 copies, 0 memsets; 0 records left out, 0 lost$' said || fail "under way: $(cat said)"

# A child of fork writes nothing; a file that is there is never touched; every process has its own. The leak detector
# cannot look at the child of a program with threads: it waits for locks that nobody holds any more.
play fork 0 COTENANT_CAPTURE_OUT=fork.db ASAN_OPTIONS=detect_leaks=0
holds fork.db
[ "$(ls fork*.db)" = fork.db ] || fail "fork leaves $(ls fork*.db)"
play exit 0 COTENANT_CAPTURE_OUT=fork.db
holds fork-2.db
host=$native play exec 0 COTENANT_CAPTURE_OUT=exec.db # by /proc/self/exe, which is not the program under another
holds exec.db
play child 0 COTENANT_CAPTURE_OUT=child.db ASAN_OPTIONS=detect_leaks=0
grep -q 'off: this process was forked after the recording of its parent began' said || fail "child: $(cat said)"
for _ in 1 2 3; do
    COTENANT_CAPTURE_OUT=several/%p.db "$host" exit 2>/dev/null &
done
mkdir several
wait
for _ in 1 2 3; do
    COTENANT_CAPTURE_OUT=several/one.db "$host" exit 2>/dev/null &
done
wait
for file in several/one.db several/one-2.db several/one-3.db; do
    holds "$file"
done

# Threads: nothing is lost when there is room, and everything is accounted for when there is not.
play threads 0 COTENANT_CAPTURE_OUT=threads.db COTENANT_CAPTURE_JOBS=whole
grep -q '1 job, 80000 kernels, 0 copies, 0 memsets; 0 records left out, 0 lost$' said || fail "threads: $(cat said)"
play threads 0 COTENANT_CAPTURE_OUT=limit.db COTENANT_CAPTURE_JOBS=whole COTENANT_CAPTURE_RECORDS=1000
grep -q ' 159000 lost$' said || fail "limit: $(cat said)"
play threads 0 COTENANT_CAPTURE_OUT=narrow.db COTENANT_CAPTURE_JOBS=whole COTENANT_CAPTURE_BUFFER_MB=2
"$COTENANT" trace show narrow.db >/dev/null || fail "narrow.db is no store"
play hoard 0 COTENANT_CAPTURE_OUT=hoard.db COTENANT_CAPTURE_BUFFER_MB=5
[ "$(cat printed)" = "4 buffers" ] || fail "of 5 MB, with one in use: $(cat printed)"

# What cannot be recorded is said in a line, and the program runs.
play nothing 0 COTENANT_CAPTURE_OUT=none.db
grep -q 'no kernel was recorded' said || fail "nothing: $(cat said)"
play exit 0 COTENANT_CAPTURE_OUT=none.db FAKE_CUPTI_BUSY=1
grep -q 'off: subscribing (one profiler at a time) failed: taken' said || fail "busy: $(cat said)"
play exit 0 COTENANT_CAPTURE_OUT=none.db FAKE_CUPTI_VERSION=110000
grep -q 'off: CUPTI 110000 is older than' said || fail "old: $(cat said)"
play exit 0 COTENANT_CAPTURE_OUT=none.db COTENANT_CAPTURE_JOBS=gap
grep -q "off: unknown value of 'COTENANT_CAPTURE_JOBS': 'gap'" said || fail "jobs: $(cat said)"
play exit 0 COTENANT_CAPTURE_OUT=none.db COTENANT_CAPTURE_RECORDS=many
grep -q "off: COTENANT_CAPTURE_RECORDS is 'many'" said || fail "records: $(cat said)"
[ ! -e none.db ] || fail "a store of nothing"
play exit 0 COTENANT_CAPTURE_OUT=no/folder.db
grep -q "no/folder.db' cannot be written as yet: No such file" said || fail "no folder, at first: $(cat said)"
grep -q "no/folder.db' cannot be written: No such file" said || fail "no folder: $(cat said)"
(
    failures=0
    ulimit -f 64 # a full disk: files of 64 KiB at most
    play threads 0 COTENANT_CAPTURE_OUT=full.db COTENANT_CAPTURE_JOBS=whole
    [ "$failures" = 0 ]
) || fail "a full disk"
grep -q 'error: .*full.db' said || fail "a full disk: $(cat said)"
[ "$(ls full*)" = "" ] || fail "a full disk leaves $(ls full*)"
play exit 0 COTENANT_CAPTURE_OUT=ranges.db COTENANT_CAPTURE_JOBS=nvtx:step NVTX_INJECTION64_PATH= COTENANT_CAPTURE_QUIET=1
[ ! -s said ] || fail "quiet says: $(cat said)"

# Nothing of the machine or the user is in a store.
for word in "$scratch" "$library" "$(id -un)@" "$(hostname)" capture_host "COTENANT_"; do
    ! grep -aqF -- "$word" exit.db || fail "the store holds '$word'"
done

[ "$failures" = 0 ] && echo "capture: all as expected"
[ "$failures" = 0 ]
