#!/usr/bin/env bash
# Why a job takes longer alone than it was recorded, as `trace check` says: kernels that ran beside each other, clocks that differ.
. "$(dirname "${BASH_SOURCE[0]}")/cli_case.bash"
command -v sqlite3 >/dev/null || exit 77

# recording QUERIES SQL...: app.sqlite with a range and a wait for the device for each query, and what SQL adds at its time t.
recording() {
    local i t queries=$1
    rm -f app.sqlite app.db
    {
        echo "CREATE TABLE StringIds (id INTEGER, value TEXT);
            INSERT INTO StringIds VALUES (1, 'k1'), (2, 'k2'), (8, 'cudaDeviceSynchronize_v3020'), (9, 'cudaLaunchKernel_v7000');
            CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER, streamId INTEGER,
                correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, registersPerThread INTEGER, gridX INTEGER,
                gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER, staticSharedMemory INTEGER,
                dynamicSharedMemory INTEGER);
            CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, nameId INTEGER);
            CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, text TEXT, globalTid INTEGER);"
        for ((i = 1; i <= queries; i++)); do
            t=$((i * 2000000))
            echo "INSERT INTO NVTX_EVENTS VALUES ($t, $((t + 1000000)), 59, 'query', 16777217);
                INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ($((t + 400000)), $((t + 980000)), 16777217, ${i}0, 8);"
            kernel "$t" 1 110000 "${starts[0]}" "${ends[0]}"
            kernel "$t" 2 260000 "${starts[1]}" "${ends[1]}"
        done
    } | sqlite3 app.sqlite
    "$COTENANT" import app.sqlite --gpu h100 --app a --jobs nvtx:query -o app.db >said 2>&1 || fail "import: $(cat said)"
    "$COTENANT" trace check app.db --format csv >checked || fail "check"
}

# kernel TIME NUMBER LAUNCH START END: on a stream of its own, of so many blocks that it fills the GPU.
kernel() {
    echo "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES ($(($1 + $3)), $(($1 + $3 + 5000)), 16777217, $(($1 + $2)), 9);
        INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES ($(($1 + $4)), $(($1 + $5)), 0, 1, $((6 + $2)), $(($1 + $2)), 16777216, $2, 32,
            8640, 1, 1, 256, 1, 1, 0, 0);"
}

starts=(120000 270000) ends=(520000 970000)
recording 4
says said "notice: 45 % of the kernel time of 'a' was recorded while other kernels ran on its GPU"
says checked '^a,overlap,doubtful,"?45 % of the kernel time was recorded beside other kernels of the job'
says checked '^a,replay,doubtful,.*the 45 % of its kernel time that was recorded beside other kernels is slowed twice'
recording 1
says checked '^a,replay,doubtful,.*slowed twice'

starts=(10000 160000) ends=(150000 870000)
recording 4
says checked '^a,replay,doubtful,.*8 of its tasks begin before their launch, by 100 us at most: the clocks of host and GPU differ'
grep overlap checked said && fail "kernels one behind the other overlap"

starts=(120000 270000) ends=(260000 970000)
recording 4
says checked '^a,replay,close'
[ "$failures" -eq 0 ]
