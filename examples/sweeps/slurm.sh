#!/bin/bash
# A sweep on a cluster with Slurm and Open MPI: sbatch examples/sweeps/slurm.sh SWEEP.json R.db
# The program, the sweep, its workload and traces must be on a file system that all nodes see; R.db is written by the
# first process only. When the time is up, submit it again: what is in R.db is not run a second time.
#SBATCH --job-name=cotenant-sweep
#SBATCH --ntasks=64
#SBATCH --cpus-per-task=1
#SBATCH --time=04:00:00
#SBATCH --signal=B:TERM@60

if [ $# -ne 2 ]; then
    echo "usage: sbatch slurm.sh SWEEP.json R.db" >&2
    exit 2
fi

# A minute before the end the first process stores what is finished, and mpirun ends with an error.
mpirun -n "$SLURM_NTASKS" cotenant sweep "$1" -o "$2" --format csv >"${2%.db}.csv" &
mpi=$!
trap 'kill -TERM $mpi' TERM
wait $mpi # until mpirun has ended, or the signal has come
trap - TERM
wait $mpi
