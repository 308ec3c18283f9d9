#!/usr/bin/env bash
# Tables fit 80 columns, hold the same in every format, and have no colours in a pipe; every listed name can be shown.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# names LIST: the first column of its CSV.
names() { "$COTENANT" list "$1" --format csv | sed 1d | cut -d, -f1; }

narrow --help
for what in policies gpus predictors workloads; do
    narrow list $what
    [ "$(names $what | wc -l)" -ge 2 ] || fail "list $what has hardly anything"
    # One object per row, one line of Markdown per row and two of heading.
    rows=$(names $what | wc -l)
    [ "$("$COTENANT" list $what --format json | grep -c '"name":')" -eq "$rows" ] || fail "list $what: JSON rows"
    [ "$("$COTENANT" list $what --format markdown | wc -l)" -eq $((rows + 2)) ] || fail "list $what: Markdown rows"
done
for policy in $(names policies); do narrow show policy "$policy"; done
for gpu in $(names gpus); do narrow show gpu "$gpu"; done
for workload in $(names workloads); do
    "$COTENANT" check "$SOURCE_DIR/workloads/$workload.json" >/dev/null || fail "check $workload"
    narrow check "$SOURCE_DIR/workloads/$workload.json" 2>/dev/null
done
for command in check list show; do narrow $command --help; done

# Facts of the V100: 80 SMs, 900 GB/s.
"$COTENANT" list gpus --format csv | grep >/dev/null '^v100,.*,80,.*,900,' || fail "the V100's numbers"
"$COTENANT" show gpu v100 --format csv | grep >/dev/null '^sms,80,' || fail "the V100's SMs"
if command -v sqlite3 >/dev/null; then
    for what in policies gpus predictors workloads; do
        "$COTENANT" list $what --format json >"$scratch/list.json"
        [ "$(sqlite3 :memory: "SELECT json_valid(readfile('$scratch/list.json'))")" = 1 ] || fail "list $what: not JSON"
    done
fi
[ "$failures" -eq 0 ]
