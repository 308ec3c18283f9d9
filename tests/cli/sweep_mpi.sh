#!/usr/bin/env bash
# A sweep by several processes under Open MPI leaves what one process leaves; mistakes end all of them.
. "$(dirname "${BASH_SOURCE[0]}")/sweep.bash"
command -v mpirun >/dev/null || { echo "skipped: there is no mpirun"; exit 77; }
mpirun --version 2>&1 | grep "Open MPI" >/dev/null || { echo "skipped: mpirun is not Open MPI's"; exit 77; }
patience=$((${COTENANT_SMALL:-0} ? 3000 : 100))
export OMPI_MCA_rmaps_base_oversubscribe=1
root=()
[ "$(id -u)" -ne 0 ] || root=(--allow-run-as-root)
processes() { timeout $patience mpirun "${root[@]}" --oversubscribe -n "$@"; }
processes 1 true >/dev/null 2>&1 || { echo "skipped: mpirun does not start here"; exit 77; }

sweep_file sweep.json 0.6 "$grid" "$random"
"$COTENANT" sweep sweep.json -o one.db -q >one.txt || fail "one process"
processes 2 "$COTENANT" sweep sweep.json -o two.db >two.txt 2>two.err
status=$?
if grep "built without Open MPI" two.err >/dev/null; then
    echo "skipped: built without Open MPI"
    same "exit code without Open MPI" 2 "$status"
    [ "$failures" -eq 0 ] && exit 77
    exit 1
fi
same "exit code of two processes" 0 "$status"
cmp one.txt two.txt || fail "two processes print something else"
same "contents by two processes" "$(contents one.db)" "$(contents two.db)"
processes 3 "$COTENANT" sweep sweep.json -o three.db -q >three.txt || fail "three processes"
same "contents by three processes" "$(contents one.db)" "$(contents three.db)"

# Killed, and gone on with by another number of processes.
sweep_file long.json $((${COTENANT_SMALL:-0} ? 1 : 4)) "$grid" "$random"
"$COTENANT" sweep long.json -o whole.db -q >/dev/null || fail "a longer sweep"
setsid mpirun "${root[@]}" --oversubscribe -n 2 "$COTENANT" sweep long.json -o killed.db -q >/dev/null 2>&1 &
pid=$!
sleep 1.2
kill -KILL -- -$pid 2>/dev/null
wait $pid 2>/dev/null
"$COTENANT" sweep long.json -o killed.db -q >/dev/null || fail "one process goes on"
same "contents after a kill" "$(contents whole.db)" "$(contents killed.db)"

# The example for Slurm as its batch shell runs it: whole, and stopped before its time is up and submitted again.
mkdir -p bin
ln -sf "$(realpath "$COTENANT")" bin/cotenant
[ "$(id -u)" -ne 0 ] || export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
job() { PATH=$PWD/bin:$PATH SLURM_NTASKS=2 exec timeout $patience bash "$SOURCE_DIR/examples/sweeps/slurm.sh" "$@"; }
sweep_file slurm.json $((${COTENANT_SMALL:-0} ? 2 : 20)) "$grid"
"$COTENANT" sweep slurm.json -o alone.db --format csv -q >alone.csv || fail "one process, for Slurm"
(job slurm.json slurm.db 2>slurm.err) || fail "the example for Slurm: $(cat slurm.err)"
cmp alone.csv slurm.csv || fail "the example for Slurm prints something else"
same "contents by the example for Slurm" "$(contents alone.db)" "$(contents slurm.db)"
(job slurm.json stopped.db 2>stopped.err) &
pid=$!
for _ in {1..600}; do
    grep " %" stopped.err >/dev/null 2>&1 && break
    sleep 0.05
done
kill -TERM $pid 2>/dev/null
wait $pid
(job slurm.json stopped.db 2>again.err) || fail "the job submitted again: $(cat again.err)"
cmp alone.csv stopped.csv || fail "the job submitted again prints something else"
same "contents by the job submitted again" "$(contents alone.db)" "$(contents stopped.db)"
sweep_file sweep.json 0.6 "$grid" "$random"

# A mistake is said once, and nobody waits for the others.
sed 's/"mps"/"mqs"/' sweep.json >wrong.json
processes 2 "$COTENANT" sweep wrong.json -o wrong.db >/dev/null 2>wrong.err
same "exit code of a wrong sweep" 2 $?
same "messages of a wrong sweep" 1 "$(grep -c "error: unknown policy 'mqs'" wrong.err)"
processes 2 "$COTENANT" sweep sweep.json -o sweep.json >/dev/null 2>file.err
same "exit code of a file that is no store" 3 $?
processes 2 "$COTENANT" sweep sweep.json -j 2 -o two.db >/dev/null 2>jobs.err
same "exit code of threads under mpirun" 2 $?
[ "$failures" -eq 0 ]
