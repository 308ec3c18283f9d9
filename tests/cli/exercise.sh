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

# Every question says in which unit its answer is asked for, in every form.
for name in $names; do
    [ "$name" = capacity ] && continue # the one that takes a while: it says "per s"
    run 0 "$name" --format json
    unit=$(sed -n '/^  "question":/,$s/^  "unit": "\(.*\)".*/\1/p' "$scratch/out")
    question=$(sed -n 's/^  "question": "\(.*\)",$/\1/p' "$scratch/out")
    case "$question " in
    *" $unit "* | *" $unit?"* | *"$unit "*) ;;
    *) [ -z "$unit" ] || fail "$name: '$question' does not say '$unit'" ;;
    esac
done
run 0 tail
has "What is the 99th percentile of the latency, in ms?"
run 0 tail --format markdown
has "**What is the 99th percentile of the latency, in ms? ("

# A checked answer: right, a known mistake, and just wrong. Seed 1 of 'leftover': A 8 ms, two waves of 9 ms, C 1 ms.
run 0 leftover --answer 27
has "27 ms is right."
hasnt "Answer: "
run 1 leftover --answer 9
has "9 ms is wrong: B still has blocks to place then."
run 1 leftover --answer 28
has "28 ms is wrong: too large."
run 1 leftover --answer 27us
has "27us (0.027 ms) is wrong: too small."
for answer in 27ms '27 ms' 0.027s '54/2' '54 / 2 ms' 27000us 27e6ns; do run 0 leftover --answer "$answer"; done
run 1 leftover --answer 27s
for answer in 0.027 27000 27/1000; do
    run 1 leftover --answer "$answer"
    has "$answer is wrong: of which unit? Without one it is of ms."
done
run 1 leftover --answer 0.027 --format json
has '"why": "of which unit?"'
run 1 leftover --answer 0.028
has "0.028 ms is wrong: too small."
run 2 leftover --answer 27GB
grep "'27GB' is a number of 'GB', and the problem asks for 'ms'" "$scratch/err" >/dev/null || fail "$(cat "$scratch/err")"
run 2 leftover --answer 1/0
run 2 measures --answer 2ms
# A rate is typed as people write it.
rate=$("$COTENANT" exercise capacity --format json --solution | sed -n 's/^ *"answer": \([0-9.e+]*\),*$/\1/p')
for answer in "$rate per s" "$rate/s" "$rate 1/s" "$rate Hz" "$(awk "BEGIN { print 60 * $rate }")/min"; do run 0 capacity --answer "$answer"; done
run 1 capacity --answer "$rate/h"
run 2 capacity --answer "$rate ms"
run 1 leftover --answer 9 --format json
has '"right": false'

# The workload is one that runs, and its run has the answer: C takes 27 ms, and the run ends with B at 35.
run 0 leftover -o "$scratch/w.json"
"$COTENANT" check "$scratch/w.json" >/dev/null || fail "the workload is refused"
"$COTENANT" run "$scratch/w.json" -q --format csv >"$scratch/report" || fail "the workload does not run"
grep ',app,C,latency_ms_mean,27$' "$scratch/report" >/dev/null || fail "C does not take 27 ms in the run"
grep ',antt,9.7654' "$scratch/report" >/dev/null || fail "leftover: not the slowdowns of the lesson, (1 + 35/27 + 27) / 3"
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

# A class: a sheet with numbers of its own for each, what gives answers away lies apart, the key keeps the seeds.
printf 'student,name\nada,Ada L.\nbob,\n' >"$scratch/roster.csv"
sheets=$scratch/sheets
run 0 waves measures --class "$scratch/roster.csv" -o "$sheets"
[ "$(cd "$sheets" && find . -type f | sort | tr '\n' ' ')" = "./students/ada.md ./students/bob.md ./teacher/ada.md ./teacher/blank-answers.csv ./teacher/bob.md ./teacher/key.csv ./teacher/questions.gift " ] || fail "files: $(find "$sheets")"
has "2 sheets of 2 exercises in"
[ "$(cat "$sheets/teacher/blank-answers.csv")" = "$(printf 'student,exercise,answer,expected_unit\nada,waves,,ms\nada,measures,,\nbob,waves,,ms\nbob,measures,,\n')" ] ||
    fail "blank answers: $(cat "$sheets/teacher/blank-answers.csv")"
grep -F "**How long does the kernel take in its partition, in ms?**" "$sheets/teacher/questions.gift" >/dev/null || fail "no unit in the question for Moodle"
grep "^# Exercises for Ada L.$" "$sheets/students/ada.md" >/dev/null || fail "no name on the sheet"
[ "$(grep -c '^## ' "$sheets/students/bob.md")" = 2 ] || fail "not two exercises on the sheet"
! grep -E 'Answer|Solution|seed' "$sheets"/students/*.md || fail "a sheet gives something away"
! cmp -s <(sed 1d "$sheets/students/ada.md") <(sed 1d "$sheets/students/bob.md") || fail "two students have the same numbers"
while IFS=, read -r student name seed answer _; do
    grep -F "Answer: **$(printf %g "$answer")" "$sheets/teacher/$student.md" >/dev/null || fail "$student, $name: the key says $answer" >&2
    run 0 "$name" --seed "$seed" --format markdown
    grep -F "$(grep -m1 '| [^|]* | [0-9]' "$scratch/out")" "$sheets/students/$student.md" >/dev/null || fail "$student, $name: the sheet is not of this seed" >&2
    run 0 "$name" --seed "$seed" --answer "$answer"
    printf '%s,%s,%s\n' "$student" "$name" "$answer"
done < <(sed 1d "$sheets/teacher/key.csv") >"$scratch/right.csv"
[ "$(wc -l <"$scratch/right.csv")" = 4 ] || fail "the key has not four problems"
[ "$(grep -c '^::' "$sheets/teacher/questions.gift")" = 4 ] || fail "not four questions"
{ cat "$scratch/roster.csv" && echo cy,; } >"$scratch/more.csv"
cp -r "$sheets" "$scratch/before"
run 0 waves measures --class "$scratch/roster.csv" -o "$sheets"
diff -r "$scratch/before" "$sheets" >/dev/null || fail "the key does not keep the seeds"
run 0 waves measures --class "$scratch/more.csv" -o "$sheets"
cmp -s "$scratch/before/students/ada.md" "$sheets/students/ada.md" || fail "a new student changes the sheets of others"

# Marks: what is right, a known mistake, nothing; units; the last one counts.
answer=$(sed -n 's/^ada,waves,//p' "$scratch/right.csv")
wrong=$(grep -A 2 '^::waves bob' "$sheets/teacher/questions.gift" | sed -n 's/^=%0%\([0-9.]*\):.*/\1/p')
{ echo student,exercise,answer && grep ',measures,' "$scratch/right.csv" && echo ada,waves,1 && echo "ada,waves,${answer}ms" && echo "bob,2,$wrong"; } >"$scratch/answers.csv"
run 0 --marks "$scratch/answers.csv" --key "$sheets/teacher/key.csv" --format csv
for row in "ada,waves,${answer}ms,1," ",measures,.*,1," "bob,waves,$wrong,0,time does not simply grow" "cy,waves,,0,no answer"; do
    grep -e "$row" "$scratch/out" >/dev/null || fail "marks: no '$row' in $(cat "$scratch/out")"
done
{ echo student,exercise,answer && awk -v answer="$answer" 'BEGIN { print "ada,waves," answer / 1000 }'; } >"$scratch/units.csv"
run 0 --marks "$scratch/units.csv" --key "$sheets/teacher/key.csv" --format csv
grep -e "^ada,waves,.*,0,of which unit? expected ms" "$scratch/out" >/dev/null || fail "an answer in seconds: $(cat "$scratch/out")"
run 0 --marks "$sheets/teacher/blank-answers.csv" --key "$sheets/teacher/key.csv" --format csv
[ "$(grep -c ',0,no answer' "$scratch/out")" = 6 ] || fail "blank answers: $(cat "$scratch/out")"
echo ada,caps,3 >>"$scratch/answers.csv"
run 3 --marks "$scratch/answers.csv" --key "$sheets/teacher/key.csv"
grep "the key has no exercise 'caps' of a student 'ada'" "$scratch/err" >/dev/null || fail "$(cat "$scratch/err")"
printf 'student\n../ada\n' >"$scratch/roster.csv"
run 3 --class "$scratch/roster.csv" -o "$sheets"
printf 'student\nada\nada\n' >"$scratch/roster.csv"
run 3 --class "$scratch/roster.csv" -o "$sheets"
run 2 --class "$scratch/roster.csv"
run 2 --marks "$scratch/answers.csv"
run 2 waves caps
run 2 waves --key k

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
