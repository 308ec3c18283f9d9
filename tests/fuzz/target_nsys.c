#include "fuzz.h"

/* A recording as Nsight Systems exports it: a copy, two kernels, a wait, a range. */
static const char schema[] =
    "CREATE TABLE StringIds (id INTEGER, value TEXT);"
    "INSERT INTO StringIds VALUES (1, 'gemm<1>(float*)'), (2, 'cudaLaunchKernel_v7000'),"
    "(3, 'cudaStreamSynchronize_v3020'), (4, 'cudaMemcpyAsync_v3020'), (5, 'mark'),"
    "(6, 'cudaStreamWaitEvent_v3020'), (7, 'cudaEventRecord_v3020');"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (end INTEGER, start INTEGER, deviceId INTEGER,"
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    "shortName INTEGER, demangledName INTEGER, registersPerThread INTEGER, gridX INTEGER,"
    "gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"
    "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES"
    "(30000, 13000, 0, 1, 7, 3, 83886080, 1, 1, 32, 40, 2, 1, 128, 1, 1, 48, 16, NULL),"
    "(50000, 30000, 0, 1, 8, 4, 83886080, 1, 1, 32, 40, 2, 1, 128, 1, 1, 48, 16, NULL);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"
    "correlationId INTEGER, nameId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (2000, 9000, 83886089, 2, 4),"
    "(10000, 12000, 83886089, 3, 2), (14000, 15000, 83886089, 4, 2), (16000, 52000, 83886089, 5, "
    "3),"
    "(13000, 13100, 83886089, 6, 7), (13200, 13300, 83886089, 7, 6);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"
    "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (3000, 8000, 0, 1, 7, 2, 83886080, 4096, 1, 0, "
    "2);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMSET (start INTEGER, end INTEGER, deviceId INTEGER,"
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, value INTEGER,"
    "bytes INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMSET VALUES (51000, 52000, 0, 1, 7, 9, 83886080, 0, 64);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId "
    "INTEGER,"
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType "
    "INTEGER, eventId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (16000, 52000, 0, 1, 7, 5, 83886080, "
    "3, 0),"
    "(13200, 13300, 0, 1, 8, 7, 83886080, 2, 1);"
    "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (deviceId INTEGER, contextId INTEGER, streamId "
    "INTEGER, correlationId INTEGER, globalPid INTEGER, eventId INTEGER);"
    "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (0, 1, 7, 6, 83886080, 1);"
    "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType INTEGER, rangeId INTEGER,"
    "text TEXT, textId INTEGER, globalTid INTEGER);"
    "INSERT INTO NVTX_EVENTS VALUES (1000, 60000, 59, NULL, 'mark', NULL, 83886089),"
    "(1500, 50000, 60, NULL, NULL, 5, 83886089);"
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT);"
    "INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA GeForce RTX 3060');";

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static struct fuzz_store store;
    fuzz_import_edited(&store, schema, &import_format_nsys, data, size);
    return 0;
}
