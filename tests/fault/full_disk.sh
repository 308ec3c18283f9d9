#!/usr/bin/env bash
# A disk that takes no more (a limit on file sizes stands for it; /dev/full for standard output), and places that cannot
# be written: one sentence, exit code 3, and what was there is as it was.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
workload 20
"$COTENANT" run w.json --quiet -o results.db --timeline timeline.json >/dev/null || exit 1
# recording KERNELS
recording() {
    awk -v kernels="$1" 'BEGIN {
        print "{\"deviceProperties\": [{\"id\": 0, \"name\": \"Tesla V100-SXM2-16GB\"}], \"traceEvents\": ["
        for (i = 0; i < kernels; i++)
            printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"pid\":0,\"tid\":7,\"ts\":%d,\"dur\":5,\"args\":" \
                   "{\"device\":0,\"stream\":7,\"grid\":[80,1,1],\"block\":[256,1,1],\"correlation\":%d}}\n", \
                   (i ? "," : ""), 10 * i, i
        print "]}" }'
}
recording 10 > recording.json
"$COTENANT" import kineto recording.json --quiet -o traces.db || exit 1
cp recording.json before.json
recording 20000 > recording.json
mkdir before
cp w.json results.db timeline.json traces.db before
results=$(reports results.db)

# unharmed WHAT: the files, or for a store that SQLite has rolled back its content.
unharmed() {
    local file
    for file in w.json timeline.json traces.db; do
        cmp -s "before/$file" "$file" || fail "$1 changed $file"
    done
    expect "$1: earlier results" "$results" "$(reports results.db)"
    expect "$1: files left behind" "" "$(find . -name '*.part' -o -name '*-journal' | tr '\n' ' ')"
}

# full MESSAGE COMMAND...: with files of at most 64 KiB. Whether the journal or the store itself meets the limit first, within
# a run or when all are committed, depends on how many pages a run touches.
full() {
    local message=$1
    shift
    (
        ulimit -f 64
        exec "$COTENANT" "$@" </dev/null >out 2>err
    )
    expect "'$*' on a full disk" 3 $?
    expect "'$*' on a full disk says" "$message" "$(sed -E 's/(File too large|the disk refuses .*\?\))/FULL/; s/the runs:/the run:/' err)"
    unharmed "'$*' on a full disk"
}

full "results.db: error: cannot store the run: FULL; earlier results are intact" \
    run w.json --quiet -o results.db
full "results.db: error: cannot store the run: FULL; earlier results are intact" \
    compare w.json --quiet --policies mps,fifo --reps 2 -o results.db
full "timeline.json: error: cannot write it: FULL" run w.json --quiet --timeline timeline.json
full "timeline.json: error: cannot write it: FULL" timeline results.db --quiet -o timeline.json
full "page.html: error: cannot write it: FULL" html results.db --quiet -o page.html
full "traces.db: error: the trace store cannot be used: FULL" import kineto recording.json -o traces.db

# A store that could not be made is not there, nor is a figure's file or picture of which only a part could be written.
# limited KIB PLACE MESSAGE COMMAND...: files of at most so many KiB, but for what it says.
limited() {
    local kib=$1 place=$2 message=$3 status
    shift 3
    (
        ulimit -f "$kib"
        exec "$COTENANT" "$@" "$place" </dev/null 2>&1 >/dev/null
    ) | cat >err
    status=${PIPESTATUS[0]}
    expect "'$* $place' with files of $kib KiB" 3 "$status"
    expect "'$* $place' with files of $kib KiB says" "$message" "$(sed -E 's/(File too large|the disk refuses .*\?\))/FULL/' err)"
    unharmed "'$* $place' with files of $kib KiB"
}

for kib in 0 1; do
    # The thread sanitizer writes a file of its own before the program begins.
    (ulimit -f "$kib" && exec "$COTENANT" --version >/dev/null 2>&1) || continue
    limited $kib new.db "new.db: error: cannot write it: FULL" run w.json --quiet -o
    limited $kib new-traces.db "new-traces.db: error: cannot write it: FULL" \
        import kineto before.json --quiet -o
    expect "new stores of $kib KiB" "" "$(find . -name 'new*')"
done
limited 4 figures "figures/p99.gp: error: cannot write it: FULL" plot results.db --quiet -o
expect "figures of 4 KiB" "p99.csv" "$(ls figures)"
if command -v gnuplot >/dev/null; then
    limited 80 figures "figures: error: gnuplot wrote 'quota.svg' in part only; is the disk full?" plot results.db \
        --quiet -o
    expect "pictures of 80 KiB" "batch.svg p99.svg progress.svg tradeoff.svg usage.svg" "$(cd figures && echo *.svg)"
fi

# silent COMMAND...: standard output is full.
silent() {
    "$COTENANT" "$@" </dev/null >/dev/full 2>err
    expect "'$*' into /dev/full" 3 $?
    expect "'$*' into /dev/full says" "cotenant: error: cannot write to standard output" "$(cat err)"
    unharmed "'$*' into /dev/full"
}

if [ -c /dev/full ]; then
    silent run w.json --quiet
    silent report results.db --format json
    silent trace show traces.db
    silent trace export traces.db
    silent list gpus
    silent show policy mps
    silent check w.json
    silent --help
    silent --version
    silent run --help
fi

# unwritable MESSAGE COMMAND...
unwritable() {
    local message=$1
    shift
    "$COTENANT" "$@" </dev/null >out 2>err
    expect "'$*'" 3 $?
    expect "'$*' says" "$message" "$(sed 's/: [A-Z][a-z ]*$/: REASON/' err)"
    expect "'$*' prints" "" "$(cat out)"
    unharmed "'$*'"
}

# Even the superuser makes no file in /proc.
folder=/proc
if [ "$(id -u)" -ne 0 ]; then
    mkdir -m 555 sealed
    folder=sealed
fi
unwritable "$folder/r.db: error: cannot write it: REASON" run w.json --quiet -o $folder/r.db
unwritable "$folder/t.json: error: cannot write it: REASON" run w.json --quiet --timeline $folder/t.json
unwritable "$folder/t.db: error: cannot write it: REASON" import kineto recording.json -o $folder/t.db

# A preset that ends in the middle.
mkdir -p share/gpus
head -n 5 "$SOURCE_DIR/src/models/gpus/v100.json" > share/gpus/v100.json
COTENANT_SHARE=$PWD/share "$COTENANT" run w.json --quiet >out 2>err
expect "a preset that ends in the middle" 2 $?
expect "a preset that ends in the middle says" \
    "share/gpus/v100.json: error: not valid JSON: parse error: premature EOF" \
    "$(sed "s|^$PWD/||; s/json:[0-9]*:/json:/" err)"
finish "full disk"
