#!/usr/bin/env bash
# Small recordings, as a reader of the documentation has his own, in the folder at hand: app.sqlite of Nsight Systems
# and app-metrics.csv of Nsight Compute, app.json.gz of the PyTorch profiler, app.csv and app.metrics.csv of nvprof,
# app.db of rocprofv3.
# Four queries of two kernels and a copy.

nsys_recording() {
    cat <<'SQL'
CREATE TABLE StringIds (id INTEGER, value TEXT);
INSERT INTO StringIds VALUES (1, 'gemm<float>(float*)'), (2, 'relu(float*)'), (3, 'cudaLaunchKernel_v7000'),
    (4, 'cudaMemcpyAsync_v3020'), (5, 'cudaStreamSynchronize_v3020'), (6, 'query');
CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT);
INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA A100-SXM4-80GB');
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER, registersPerThread INTEGER,
    gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,
    staticSharedMemory INTEGER, dynamicSharedMemory INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
    correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, textId INTEGER, globalTid INTEGER);
SQL
    local i t
    for i in 1 2 3 4; do
        t=$((i * 1000000))
        cat <<SQL
INSERT INTO NVTX_EVENTS VALUES ($t, $((t + 600000)), 59, 'query', NULL, 83886089);
INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ($((t + 1000)), $((t + 4000)), 83886089, $((i * 10)), 4),
    ($((t + 5000)), $((t + 9000)), 83886089, $((i * 10 + 1)), 3), ($((t + 10000)), $((t + 14000)), 83886089, $((i * 10 + 2)), 3),
    ($((t + 15000)), $((t + 400000)), 83886089, $((i * 10 + 3)), 5);
INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES ($((t + 6000)), $((t + 60000)), 0, 1, 7, $((i * 10)), 83886080, 602112, 1, 1, 2);
INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES
    ($((t + 61000)), $((t + 361000)), 0, 1, 7, $((i * 10 + 1)), 83886080, 1, 1, 64, 432, 1, 1, 128, 1, 1, 0, 32768),
    ($((t + 362000)), $((t + 392000)), 0, 1, 7, $((i * 10 + 2)), 83886080, 2, 2, 16, 2352, 1, 1, 256, 1, 1, 0, 0);
SQL
    done
}

rocpd_recording() {
    cat <<'SQL'
CREATE TABLE rocpd_string_1 (id INTEGER, string TEXT);
INSERT INTO rocpd_string_1 VALUES (1, 'hipLaunchKernel'), (2, 'hipStreamSynchronize'), (3, 'roctxThreadRangeA');
CREATE TABLE rocpd_info_agent_1 (id INTEGER, type TEXT, type_index INTEGER, name TEXT, product_name TEXT);
INSERT INTO rocpd_info_agent_1 VALUES (0, 'CPU', 0, 'host', ''), (1, 'GPU', 0, 'gfx942', 'AMD Instinct MI300X');
CREATE TABLE rocpd_info_kernel_symbol_1 (id INTEGER, display_name TEXT, arch_vgpr_count INTEGER, accum_vgpr_count INTEGER);
INSERT INTO rocpd_info_kernel_symbol_1 VALUES (1, 'Cijk_Ailk_Bljk_HHS', 128, 0);
CREATE TABLE rocpd_event_1 (id INTEGER, stack_id INTEGER, extdata TEXT);
CREATE TABLE rocpd_region_1 (pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);
CREATE TABLE rocpd_kernel_dispatch_1 (pid INTEGER, agent_id INTEGER, stream_id INTEGER, start BIGINT, end BIGINT,
    kernel_id INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,
    workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER);
SQL
    local i t
    for i in 1 2 3 4; do
        t=$((i * 1000000))
        cat <<SQL
INSERT INTO rocpd_event_1 VALUES ($((i * 10)), $((i * 10)), '{}'), ($((i * 10 + 1)), $((i * 10 + 1)), '{}'),
    ($((i * 10 + 2)), $((i * 10 + 2)), '{"message": "query"}');
INSERT INTO rocpd_region_1 VALUES (7, 9, $((t + 5000)), $((t + 9000)), 1, $((i * 10))),
    (7, 9, $((t + 15000)), $((t + 400000)), 2, $((i * 10 + 1))), (7, 9, $t, $((t + 600000)), 3, $((i * 10 + 2)));
INSERT INTO rocpd_kernel_dispatch_1 VALUES
    (7, 1, 1, $((t + 61000)), $((t + 361000)), 1, 32768, 256, 1, 1, 77824, 1, 1, $((i * 10)));
SQL
    done
}

kineto_recording() {
    local event='{"ph":"X","cat":"%s","name":"%s","pid":%s,"tid":1,"ts":%s,"dur":%s%s},'
    local shape='"registers per thread":64,"shared memory":32768,"grid":[432,1,1],"block":[128,1,1]'
    printf '{"deviceProperties":[{"id":0,"name":"NVIDIA A100-SXM4-80GB"}],"traceEvents":['
    local i t
    for i in 1 2 3 4; do
        t=$((i * 1000))
        # shellcheck disable=SC2059
        printf "$event" user_annotation "ProfilerStep#$i" 1 "$t" 1000 ""
        # shellcheck disable=SC2059
        printf "$event" cuda_runtime cudaLaunchKernel 1 "$((t + 5))" 4 ",\"args\":{\"correlation\":$i}"
        # shellcheck disable=SC2059
        printf "$event" kernel "gemm<float>" 0 "$((t + 61))" 300.125 \
            ",\"args\":{\"device\":0,\"context\":1,\"stream\":7,\"correlation\":$i,$shape}"
    done
    printf '{"ph":"i","name":"end","pid":1,"tid":1,"ts":6000}]}\n'
}

nvprof_recording() {
    printf '%s\n' '==1== Profiling result:' \
        '"Start","Duration","Grid X","Grid Y","Grid Z","Block X","Block Y","Block Z","Registers Per Thread","Static SMem","Dynamic SMem","Size","Throughput","SrcMemType","DstMemType","Device","Context","Stream","Name"' \
        'ms,us,,,,,,,,KB,KB,MB,GB/s,,,,,,'
    local i gpu='"Tesla V100-SXM2-16GB (0)","1","7"'
    for i in 1 2 3 4; do
        printf '%s\n' "$i.006,54.000,,,,,,,,,,0.574219,10.38,\"Pinned\",\"Device\",$gpu,\"[CUDA memcpy HtoD]\"" \
            "$i.061,300.000,432,1,1,128,1,1,64,0.000000,32.000000,,,,,$gpu,\"gemm(float*) [$i]\""
    done
}

nvprof_metrics() {
    printf '%s\n' '==1== Metric result:' '"Device","Kernel","Invocations","Metric Name","Metric Description","Min","Max","Avg"'
    local device='"Tesla V100-SXM2-16GB (0)","gemm(float*)",4'
    printf '%s\n' "$device,\"dram_read_throughput\",\"Device Memory Read Throughput\",200GB/s,220GB/s,210GB/s" \
        "$device,\"dram_write_throughput\",\"Device Memory Write Throughput\",50GB/s,60GB/s,55GB/s" \
        "$device,\"single_precision_fu_utilization\",\"Single-Precision Function Unit Utilization\",High (7),High (7),High (7)"
}

ncu_metrics() {
    printf '%s\n' '"ID","Process ID","Process Name","Host Name","Kernel Name","Context","Stream","Block Size","Grid Size","Device","CC","Section Name","Metric Name","Metric Unit","Metric Value"'
    local launch='"0","1","app","host","gemm<float>(float*)","1","7","(128, 1, 1)","(432, 1, 1)","0","8.0","s"'
    printf '%s\n' "$launch,\"DRAM Throughput\",\"%\",\"41.5\"" "$launch,\"SM Busy\",\"%\",\"72.5\"" \
        "$launch,\"Executed Instructions\",\"inst\",\"1,234,567\"" "$launch,\"Avg. Active Threads Per Warp\",\"\",\"31.5\""
}

nsys_recording | sqlite3 app.sqlite
rocpd_recording | sqlite3 app.db
ncu_metrics >app-metrics.csv
kineto_recording | gzip >app.json.gz
nvprof_recording >app.csv
nvprof_metrics >app.metrics.csv
