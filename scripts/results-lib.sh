# Which results the simulator gives. Sourced, not run.

# results_number NAME [ROOT]: a number of src/experiment/results_version.h.
results_number() {
    sed -n "s/^enum { $1 = \\([0-9]*\\) };\$/\\1/p" "${2:-.}/src/experiment/results_version.h"
}

# results_versions [ROOT]: those of runs, and of the kinds of runs that have numbers of their own.
results_versions() {
    echo "$(results_number RESULTS_VERSION "$@"), in time slices $(results_number SLICES_RESULTS_VERSION "$@"), with shares $(results_number SHARES_RESULTS_VERSION "$@"), on Hopper $(results_number HOPPER_RESULTS_VERSION "$@")"
}
