#!/usr/bin/env bash
# Replications until an interval is narrow enough, a warm-up that is found, a baseline: what they say, and the same bytes
# with any number of threads.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# An M/M/1 queue at load 0.5, 5,000 jobs a replication.
cat >queue.json <<'JSON'
{"gpu": "rtx2080ti", "duration_s": 10.5, "warmup_s": 0.5, "policy": "fifo",
 "apps": [{"name": "queue", "role": "service", "qos_ms": 50, "arrivals": {"process": "poisson", "rate_per_s": 500},
           "synthetic": {"blocks": 272, "threads": 256, "duration_ms": {"dist": "exponential", "mean": 1}}}]}
JSON
run() { "$COTENANT" run queue.json --quiet --no-blame "$@"; }

run --precision 3% >one.txt || fail "run --precision"
run --precision 3 -j 2 >two.txt || fail "run --precision with two threads"
cmp one.txt two.txt || fail "two threads give other bytes than one"
says one.txt "'queue': p99 within [0-9.]+ % after [0-9]+ replications; 3 % was asked"
says one.txt "queue +[0-9]+ .*\[[0-9.]+, [0-9.]+\]"

run --precision 0.5% --max-reps 12 | tr -s '\n ' ' ' >more.line
says more.line "'queue': p99 within [0-9.]+ % after 12 replications; about [0-9]+ more would make it the 0.5 % asked"

run --set apps.queue.arrivals.rate_per_s=1200 --precision 3% >over.txt 2>over.err
says over.txt "10 replications"
says over.txt "OVERLOADED queue"
says over.txt "'queue': no number of replications gives its p99 a precision"

run --set duration_s=2 >short.txt
tr -s '\n ' ' ' <short.txt >short.line
says short.line "'queue': too short for an interval of its p99: [0-9]+ jobs, and about [0-9]+ are needed, which is --reps [0-9]+ [(]an estimate; it may rise[)]"

run --set warmup_by=mser5 >mser.txt
says mser.txt "warm-up by MSER-5: the first [0-9.]+ s are cut off"
run --set apps.queue.arrivals.rate_per_s=900 --set warmup_by=mser5 --reps 4 >mser1.txt
run --set apps.queue.arrivals.rate_per_s=900 --set warmup_by=mser5 --reps 4 -j 2 >mser2.txt
cmp mser1.txt mser2.txt || fail "two threads find other warm-ups than one"
says mser1.txt "warm-up by MSER-5: the first [0-9.]+ to [0-9.]+ s of the replications"

compare() { "$COTENANT" compare queue.json --quiet --no-blame --policies fifo,mps,priority "$@"; }
compare --reps 3 --baseline mps >baseline.txt || fail "compare --baseline"
says baseline.txt "fifo against mps"
says baseline.txt "priority against mps"
grep "against fifo" baseline.txt >/dev/null && fail "a pair without the baseline"
[ "$(compare --reps 3 --baseline mps --format csv | grep -c ',mps,')" -gt 5 ] || fail "pairs of the baseline in CSV"
compare --precision 5% -j 2 >compare2.txt || fail "compare --precision"
compare --precision 5% >compare1.txt
cmp compare1.txt compare2.txt || fail "two threads compare other bytes than one"
says compare1.txt "'queue': p99 within"
awk 'length > 80 { print FILENAME ": " $0; wide = 1 } END { exit wide }' ./*.txt || fail "a line beyond 80 columns"
[ "$failures" -eq 0 ]
