#!/usr/bin/env bash
# The completion offers commands, choices and options, as bash itself would ask for them.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
. "$SOURCE_DIR/share/completion/cotenant.bash"

# complete_words WORDS... EXPECTED: the last word is being typed.
complete_words() {
    expected=${*: -1}
    COMP_WORDS=("${@:1:$#-1}")
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    _cotenant
}

# offers WORDS... EXPECTED
offers() {
    complete_words "$@"
    [ "${COMPREPLY[*]}" = "$expected" ] || fail "'${COMP_WORDS[*]}' offers '${COMPREPLY[*]}' instead of '$expected'"
}

# count WORDS... N: so many are offered.
count() {
    complete_words "$@"
    [ "${#COMPREPLY[@]}" -eq "$expected" ] ||
        fail "'${COMP_WORDS[*]}' offers ${#COMPREPLY[@]} words instead of $expected: ${COMPREPLY[*]}"
}

offers cotenant che "check"
offers cotenant exer "exercise"
offers cotenant --v "--version"
offers cotenant list p "policies predictors"
offers cotenant show g "gpu"
offers cotenant list --format "" "text json csv markdown"
offers cotenant list -f j "json"
offers cotenant check --se "--set"

# Names: policies (of a list the last one), GPUs, memories, placements, exercises, aims.
offers cotenant run w.json --policy baymax-p "baymax-plus"
offers cotenant compare w.json -p timeslice,lai "timeslice,laius timeslice,laius-nb timeslice,laius-nc"
offers cotenant compare w.json --baseline mps-e "mps-even"
offers cotenant import nsys f --gpu h2 "h200"
offers cotenant dram --preset hbm "hbm2 hbm3"
offers cotenant cluster c.json --placement random,hun "random,hungarian"
offers cotenant plan w.json --find gpu "gpus gpu:"
offers cotenant exercise left "leftover"
offers cotenant show policy cq "cqos"
offers cotenant show gpu rtx30 "rtx3060 rtx3080 rtx3090"
offers cotenant run w.json --color a "auto always"
offers cotenant run w.json --fidelity = bl "block"
count cotenant run w.json --policy "" "$("$COTENANT" list policies --format csv | sed 1d | wc -l)"
count cotenant dram --seed "" 0
count cotenant import nsys f --gpu "" "$("$COTENANT" list gpus --format csv | sed 1d | wc -l)"
count cotenant "" $(($("$COTENANT" --help | sed -n '/^Commands:/,/^$/p' | grep -c '^  [a-z]') + 2))

# Files by their endings, and folders.
touch mix.json results.db pairs.csv mine.so notes.txt
mkdir mixed
offers cotenant check mi "mix.json mixed"
offers cotenant check re ""
offers cotenant report re "results.db"
offers cotenant run mix.json -o "" "mixed results.db"
offers cotenant run mix.json --policy mi "mig mine.so mixed"
offers cotenant calibrate pa "pairs.csv"
offers cotenant plot results.db -o "" "mixed"
offers cotenant trace show re "results.db"
offers cotenant trace sh "show"
offers cotenant import nsys no "notes.txt"
offers cotenant run mix.json --seed "" ""

# Every option of every command that its help knows.
for command in $("$COTENANT" --help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    known=$("$COTENANT" "$command" --help | grep -oE '^  (-.,|   ) --[a-z-]+' | grep -o -e '--.*' | tr '\n' ' ')
    offers cotenant "$command" -- "${known% }"
    "$COTENANT" "$command" --help | sed -nE 's/^  (-.), --([a-z-]+).*/\1 \2/p' >>letters
done

# A letter means one thing in all commands: decision 0015 names the two that have two words for it.
ambiguous=$(sed 's/ policies$/ policy/; s/ frontier$/ output/' letters | sort -u | cut -d' ' -f1 | uniq -d)
[ -z "$ambiguous" ] || fail "letters with two meanings: $ambiguous"
[ "$failures" -eq 0 ]
