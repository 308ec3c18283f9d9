#!/usr/bin/env bash
# Every column of a table that results are read from is a word of the glossary (`list measures`), under its command.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
"$COTENANT" list measures >reference.md || fail "list measures"

# has SECTION: the headings of the tables in standard input, which is Markdown, stand in a section of the glossary.
has() {
    local heading found=0
    awk -v section="### .*\`$1\`" '/^## Glossary/ { glossary = 1 } /^###/ { own = glossary && $0 ~ section } own' reference.md >section.md
    while IFS= read -r heading; do
        found=$((found + 1))
        grep -qF "| \`$heading\` |" section.md || fail "no word for the column '$heading' of $1"
    done < <(awk -F' *[|] *' '/^\|[-:|]+\|$/ { n = split(head, cell); for (i = 2; i < n; i++) if (cell[i] != "") print cell[i] } { head = $0 }' | sort -u)
    [ "$found" -gt "$2" ] || fail "only $found columns of $1: the test sees too little"
}

"$COTENANT" check mix.json --format markdown | has check 5
"$COTENANT" run mix.json -p priority -q --format markdown | has run 15
"$COTENANT" run "$SOURCE_DIR/workloads/questions/chat.json" -q --no-blame --set duration_s=4 --format markdown | has run 20
"$COTENANT" compare mix.json --policies fifo,priority --reps 2 -q --bands 4 --format markdown | has compare 10
cat >sweep.json <<'JSON'
{"schema": "cotenant.sweep/1", "name": "load", "workload": "mix.json", "policies": ["fifo"], "set": {"duration_s": 2},
 "designs": [{"grid": {"apps.queries.arrivals.rate_per_s": [10, 20]}}]}
JSON
"$COTENANT" sweep sweep.json -o sweep.db -q --format markdown | has sweep 5
cat >small.json <<'JSON'
{"schema": "cotenant.workload/1", "gpu": "a100", "duration_s": 4, "warmup_s": 0.5, "apps": [
  {"name": "q", "role": "service", "qos_ms": 100, "arrivals": {"process": "deterministic", "rate_per_s": 50}, "synthetic":
   {"blocks": 216, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 4}},
  {"name": "b", "synthetic": {"blocks": 8640, "threads": 256, "registers_per_thread": 32, "compute_fraction": 1, "duration_ms": 20}}]}
JSON
"$COTENANT" plan small.json --find max-rate:q --policies mps --error 0 --budget 1M -q --format markdown | has plan 10
"$COTENANT" advise small.json -q --format markdown | has advise 5
"$COTENANT" run mix.json -p baymax -q -o mine.db >/dev/null && "$COTENANT" explain mine.db --decisions --format markdown | has explain 3
[ "$failures" -eq 0 ]
