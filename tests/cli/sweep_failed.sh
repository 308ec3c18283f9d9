#!/usr/bin/env bash
# A point that cannot be run: the others are, it is named at the end and in the store, and tried again the next time.
. "$(dirname "${BASH_SOURCE[0]}")/sweep.bash"
sweep() { "$COTENANT" sweep "$@"; }

# 0.5 s are over before 0.8 s of warm-up are.
sweep_file sweep.json 3 '{"grid": {"duration_s": [1, 0.5, 0.6], "warmup_s": [0.2, 0.8]}}'
for threads in 1 2; do
    sweep sweep.json -o some.db -j $threads >some.txt 2>some.err
    same "exit code" 2 $?
    says some.txt '^load: 4 of 6 points; 2 failed'
    says some.err '^sweep: 4 points stored, '
    says some.err 'error: .*\(point 4 of the sweep: duration_s=0.5, warmup_s=0.8\)'
    says some.err 'error: .*\(point 6 of the sweep: duration_s=0.6, warmup_s=0.8\)'
    says some.err 'warning: 2 of 6 points failed, '
    grep 'duration_s=0.5 warmup_s=0.8' some.txt && fail "a point that failed is in the table"
    same "points in the store" "4 4" "$(query some.db 'SELECT count(*) FROM sweep_latest' | tr '\n' ' ')$(query some.db 'SELECT count(*) FROM sweep_point')"
    same "points that failed" "load 4 load 6 " "$(query some.db "SELECT sweep || ' ' || number FROM sweep_failed WHERE error LIKE '%point ' || number || ' of%'" | tr '\n' ' ')"
    [ $threads = 1 ] && mv some.db one.db
done
same "contents by two threads" "$(contents one.db)" "$(contents some.db)"
sweep sweep.json -o one.db -q --format json >some.json 2>/dev/null
says some.json '"points": 6,$'
says some.json '"points_finished": 4,$'
says some.json '"points_failed": 2,$'
"$COTENANT" report one.db >/dev/null || fail "report of a sweep with points that failed"

# The points that failed are tried again, and nothing else is run.
sweep sweep.json -o one.db >/dev/null 2>again.err
same "exit code of the second time" 2 $?
says again.err 'points stored, 0 runs, 0 reused'
same "contents after the second time" "$(contents some.db)" "$(contents one.db)"
sed -i 's/0\.8/0.4/' sweep.json
sweep sweep.json -o one.db >/dev/null 2>mended.err || fail "the sweep without its mistake"
says mended.err '^sweep: 6 points stored'
same "points that failed, once mended" 0 "$(query one.db 'SELECT count(*) FROM sweep_failed')"

# In which order the values stand does not matter; one that goes with no other is a mistake, and nothing is run.
for order in '"duration_s": [0.5, 1], "warmup_s": [0.2, 0.8]' '"warmup_s": [0.8, 0.2], "duration_s": [0.5, 1]'; do
    sweep_file order.json 3 "{\"grid\": {$order}}"
    rm -f order.db
    sweep order.json -o order.db >order.txt 2>order.err
    says order.txt '^load: 3 of 4 points; 1 failed'
done
sweep_file wrong.json 3 '{"grid": {"warmup_s": [2, 0.2], "duration_s": [0.5, 1]}}'
sweep wrong.json -o wrong.db >wrong.txt 2>wrong.err
same "exit code of a value that goes with no other" 2 $?
says wrong.err 'designs\[0\].grid.warmup_s: error: .warmup_s. of 2 s leaves nothing'
[ ! -s wrong.txt ] || fail "a sweep with a value that goes with no other runs"
# A value that is wrong is named, though it is first looked at beside two that do not go together.
sweep_file unknown.json 3 '{"grid": {"duration_s": [0.5, 1], "warmup_s": [0.8, 0.2], "gpu": ["v100", "nogpu"]}}'
sweep unknown.json -o unknown.db >unknown.txt 2>unknown.err && fail "a sweep over a GPU that nobody knows"
says unknown.err "designs\\[0\\].grid.gpu: error: unknown gpu 'nogpu'"

# Of many the errors of the first ten are said.
sweep_file many.json 3 '{"grid": {"duration_s": [1, 0.3, 0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.37, 0.38, 0.39, 0.4, 0.41], "warmup_s": [0.2, 0.8]}}'
sed -i 's/"mps", "fifo", "baymax"/"mps"/' many.json
sweep many.json -o many.db >/dev/null 2>many.err
same "exit code of many" 2 $?
same "errors of many" 10 "$(grep -c ' error: ' many.err)"
same "points of many that failed" 12 "$(query many.db 'SELECT count(error) FROM sweep_failed')"

# A store that takes no more, here files of 160 KiB, is no point's failure: nothing is run after it.
full='{"grid": {"apps.queue.arrivals.rate_per_s": [50, 100, 120]}}'
sweep_file full.json 600 "$full"
(trap '' XFSZ; ulimit -f 160; exec "$COTENANT" sweep full.json -o full.db -j 1) >full.txt 2>full.err
same "exit code on a full disk" 3 $?
grep -E 'failed|of the sweep' full.txt full.err && fail "a full disk is called a failure of points"
says full.err '^sweep: 0 points stored, 1 runs'
[ ! -s full.txt ] || fail "a sweep of which nothing is stored is shown"

[ "$failures" -eq 0 ]
