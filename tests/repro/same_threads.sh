#!/usr/bin/env bash
# The same bytes from one thread and from several, and from the same command twice; another seed gives others.
. "$(dirname "${BASH_SOURCE[0]}")/repro_common.bash"

# compare_with THREADS SEED FILE
compare_with() {
    "$COTENANT" compare "$workload" --policies mps,priority,timeslice,baymax --reps 4 -j "$1" --seed "$2" --format json --quiet \
        >"$scratch/$3" || { echo "compare -j $1 failed"; exit 1; }
    [ -s "$scratch/$3" ] || { echo "compare -j $1 reports nothing"; exit 1; }
}

compare_with 1 7 one
compare_with 1 7 again
compare_with 2 7 two
compare_with 5 7 five
compare_with 1 8 other
for file in again two five; do
    cmp -s "$scratch/one" "$scratch/$file" || {
        echo "another comparison ($file):"
        diff "$scratch/one" "$scratch/$file" | head -10
        exit 1
    }
done
if cmp -s "$scratch/one" "$scratch/other"; then
    echo "another seed gave the same comparison: the test shows nothing"
    exit 1
fi
echo "one, two and five threads: the same $(wc -c <"$scratch/one") bytes"
