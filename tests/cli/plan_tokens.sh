#!/usr/bin/env bash
# plan and advise of a service that generates tokens, by the targets of its tokens; counted by hand.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
. "$SOURCE_DIR/tests/whole/continuous/steps.bash"

# A prompt of 100 tokens takes 2 ms, each of the two tokens after the first 1 ms while the request is alone.
cat >chat.json <<'JSON'
{"gpu": "k40", "duration_s": 2,
 "apps": [
  {"name": "chat", "role": "service", "arrivals": {"process": "deterministic", "rate_per_s": 300},
   "server": {"continuous": {"cache_blocks": 100, "max_tokens": 200, "max_sequences": 4, "tpot_ms": 1.6,
     "prompt_tokens": 100, "output_tokens": 3,
     "prefill": [{"tokens": 100, "trace": "steps.db#of-2-ms"}, {"tokens": 200, "trace": "steps.db#of-4-ms"}],
     "decode": [{"batch": 1, "trace": "steps.db#of-1-ms"}, {"batch": 3, "trace": "steps.db#of-2-ms"}]}}}]}
JSON
plan() { "$COTENANT" plan chat.json --quiet --find gpu:k40 --policies mps --error 0 "$@"; }

# Of 300 a second a request comes every 3.33 ms, and its prompt goes before the last token of the one before it, which takes two tokens of
# 1 ms and that prompt, (1 + 2 + 1) / 2 = 2 ms each, or more. Of 150 it has 6.67 ms, and is alone.
plan --format csv >many.csv && fail "plan by tpot_ms"
says many.csv "^mps,1,k40,misses,p99,,[0-9]+,chat,.*,tpot_ms,"
plan --set apps.chat.arrivals.rate_per_s=150 --format csv >few.csv || fail "plan by tpot_ms"
says few.csv "^mps,1,k40,holds,p99,holds,[0-9]+,chat,[0-9]+,0.625,.*,tpot_ms,"

# Of two targets the one decides that is nearer: 2 of 3 ms to the first token, 1 of 1.6 ms for each after it.
plan --set apps.chat.arrivals.rate_per_s=150 --set apps.chat.server.continuous.ttft_ms=3 >both.txt || fail "plan by both"
says both.txt "^  mps +k40 +k40 +- +0[.]667 "
says both.txt "^  mps: at k40 'ttft_ms' of 'chat' decides$"

# Nothing helps a target that a prompt alone does not keep, and the cause is of that target.
plan --set apps.chat.arrivals.rate_per_s=150 --set apps.chat.server.continuous.ttft_ms=1.9 --format json >never.json 2>never.err
[ $? -eq 3 ] || fail "status where no prompt is fast enough"
tr -s '\n ' ' ' <never.json >never.line
says never.line '"guess": null, '
says never.line '"cause": [{] ?"service": "chat", "target": "ttft_ms", "target_ms": 1[.]9, "p99_ms": 2, "alone_p99_ms": null,'

# An advice asks for the same, beside batch work of 1 ms kernels: alone in time nothing delays a token by more than what a slice is.
"$COTENANT" advise chat.json --quiet --set apps.chat.arrivals.rate_per_s=100 --format csv >advice.csv || fail "advise"
says advice.csv ",MPS,mps,,holds,[0-9]+,[0-9]+,chat,0.625,.*,tpot_ms,"
"$COTENANT" advise chat.json --quiet --set apps.chat.arrivals.rate_per_s=100 --set apps.chat.server.continuous.tpot_ms=0.9 >misses.txt
says misses.txt "the p99 of 'chat tpot_ms' is 1[.]111 of its target"
says misses.txt "^  a GPU each [(]1[)] +open +- "

# A run says the same of its own: with a request every 3.33 ms two or three are there, and each prompt of 2 ms goes before their tokens.
"$COTENANT" run chat.json --quiet --set apps.chat.server.continuous.ttft_ms=4 >run.txt || fail "run with targets of tokens"
says run.txt "^  met chat, TTFT: p99 of [0-9.]* ms is 0[.][0-9]* of its target of 4 ms$"
says run.txt "^  VIOLATED chat, TPOT: p99 of 4 ms is 2[.]5 of its target of 1[.]6 ms$"

# And a comparison: alone nobody differs, and the target that is missed is missed by both.
"$COTENANT" compare chat.json --quiet --policies mps,priority --reps 2 >compare.txt || fail "compare by targets of tokens"
says compare.txt "^  mps +chat TPOT +2[.]50! "

# Twice as many as it can serve: who comes after the first of two seconds has no token when the second one ends, and an age of 1 to 1000 ms.
"$COTENANT" run chat.json --quiet --format csv --set warmup_s=1 --set apps.chat.arrivals.rate_per_s=1000 \
    --set apps.chat.server.continuous.max_tokens=100 --set apps.chat.server.continuous.output_tokens=1 >overload.csv
says overload.csv ",tokens_first_ms_p50,500$"
says overload.csv ",tokens_first_ms_p99,990$"


# Their first tokens are known from below, in the time and as part of the target; the tokens that came are not.
overload() {
    "$COTENANT" "$1" chat.json --quiet --set apps.chat.arrivals.rate_per_s=800 --set apps.chat.server.continuous.ttft_ms=4 \
        "${@:2}" 2>overload.err
}
overload run >overload.txt
says overload.txt "^  VIOLATED chat, TTFT: p99 of >[0-9.]* ms is >[0-9.]* of its target of 4 ms$"
says overload.txt "^  VIOLATED chat, TPOT: p99 of [0-9.]* ms is [0-9.]* of its target of 1[.]6 ms$"
says overload.txt "^  chat +[0-9.]+ +>[0-9.]+ +>[0-9.]+ +[0-9.]+ +[0-9.]+ "
overload compare --policies mps --reps 2 >overload.txt
says overload.txt "^  mps +chat TTFT +>[0-9.]+! "
says overload.txt "^  +chat TPOT +[0-9.]+! "

# Each token after the first comes within 100 ms, whatever waits. What is within a long target of the first may not stay there.
long=(--set apps.chat.server.continuous.ttft_ms=100000 --set apps.chat.server.continuous.tpot_ms=100)
overload run "${long[@]}" >overload.txt
tr -s '\n ' ' ' <overload.txt >overload.line
says overload.line " open chat, TTFT: p99 of >[0-9.]* ms is >0[.][0-9]* of its target of 100000 ms; overloaded met chat, TPOT: p99 of [0-9.]* ms is 0[.]"
overload compare "${long[@]}" --policies mps --reps 2 >overload.txt
says overload.txt "^  mps +chat TTFT +>[0-9.]+ "
says overload.txt "^  +chat TPOT +[0-9.]+ "

# Nobody waits for a first token where prompts are few and outputs endless: of 2 a second over 2 s each has its own 2 ms after it came,
# with a step of 1 to 2 ms before its prompt's. That the outputs do not end is no matter of theirs.
overload run "${long[@]}" --set apps.chat.arrivals.rate_per_s=2 --set apps.chat.server.continuous.output_tokens=10000 \
    --set apps.chat.server.continuous.cache_blocks=100000 --set apps.chat.server.continuous.max_tokens=20000 --set apps.chat.server.continuous.ttft_ms=10 >endless.txt
says endless.txt "^  met chat, TTFT: p99 of [234][0-9.]* ms is 0[.][234][0-9]* of its target of 10 ms$"
tr -s '\n ' ' ' <endless.txt >endless.line
says endless.line " open chat, TPOT: no p99 to hold against its target of 100 ms, since it is known of no job; overloaded "

# Who is cut off by the end of the run has had its tokens in time all the same, in a plan as in a run. 2500 tokens: of the first request 1890 at
# 1 ms each while it is alone, then at 1.5 ms, 1.12 ms on average, or 0.70 of its target. The second one has not ended after twice the run, and its
# latency is at least its age.
printf '%s\n' seconds 0.01 1.9 >two.csv
sed 's|"arrivals": {[^}]*}|"arrivals": {"process": "trace", "file": "two.csv", "column": "seconds", "replay": true}|' chat.json >two.json
two() {
    "$COTENANT" "$1" two.json --quiet --set apps.chat.server.continuous.output_tokens=2500 --set apps.chat.server.continuous.cache_blocks=1000 \
        --set apps.chat.server.continuous.max_tokens=4000 --set apps.chat.server.continuous.ttft_ms=100 "${@:2}" 2>two.err
}
two_plan() { two plan --find gpu:k40 --policies mps --error 0 --bands 0 --reps 2 --max-reps 2 "$@"; }
two run --set apps.chat.qos_ms=3000 >two.txt
says two.txt "^  UNFINISHED chat: "
says two.txt "^  open chat: p99 of >[0-9]* ms is >0[.]936 of"
says two.txt "^  met chat, TTFT: "
says two.txt "^  met chat, TPOT: p99 of 1[.]1[0-9]* ms is 0[.]70[0-9]* of"
two_plan >two.txt || fail "a plan whose tokens are in time: $(cat two.err)"
says two.txt "^  mps +k40 +- +- +0[.]70[0-9]* "
two_plan --set apps.chat.qos_ms=3000 >two.txt || fail "a plan whose request is not late yet: $(cat two.err)"
says two.txt "^  mps +k40 +- +- +>0[.]936[0-9]* "
two_plan --set apps.chat.qos_ms=2000 >two.txt
says two.txt "^ +k40 +misses +overload "

# The load of a server is that of its best batches: 1500 requests a second in batches of 8 that take 4 ms, and of 4 that take, between
# 1 and 4 ms, 1 + 3 x 3 / 7. What a request of tokens takes no single step says.
cat >batch.json <<'JSON'
{"gpu": "k40", "duration_s": 2, "apps": [{"name": "a", "role": "service", "arrivals": {"process": "poisson", "rate_per_s": 1500},
  "server": {"max_batch": 8, "batches": [{"size": 1, "trace": "steps.db#of-1-ms"}, {"size": 8, "trace": "steps.db#of-4-ms"}]}}]}
JSON
load() {
    "$COTENANT" check "$@" --format csv 2>load.err | cut -d, -f7 | tail -1
}
[ "$(load batch.json)" = 0.750 ] || fail "the load of batches of 8: $(load batch.json)"
[ "$(load batch.json --set apps.a.server.max_batch=4)" = 0.857 ] || fail "the load of batches of 4"
grep overloaded load.err && fail "a server that keeps up is called overloaded"
load batch.json --set apps.a.arrivals.rate_per_s=2200 >load.txt
says load.txt "^1[.]100$"
says load.err "'a' is overloaded even alone: .* 1[.]10 times .*, a request in its best batch takes 0[.]5 ms"
[ -z "$(load chat.json)" ] || fail "a load of a server of tokens"

# Who drops keeps no target, whatever the tokens of the others: one request at a time, of which 250 a second are through, of 500.
drops() {
    "$COTENANT" "$1" chat.json --quiet --set apps.chat.arrivals.rate_per_s=500 --set apps.chat.server.max_requests=1 \
        --set apps.chat.server.continuous.ttft_ms=4 "${@:2}"
}
drops run >drops.txt
tr -s ' \n' ' ' <drops.txt >line
says line "VIOLATED chat, TTFT: p99 of 2 ms is 0[.]5 of its target of 4 ms; [0-9.]+ % of its requests were dropped"
says line "VIOLATED chat, TPOT: p99 of 1 ms is 0[.]625 of its target of 1[.]6 ms; [0-9.]+ % of its requests were dropped"
drops compare --policies mps --reps 2 >drops.txt
says drops.txt "^  mps +chat TTFT +0[.]50! "
says drops.txt "^  +chat TPOT +0[.]62! "
says drops.txt "^  DROPPED chat under mps: [0-9.]+ % of its requests were dropped$"
drops run --format json >drops.json
says drops.json '"first_met": false, *$'
says drops.json '"each_met": false, *$'

# Without any target there is nothing to keep.
sed 's/"tpot_ms": 1.6,//' chat.json >none.json
"$COTENANT" plan none.json --find gpus 2>none.err && fail "a plan without targets"
says none.err "no service has a target that a plan could keep: 'qos_ms', or of one that generates 'ttft_ms' or 'tpot_ms'"

[ "$failures" -eq 0 ]
