#!/usr/bin/env bash
# 'run --blocks': every block of every kernel begins and ends once, no SM holds more than it may, rows come in the order of time,
# a run that is watched is the same run; 'explain --decisions' has the whole log.
. "$SOURCE_DIR/tests/cli/stored_results.bash"
run=(run mix.json --fidelity block --set duration_s=0.5 --set warmup_s=0 -q)

"$COTENANT" "${run[@]}" -p timeslice --format json >plain.json || fail "run"
"$COTENANT" "${run[@]}" -p timeslice --format json --blocks sliced.csv >watched.json || fail "run --blocks"
cmp -s plain.json watched.json || fail "a run whose blocks are watched differs"
begun=$(grep -c slice_begin sliced.csv)
[ "$begun" -gt 20 ] || fail "slices begin $begun times"

"$COTENANT" "${run[@]}" -p mps-caps:caps=solver=60 --timeline t.json --blocks capped.csv -o results.db >/dev/null || fail "run -p mps-caps"
"$COTENANT" explain results.db --decisions | grep 'capped solver at 60 % of the SMs' >/dev/null || fail "the cap is not told in words"
sqlite3 results.db "SELECT count(*) FROM task" >tasks.txt
# A V100 holds 8 blocks of 256 threads on an SM; 60 % of its SMs are 48. Kernels that the end of the run cut short have no task.
# shellcheck disable=SC2016  # awk's own
check='NR == 1 { next }
    $1 < last { print "time goes back at line " NR } { last = $1 }
    $2 == "slice_begin" || $2 == "slice_end" { next }
    { kernel = $3 " " $5 " " $6 }
    $2 != "end" { blocks[kernel] += $9 * ($8 - $7 + 1) }
    $2 == "end" { ended[kernel] += $9 * ($8 - $7 + 1) }
    $2 == "next" { ended[kernel] += $9 * ($8 - $7 + 1) }
    $2 != "next" { for (sm = $7; sm <= $8; sm++) {
        at[sm] += $2 == "begin" ? $9 : -$9; own[$3, sm] += $2 == "begin" ? $9 : -$9
        if (at[sm] < 0 || at[sm] > 8) print at[sm] " blocks on SM " sm " at line " NR } }
    END { for (kernel in blocks) { split(kernel, name, " "); whole = name[1] == "queries" ? 160 : 640
        if (ended[kernel] > blocks[kernel] || blocks[kernel] > whole) print kernel ": " blocks[kernel] " begin, " ended[kernel] " end"
        done += ended[kernel] == whole }
      print done + 0 >"done.txt" }'
grep -v slice_ capped.csv | awk -F, "$check" >faults.txt
[ -s faults.txt ] && fail "mps-caps: $(head -3 faults.txt)"
[ "$(cat done.txt)" = "$(cat tasks.txt)" ] || fail "$(cat done.txt) kernels have all their blocks, $(cat tasks.txt) ended"
awk -F, '$3 == "solver" && $2 == "begin" { for (sm = $7; sm <= $8; sm++) used[sm] = 1 } END { print length(used) }' capped.csv >used.txt
[ "$(cat used.txt)" -ge 48 ] || fail "solver was on $(cat used.txt) SMs"

wants 2 "'--blocks' needs '--fidelity block'" "$COTENANT" run mix.json -p mps -q --blocks b.csv
wants 3 "mix.json: error: is in use" "$COTENANT" "${run[@]}" -p mps --blocks mix.json
wants 2 "name the same file" "$COTENANT" "${run[@]}" -p mps --blocks b.csv --timeline b.csv
wants 3 "cannot write it" "$COTENANT" "${run[@]}" -p mps --blocks missing/b.csv

"$COTENANT" "${run[@]}" -p priority -o log.db >/dev/null || fail "run -p priority"
"$COTENANT" explain log.db --decisions --format csv >log.csv || fail "explain --decisions"
[ "$(($(wc -l <log.csv) - 1))" = "$(sqlite3 log.db "SELECT count(*) FROM decision")" ] || fail "explain --decisions leaves entries out"
grep -q ',hold,solver,.*held task .* of solver:.* of services under way or ready' log.csv || fail "no reason in words: $(head -5 log.csv)"
"$COTENANT" compare mix.json -p priority -o compared.db >/dev/null || fail "compare"
wants 2 "run 2 was stored without its decisions: 'run -o' stores them, 'compare' does not" "$COTENANT" explain compared.db --decisions
wants 2 "'--decisions' are those of a run" "$COTENANT" explain log.db --decisions --app solver
exit $((failures > 0))
