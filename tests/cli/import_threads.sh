#!/usr/bin/env bash
# Ranges cut what their own thread launches, in each format that has ranges: of two threads that overlap by half, each with two
# queries of two kernels, there are four jobs of two kernels.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
command -v sqlite3 >/dev/null || exit 77

# each COMMAND: calls it with a number, a thread and the microsecond at which that thread's query begins; they take 60 us.
each() {
    local n=0 t thread
    for t in 0 100; do
        for thread in 1 2; do
            "$1" $((n += 1)) $thread $((t + (thread - 1) * 30))
        done
    done
}

# jobs FILE: what its jobs are, each as the kernels that it launched.
jobs() {
    "$COTENANT" import "$1" --gpu h100 --app a --jobs nvtx:query -o jobs.db >said 2>&1 || fail "$1: $(cat said)"
    sqlite3 jobs.db "SELECT job || ':' || group_concat(kernel, '+') FROM v_tasks GROUP BY job ORDER BY job" | tr '\n' ' '
}
expected='query#0:k1+k1 query#1:k2+k2 query#2:k1+k1 query#3:k2+k2 '

nsys_query() {
    local ns=$(($3 * 1000)) tid=$((16777216 + $2)) i
    echo "INSERT INTO NVTX_EVENTS VALUES ($ns, $((ns + 60000)), 59, 'query', $tid);"
    for i in 10000 50000; do
        echo "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ($((ns + i)), $((ns + i + 1000)), $tid, $(($1 * 100000 + i)), 9);"
        echo "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ($((ns + i + 2000)), $((ns + i + 5000)), 0, 1, $((6 + $2)), $(($1 * 100000 + i)),
            16777216, $2, 32, 80, 1, 1, 128, 1, 1, 0, 0);"
    done
}
sqlite3 app.sqlite "CREATE TABLE StringIds (id INTEGER, value TEXT);
    INSERT INTO StringIds VALUES (1, 'k1'), (2, 'k2'), (9, 'cudaLaunchKernel_v7000');
    CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
        correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, registersPerThread INTEGER, gridX INTEGER, gridY INTEGER,
        gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);
    CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
    CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER); $(each nsys_query)"
[ "$(jobs app.sqlite)" = "$expected" ] || fail "nsys: $(jobs app.sqlite)"
says said '^read 8 = kept 8 [+] left out 0$'
says said 'notice: 2 jobs begin while one of another thread goes on'

# Ranges from a start to an end (60) are no thread's: those of the second thread cross those of the first.
sqlite3 app.sqlite 'UPDATE NVTX_EVENTS SET eventType = 60'
[ "$(jobs app.sqlite)" = 'query#0:k1+k2+k1 query#1:k1+k2+k1 ' ] || fail "ranges of a process: $(jobs app.sqlite)"

kineto_query() {
    local i
    printf ',{"ph":"X","cat":"user_annotation","name":"query","pid":5,"tid":%s,"ts":%s,"dur":60}' "$2" "$3"
    for i in 10 50; do
        printf ',{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":5,"tid":%s,"ts":%s,"dur":1,"args":{"correlation":%s}}' \
            "$2" $(($3 + i)) $(($1 * 100 + i))
        printf ',{"ph":"X","cat":"kernel","name":"k%s","pid":0,"tid":%s,"ts":%s,"dur":3,"args":{"device":0,"context":1,"stream":%s,' \
            "$2" "$2" $(($3 + i + 2)) "$2"
        printf '"correlation":%s,"registers per thread":32,"shared memory":0,"grid":[80,1,1],"block":[128,1,1]}}' $(($1 * 100 + i))
    done
}
echo "{\"traceEvents\":[{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":5}$(each kineto_query)]}" >app.json
[ "$(jobs app.json)" = "$expected" ] || fail "kineto: $(jobs app.json)"

rocpd_query() {
    local ns=$(($3 * 1000)) i id=$(($1 * 1000))
    echo "INSERT INTO rocpd_event_1 VALUES ($id, $id, '{\"message\": \"query\"}');
        INSERT INTO rocpd_region_1 VALUES (7, 7$2, $ns, $((ns + 60000)), 8, $id);"
    for i in 10 50; do
        echo "INSERT INTO rocpd_event_1 VALUES ($((id + i)), $((id + i)), '{}');
            INSERT INTO rocpd_region_1 VALUES (7, 7$2, $((ns + i * 1000)), $((ns + i * 1000 + 1000)), 9, $((id + i)));
            INSERT INTO rocpd_kernel_dispatch_1 VALUES (7, 1, $2, $((ns + i * 1000 + 2000)), $((ns + i * 1000 + 5000)), $2,
                128, 1, 1, 10240, 1, 1, $((id + i)));"
    done
}
sqlite3 app.db "CREATE TABLE rocpd_string_1 (id INTEGER, string TEXT);
    INSERT INTO rocpd_string_1 VALUES (8, 'roctxThreadRangeA'), (9, 'hipLaunchKernel');
    CREATE TABLE rocpd_info_agent_1 (id INTEGER, type TEXT, type_index INTEGER);
    INSERT INTO rocpd_info_agent_1 VALUES (1, 'GPU', 0);
    CREATE TABLE rocpd_info_kernel_symbol_1 (id INTEGER, display_name TEXT);
    INSERT INTO rocpd_info_kernel_symbol_1 VALUES (1, 'k1'), (2, 'k2');
    CREATE TABLE rocpd_event_1 (id INTEGER, stack_id INTEGER, extdata TEXT);
    CREATE TABLE rocpd_region_1 (pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
    CREATE TABLE rocpd_kernel_dispatch_1 (pid INTEGER, agent_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT,
        kernel_id INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER,
        grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER); $(each rocpd_query)"
[ "$(jobs app.db)" = "$expected" ] || fail "rocpd: $(jobs app.db)"
sqlite3 app.db "UPDATE rocpd_string_1 SET string = 'roctxProcessRangeA' WHERE id = 8"
[ "$(jobs app.db)" = 'query#0:k1+k2+k1 query#1:k1+k2+k1 ' ] || fail "ranges of a process: $(jobs app.db)"
[ "$failures" -eq 0 ]
