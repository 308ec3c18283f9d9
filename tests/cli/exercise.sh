#!/usr/bin/env bash
# exercise: the list, every problem in every form, hint, solution, picture, a checked answer, the workload to run oneself.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# has TEXT: standard output of the last command holds it.
has() { grep -F -e "$1" "$scratch/out" >/dev/null || fail "'$command' does not say '$1'"; }
hasnt() { ! grep -F -e "$1" "$scratch/out" >/dev/null || fail "'$command' says '$1'"; }

# run CODE ARGUMENT...: ends with the code; what it says is in out and err.
run() {
    local code=$1 got
    shift
    command="exercise $*"
    "$COTENANT" exercise "$@" >"$scratch/out" 2>"$scratch/err"
    got=$?
    [ "$got" -eq "$code" ] || fail "'$command' ends with $got instead of $code: $(cat "$scratch/err")"
}

run 0 --format csv
count=$(sed 1d "$scratch/out" | wc -l)
[ "$count" -ge 15 ] || fail "only $count exercises"
names=$(sed 1d "$scratch/out" | cut -d, -f2)

# The teacher's page holds the table as the program prints it, and its course names every exercise.
run 0 --format markdown
while IFS= read -r row; do
    grep -xF -e "$row" "$SOURCE_DIR/docs/exercises/README.md" >/dev/null || fail "not on the teacher's page: $row"
done <"$scratch/out"
course=$(sed -n '/^## A course/,$p' "$SOURCE_DIR/docs/exercises/README.md")
for name in $names; do
    grep -w -e "$name" <<<"$course" >/dev/null || fail "'$name' is in no lesson"
done

# Text fits 80 columns; the problem alone gives nothing away; JSON and Markdown are whole.
number=0
for name in $names; do
    number=$((number + 1))
    run 0 "$name" -c --seed 7
    awk 'length($0) > 80 { exit 1 }' "$scratch/out" || fail "'$command' is wider than 80 columns"
    has "Exercise $number:"
    has "Answer: "
    has "+-"
    [ "$name" = capacity ] && continue # the one that takes a while
    run 0 "$number" --seed 7
    hasnt "Answer: "
    hasnt "Hint: "
done
for name in leftover knapsack; do
    run 0 "$name" --hint
    has "Hint: "
    run 0 "$name" --format json -c --hint
    for key in schema number given question unit hint answer tolerance steps equation mistakes bars; do has "\"$key\":"; done
    if command -v sqlite3 >/dev/null; then
        [ "$(sqlite3 :memory: "SELECT json_valid(readfile('$scratch/out'))")" = 1 ] || fail "'$command': not JSON"
    fi
    run 0 "$name" --format json
    hasnt '"solution"'
    run 0 "$name" --format markdown -c
    has "| given | value |"
    has "Answer: **"
done

# The same seed, the same bytes; another seed, another problem.
"$COTENANT" exercise waves --seed 5 -c >"$scratch/a"
"$COTENANT" exercise waves --seed 5 -c >"$scratch/b"
"$COTENANT" exercise waves --seed 6 -c >"$scratch/c"
cmp -s "$scratch/a" "$scratch/b" || fail "the same seed gives another problem"
! cmp -s "$scratch/a" "$scratch/c" || fail "another seed gives the same problem"

# A checked answer: right, a known mistake, and just wrong. Seed 1 of 'leftover': A 8 ms, two waves of 9 ms, C 1 ms.
run 0 leftover --answer 27
has "27 is right."
hasnt "Answer: "
run 1 leftover --answer 9
has "9 is wrong: B still has blocks to place then."
run 1 leftover --answer 28
has "28 is wrong: too large."
for answer in 27ms '27 ms' 0.027s '54/2' '54 / 2 ms' 27000us 27e6ns; do run 0 leftover --answer "$answer"; done
run 1 leftover --answer 27s
run 2 leftover --answer 27GB
grep "'27GB' is a number of 'GB', and the problem asks for 'ms'" "$scratch/err" >/dev/null || fail "$(cat "$scratch/err")"
run 2 leftover --answer 1/0
run 2 measures --answer 2ms
run 1 leftover --answer 9 --format json
has '"right": false'

# The workload is one that runs, and its run has the answer: C takes 27 ms, and the run ends with B at 35.
run 0 leftover -o "$scratch/w.json"
"$COTENANT" check "$scratch/w.json" >/dev/null || fail "the workload is refused"
"$COTENANT" run "$scratch/w.json" -q --format csv >"$scratch/report" || fail "the workload does not run"
grep ',app,C,latency_ms_mean,27$' "$scratch/report" >/dev/null || fail "C does not take 27 ms in the run"
grep '"duration_s": 0.035,' "$scratch/w.json" >/dev/null || fail "the workload does not end with the problem"
run 0 measures --answer 1.48148 -o "$scratch/w.json" # 2, 9 and 9 ms one after the other: ANTT (1 + 11/9 + 20/9) / 3
"$COTENANT" run "$scratch/w.json" -q --format csv | grep ',antt,1.4814814' >/dev/null || fail "measures: not the ANTT of the lesson"

if command -v gnuplot >/dev/null; then
    run 0 leftover --plot "$scratch/figures"
    has "$scratch/figures/exercise-leftover.svg"
    grep "</svg>" "$scratch/figures/exercise-leftover.svg" >/dev/null || fail "no picture"
    for ((number = 1; number <= count; number++)); do
        run 0 "$number" --plot "$scratch/figures" # every one has a picture; some have "40 %" beside an axis
    done
fi

# What is wrong, and what was meant.
run 2 0
grep "there is no exercise 0; there are 1 to $count" "$scratch/err" >/dev/null || fail "0: $(cat "$scratch/err")"
run 2 99
run 2 -- -1
run 2 leftver
grep "unknown exercise 'leftver', did you mean 'leftover'?" "$scratch/err" >/dev/null || fail "$(cat "$scratch/err")"
run 2 --hint
run 2 waves --format csv
run 2 waves --answer many
run 2 waves --seed -1
run 2 knapsack -o "$scratch/none.json"
grep "'knapsack' asks for no run of a workload" "$scratch/err" >/dev/null || fail "$(cat "$scratch/err")"
[ "$failures" -eq 0 ]
