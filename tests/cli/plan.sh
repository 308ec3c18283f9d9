#!/usr/bin/env bash
# plan: the same bytes with any number of threads, its forms, its figure, and what an interruption leaves.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

sed "s/SECONDS/$((${COTENANT_SMALL:-0} ? 3 : 5))/" >mix.json <<'JSON'
{"gpu": "rtx2080ti", "duration_s": SECONDS, "warmup_s": 0.5,
 "apps": [{"name": "queue", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 200},
           "synthetic": {"blocks": 272, "threads": 256, "duration_ms": {"dist": "exponential", "mean": 1}}},
          {"name": "work", "role": "batch", "synthetic": {"blocks": 272, "threads": 256, "duration_ms": 2}}]}
JSON
tolerance=$((${COTENANT_SMALL:-0} ? 40 : 10))
plan() { "$COTENANT" plan mix.json --quiet --policies fifo,priority --max-reps 10 --tolerance "$tolerance" "$@"; }

plan --find max-rate:queue --frontier figure >one.txt || fail "plan"
plan --find max-rate:queue -j 2 >two.txt || fail "plan with two threads"
cmp one.txt two.txt || fail "two threads give other bytes than one"
says one.txt "^  priority +[0-9.]+/s +[0-9.]+/s"
says one.txt "Frontier: fifo"
tr -s '\n ' ' ' <one.txt >one.line
says one.line "assumed, queue: by time on the GPU, durations 100 % assumed; geometry 100 % assumed; memory demand 100 % unknown; host gaps 100 % assumed"
says one.line "assumed, rtx2080ti: keys of memory and link: .*dram_line_slope"
says one.line "sensitivity, priority: kernels 5 % longer: [0-9.]+; as they are: [0-9.]+; 5 % shorter"
awk 'length > 80 { print FILENAME ": " $0; wide = 1 } END { exit wide }' one.txt || fail "a line beyond 80 columns"
[ -s figure/capacity.dat ] || fail "no data of the figure"
if command -v gnuplot >/dev/null; then
    [ -s figure/capacity.svg ] || fail "no figure"
    grep >/dev/null 'scale(0.00)' figure/capacity.svg && fail "points of no size, which readers of SVG refuse"
fi

plan --find gpus --set apps.queue.arrivals.rate_per_s=1500 --error 0 >gpus.txt || fail "plan gpus"
says gpus.txt "each gets"
says gpus.txt "^  priority +[0-9]+ +[0-9]+ "
plan --find batch-instances:work --error 0 --most 4 --format csv >instances.csv || fail "plan batch-instances"
says instances.csv "^policy,kernel_scale,amount,verdict"
says instances.csv "^priority,1,4,holds,p99,holds,"
plan --find gpu:gtx1080ti,v100 --error 0 --format json >gpu.json || fail "plan gpu"
says gpu.json '"holds": "(gtx1080ti|v100)"'
plan --find gpu:gtx1080ti,v100 --error 0 --format markdown >gpu.md || fail "plan gpu in Markdown"
says gpu.md '^\| gtx1080ti \|'

# A GPU on which a kernel fits nowhere is no answer, and the next one is asked.
plan --find gpu:gtx1080ti,h100 --set gpu=h100 --set apps.queue.synthetic.smem_bytes=100000 --error 0 >fit.txt ||
    fail "plan past a GPU that cannot run it"
says fit.txt "gtx1080ti cannot run it: kernel"
says fit.txt "^ +gtx1080ti +misses +no fit "
says fit.txt "^ +(fifo|priority) +h100 "

# The lower bound of the rate that is known remains, with exit code 130.
"$COTENANT" plan mix.json --find max-rate:queue --quiet --set duration_s=200 >cut.txt 2>cut.err &
pid=$!
sleep 2
kill -INT "$pid"
wait "$pid"
status=$?
[ "$status" -eq 130 ] || fail "an interruption ends with $status"
says cut.err "interrupted: what is known so far is shown"
says cut.txt "interrupted; this is what is known so far"
[ "$failures" -eq 0 ]
