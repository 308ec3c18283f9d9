#!/usr/bin/env bash
# Patterns of the policy `rule` are those of workload files, and the report says of those that match nothing, and of shares that
# are no part of the SMs.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

printf '{"schema": "cotenant.workload/1", "gpu": {"base": "k40", "sms": 20, "threads_per_sm": 256}, "duration_s": 0.02, "decision_cost": "none",
"defaults": {"role": "batch", "arrivals": {"process": "once"}, "synthetic": {"blocks": 20, "threads": 256, "duration_ms": 2, "unit_fraction": 0,
"dram_fraction": 0}}, "apps": [{"name": "qwen"}, {"name": "Vit"}]}' >w.json

# rule_report TEXT: of a run under it, in `report`; the first application to end in `first`.
rule_report() {
    printf '%s\n' "$1" >mine.rule
    "$COTENANT" run w.json --policy rule:file=mine.rule --quiet -o r.db --timeline t.json >report 2>err || fail "$1: $(cat err)"
    first=$(sqlite3 r.db "SELECT a.name FROM task t JOIN app a ON a.run = t.run AND a.position = t.app ORDER BY t.ended_ps LIMIT 1")
    rm -f r.db t.json
}

# Without a rule the first of the file goes first; each of these patterns is a name of the other one.
for pattern in Vit vit VIT 'V?t' '*T'; do
    rule_report "first: app(\"$pattern\")"
    [ "$first" = Vit ] || fail "'$pattern' does not match Vit: $first goes first"
    says report 'patterns_unmatched: 0'
    grep -q 'is one misspelt' report && fail "'$pattern': a notice: $(tail -5 report)"
done
rule_report 'first: app("vitt") + kernel("*gemm*")'
[ "$first" = qwen ] || fail "a pattern that matches nothing has an effect: $first goes first"
says report 'patterns_unmatched: 2'
says report '2 of the patterns in app\("..."\) and kernel\("..."\)'
rule_report 'first: app.priority'
grep -q 'patterns_unmatched' report && fail "a rule without patterns has a count of them"

# A share that is written as a number is refused where it stands, one that depends on the kernel is counted.
printf 'pass: 1\nshare: 50\n' >mine.rule
"$COTENANT" run w.json --policy rule:file=mine.rule --quiet >report 2>err
[ $? = 2 ] || fail "a share of 50 runs"
says err 'line 2, column 8: a share is more than 0 and at most 1, or 100%'
rule_report 'share: if(app("qwen"), 50, 50%)'
says report 'shares_out_of_range: 1'
says report '1 kernels? of a run had a share of 0 or less, or more than 1'
rule_report 'share: if(app("qwen"), 100%, 50%)'
says report 'shares_out_of_range: 0'
grep -q 'had a share' report && fail "shares within their range: a notice: $(tail -5 report)"

[ "$failures" = 0 ] && echo "rule: patterns as in workload files, shares within their range"
[ "$failures" = 0 ]
