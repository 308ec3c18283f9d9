# Which results the simulator gives. Sourced, not run.

# results_version [ROOT]: the number in src/experiment/results_version.h.
results_version() {
    sed -n "s/^enum { RESULTS_VERSION = \\([0-9]*\\) };\$/\\1/p" "${1:-.}/src/experiment/results_version.h"
}
