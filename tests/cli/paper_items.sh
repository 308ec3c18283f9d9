#!/usr/bin/env bash
# Every published number that the project set out to stand beside its own, with its verdict, is an item of its paper and
# stands in the committed report, or is told to be left out; no item is there twice or unannounced.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# Item and verdict; two letters where parts of it differ.
wanted='baymax-2a B
baymax-2b B
baymax-3b B
baymax-8 A
baymax-9 A
baymax-11 B
baymax-11c B
baymax-12 B
baymax-13 B
baymax-14 B
baymax-15 B
baymax-195 B
laius-2 B
laius-5 C
laius-12 B
laius-13 B
laius-14 B
laius-15 B
hsm-3 A
hsm-4 A
bank A
hsm-10 B, others C
hsm-11a B
hsm-11b B
hsm-12a B
hsm-12b B
hsm-13 B
hsm-15 B
hsm-65 B
cqos-3 B
cqos-4 B
cqos-6 C
cqos-7 B
cqos-8 B
cqos-9 B
cqos-10 B
cqos-11 B'

report_of() {
    case $1 in
    baymax) echo "$SOURCE_DIR/docs/paper-report-baymax.md" ;;
    laius) echo "$SOURCE_DIR/docs/paper-report-services.md" ;;
    *) echo "$SOURCE_DIR/docs/paper-report.md" ;;
    esac
}

for paper in baymax laius hsm cqos; do
    "$COTENANT" paper "$paper" --list --format json >"$paper.json" || fail "the items of $paper"
    awk -F'"' '$2 == "item" { item = $4 } $2 == "verdict" { print item " " $4 }' "$paper.json" | sort -u >"$paper.items"
    others=$paper
    [ "$paper" != hsm ] || others=bank # no number of the paper's: whether its Eq. 5 holds
    printf '%s\n' "$wanted" | grep -E "^($paper-|$others )" | sort >"$paper.wanted"
    cmp -s "$paper.items" "$paper.wanted" || fail "items of $paper: $(diff "$paper.items" "$paper.wanted")"
    while read -r item verdict; do
        report=$(report_of "$paper")
        [ "$(grep -c "^| $item |" "$report")" -gt 0 ] || fail "no row of $item in $report"
        grep "^- $item (.*), verdict $verdict\\." "$report" >/dev/null || fail "no verdict $verdict of $item in $report"
    done <"$paper.wanted"
    # A measure without a value is one that was not run; or it is of those that miss, or are raised, and none does.
    awk -F'|' -v paper="$paper" '$2 ~ "^ " paper "-" && $5 ~ /^ *-? *$/ && $3 !~ / of those that miss| when it is raised/ {
            print; bad = 1 } END { exit bad }' \
        "$(report_of "$paper")" || fail "a row of $paper has no value"
done
# What is an input of ours, not a result.
grep 'baymax-2, the target of 150 ms, is an input' "$SOURCE_DIR/docs/paper-report-baymax.md" >/dev/null ||
    fail "baymax-2 is not accounted for"
[ "$failures" -eq 0 ]
