# Which results the simulator gives. Sourced, not run.

# results_number NAME [ROOT]: a number in src/experiment/results_version.h.
results_number() {
    sed -n "s/^enum { $1 = \\([0-9]*\\) };\$/\\1/p" "${2:-.}/src/experiment/results_version.h"
}

# results_version [ROOT]: that of all runs.
results_version() {
    results_number RESULTS_VERSION "$@"
}

# policy_revisions FILES ROOT: the policies in these files of src/policies that have been revised since, ", hsm 1".
policy_revisions() {
    # shellcheck disable=SC2086  # a pattern
    (cd "$2/src/policies" && LC_ALL=C && sed -n 's/^enum { \([A-Z][A-Z0-9_]*\)_REVISION = \([0-9]*\) };$/, \1 \2/p' $1) |
        tr 'A-Z\n' 'a-z\0' | tr -d '\0'
}

# results_versions [ROOT]: that, and those of the kinds of runs that have numbers of their own.
results_versions() {
    echo "$(results_version "$@"), on Hopper $(results_number HOPPER_RESULTS_VERSION "$@"), of blocks $(results_number BLOCK_RESULTS_VERSION "$@"), of servers $(results_number SERVER_RESULTS_VERSION "$@")$(policy_revisions "*.c" "${1:-.}")"
}
