#!/usr/bin/env bash
# Two writers of one output at the same time: a file is one's or the other's in whole, a store has what both put in.
# COTENANT_ROUNDS=1000 tries each kind that often.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
command -v sqlite3 >/dev/null || { echo "no sqlite3 here"; exit 77; }
rounds=${COTENANT_ROUNDS:-3}
workload 0.05
for policy in mps fifo; do
    "$COTENANT" run w.json --policy $policy --timeline $policy.line -o $policy.db -q >/dev/null || fail "run under $policy"
done
cp "$SOURCE_DIR/traces/dram/hbm2.json" mps.dram.json # one figure each: gnuplot is slow, and every figure is written alike
cp "$SOURCE_DIR/traces/dram/hbm3.json" fifo.dram.json
printf 'when\n0\n1\n2\n' >mps.csv
printf 'when\n0\n3\n9\n12\n' >fifo.csv
for app in mps fifo; do
    echo '{"deviceProperties": [{"id": 0, "name": "Tesla V100-SXM2-16GB"}], "traceEvents": [{"ph": "X", "cat": "kernel", "name":
        "'$app'", "ts": 1, "dur": 5, "args": {"device": 0, "stream": 7, "grid": [80, 1, 1], "block": [64, 1, 1]}}]}' >$app.json
    echo '{"schema": "cotenant.sweep/1", "name": "s", "workload": "w.json", "policies": ["'$app'"],
        "designs": [{"grid": {"gpu.sms": [40, 80]}}]}' >$app.sweep
done

# write KIND WRITER OUTPUT
write() {
    case $1 in
    timeline) "$COTENANT" timeline "$2.db" -q -o "$3" ;;
    html) "$COTENANT" html "$2.db" -q -o "$3" ;;
    csv) "$COTENANT" import arrivals "$2.csv" --column when -q -o "$3" ;;
    json) "$COTENANT" exercise refill --seed ${#2} -o "$3" ;;
    svg) "$COTENANT" plot "$2.dram.json" -q -o "$3" ;;
    results) "$COTENANT" run w.json --policy "$2" -q -o "$3" ;;
    sweep) "$COTENANT" sweep "$2.sweep" -q -o "$3" ;;
    traces) "$COTENANT" import kineto "$2.json" -q -o "$3" ;;
    esac >>out.txt 2>>err.txt || echo "$1: exit code $?" >>errors.txt
}

both() {
    write "$1" mps "$2" &
    write "$1" fifo "$2" &
    wait
}

# rows STORE SQL: of a store that is whole
rows() { sqlite3 "$1" 'PRAGMA integrity_check' "$2" 2>&1 | tr '\n' ' ' | sed 's/ $//'; }

for kind in timeline html csv json svg; do
    torn=0
    [ $kind != svg ] || command -v gnuplot >/dev/null || continue
    for writer in mps fifo; do write $kind $writer $kind-$writer; done
    for ((i = 0; i < rounds; i++)); do
        both $kind $kind-both
        for file in $(cd $kind-both 2>/dev/null && ls); do
            cmp -s $kind-both/$file $kind-mps/$file || cmp -s $kind-both/$file $kind-fifo/$file || torn=$((torn + 1))
        done
        [ -d $kind-both ] || cmp -s $kind-both $kind-mps || cmp -s $kind-both $kind-fifo || torn=$((torn + 1))
    done
    ! diff -rq $kind-mps $kind-fifo >/dev/null || fail "$kind: both writers write the same: this proves nothing"
    expect "torn files of $kind" 0 $torn
done
# Through a link, too: where it leads is replaced in whole, and who may read it stays.
touch file && chmod 600 file && ln -s file link
for ((i = 0; i < rounds + 7; i++)); do
    both timeline link
    cmp -s file timeline-mps || cmp -s file timeline-fifo || fail "round $i: torn through a link"
done
expect "the link and who may read its file" "file 600" "$(readlink link) $(stat -c %a file)"
for kind in results sweep traces; do
    case $kind in
    results) sql="SELECT group_concat(policy) FROM (SELECT policy FROM run ORDER BY policy)" whole="ok fifo,mps" ;;
    sweep) sql="SELECT count(*) FROM run WHERE reps IS NOT NULL" whole="ok 4" ;;
    traces) sql="SELECT count(*) FROM app" whole="ok 2" ;;
    esac
    for ((i = 0; i < rounds; i++)); do
        rm -f both.db
        both $kind both.db
        expect "$kind, round $i" "$whole" "$(rows both.db "$sql")"
    done
done
expect "writers that failed" "" "$(cat errors.txt err.txt 2>/dev/null | grep -v '^[a-z]*: [0-9.]* %' | head -3)"
expect "left behind" "" "$(find . -name '*.part' -o -name '*-journal' | tr '\n' ' ')"
finish "two writers, $rounds rounds of each kind"
