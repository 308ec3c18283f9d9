#!/usr/bin/env bash
# Files of strangers of at most 1 MB: whatever stands in them, they are read within 20 s of a core, or refused in a sentence.
# What takes several seconds each is tried with COTENANT_SIZES=all alone.
. "$(dirname "${BASH_SOURCE[0]}")/fault_common.bash"
command -v gzip >/dev/null || { echo "no gzip here"; exit 77; }

# ends CODE PATTERN COMMAND...: its exit code, within the time, and what standard error says; an empty pattern: nothing.
ends() {
    local code=$1 pattern=$2 is
    shift 2
    (
        [ "${COTENANT_SMALL:-0}" = 0 ] && ulimit -t 20 # of a core; sanitizers and valgrind take many times as long
        exec "$@"
    ) >out.txt 2>err.txt
    is=$?
    checks=$((checks + 1))
    [ $is -eq "$code" ] || fail "$*: exit code $is: $(head -c 300 err.txt)"
    grep -E -- "${pattern:-^}" err.txt >/dev/null || [ -z "$pattern" ] || fail "$*: no '$pattern' in: $(head -c 300 err.txt)"
    [ -z "$pattern" ] && [ -s err.txt ] && fail "$*: it says $(head -c 300 err.txt)"
}

# apps COUNT APP: a workload of so many applications, i as "&" in each; `before` stands before them.
before=
apps() {
    printf '{"gpu": "v100", "duration_s": 0.03, "warmup_s": 0, %s"apps": [' "$before"
    seq 0 $(($1 - 1)) | sed "s/.*/$2/; \$ ! s/\$/,/"
    echo ']}'
}

synthetic='"synthetic": {"blocks": 80, "threads": 256, "duration_ms": 1}'
apps 8000 '{"name": "a&", '"$synthetic"'}' >many.json
ends 0 "" "$COTENANT" check many.json -q
before='"defaults": {"qos_ms": 20, "role": "batch", "instances": 1, '$synthetic'}, '
apps 16000 '{"name": "a&"}' >defaults.json
ends 0 "" "$COTENANT" check defaults.json -q
before='"defaults": {"x": "'$(head -c 100000 /dev/zero | tr '\0' x)'"}, '
apps 8000 '{"name": "a&"}' >copies.json
ends 2 "defaults: error: [0-9]+ bytes for each of 8000 applications are more than the 64 MiB" "$COTENANT" check copies.json -q
before=
apps 1000 '{"name": "a&", '"$synthetic"'}' >thousand.json
# Of so many on one GPU, jobs that wait at the end are older than any that ended.
ends 0 "'a2' under mps: a job at the end has taken longer than any that ended" "$COTENANT" run thousand.json -q -o thousand.db
expect "who delayed whom, of a thousand" 1 "$(grep -c 'what delayed their jobs is not accounted for' out.txt)"
ends 0 "" "$COTENANT" report thousand.db
if [ "${COTENANT_SIZES:-}" = all ]; then
    apps 60 '{"name": "a&", "instances": 1024, '"$synthetic"'}' >instances.json
    ends 0 "'a0' under mps: a job at the end has taken longer than any that ended" "$COTENANT" run instances.json -q # each question what a setting changes makes them all anew
fi
service='"role": "service", "qos_ms": 20, "arrivals": {"process": "poisson", "rate_per_s": 1}'
apps 5000 '{"name": "a&", '"$service, $synthetic"'}' >services.json
ends 2 "5000 applications are more than the 1000 for which a load is looked for" "$COTENANT" plan services.json --find gpus -q
ends 2 "5000 applications are more than the 1000 for which a load is looked for" "$COTENANT" advise services.json -q
apps 10000 '{"name": "a", '"$synthetic"'}' >same.json
ends 2 "'a' is already the name of apps\[0\]" "$COTENANT" check same.json -q
apps 150000 1 >none.json
ends 2 "apps\[149999\]: error: an application is not an object" "$COTENANT" check none.json -q
apps 9 '{"name": "a&", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 1, "kernels": 1000000}}' >tasks.json
ends 2 "have 9000000 tasks in all, of at most 8388608" "$COTENANT" check tasks.json -q
apps 20 '{"name": "a&", "arrivals": {"process": "closed", "clients": 1000000}, '"$synthetic"'}' >clients.json
ends 2 "its applications have 20000000 clients or workers in all, of at most 4194304" "$COTENANT" run clients.json -q
apps 4 '{"name": "a&", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 1, "kernels": 1000000}}' >long.json
ends 0 "apps\[3\]: notice: 'a3' is not measured alone: .* more than 20 million events" "$COTENANT" check long.json

if [ "${COTENANT_SIZES:-}" = all ]; then
    apps 1 '{"name": "a&", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 1, "kernels": 600000}}' >learns.json
    ends 0 "" "$COTENANT" run learns.json --policy baymax -q # each question what a setting changes learns it all anew
    expect "what is too long to ask" 1 "$(tr -s ' \n' ' ' <out.txt | grep -c '1 key would have taken too long to try without: apps.a0.synthetic.blocks')"
fi
apps 4 '{"name": "a&", "synthetic": {"blocks": 80, "threads": 256, "duration_ms": 1, "kernels": 1000000}}' >learned.json
# One job of each at ten shares is too much already; of fewer tasks as many jobs are run as fit.
ends 2 "learned from profiling runs, of 40000000 tasks here and 12582912 at most" "$COTENANT" run learned.json --policy laius -q

# Texts and nests, also with little stack.
printf '{"gpu": "%s"}' "$(head -c 9000000 /dev/zero | tr '\0' x)" >text.json
ends 2 "text.json:1: error: not valid JSON: a text longer than 4 MiB" "$COTENANT" check text.json
{ printf '{"traceEvents": [{"name": "' && head -c 100000000 /dev/zero | tr '\0' x && printf '"}]}'; } | gzip >text.json.gz
ends 3 "a text longer than 4 MiB at byte [0-9]+" "$COTENANT" import kineto text.json.gz -o t.db
{ printf '{"gpu": ' && head -c 450000 /dev/zero | tr '\0' '[' && head -c 450000 /dev/zero | tr '\0' ']' && printf '}'; } >deep.json
ends 2 "maximum parsing depth" "$COTENANT" check deep.json
ends 3 "nested more than 64 deep" "$COTENANT" import kineto deep.json -o t.db
deepest=$(sed -n 's/.*JSON_READER_DEPTH = \([0-9]*\).*/\1/p' "$SOURCE_DIR/src/format/json_reader.h")
before='"x": '$(head -c $((deepest - 1)) /dev/zero | tr '\0' '[')$(head -c $((deepest - 1)) /dev/zero | tr '\0' ']')', '
apps 1 '{"name": "a", '"$synthetic"'}' >nest.json
ends 2 "unknown key 'x'" bash -c 'ulimit -s 256; exec "$0" check nest.json' "$COTENANT"

# Bombs: what unpacks to far more than it is.
{ printf '{"traceEvents": [' && yes '{},' | head -c 100000000 && printf '{}]}'; } | gzip >bomb.json.gz
ends 3 "it unpacks to more than 256 times its size" "$COTENANT" import kineto bomb.json.gz -o t.db
{ printf 'Name,Profile,Memory_footprint,SM_usage,Duration\n' && yes "$(head -c 1000 /dev/zero | tr '\0' k),1,0,8,100" | head -c 100000000; } | gzip >bomb.csv.gz
ends 3 "it unpacks to more than 256 times its size" "$COTENANT" import orion bomb.csv.gz -o t.db

# As many notices as fit, and as many kernels.
if command -v sqlite3 >/dev/null; then
    workload 0.1
    "$COTENANT" run w.json -o r.db -q >/dev/null || fail "no result store was made"
    sqlite3 r.db "WITH RECURSIVE n(i) AS (SELECT 100 UNION ALL SELECT i + 1 FROM n WHERE i < 200000)
        INSERT INTO notice(run, position, text) SELECT 1, i, 'n' || i FROM n"
    ends 0 "" "$COTENANT" report r.db
    expect "notices in the report" 1 "$(grep -c 'n199999$' out.txt)"
    ends 0 "" "$COTENANT" html r.db -o r.html
fi
awk 'BEGIN {
    print "{\"deviceProperties\": [{\"id\": 0, \"name\": \"Tesla V100-SXM2-16GB\"}], \"traceEvents\": ["
    for (i = 0; i < 20000; i++)
        printf "%s{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k%d\",\"ts\":%d,\"dur\":5,\"args\":{\"device\":0,\"stream\":7," \
               "\"grid\":[80,1,1],\"block\":[256,1,1]}}", (i ? ",\n" : ""), i, 10 * i
    print "]}" }' >kernels.json
ends 0 "" "$COTENANT" import kineto kernels.json -o kernels.db -q
before=
apps 1 '{"name": "a", "trace": "kernels.db"}' >kernels_w.json
ends 0 "" "$COTENANT" run kernels_w.json --policy baymax -q

# Patterns by kernels, and what is looked at before the first run of a sweep or a cluster.
# patterns NAME: 20,000 for the 20,000 kernels.
patterns() {
    printf '{"gpu": "v100", "duration_s": 0.03, "apps": [{"name": "a", "trace": "kernels.db", "kernels": ['
    seq 20000 | sed 's/.*/{"match": "*'"$1"'&*", "l2_fraction": 0.1}/' | paste -sd,
    printf ']}]}'
}
patterns k >patterns.json
ends 2 "kernels\[[0-9]+\].match: error: too many or too long patterns for the 20000 kernels of 'kernels'" "$COTENANT" check patterns.json
patterns nobody >patterns.json
ends 2 "kernels\[0\].match: error: '.nobody1.' matches no kernel of 'kernels'" "$COTENANT" check patterns.json
apps 1 '{"name": "a", '"$synthetic"'}' >small.json
# sweep POLICIES GRID: of small.json.
sweep() {
    echo '{"schema": "cotenant.sweep/1", "name": "s", "workload": "small.json", "policies": ['"$1"'], "designs": [{"grid": {'"$2"'}}]}'
}
sweep '"mps"' "$(seq 60000 | sed 's/.*/"k&": [1]/' | paste -sd,)" >axes.json
ends 2 "designs\[0\].grid: error: 60000 keys; a design has at most 1000" "$COTENANT" sweep axes.json -o s.db
sweep "$(seq 50000 | sed 's/.*/"mps:a=&"/' | paste -sd,)" '"seed": [1]' >policies.json
ends 2 "policies: error: 50000 policies; a sweep has at most 1000" "$COTENANT" sweep policies.json -o s.db
{
    printf '{"schema": "cotenant.cluster/1", "name": "c", "duration_s": 0.03, "gpus": ['
    seq 20000 | sed 's/.*/{"gpu": "v100", "count": 1}/' | paste -sd,
    printf '], "apps": ['
    seq 100 | sed 's/.*/{"name": "a&", "gpus": 1, '"$synthetic"'}/' | paste -sd,
    echo ']}'
} >groups.json
ends 2 "gpus: error: 20000 groups of GPUs are more than 1000; GPUs that are alike can be one" "$COTENANT" cluster groups.json

# cluster GPUS REPS: with a thousand services of a GPU each.
cluster() {
    printf '{"schema": "cotenant.cluster/1", "name": "c", "duration_s": 0.03, "reps": %s, ' "$2"
    printf '"services_per_gpu": 64, "gpus": [{"gpu": "v100", "count": %s}], "apps": [' "$1"
    seq 1000 | sed 's/.*/{"name": "a&", "gpus": 1, '"$service, $synthetic"'}/' | paste -sd,
    echo ']}'
}
cluster 5000 1 >pairs.json
ends 2 "gpus: error: 5000 GPUs with 1000 applications are more than 4194304 pairs of them" "$COTENANT" cluster pairs.json -q
cluster 100 100 >repeated.json
ends 2 "10000 runs of 1000 applications have more than 4194304 results; fewer replications" "$COTENANT" cluster repeated.json -q

# Studies of many: applications left out one by one, figures that read a store for each service.
seq 5000 | sed 's/.*/a&,100,1/' | cat <(echo app,quota_pct,latency_ms) - >solo.csv
seq 20000 | awk '{ print "a" $1 % 5000 + 1 ",100,a1,100,2,2" }' | cat <(echo app_a,quota_a_pct,app_b,quota_b_pct,latency_a_ms,latency_b_ms) - >pairs.csv
ends 0 "no application is left out: 5000 applications in [0-9]* latencies are too many" "$COTENANT" validate solo.csv pairs.csv
if command -v sqlite3 >/dev/null && command -v gnuplot >/dev/null; then
    columns=$(sqlite3 r.db "SELECT group_concat(CASE name WHEN 'position' THEN 'i' WHEN 'name' THEN '''a'' || i' ELSE name END)
        FROM pragma_table_info('app')")
    sqlite3 r.db "DELETE FROM notice; WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 1500)
        INSERT INTO app SELECT $columns FROM (SELECT * FROM app WHERE position = 0), n"
    ends 0 "1501 applications in so many runs are not drawn one by one" "$COTENANT" plot r.db -o figures
fi

# The worst inputs of 1 MB that were thought of, for every reader.
if [ "${COTENANT_SIZES:-}" = all ]; then
    "$SOURCE_DIR/tests/fault/worst_sizes.py" "$COTENANT" || fail "of the worst inputs"
fi
finish hostile_sizes

