#!/usr/bin/env bash
# Every key of a workload file, of a GPU and of a policy: changed, it changes the key of the run, the stored configuration
# and the report; what only names something changes the last two alone; what is given as it would be changes nothing. A
# key that is not here fails the test. And a stored configuration is a workload file that makes the same run.
# Of the policies every fourth and three more, with COTENANT_IDENTITIES=all each.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
cp "$SOURCE_DIR/traces/tonic-k40.db" one.db
cp one.db other.db
printf 'seconds,again,later,p,q,r\n0,0,0,30,5,30\n1,1,1,31,5,31\n2,2,3,32,9,32\n' >stamps.csv
cp stamps.csv moved.csv
cat >base.json <<'EOF'
{"schema": "cotenant.workload/1", "name": "base", "gpu": "v100", "duration_s": 0.02, "apps": [
 {"name": "s", "role": "service", "qos_ms": 50, "arrivals": {"process": "poisson", "rate_per_s": 100},
  "synthetic": {"blocks": 30, "duration_ms": 1, "bytes_in": 1000}},
 {"name": "t", "trace": "one.db#dig"},
 {"name": "x", "role": "service", "arrivals": {"process": "poisson", "rate_per_s": 100},
  "server": {"batches": [{"size": 1, "trace": "one.db#dig"}]}},
 {"name": "y", "role": "service", "arrivals": {"process": "stage", "after": ["x"]}, "server": {}, "synthetic": {"duration_ms": 1}},
 {"name": "z", "role": "service", "arrivals": {"process": "stage", "after": ["x"]}, "server": {}, "synthetic": {"duration_ms": 1}},
 {"name": "g", "role": "service", "arrivals": {"process": "poisson", "rate_per_s": 100}, "server": {"continuous": {"cache_blocks": 100,
  "prompt_tokens": 40, "output_tokens": 5, "prefill": [{"tokens": 64, "trace": "one.db#imc"}],
  "decode": [{"batch": 1, "trace": "one.db#dig"}]}}}]}
EOF

# made NAME ARGUMENT...: runs it; NAME.key, NAME.config and NAME.report are what came of it. Some hundred times: what starts
# another program costs more than the run, so each has a store of its own that nobody takes away.
stores=0
made() {
    local name=$1
    shift
    stores=$((stores + 1))
    if ! "$COTENANT" run "$@" --quiet --no-blame --format json -o $stores.db >"$name.report" 2>log; then
        return 1
    fi
    sqlite3 $stores.db ".once $name.key" "SELECT key FROM run WHERE number = 1" \
        ".once $name.config" "SELECT json_remove(config, '$.given') FROM run WHERE number = 1"
}

# sets ASSIGNMENTS: arguments of `run` that set each, in `arguments`.
sets() {
    local words word
    read -ra words <<<"$1"
    arguments=()
    for word in "${words[@]}"; do
        arguments+=(--set "$word")
    done
}

# same FILE FILE
same() {
    local one other
    IFS= read -rd '' one <"$1"
    IFS= read -rd '' other <"$2"
    [ "$one" = "$other" ]
}

# reported NAME: the configuration in its report, without what was given, in `config`.
reported() {
    local lines line
    mapfile -t lines <"$1.report"
    config=
    for line in "${lines[@]}"; do
        [[ $line != '  "config"'* ]] || config=${line%%,\"given*}
    done
    [ -n "$config" ] || fail "$1: no configuration in the report"
}

# changes WHAT BEFORE AFTER: the key of the run with AFTER on top of BEFORE is another one (value), the same although the
# configuration differs (label), or nothing at all differs (nothing).
last_before=- # many keys in a row change the same run
changes() {
    local what=$1 before=$2 after=$3 key=other shown=other config config_before arguments
    if [ "$before" != "$last_before" ]; then
        sets "$before"
        made before base.json --policy "${policy:-mps}" "${arguments[@]}" || { fail "$before: $(tail -1 log)"; return; }
        last_before=$before
    fi
    sets "$before $after"
    made after base.json --policy "${policy:-mps}" "${arguments[@]}" || { fail "$after: $(tail -1 log)"; return; }
    same before.key after.key && key=same
    same before.config after.config && shown=same
    reported before
    config_before=$config
    reported after
    { [ "$config" = "$config_before" ] && [ $shown = same ]; } || { [ "$config" != "$config_before" ] && [ $shown = other ]; } ||
        fail "$after: the report has not the stored configuration"
    case $what:$key:$shown in
    value:other:other | label:same:other | nothing:same:same) ;;
    *) fail "$after after '$before' is a $what, and the key is the $key, the configuration the $shown" ;;
    esac
}

# Object, key, WHAT, assignments before, the assignment. "-": cannot be assigned or is shown by its members.
cat >keys <<'EOF'
Workload|schema|-||
Workload|name|label||name=other
Workload|gpu|value||gpu=k40
Workload|duration_s|value||duration_s=0.03
Workload|duration_cycles|-||
Workload|warmup_s|value||warmup_s=0.001
Workload|warmup_by|value||warmup_by=mser5
Workload|seed|value||seed=2
Workload|policy|-||
Workload|fidelity|value||fidelity=block
Workload|predictor|value||predictor=oracle
Workload|decision_cost|value||decision_cost=none
Workload|hw_queues|value||hw_queues=1
Workload|defaults|value||defaults.priority=1
Workload|apps|-||
gpu|base|value||gpu.base=k40
Workload|host|-||
host|cores|value||host.cores=1
host|pinned|value|host.cores=2|host.cores=2 host.pinned=true
policy|name|-||
apps, defaults|name|value||apps.t.name=u
apps, defaults|role|value||apps.s.role=batch
apps, defaults|trace|label||apps.t.trace=other.db#dig
apps, defaults|trace|value||apps.t.trace=one.db#imc
apps, defaults|synthetic|-||
apps, defaults|jobs|value||apps.t.jobs=["query"]
apps, defaults|kernels|-||
apps, defaults|arrivals|-||
apps, defaults|qos_ms|value||apps.s.qos_ms=51
apps, defaults|np_target|value||apps.t.np_target=0.5
apps, defaults|instances|value||apps.t.instances=2
apps, defaults|workers|value||apps.s.workers=2
apps, defaults|worker_streams|value|apps.s.workers=2|apps.s.workers=2 apps.s.worker_streams=shared
apps, defaults|host_threads|value|host.cores=1|host.cores=1 apps.s.host_threads=2
apps, defaults|priority|value||apps.s.priority=1
apps, defaults|memory_gib|label||apps.s.memory_gib=1
apps, defaults|size|value||apps.t.size=2
apps, defaults|iterations|value||apps.t.iterations=2
apps, defaults|duration_scale|value||apps.t.duration_scale=2
apps, defaults|host_scale|value||apps.t.host_scale=0.5
apps, defaults|copies|value||apps.s.copies=once
apps, defaults|copy_memory|value||apps.s.copy_memory=pinned
apps, defaults|launches|value||apps.t.launches=one-by-one
apps, defaults|stall_ms|value|apps.t.launches=one-by-one|apps.t.launches=one-by-one apps.t.stall_ms=1
apps, defaults|stop|value||apps.t.stop=first-run
apps, defaults|server|value||apps.s.server={}
server|max_batch|value|apps.s.server={}|apps.s.server.max_batch=2
server|preferred|value|apps.s.server.max_batch=4|apps.s.server.preferred=[2]
server|queue_delay_ms|value|apps.s.server.max_batch=4|apps.s.server.queue_delay_ms=1
server|max_requests|value|apps.s.server={}|apps.s.server.max_requests=5
server|max_queue|value|apps.s.server={}|apps.s.server.max_queue=5
server|timeout_ms|value|apps.s.server={}|apps.s.server.timeout_ms=5
server|timeout_action|value|apps.s.server.timeout_ms=5|apps.s.server.timeout_action=delay
server|levels|value|apps.s.server={}|apps.s.server.levels=[{},{}]
server|batches|-||
levels|weight|value|apps.s.server={"levels":[{},{}]}|apps.s.server.levels=[{},{"weight":2}]
levels|max_queue|value|apps.s.server={"levels":[{},{}]}|apps.s.server.levels=[{},{"max_queue":2}]
levels|timeout_ms|value|apps.s.server={"levels":[{},{}]}|apps.s.server.levels=[{},{"timeout_ms":2}]
levels|timeout_action|value|apps.s.server={"timeout_ms":5,"levels":[{},{}]}|apps.s.server.levels=[{},{"timeout_action":"delay"}]
batches|size|value|apps.x.server={"max_batch":3,"batches":[{"size":1,"trace":"one.db#dig"},{"size":2,"trace":"one.db#imc"}]}|apps.x.server.batches=[{"size":1,"trace":"one.db#dig"},{"size":3,"trace":"one.db#imc"}]
batches|trace|label||apps.x.server.batches=[{"size":1,"trace":"other.db#dig"}]
batches|job|value||apps.x.server.batches=[{"size":1,"trace":"one.db#dig","job":"query"}]
server|continuous|-||
continuous|max_sequences|value||apps.g.server.continuous.max_sequences=8
continuous|max_tokens|value||apps.g.server.continuous.max_tokens=512
continuous|chunked|value||apps.g.server.continuous.chunked=true
continuous|cache_blocks|value||apps.g.server.continuous.cache_blocks=99
continuous|block_tokens|value||apps.g.server.continuous.block_tokens=8
continuous|block_bytes|value||apps.g.server.continuous.block_bytes=1000
continuous|watermark|value||apps.g.server.continuous.watermark=0.2
continuous|preemption|value|apps.g.server.continuous.block_bytes=1000|apps.g.server.continuous.preemption=swap
continuous|swap_blocks|value|apps.g.server.continuous.block_bytes=1000 apps.g.server.continuous.preemption=swap|apps.g.server.continuous.swap_blocks=9
continuous|prompt_tokens|value||apps.g.server.continuous.prompt_tokens={"dist":"lognormal","mean":30,"cv":1}
continuous|output_tokens|value||apps.g.server.continuous.output_tokens=6
continuous|ttft_ms|value||apps.g.server.continuous.ttft_ms=5
continuous|tpot_ms|value||apps.g.server.continuous.tpot_ms=5
continuous|prefill|-||
continuous|decode|-||
prefill|tokens|value||apps.g.server.continuous.prefill=[{"tokens":65,"trace":"one.db#imc"}]
prefill|trace|label||apps.g.server.continuous.prefill=[{"tokens":64,"trace":"other.db#imc"}]
prefill|job|value||apps.g.server.continuous.prefill=[{"tokens":64,"trace":"one.db#imc","job":"query"}]
decode|batch|value||apps.g.server.continuous.decode=[{"batch":2,"trace":"one.db#dig"}]
decode|context|value||apps.g.server.continuous.decode=[{"batch":1,"context":9,"trace":"one.db#dig"}]
decode|trace|label||apps.g.server.continuous.decode=[{"batch":1,"trace":"other.db#dig"}]
decode|job|value||apps.g.server.continuous.decode=[{"batch":1,"trace":"one.db#dig","job":"query"}]
jobs|job|value|apps.t.jobs=["query"]|apps.t.jobs=[{"job":"query","weight":2}]
jobs|weight|value|apps.t.jobs=[{"job":"query","weight":3}]|apps.t.jobs=[{"job":"query","weight":2}]
kernels|match|value|apps.t.kernels=[{"match":"*","l2_fraction":0.5}]|apps.t.kernels=[{"match":"conv*","l2_fraction":0.5}]
kernels|l2_fraction|value||apps.t.kernels.*.l2_fraction=0.5
kernels|dram_fraction|value|apps.t.kernels.*.l2_fraction=0.5|apps.t.kernels.*.dram_fraction=0
kernels|unit_fraction|value||apps.t.kernels.*.unit_fraction=0.5
kernels|row_hit_rate|value||apps.t.kernels.*.row_hit_rate=0.5
kernels|compute_fraction|value||apps.t.kernels.*.compute_fraction=0.5
kernels|instructions|value||apps.t.kernels.*.instructions=1000
arrivals|process|value||apps.s.arrivals.process=uniform
arrivals|rate_per_s|value||apps.s.arrivals.rate_per_s=101
arrivals|split|value||apps.s.arrivals.split=2
arrivals|cv|value|apps.s.arrivals={"process":"gamma","rate_per_s":100,"cv":2}|apps.s.arrivals.cv=3
arrivals|burst_rate_per_s|value|apps.s.arrivals={"process":"mmpp","rate_per_s":100,"burst_rate_per_s":200,"burst_s":1,"quiet_s":1}|apps.s.arrivals.burst_rate_per_s=201
arrivals|burst_s|value|apps.s.arrivals={"process":"mmpp","rate_per_s":100,"burst_rate_per_s":200,"burst_s":1,"quiet_s":1}|apps.s.arrivals.burst_s=2
arrivals|quiet_s|value|apps.s.arrivals={"process":"mmpp","rate_per_s":100,"burst_rate_per_s":200,"burst_s":1,"quiet_s":1}|apps.s.arrivals.quiet_s=2
arrivals|period_s|value|apps.s.arrivals={"process":"diurnal","rate_per_s":100,"amplitude":0.5}|apps.s.arrivals.period_s=10
arrivals|amplitude|value|apps.s.arrivals={"process":"diurnal","rate_per_s":100,"amplitude":0.5}|apps.s.arrivals.amplitude=0.6
arrivals|file|label|apps.s.arrivals={"process":"trace","file":"stamps.csv","column":"seconds","rate_per_s":100}|apps.s.arrivals.file=moved.csv
arrivals|column|label|apps.s.arrivals={"process":"trace","file":"stamps.csv","column":"seconds","rate_per_s":100}|apps.s.arrivals.column=again
arrivals|column|value|apps.s.arrivals={"process":"trace","file":"stamps.csv","column":"seconds","rate_per_s":100}|apps.s.arrivals.column=later
arrivals|prompt_column|label|apps.g.arrivals={"process":"trace","file":"stamps.csv","column":"seconds","prompt_column":"p","output_column":"q"} apps.g.server.continuous={"cache_blocks":100,"prefill":[{"tokens":64,"trace":"one.db#imc"}],"decode":[{"batch":1,"trace":"one.db#dig"}]}|apps.g.arrivals.prompt_column=r
arrivals|prompt_column|value|apps.g.arrivals={"process":"trace","file":"stamps.csv","column":"seconds","prompt_column":"p","output_column":"q"} apps.g.server.continuous={"cache_blocks":100,"prefill":[{"tokens":64,"trace":"one.db#imc"}],"decode":[{"batch":1,"trace":"one.db#dig"}]}|apps.g.arrivals.prompt_column=q
arrivals|output_column|value|apps.g.arrivals={"process":"trace","file":"stamps.csv","column":"seconds","prompt_column":"p","output_column":"q"} apps.g.server.continuous={"cache_blocks":100,"prefill":[{"tokens":64,"trace":"one.db#imc"}],"decode":[{"batch":1,"trace":"one.db#dig"}]}|apps.g.arrivals.output_column=p
arrivals|replay|value|apps.s.arrivals={"process":"trace","file":"stamps.csv","column":"seconds"}|apps.s.arrivals.replay=true
arrivals|after|value||apps.z.arrivals.after=["y"]
arrivals|clients|value|apps.t.arrivals={"process":"closed"}|apps.t.arrivals.clients=2
arrivals|start|value|apps.t.arrivals={"process":"closed"}|apps.t.arrivals.start=at-once
arrivals|delay_ms|value|apps.t.arrivals={"process":"closed"}|apps.t.arrivals.delay_ms=1
arrivals|think_ms|value|apps.t.arrivals={"process":"closed"}|apps.t.arrivals.think_ms=1
synthetic|kernels|value||apps.s.synthetic.kernels=2
synthetic|blocks|value||apps.s.synthetic.blocks=31
synthetic|threads|value||apps.s.synthetic.threads=128
synthetic|registers_per_thread|value||apps.s.synthetic.registers_per_thread=32
synthetic|smem_bytes|value||apps.s.synthetic.smem_bytes=1024
synthetic|duration_ms|value||apps.s.synthetic.duration_ms=2
synthetic|bytes_in|value||apps.s.synthetic.bytes_in=2000
synthetic|bytes_out|value||apps.s.synthetic.bytes_out=2000
synthetic|bytes_out|value|apps.s.synthetic.bytes_out=2000|apps.s.synthetic.bytes_out=[1000,1000]
synthetic|bytes_out|nothing|apps.s.synthetic.bytes_out=2000|apps.s.synthetic.bytes_out=[0,2000]
synthetic|copies_around|value|apps.s.synthetic.kernels=2|apps.s.synthetic.copies_around=1
synthetic|dram_fraction|value||apps.s.synthetic.dram_fraction=0
synthetic|unit_fraction|value||apps.s.synthetic.unit_fraction=0
synthetic|row_hit_rate|value||apps.s.synthetic.row_hit_rate=0
synthetic|compute_fraction|value||apps.s.synthetic.compute_fraction=0.5
synthetic|instructions|value||apps.s.synthetic.instructions=1000
size, delay_ms, think_ms, duration_ms, prompt_tokens, output_tokens|dist|value|apps.s.size={"dist":"exponential","mean":1}|apps.s.size.dist=deterministic
size, delay_ms, think_ms, duration_ms, prompt_tokens, output_tokens|mean|value|apps.s.size={"dist":"exponential","mean":1}|apps.s.size.mean=2
size, delay_ms, think_ms, duration_ms, prompt_tokens, output_tokens|cv|value|apps.s.size={"dist":"lognormal","mean":1,"cv":1}|apps.s.size.cv=2
EOF
"$COTENANT" list keys --format markdown | awk -F'[|`]' '/^## / { object = substr($0, 4) } /^\| `/ { print object "|" $3 }' | sort -u >listed
cut -d'|' -f1,2 keys | sort -u >tested
diff listed tested || fail "keys of the reference (<) and keys that are tested here (>)"
while IFS='|' read -r object key what before after; do
    [ "$what" = - ] || changes "$what" "$before" "$after"
done <keys

# What a GPU is sold with changes no run.
changes label "" gpu.memory_gib_least=15
changes label "" gpu.memory_gib_most=40

# 1530 MHz: the same time said in cycles is the same run, another one is not.
for cycles in 30600000 30700000; do
    sed "s/\"duration_s\": 0.02/\"duration_cycles\": $cycles/" base.json >cycles.json
    made "$cycles" cycles.json --policy mps || fail "$(tail -1 log)"
done
made seconds base.json --policy mps --set name=cycles
cmp -s seconds.key 30600000.key || fail "cycles instead of seconds make another run"
cmp -s seconds.key 30700000.key && fail "duration_cycles is not in the key"

# What is given as it would be.
changes nothing "" apps.t.size=1
changes nothing "" hw_queues=32
changes nothing "" apps.t.size.mean=1
changes nothing 'apps.t.arrivals={"process":"closed"}' apps.t.arrivals.think_ms=0

# differs PREFIX KEY NOW CANDIDATE...: the first candidate that is allowed and is not what holds now. It must be in the key of
# the run and in the configuration.
differs() {
    local prefix=$1 key=$2 now=$3 other shown config
    shift 3
    for other; do
        [ "$other" != "$now" ] && made after base.json --policy "$policy" --set "$prefix$key=$other" || continue
        same after.key now.key && fail "$policy: $prefix$key=$other is not in the key"
        shown=$other
        [ ! -f "$other" ] || read -r shown <"$other" # of a file its text
        IFS= read -rd '' config <after.config
        [[ $config == *"\"$key\":$shown"* || $config == *"\"$key\":\"$shown"* ]] ||
            fail "$policy: $prefix$key=$other is not in the configuration"
        return
    done
    fail "$policy: no other value of $prefix$key is allowed than '$now': not $*"
}

# Every key of a GPU but names and files, every option of the policies.
policy=mps
made now base.json --policy mps || fail "$(tail -1 log)"
sqlite3 $stores.db "SELECT j.key, j.value, iif(j.type IN ('integer', 'real'), printf('%.15g %.15g %.15g %.15g', j.value + 1,
    j.value * 1.25, j.value / 2.0, j.value + 0.1), '')
    FROM run, json_each(config, '$.gpu') j
    WHERE number = 1 AND j.key NOT IN ('base', 'name', 'title', 'mig', 'contention', 'themis', 'themis_gpu',
    'memory_gib_least', 'memory_gib_most')" >members
while IFS='|' read -r key value numbers; do
    # shellcheck disable=SC2086  # a word each
    differs gpu. "$key" "$value" $numbers single duplex curve sms hopper hbm3
done <members
echo 'first: now' >text
every=4
[ "${COTENANT_IDENTITIES:-}" != all ] || every=1
((!${COTENANT_SMALL:-0})) || every=1000
policies=$("$COTENANT" list policies --format csv --quiet | awk -F, -v every=$every 'NR > 1 && ($1 ~ /^(baymax|laius|rule)$/ || NR % every == 0) { print $1 }')
for policy in $policies; do
    "$COTENANT" show policy "$policy" --format json >options.json
    made now base.json --policy "$policy" || continue # this GPU has not what it needs
    sqlite3 :memory: "SELECT json_extract(value, '$.name'), json_extract(value, '$.default'), json_extract(value, '$.range')
        FROM json_each(CAST(readfile('options.json') AS TEXT))" >members
    while IFS='|' read -r key value range; do
        range=${range/ to / }
        # shellcheck disable=SC2086  # a word each
        differs '' "$key" "$value" ${range//,/ } s=40 # a text by application
    done <members
done

# A stored configuration makes the same run.
policy=mps
made first base.json --policy baymax:margin=0.1 --seed 7 --fidelity block --set apps.t.size=2 || fail "$(tail -1 log)"
cp first.config again.json
made again again.json || fail "its own configuration: $(cat log)"
cmp first.key again.key || fail "the configuration of a run makes another run"
cmp first.config again.config || fail "the configuration of a configuration is another one"
made first base.json --policy rule:file=text --seed 7 || fail "$(tail -1 log)"
cp first.config again.json
rm text
made again again.json || fail "the configuration of a rule needs its file: $(cat log)"
cmp first.key again.key || fail "the configuration of a rule makes another run"
[ "$failures" -eq 0 ]
