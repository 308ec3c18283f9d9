#!/usr/bin/env bash
# Normalised progress and what follows from it, on runs that are short enough to be done by hand; an application of several
# instances is as several applications.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"

# workload SECONDS APPLICATION...: a file w.json on 20 SMs that hold a block each.
workload() {
    local seconds=$1 apps
    shift
    apps=$(printf '%s, ' "$@")
    printf '{"schema": "cotenant.workload/1", "gpu": {"base": "k40", "sms": 20, "threads_per_sm": 256}, "duration_s": %s, "apps": [%s]}' \
        "$seconds" "${apps%, }" >w.json
}

# application NAME ROLE BLOCKS MS ARRIVALS [KEYS]: one kernel, which nothing slows but the SMs that it lacks.
application() {
    printf '{"name": "%s", "role": "%s", "synthetic": {"blocks": %s, "threads": 256, "duration_ms": %s, "unit_fraction": 0, "dram_fraction": 0}, "arrivals": %s%s}' \
        "$1" "$2" "$3" "$4" "$5" "${6+, $6}"
}

# report [ARGUMENT]...: runs w.json.
report() { "$COTENANT" run w.json --quiet --format csv "$@" >report.csv 2>err || fail "run $*: $(cat err)"; }

# measure MEASURE [APPLICATION]: of the report; empty: unknown.
measure() { awk -F, -v measure="$1" -v app="${2-}" '$7 == app && $8 == measure { print $9 }' report.csv; }

# is WHAT GOT WANTED: to a millionth; empty is unknown.
is() {
    awk -v a="$2" -v b="$3" 'BEGIN { d = a - b; exit !((a == "") == (b == "") && d * d <= 1e-12 * b * b) }' ||
        fail "$1 is '$2', not '$3'"
}

# system: the measures of the system that follow from progress, in a line.
system() { for name in stp antt fairness goals_met turnaround_ms; do echo "$name=$(measure $name)"; done | tr '\n' ' '; }

at_once='{"process": "closed", "start": "at-once"}'

# ---- First runs ----

# Each of the two takes all SMs for 8 ms: the first ends at 8 ms, the second at 16, when the run of 12 ms is over.
workload 0.012 "$(application a batch 20 8 "$at_once" '"stop": "first-run", "instances": 2')"
report
is "progress where an instance did not end" "$(measure normalised_progress a)" ""
for name in stp antt fairness turnaround_ms; do is "$name where an instance did not end" "$(measure $name)" ""; done
workload 0.012 "$(application a batch 20 8 "$at_once" '"stop": "first-run"')" "$(application b batch 20 8 "$at_once" '"stop": "first-run"')"
instances=$(system)
report
[ "$(system)" = "$instances" ] || fail "first runs of two applications: $(system), of two instances: $instances"

# In 20 ms both end: NP 8 / 8 and 8 / 16, STP 1.5, ANTT (1 + 2) / 2.
workload 0.02 "$(application a batch 20 8 "$at_once" '"stop": "first-run", "instances": 2')"
report
is "progress of two first runs" "$(measure normalised_progress a)" 0.75
is "their STP" "$(measure stp)" 1.5
is "their ANTT" "$(measure antt)" 1.5
is "their fairness" "$(measure fairness)" 0.5
is "their turnaround" "$(measure turnaround_ms)" 12
instances=$(system)
workload 0.02 "$(application a batch 20 8 "$at_once" '"stop": "first-run"')" "$(application b batch 20 8 "$at_once" '"stop": "first-run"')"
report
[ "$(system)" = "$instances" ] || fail "first runs of two applications: $(system), of two instances: $instances"

# ---- Instances ----

# Queries of 2 ms on all SMs every 5 ms, two at an instant: those of the first end after 2 ms, those of the second after 4.
evenly='{"process": "deterministic", "rate_per_s": 200}'
workload 1 "$(application s service 20 2 "$evenly" '"instances": 2, "np_target": 0.6')"
report
is "progress of two services" "$(measure normalised_progress s)" 0.75
is "their STP" "$(measure stp)" 1.5
is "their ANTT" "$(measure antt)" 1.5
is "their fairness" "$(measure fairness)" 0.5
is "their goals met" "$(measure goals_met)" 0.5
instances=$(system)
workload 1 "$(application s service 20 2 "$evenly" '"np_target": 0.6')" "$(application t service 20 2 "$evenly" '"np_target": 0.6')"
report
[ "$(system)" = "$instances" ] || fail "two services: $(system), two instances: $instances"

# alone_as_shared APPLICATION WHAT ROLE [STP]: instances with arrivals of their own that do not meet, since each takes one SM of 20:
# what they do is what each does alone, to the last bit, also when runs are kept.
alone_as_shared() {
    for cache in "" "$PWD/kept"; do
        for again in 1 2; do
            COTENANT_CACHE=$cache report
            [ "$(measure normalised_progress "$1") $(measure stp) $(measure antt) $(measure fairness)" = "1 ${4-3} 1 1" ] ||
                fail "$2 that do not meet: progress $(measure normalised_progress "$1"), $(system)"
            [ "$(measure alone_p99_ms "$1")" = "$(measure latency_ms_p99 "$1")" ] || [ "$3" = batch ] ||
                fail "$2 that do not meet: p99 $(measure latency_ms_p99 "$1"), alone $(measure alone_p99_ms "$1")"
        done
    done
}
for arrivals in '{"process": "poisson", "rate_per_s": 100}' '{"process": "gamma", "rate_per_s": 100, "cv": 3}' \
    '{"process": "mmpp", "rate_per_s": 50, "burst_rate_per_s": 300, "burst_s": 0.1, "quiet_s": 0.3}'; do
    workload 1 "$(application s service 1 5 "$arrivals" '"instances": 3')"
    alone_as_shared s "services of $arrivals" service
done
workload 1 "$(application s service 1 6 "$evenly" '"instances": 3, "server": {"levels": [{"weight": 1, "max_queue": 1}, {"weight": 3, "max_queue": 2}]}')"
alone_as_shared s "servers whose levels are drawn" service
workload 1 "$(application s service 1 4 '{"process": "poisson", "rate_per_s": 100}' '"instances": 3, "server": {}')" \
    "$(application t service 1 6 '{"process": "stage", "after": ["s"]}' '"instances": 3, "server": {}')"
alone_as_shared t "stages" service 6
workload 1 "$(application b batch 1 7 '{"process": "closed"}' '"instances": 3')"
alone_as_shared b "batch applications" batch
workload 1 "$(application b batch 1 2 '{"process": "poisson", "rate_per_s": 20}' '"instances": 3')"
alone_as_shared b "batch applications that come by chance" batch

# ---- Work under way when the window begins or ends ----

# copier NAME ROLE ARRIVALS MS: a copy that has the link for 10 ms, and then a kernel on all SMs.
copier() {
    printf '{"name": "%s", "role": "%s", "copy_memory": "pinned", "arrivals": %s, "synthetic": {"blocks": 20, "threads": 256, "duration_ms": %s, "unit_fraction": 0, "dram_fraction": 0, "bytes_in": 118812175}}' "$1" "$2" "$3" "$4"
}

# The copy of a has the link for 10 ms, the copy of b then: at 15 ms a has done 11 ms of its 15 alone, and waits since; b 5.
workload 0.015 "$(copier a batch "$at_once" 1)" "$(copier b batch "$at_once" 1)"
report
is "progress before a wait for the link" "$(measure normalised_progress a)" 0.733333333
is "progress in the middle of a copy" "$(measure normalised_progress b)" 0.333333333
# From 12 ms to 15 a waits and b copies, as it would alone; alone, a copies, too.
report --set warmup_s=0.012
is "progress of who waits all the time" "$(measure normalised_progress a)" 0
is "progress of a copy that covers all of the window" "$(measure normalised_progress b)" 1
# What b does after the window, while it waits for the link and for the end of a service, is no work of the window.
for role in batch service; do
    workload 0.015 "$(copier s $role '{"process": "once", "delay_ms": 9}' 20)" "$(copier b batch "$at_once" 1)"
    report
    is "progress before what is after the window, beside a $role" "$(measure normalised_progress b)" 0.733333333
done

# ---- Who does not always have work ----

# Whoever waits for the other's 2 ms has half of its progress, however long the run goes on without them, and whatever it is called.
once='{"process": "once"}'
for role in batch service; do
    workload 0.1 "$(application a $role 20 2 "$once" '"np_target": 0.8')" "$(application b $role 20 2 "$once" '"np_target": 0.8')"
    report
    is "progress of the first $role that comes once" "$(measure normalised_progress a)" 1
    is "progress of the second $role that comes once" "$(measure normalised_progress b)" 0.5
    is "goals met by each ${role} that comes once" "$(measure goals_met)" 0.5
    workload 1 "$(application s $role 20 2 "$evenly" '"instances": 2, "np_target": 0.6')"
    report
    is "progress of each $role that comes every 5 ms" "$(measure normalised_progress s)" 0.75
    is "goals met by each $role that comes every 5 ms" "$(measure goals_met)" 0.5
done
# Cut at 3 ms the second has done 1 ms in 3, alone 2 in 2.
workload 0.003 "$(application a batch 20 2 "$once")" "$(application b batch 20 2 "$once")"
report
is "progress of what comes once and is cut" "$(measure normalised_progress b)" 0.333333333
# With 4 ms of thought it waits once: 4 ms of work in 6 that it had some, alone in 4.
thinks='{"process": "closed", "start": "at-once", "think_ms": 4}'
workload 0.012 "$(application a batch 20 2 "$thinks")" "$(application b batch 20 2 "$thinks")"
report
is "progress of the first that thinks" "$(measure normalised_progress a)" 1
is "progress of the second that thinks" "$(measure normalised_progress b)" 0.666666667

# ---- Goals ----

# Queries of 2 ms every 5 ms beside a batch kernel of 60 that comes once, on the same SMs: of 200 queries 13 are late, and the p99 is 60.
# goals TARGETS TARGETS WANTED: keys of the service, of the batch application, and the part of the two that keep theirs.
goals() {
    workload 1 "$(application s service 20 2 "$evenly" "$1")" "$(application b batch 20 60 "$once" "$2")"
    report
    is "goals met of $1 and $2" "$(measure goals_met)" "$3"
}
late='"qos_ms": 10' kept='"qos_ms": 100' slow='"np_target": 0.99' fast='"np_target": 0.1'
goals "$late" "$fast" 0.5
goals "$kept" "$fast" 1
goals "$late" '"priority": 0' 0
# Of a target of latency and one of progress both are to be kept.
goals "$late, $fast" "$fast" 0.5
goals "$kept, $fast" "$fast" 1
goals "$kept, $slow" "$fast" 0.5
# An application without a target has no goal, and one that drops too many or of which no query came has not, or may not have, met its own.
goals '"priority": 0' '"priority": 0' ""
goals "$kept, \"server\": {\"max_requests\": 1}" "$fast" 0.5
workload 0.1 "$(application s service 20 2 '{"process": "once", "delay_ms": 200}' "$kept")" "$(application b batch 20 60 "$once" "$fast")"
report
is "goals met where no query came" "$(measure goals_met)" ""
# Each instance counts: both have the verdict of their application.
workload 1 "$(application s service 20 2 "$evenly" "\"instances\": 2, $kept")" "$(application b batch 20 60 "$once" "$late")"
report
is "goals met of two instances and one" "$(measure goals_met)" 0.666666667
# A server that generates tokens keeps its latency and misses the time to the first token.
cp -r "$SOURCE_DIR/tests/whole/continuous/max-sequences" tokens && (cd tokens && bash prepare >/dev/null 2>&1)
for met in 1 0; do
    "$COTENANT" run tokens/workload.json --quiet --format csv --set apps.s.qos_ms=100 \
        --set "apps.s.server.continuous.ttft_ms=$((met * 100 + 1))" >report.csv 2>err || fail "run of tokens: $(cat err)"
    is "goals met of a server that generates tokens" "$(measure goals_met)" "$met"
done

# ---- Batch throughput ----

# 5 ms of batch work until the service of 50 ms ends the run, which is 55 ms; without it, in the 5 ms that they take: 5 / 55 to 5 / 5.
workload 1 "$(application b batch 20 5 "$at_once" '"stop": "first-run"')" \
    "$(application s service 20 50 '{"process": "once"}' '"stop": "first-run"')"
report
is "batch throughput of first runs" "$(measure batch_throughput_normalised)" 0.090909091
# A cap is a policy's own doing: 20 blocks of 2 ms on 10 SMs take 4 ms, on 2 SMs 20, and of the whole GPU 2. The service's block has
# an SM beside them.
workload 0.1 "$(application b batch 20 2 "$at_once")" "$(application s service 1 2 '{"process": "once"}')"
for cap in 50 10; do
    report --policy "mps-caps:caps=b=$cap"
    is "batch throughput under a cap of $cap %" "$(measure batch_throughput_normalised)" "0.$cap"
done

# ---- Nothing done, and dropped ----

# A service that always has a query of 10 ms under way, and a batch application that comes after the first and never runs.
workload 0.1 "$(application s service 20 10 "$at_once")" "$(application b batch 20 5 '{"process": "closed", "start": "at-once", "delay_ms": 1}')"
report --policy priority
is "STP where one is starved" "$(measure stp)" 1
is "its fairness" "$(measure fairness)" 0
is "its ANTT" "$(measure antt)" ""
"$COTENANT" run w.json --policy priority --quiet >text 2>err
grep -q '^ *ANTT' text && fail "an ANTT of what is starved: $(grep '^ *ANTT' text)"
tr -s ' \n' ' ' <text >line
says line "'b': nothing was done, so that its slowdown, and ANTT, are not known"
grep -q 'are the better' line && fail "dropped requests where there are none"

# Queries of 2 ms every 5 ms behind a batch kernel of 60: those that would wait are not taken, and only those that find nobody
# before them count, in 2 ms each.
workload 1 "$(application s service 20 2 "$evenly" '"server": {"max_requests": 1}')" \
    "$(application b batch 20 60 '{"process": "closed", "start": "at-once", "think_ms": 100}')"
report --policy mps
dropped=$(measure server_dropped_fraction s)
awk -v d="$dropped" 'BEGIN { exit !(d > 0.2 && d < 0.6) }' || fail "'$dropped' of the requests are dropped"
"$COTENANT" run w.json --policy mps --quiet >text 2>err
tr -s ' \n' ' ' <text >line
says line "'s' drops [0-9.]+ % of its requests: progress, STP, ANTT and fairness leave them out, and are the better the more are dropped"

# ---- Cut off, and without a query ----

# A closed service of 2 ms beside a first run of 9 on the other half, which ends the run in the middle of the fifth query: it is not overloaded.
workload 1 "$(application s service 10 2 "$at_once" '"qos_ms": 5')" "$(application b batch 10 9 "$at_once" '"stop": "first-run"')"
report
is "overloaded, beside a first run" "$(measure overloaded s)" 0
is "its target" "$(measure qos_met s)" 1
# One that is never served is: its queries do not end.
four='{"process": "closed", "start": "at-once", "clients": 4}'
workload 0.1 "$(application s service 20 2 "$four" '"qos_ms": 5')" "$(application v service 20 2 "$four" '"priority": 10, "workers": 4')"
report --policy stream-priority
is "overloaded, where it is starved" "$(measure overloaded s)" 1

# Two batch applications take turns of 2 ms: that the run ends in the middle of one, 3.5 ms after it came, makes it no slower than others.
workload 0.0115 "$(application a batch 20 2 "$at_once")" "$(application b batch 20 2 "$at_once")"
report
for app in a b; do
    is "the p99 of $app, cut in the middle" "$(measure latency_ms_p99 $app)" 4
    is "whether $app is overloaded, cut in the middle" "$(measure overloaded $app)" 0
done
# At 20 ms a kernel comes on for the rest of the run: the tenth iteration waits for 80 ms, which is no time of 2.
workload 0.1 "$(application a batch 20 2 "$at_once")" "$(application b batch 20 200 '{"process": "once", "delay_ms": 19}')"
report
is "the p99 of batch work that is starved" "$(measure latency_ms_p99 a)" 80
is "whether it is overloaded" "$(measure overloaded a)" 1
is "whether the one is overloaded that has not ended yet" "$(measure overloaded b)" 0
"$COTENANT" run w.json --quiet >text 2>err
grep -q '^ *a .* >80.00' text || fail "no lower bound: $(grep '^ *a ' text)"

# Of six instances that get a query in two seconds by chance some get none: their progress is the others', and the report says so.
workload 2 "$(application s service 1 2 '{"process": "poisson", "rate_per_s": 0.3}' '"instances": 6')"
report
is "STP of instances without a query" "$(measure stp)" 6
"$COTENANT" run w.json --quiet >text 2>err
tr -s ' \n' ' ' <text >line
says line "'s': no query came to [1-5] of its instances: their progress is taken to be that of the others"

# ---- Overload ----

# Queries of 1 ms every 0.4 ms on one SM, the k-th of which ends at 0.4 + k ms. The run goes on beyond its 100 ms for those of b, on an SM of its own, and for
# what a stage behind has got by then; alone it does not. Nobody slows anybody, and nobody drops anything.
hot='{"process": "deterministic", "rate_per_s": 2500}'
late=$(application b service 1 30 '{"process": "deterministic", "rate_per_s": 10.5}')
behind=$(application c service 1 0.5 '{"process": "stage", "after": ["a"]}' '"server": {}, "instances": 2')
last=$(application d service 1 1.5 '{"process": "stage", "after": ["c"]}' '"server": {}, "instances": 2')
# as_alone STP APPLICATION...: these are overloaded, alone, too.
as_alone() {
    local stp=$1
    shift
    for app in "$@"; do
        is "progress of $app" "$(measure normalised_progress "$app")" 1
        is "whether $app is overloaded" "$(measure overloaded "$app")" 1
        is "whether it is alone" "$(measure alone_overloaded "$app")" 1
    done
    is "progress of b" "$(measure normalised_progress b)" 1
    is "STP" "$(measure stp)" "$stp"
}
workload 0.1 "$(application a service 1 1 "$hot")" "$late"
report
as_alone 2 a
is "the p99 of a, known until 125 ms" "$(measure latency_ms_p99 a)" 74.8
is "the same alone, until 100" "$(measure alone_p99_ms a)" 59.6
for server in '{}' '{"max_batch": 2}'; do
    workload 0.1 "$(application a service 1 1 "$hot" "\"server\": $server, \"instances\": 2")" "$late" "$behind" "$last"
    for fidelity in fluid block; do
        report --fidelity $fidelity
        [ "$server" = '{}' ] && as_alone 7 a c d || is "STP" "$(measure stp)" 7
        for app in a c d; do is "what was dropped up to $app" "$(measure server_lost_fraction $app)" 0; done
    done
done
# What waits when the window ends is dropped later, in the one run alone: by the end of the window it was not.
workload 0.1 "$(application a service 1 1 "$hot" '"server": {"levels": [{"timeout_ms": 50}]}')" "$late" "$(application c service 1 0.5 '{"process": "stage", "after": ["a"]}' '"server": {}')"
report
as_alone 3 a c

# Batch work takes turns with it on all SMs: the k-th ends at 2 k ms. The query that is waited for is copied until then.
workload 0.1 "$(application a service 20 1 "$hot")" "$(application d batch 20 1 "$at_once")" \
    '{"name": "b", "role": "service", "synthetic": {"blocks": 1, "duration_ms": 0.001, "bytes_in": 364800000}, "arrivals": {"process": "deterministic", "rate_per_s": 10.5}}'
for blame in '' --no-blame; do
    report $blame
    is "progress of one that is slowed" "$(measure normalised_progress a)" \
        "$(awk 'function by(end) { return end < 100 ? end : 100 } BEGIN { for (k = 1; k < 250; k++) { a += by(0.4 + k) - 0.4 * k; s += by(2 * k) - 0.4 * k } printf "%.12g", a / s }')"
done

# By chance a is overloaded in some replications: what waits there is in the mean for the stage behind, too.
workload 0.1 "$(application a service 1 1 '{"process": "poisson", "rate_per_s": 1050}' '"server": {}')" "$(application c service 1 0.5 '{"process": "stage", "after": ["a"]}' '"server": {}')"
report --reps 5
awk -v a="$(measure backlog_jobs a)" -v c="$(measure backlog_jobs c)" 'BEGIN { exit !(c >= a) }' || fail "$(measure backlog_jobs a) jobs wait at a, and $(measure backlog_jobs c) up to c"

# Progress of a service that is overloaded, and all that is made of it, are bounds: marked in every text.
cat >over.json <<'JSON'
{"schema": "cotenant.workload/1", "name": "over", "gpu": "v100", "duration_s": 2, "warmup_s": 0.2, "seed": 1, "apps": [
  {"name": "hot", "role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 40}, "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}},
  {"name": "solver", "synthetic": {"blocks": 640, "threads": 256, "duration_ms": 20}}]}
JSON
echo '{"schema": "cotenant.sweep/1", "name": "load", "workload": "over.json", "policies": ["mps"], "designs": [{"grid": {"apps.hot.arrivals.rate_per_s": [5, 40]}}]}' >load.json
"$COTENANT" compare over.json --policies mps,timeslice -q >compared.txt 2>/dev/null || fail "compare of an overloaded service"
drawn=("$SOURCE_DIR/workloads/quickstart.json" --bands 2 -q --set duration_s=2 --set warmup_s=0.2 --set apps.vit.arrivals.rate_per_s=40)
"$COTENANT" run "${drawn[@]}" -p mps >run.txt 2>/dev/null && "$COTENANT" compare "${drawn[@]}" -p mps,timeslice >draws.txt 2>/dev/null || fail "draws of an overloaded service"
"$COTENANT" sweep load.json -q -o load.db >swept.txt 2>/dev/null || fail "sweep to an overloaded service"
[ "$(grep -cE '^ +(mps|timeslice) .* <[0-9.]+ +>[0-9.]+ +<[0-9.]+$' compared.txt)" = 2 ] || fail "compare does not mark bounds: $(sed -n 5,8p compared.txt)"
grep -E '^ +mps +vit +>[0-9.]+ .* <[0-9.]+ +\[' draws.txt >/dev/null || fail "nor do its draws: $(grep -A12 'Over the' draws.txt)"
for row in 'STP +- +<' 'ANTT +- +>' 'p99, ms +vit +>' 'progress +vit +<'; do
    grep -E "^ +$row" run.txt >/dev/null || fail "draws of a run do not mark $row: $(grep -A12 'Over the' run.txt)"
done
grep -E 'rate_per_s=40 .* <[0-9.]+$' swept.txt >/dev/null && ! grep -E 'rate_per_s=5 .* <' swept.txt || fail "a sweep marks other than its bounds: $(cat swept.txt)"
for text in compared swept; do tr -s ' \n' ' ' <$text.txt | grep -F 'measures of progress are bounds' >/dev/null || fail "$text does not say what a mark means"; done

# A query that slices of another double is 4.01 s old when the run ends, and may yet keep its 10 s: every form says that it is open.
cat >cut.json <<'JSON'
{"gpu": "a100", "duration_s": 4, "apps": [
 {"name": "q", "role": "service", "qos_ms": 10000, "synthetic": {"blocks": 864, "duration_ms": 3900},
  "arrivals": {"process": "trace", "file": "cut.csv", "column": "seconds", "replay": true}},
 {"name": "b", "arrivals": {"process": "closed", "delay_ms": "3.95 s"}, "synthetic": {"kernels": 500, "blocks": 864, "duration_ms": 10}}]}
JSON
printf 'seconds\n0.01\n3.99\n' >cut.csv
"$COTENANT" run cut.json --policy timeslice -q -o cut.db 2>err | tr -s ' \n' ' ' >line || fail "a query that is cut off"
says line "open q: p99 of >4020 ms is >0.402 of its target of 10000 ms; unfinished; 0 % of its jobs are late UNFINISHED q: a job had not ended when"
says err "'q' under timeslice: a job had not ended when the run did"
"$COTENANT" explain cut.db | tr -s ' \n' ' ' >line
says line "open q: p99 of >4020 ms is >0.402 of its target of 10000 ms; unfinished"
"$COTENANT" run cut.json --policy timeslice -q --format json 2>err | grep '"qos_met"' | head -1 >line
says line '"qos_met": null'
"$COTENANT" plan cut.json --find gpu:a100 --policies timeslice --reps 2 --max-reps 4 --error 0 -q >line 2>err || fail "a plan whose query is cut off"
says line " a100 +open +few jobs "
# Several that wait at the end are no backlog that grows, either.
sed 's/10000/6000/; s/3900/2500/' cut.json >few.json
printf 'seconds\n0.01\n3.7\n3.8\n3.9\n' >cut.csv
"$COTENANT" run few.json --policy mps -q 2>err | tr -s ' \n' ' ' >line || fail "queries that are cut off"
says line "; unfinished; 0 % of its jobs are late UNFINISHED q: a job had not ended when"
says err "'q' under mps: a job had not ended when the run did"

[ "$failures" = 0 ] && echo "progress: all as by hand"
[ "$failures" = 0 ]
