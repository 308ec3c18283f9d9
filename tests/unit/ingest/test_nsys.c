/* Nsight Systems: SQLite exports of several versions, the CSV of nsys stats, broken files, and the
 * recordings. */
#include "import_case.h"
#include "ingest/activity.h"

#include <sqlite3.h>
#include <stdlib.h>

static const char *const file = "test_nsys.sqlite";
static const char *const text_file = "test_nsys.csv";

/* Process 5 and its thread 9, as Nsight Systems writes them. */
#define PID "(5 << 24)"
#define TID "((5 << 24) | 9)"
#define PID_2 "(6 << 24)"
#define TID_2 "((6 << 24) | 9)"

/* Times in ns since 1970, as some exports have them. */
#define AT(ns) "(1700000000000000000 + " #ns ")"

#define STRINGS                                                                                    \
    "CREATE TABLE StringIds (id INTEGER NOT NULL, value TEXT NOT NULL);"                           \
    "INSERT INTO StringIds VALUES (1, 'gemm<1, 2>(float*)'), (2, 'cudaLaunchKernel_v7000'),"       \
    "(3, 'cudaStreamSynchronize_v3020'), (4, 'cudaMemcpy_v3020'), (5, 'cudaMalloc_v3020'),"        \
    "(6, 'query'), (7, 'cudaStreamWaitEvent_v3020'), (8, 'cudaEventRecord_v3020'),"                \
    "(9, 'cudaGraphLaunch_v10000'), (10, 'gemm'), (11, 'cudaMemcpyAsync_v3020');"

#define KERNEL_TABLE                                                                               \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (end INTEGER, start INTEGER, deviceId INTEGER,"       \
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"               \
    "shortName INTEGER, demangledName INTEGER, registersPerThread INTEGER, gridX INTEGER,"         \
    "gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER, blockZ INTEGER,"                \
    "staticSharedMemory INTEGER, dynamicSharedMemory INTEGER, graphNodeId INTEGER);"
#define KERNEL(end, start, device, stream, correlation, pid, shape, graph)                         \
    "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (" AT(end) ", " AT(                             \
        start) ", " #device ", 1, " #stream ", " #correlation ", " pid ", 10, 1, 32, " shape       \
               ", 48, 16, " #graph ");"
#define SHAPE "40, 2, 1, 128, 1, 1"

#define RUNTIME_TABLE                                                                              \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER,"     \
    "correlationId INTEGER, nameId INTEGER);"
#define CALL(start, end, tid, correlation, name)                                                   \
    "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (" AT(start) ", " AT(end) ", " tid             \
                                                                              ", " #correlation    \
                                                                              ", " #name ");"

#define COPY_TABLE                                                                                 \
    "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER,"       \
    "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid INTEGER,"               \
    "bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);"
#define COPY(start, end, correlation, bytes, kind, source, destination)                            \
    "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (" AT(start) ", " AT(                           \
        end) ", 0, 1, 7, " #correlation ", " PID ", " #bytes ", " #kind ", " #source               \
             ", " #destination ");"

#define GPU_TABLE                                                                                  \
    "CREATE TABLE TARGET_INFO_GPU (vmId INTEGER, id INTEGER, name TEXT);"                          \
    "INSERT INTO TARGET_INFO_GPU VALUES (1, 0, 'NVIDIA GeForce RTX 3060');"

static void write_database(const char *path, const char *sql) {
    sqlite3 *db;
    char *message = NULL;
    remove(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA page_size = 512", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static struct import_case import_sql(const char *sql, const char *gpu) {
    write_database(file, sql);
    struct import_case c = case_import(import_format_nsys.read, file, NULL, gpu);
    remove(file);
    return c;
}

#define MEMORY_TABLE                                                                               \
    "CREATE TABLE CUDA_GPU_MEMORY_USAGE_EVENTS (start INTEGER, globalPid INTEGER,"                 \
    "deviceId INTEGER, contextId INTEGER, address INTEGER, bytes INTEGER, memKind INTEGER,"        \
    "memoryOperationType INTEGER);"
#define MEMORY(start, address, bytes, kind, operation)                                             \
    "INSERT INTO CUDA_GPU_MEMORY_USAGE_EVENTS VALUES (" AT(start) ", " PID ", 0, 1, " #address     \
                                                                  ", " #bytes ", " #kind           \
                                                                  ", " #operation ");"

static const char *const complete = STRINGS KERNEL_TABLE RUNTIME_TABLE COPY_TABLE GPU_TABLE
    /* malloc; copy in (synchronous); two launches; stream synchronise; launch */
    CALL(0, 1000, TID, 1, 5) CALL(2000, 9000, TID, 2, 4) COPY(3000, 8000, 2, 4096, 1, 0, 2)
        CALL(10000, 12000, TID, 3, 2) KERNEL(30000, 13000, 0, 7, 3, PID, SHAPE, NULL)
            CALL(14000, 15000, TID, 4, 2) KERNEL(50000, 30000, 0, 7, 4, PID, SHAPE, NULL)
                CALL(16000, 52000, TID, 5, 3) CALL(55000, 56000, TID, 6, 2)
                    KERNEL(60000, 57000, 0, 7, 6, PID, SHAPE,
                           NULL) "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, "
                                 "end INTEGER, deviceId INTEGER,"
                                 "contextId INTEGER, streamId INTEGER, correlationId INTEGER, "
                                 "globalPid INTEGER,"
                                 "syncType INTEGER);"
                                 "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (0, 0, 0, "
                                 "1, 7, 5, " PID ", 3);";

TEST(launches_and_waits) {
    CLOSED_BY(case_free) struct import_case c = import_sql(complete, NULL);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 1);
    const struct trace_app *app = c.set.apps.items[0];
    assert_string_equal(app->gpu, "rtx3060");
    assert_int_equal(app->resolution_ps, CT_PS_PER_NS);
    assert_true(app->launches_recorded);
    assert_false(app->stacks_recorded);
    assert_int_equal(app->tasks.count, 4);
    const struct trace_task *t = app->tasks.items;
    assert_int_equal(t[0].kind, TRACE_COPY);
    assert_int_equal(t[0].memory, TRACE_PAGEABLE);
    assert_int_equal(t[0].bytes, 4096);
    assert_int_equal(t[1].launch_begin_ps,
                     8000 * CT_PS_PER_NS); /* from the copy's launch at 2000 */
    assert_int_equal(t[1].launch_end_ps, 10000 * CT_PS_PER_NS);
    assert_int_equal(t[1].duration_ps, 17000 * CT_PS_PER_NS);
    assert_int_equal(t[2].flags & TRACE_SYNC, 0);
    assert_int_equal(t[2].host_gap_ps, 4000 * CT_PS_PER_NS); /* issue to issue */
    assert_int_equal(t[3].flags & TRACE_SYNC, TRACE_SYNC);
    assert_int_equal(t[3].host_gap_ps, 5000 * CT_PS_PER_NS); /* from the task's end at 50000 */
    const struct trace_kernel *k = &app->kernels.items[0];
    assert_int_equal(app->kernels.count, 1);
    assert_string_equal(k->name, "gemm<1, 2>(float*)");
    assert_int_equal(k->grid[1], 2);
    assert_int_equal(k->block[0], 128);
    assert_int_equal(k->registers_per_thread, 32);
    assert_int_equal(k->static_smem_bytes, 48);
    assert_int_equal(k->dynamic_smem_bytes, 16);
    assert_int_equal(c.summary.left_out, 1); /* cudaMalloc */
    assert_string_equal(c.summary.reasons.items[0].reason, "host call without device work");
}

/* Pinned memory is the host's; the second allocation comes after the first is given back. */
TEST(memory_of_the_gpu) {
    CLOSED_BY(case_free)
    struct import_case c =
        import_sql(STRINGS KERNEL_TABLE GPU_TABLE KERNEL(1300, 300, 0, 7, 3, PID, SHAPE, NULL)
                       MEMORY_TABLE MEMORY(100, 4096, 1000, 2, 0) MEMORY(110, 8192, 70000, 1, 0)
                           MEMORY(200, 4096, 1000, 2, 1) MEMORY(300, 4096, 900, 2, 0)
                               MEMORY(400, 12288, 300, 5, 0),
                   NULL);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(trace_app_memory(c.set.apps.items[0]), 1200);
}

/* Two processes that both call their GPU 0, stream 7 and correlation 3; the table says which GPU is
 * whose. */
TEST(processes_and_devices) {
    CLOSED_BY(case_free)
    struct import_case c = import_sql(
        STRINGS KERNEL_TABLE RUNTIME_TABLE
        "CREATE TABLE TARGET_INFO_CUDA_DEVICE (gpuId INTEGER, cudaId INTEGER, pid INTEGER);"
        "INSERT INTO TARGET_INFO_CUDA_DEVICE VALUES (0, 0, 5), (1, 0, 6);" CALL(100, 200, TID, 3, 2)
            KERNEL(1300, 300, 0, 7, 3, PID, SHAPE, NULL) CALL(150, 250, TID_2, 3, 2)
                KERNEL(2350, 350, 0, 7, 3, PID_2, SHAPE, NULL),
        "h100");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 2);
    for (int i = 0; i < 2; i++) {
        const struct trace_task *t = c.set.apps.items[i]->tasks.items;
        assert_int_equal(c.set.apps.items[i]->tasks.count, 1);
        assert_int_equal(t->duration_ps, (i + 1) * 1000 * CT_PS_PER_NS);
        assert_int_equal(t->start_ps, 200 * CT_PS_PER_NS); /* each after its own launch */
    }
}

/* Two programs on one GPU, whose streams and correlations have the same numbers. */
TEST(two_processes_of_one_device) {
    CLOSED_BY(case_free)
    struct import_case c =
        import_sql(STRINGS KERNEL_TABLE RUNTIME_TABLE CALL(100, 200, TID, 3, 2)
                       KERNEL(1300, 300, 0, 7, 3, PID, SHAPE, NULL) CALL(150, 250, TID_2, 3, 2)
                           KERNEL(2350, 350, 0, 7, 3, PID_2, SHAPE, NULL),
                   "h100");
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 2);
    assert_string_equal(c.set.apps.items[0]->name, "app-proc0");
    assert_string_equal(c.set.apps.items[1]->name, "app-proc1");
    for (int i = 0; i < 2; i++)
        assert_int_equal(c.set.apps.items[i]->tasks.items[0].duration_ps,
                         (i + 1) * 1000 * CT_PS_PER_NS);
    assert_true(case_said(&c.diags, CT_NOTICE, "app", "2 processes ran kernels on GPU 0"));
}

/* Kernels of one graph launch are one library call; a graph recorded as a whole is left out with
 * advice. */
TEST(graphs) {
    CLOSED_BY(case_free)
    struct import_case c = import_sql(
        STRINGS KERNEL_TABLE RUNTIME_TABLE CALL(0, 100, TID, 3, 9) CALL(200, 300, TID, 4, 9)
            KERNEL(1000, 400, 0, 7, 3, PID, SHAPE, 77) KERNEL(2000, 1000, 0, 7, 3, PID, SHAPE, 78)
                KERNEL(3000, 2000, 0, 7, 4, PID, SHAPE,
                       77) "CREATE TABLE CUPTI_ACTIVITY_KIND_GRAPH_TRACE (start INTEGER, end "
                           "INTEGER, deviceId INTEGER,"
                           "contextId INTEGER, streamId INTEGER, correlationId INTEGER, globalPid "
                           "INTEGER);"
                           "INSERT INTO CUPTI_ACTIVITY_KIND_GRAPH_TRACE VALUES (" AT(4000) ", " AT(
                               5000) ", 0, 1, 7, 9," PID ");",
        "h100");
    assert_int_equal(c.status, CT_OK);
    const struct trace_task *t = c.set.apps.items[0]->tasks.items;
    assert_int_equal(c.set.apps.items[0]->tasks.count, 3);
    assert_true(t[0].library_call > 0 && t[0].library_call == t[1].library_call);
    assert_true(t[2].library_call > 0 && t[2].library_call != t[0].library_call);
    assert_int_equal(c.summary.left_out, 1);
    assert_true(case_said(&c.diags, CT_WARNING, "test_nsys.sqlite", "--cuda-graph-trace=node"));
}

/* A kernel on stream 8 waits for an event that was recorded behind the kernel on stream 7. */
TEST(streams_ordered_by_events) {
    CLOSED_BY(case_free)
    struct import_case c = import_sql(
        STRINGS KERNEL_TABLE RUNTIME_TABLE CALL(0, 100, TID, 1, 2) CALL(200, 300, TID, 2, 8)
            CALL(400, 500, TID, 3, 7) CALL(600, 700, TID, 4, 2) KERNEL(90000, 1000, 0, 7, 1, PID,
                                                                       SHAPE, NULL)
                KERNEL(95000, 91000, 0, 8, 4, PID, SHAPE,
                       NULL) "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (contextId INTEGER, "
                             "streamId INTEGER,"
                             "correlationId INTEGER, globalPid INTEGER, eventSyncId INTEGER);"
                             "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, 8, 3, " PID
                             ", 44);"
                             "CREATE TABLE CUPTI_ACTIVITY_KIND_CUDA_EVENT (contextId INTEGER, "
                             "streamId INTEGER,"
                             "correlationId INTEGER, globalPid INTEGER, eventSyncId INTEGER);"
                             "INSERT INTO CUPTI_ACTIVITY_KIND_CUDA_EVENT VALUES (1, 7, 2, " PID
                             ", 44);",
        "h100");
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    assert_int_equal(app->tasks.items[1].dependency_count, 1);
    assert_int_equal(app->dependencies.items[app->tasks.items[1].first_dependency], 0);
}

/* NVTX ranges by text and by string id cut jobs; instants and unfinished ranges do not. */
TEST(ranges_cut_jobs) {
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(import_summary_free) struct import_summary summary;
    const struct import_options options = {.app_name = "app",
                                           .gpu = "h100",
                                           .cut = IMPORT_CUT_MARK,
                                           .mark_name = "query",
                                           .device = -1};
    write_database(
        file,
        STRINGS KERNEL_TABLE RUNTIME_TABLE CALL(100, 200, TID, 1, 2) CALL(1100, 1200, TID, 2, 2)
            KERNEL(900, 300, 0, 7, 1, PID, SHAPE, NULL)
                KERNEL(1900, 1300, 0, 7, 2, PID, SHAPE,
                       NULL) "CREATE TABLE NVTX_EVENTS (start INTEGER, end INTEGER, eventType "
                             "INTEGER, text TEXT,"
                             "textId INTEGER);"
                             "INSERT INTO NVTX_EVENTS VALUES (" AT(0) ", " AT(
                                 1000) ", 59, 'query', NULL),"
                                       "(" AT(1000) ", " AT(2000) ", 60, NULL, 6), (" AT(
                                           150) ", NULL, 59, 'query', NULL),"
                                                "(" AT(500) ", " AT(700) ", 34, 'query', NULL);");
    struct import_builder *builder = import_begin(&options, &diags);
    assert_int_equal(import_format_nsys.read(builder, file, &diags), CT_OK);
    assert_int_equal(import_finish(builder, &set, &summary), CT_OK);
    assert_int_equal(set.apps.items[0]->jobs.count, 2);
    remove(file);
}

TEST(call_names) {
    assert_int_equal(activity_call_kind_of("cudaDeviceSynchronize_v3020"),
                     ACTIVITY_CALL_WAIT_DEVICE);
    assert_int_equal(activity_call_kind_of("cudaStreamSynchronize_ptsz_v7000"),
                     ACTIVITY_CALL_WAIT_STREAM);
    assert_int_equal(activity_call_kind_of("cuStreamSynchronize_ptsz"), ACTIVITY_CALL_WAIT_STREAM);
    assert_int_equal(activity_call_kind_of("cuEventSynchronize"), ACTIVITY_CALL_WAIT_EVENT);
    assert_int_equal(activity_call_kind_of("cudaStreamWaitEvent_v3020"), ACTIVITY_CALL_ORDER);
    assert_int_equal(activity_call_kind_of("cuMemcpyDtoH_v2_ptds"), ACTIVITY_CALL_COPY);
    assert_int_equal(activity_call_kind_of("cudaMemcpy2DAsync_v3020"), ACTIVITY_CALL_OTHER);
    assert_int_equal(activity_call_kind_of("cudaEventQuery_v3020"), ACTIVITY_CALL_OTHER);
    assert_int_equal(activity_call_kind_of("_v3020"), ACTIVITY_CALL_OTHER);
    assert_int_equal(activity_call_kind_of(""), ACTIVITY_CALL_OTHER);
}

static void refused(const char *sql, const char *where, const char *text) {
    CLOSED_BY(case_free) struct import_case c = import_sql(sql, "h100");
    assert_int_equal(c.status, CT_DATA);
    assert_true(case_said(&c.diags, CT_ERROR, where, text));
}

#define ONE_KERNEL(end, start, shape)                                                              \
    STRINGS KERNEL_TABLE KERNEL(end, start, 0, 7, 1, PID, shape, NULL)

TEST(mistakes) {
    const char *const row = "test_nsys.sqlite: CUPTI_ACTIVITY_KIND_KERNEL row 1";
    refused("CREATE TABLE t (a);", "test_nsys.sqlite", "no export of Nsight Systems");
    refused(STRINGS, "test_nsys.sqlite", "holds no kernels, copies or memsets");
    refused(STRINGS KERNEL_TABLE, "test_nsys.sqlite", "holds no kernels, copies or memsets");
    refused(STRINGS "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, deviceId INTEGER);",
            "test_nsys.sqlite", "table 'CUPTI_ACTIVITY_KIND_KERNEL' has no column 'end'");
    refused(ONE_KERNEL(2000, 1000, "0, 1, 1, 128, 1, 1"), row, "the kernel has 0 thread blocks");
    refused(ONE_KERNEL(2000, 1000, "1, 1, 1, 128, 16, 1"), row, "a thread block of 2048 threads");
    refused(ONE_KERNEL(2000, 1000, "1, 1, 1, 128, 1, -1"), row, "'blockZ' is -1, outside 0 to");
    refused(ONE_KERNEL(2000, 1000, "1, 'many', 1, 128, 1, 1"), row, "'gridY' is no whole number");
    refused(ONE_KERNEL(1000, 2000, SHAPE) KERNEL(900, 100, 0, 7, 2, PID, SHAPE, NULL), row,
            "the duration is negative");
    refused(
        ONE_KERNEL(2000, 1000, SHAPE) "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET demangledName = 99;",
        row, "the kernel has no name");
    refused(ONE_KERNEL(2000, 1000, SHAPE) "UPDATE CUPTI_ACTIVITY_KIND_KERNEL SET start = 0;"
                                          "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL SELECT * FROM "
                                          "CUPTI_ACTIVITY_KIND_KERNEL;",
            row, "more than 106 days from the recording's begin");
    refused(ONE_KERNEL(2000, 1000, SHAPE) "INSERT INTO StringIds VALUES (1, 'again');",
            "test_nsys.sqlite", "table 'StringIds' holds the id 1 twice");
}

/* Text files and what is neither. */
#define CSV_HEADER                                                                                 \
    "Start (ns),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem (MB),DymSMem "  \
    "(MB),Bytes (MB),Throughput (MB/s),SrcMemKd,DstMemKd,Device,Ctx,GreenCtx,Strm,Name\n"
#define CSV_KERNEL(start, grid)                                                                    \
    start ",20000,12," grid ",1,1,256,1,1,32,0.048,0.000,,,,,NVIDIA A100-SXM4-80GB (1),1,,7,"      \
          "\"gemm<1, 2>(float*)\"\n"

static const char *const stats =
    "\nNOTICE: Existing SQLite export found: x.sqlite\n\nProcessing [x.sqlite] with "
    "[cuda_gpu_trace.py]... \n" CSV_HEADER
    "100000,5000,11,,,,,,,,,,4.194,838.8,Pinned,Device,NVIDIA A100-SXM4-80GB (1),1,,7,[CUDA memcpy "
    "Host-to-Device]\n" CSV_KERNEL("110000", "108") "131000,900,13,,,,,,,,,,0.001,,Device,,NVIDIA "
                                                    "A100-SXM4-80GB (1),1,,7,[CUDA memset]\n";

TEST(statistics_csv) {
    case_write(text_file, stats);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nsys.read, text_file, NULL, NULL);
    assert_int_equal(c.status, CT_OK);
    const struct trace_app *app = c.set.apps.items[0];
    const struct trace_task *t = app->tasks.items;
    assert_string_equal(app->gpu, "a100-80gb");
    assert_int_equal(app->tasks.count, 3);
    assert_int_equal(t[0].bytes, 4194000); /* MB is 10^6, three decimals */
    assert_int_equal(t[0].memory, TRACE_PINNED);
    assert_int_equal(t[0].direction, TRACE_HOST_TO_DEVICE);
    assert_int_equal(t[1].duration_ps, 20000 * CT_PS_PER_NS);
    assert_int_equal(app->kernels.items[0].static_smem_bytes, 48000);
    assert_int_equal(app->kernels.items[0].grid[0], 108);
    assert_int_equal(t[2].kind, TRACE_MEMSET);
    remove(text_file);
}

/* An older header, other units, and metrics of Nsight Compute beside it. */
TEST(statistics_csv_with_metrics) {
    const char *const metrics = "test_nsys_ncu.csv";
    case_write(text_file,
               "Start (us),Duration (ns),CorrId,GrdX,GrdY,GrdZ,BlkX,BlkY,BlkZ,Reg/Trd,StcSMem "
               "(KiB),DymSMem (byte),Bytes (byte),Throughput (MBps),Device,Strm,Name\n"
               "1.5,20000,12,4,1,1,256,1,1,32,48,16,,,NVIDIA H100 (0),7,k(int)\n");
    case_write(metrics, "==PROF== Connected\n"
                        "\"ID\",\"Kernel Name\",\"Block Size\",\"Grid Size\",\"Metric "
                        "Name\",\"Metric Unit\",\"Metric Value\"\n"
                        "\"0\",\"k(int)\",\"(256, 1, 1)\",\"(4, 1, 1)\",\"DRAM "
                        "Throughput\",\"%\",\"25.0\"\n");
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nsys.read, text_file, metrics, NULL);
    assert_int_equal(c.status, CT_OK);
    const struct trace_kernel *k = &c.set.apps.items[0]->kernels.items[0];
    assert_int_equal(c.set.apps.items[0]->tasks.count, 1);
    assert_int_equal(k->static_smem_bytes, 48 * 1024);
    assert_int_equal(k->dynamic_smem_bytes, 16);
    assert_float_equal(k->metrics.dram_fraction, 0.25, 1e-12);
    assert_int_equal(k->demand_provenance, CT_MEASURED);
    remove(text_file);
    remove(metrics);
}

TEST(mistakes_in_text) {
    case_refused(import_format_nsys.read, text_file, "", "test_nsys.csv",
                 "is neither a SQLite export");
    case_refused(import_format_nsys.read, text_file, "Start,Name\n1,2\n", "test_nsys.csv",
                 "is neither");
    case_refused(import_format_nsys.read, text_file, "SQLite format 3", "test_nsys.csv",
                 "is cut off: 15 of 100 bytes");
    case_refused(import_format_nsys.read, text_file, CSV_HEADER, "test_nsys.csv",
                 "has no device records");
    case_refused(import_format_nsys.read, text_file, CSV_HEADER CSV_KERNEL("x", "1"),
                 "test_nsys.csv:2", "'x' is no time below 106 days in column 'Start'");
    case_refused(import_format_nsys.read, text_file, CSV_HEADER CSV_KERNEL("5", "0"),
                 "test_nsys.csv:2", "the kernel has 0 thread blocks");
    case_refused(import_format_nsys.read, text_file, CSV_HEADER "1,2\n", "test_nsys.csv:2",
                 "is the file cut off?");
    case_refused(import_format_nsys.read, text_file, "Start (ns),Duration (h),Name\n",
                 "test_nsys.csv:1", "'h' is no unit in column 'Duration'");
    case_refused(import_format_nsys.read, "test_nsys.nsys-rep", "QDSTRM", "test_nsys.nsys-rep",
                 "run 'nsys export --type sqlite'");
    CLOSED_BY(case_free)
    struct import_case c =
        case_import(import_format_nsys.read, "no_such_folder/x.sqlite", NULL, NULL);
    assert_true(case_said(&c.diags, CT_ERROR, "no_such_folder/x.sqlite", "cannot open it"));
}

/* Every beginning of a database is refused; damaged ones are refused or read, and never crash. */
TEST(truncated_and_damaged) {
    static unsigned char bytes[1 << 16];
    write_database(file, complete);
    FILE *whole = fopen(file, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, whole);
    fclose(whole);
    assert_in_range(size, 512, sizeof bytes - 1);
    for (size_t length = 0; length < size; length += 97) {
        case_write_bytes(file, bytes, length);
        CLOSED_BY(case_free)
        struct import_case c = case_import(import_format_nsys.read, file, NULL, "h100");
        assert_int_equal(c.status, CT_DATA);
    }
    for (size_t at = 0; at < size; at += 19) {
        unsigned char kept = bytes[at];
        bytes[at] ^= (unsigned char)(1 + at % 255);
        case_write_bytes(file, bytes, size);
        struct import_case c = case_import(import_format_nsys.read, file, NULL, "h100");
        case_free(&c);
        bytes[at] = kept;
    }
    remove(file);
    size_t refused_texts =
        case_truncations(import_format_nsys.read, text_file, stats, strlen(stats));
    assert_int_equal(refused_texts,
                     strlen(stats) - 3); /* behind the kernel, its line, and what follows */
}

/* The three real exports: rows of the device tables, counted with sqlite3. */
TEST(recordings) {
    static const struct {
        const char *path;
        size_t apps;
        uint64_t tasks; /* of all device tables but whole graphs */
    } files[] = {{"nsys/h100_2gpu_nsys2026.2.1.sqlite", 2, 4010 + 1020 + 269},
                 {"nsys/rtx3060_nsys2025.5.2.sqlite", 1, 3 + 1},
                 {"nsys/rtx3080_nsys2026.1.1.sqlite", 1, 2 + 1}};
    for (size_t i = 0; i < CT_COUNT_OF(files); i++) {
        char path[512];
        uint64_t carried = 0, tasks = 0;
        if (!case_data(files[i].path, path, sizeof path))
            continue;
        CLOSED_BY(case_free)
        struct import_case c = case_import(import_format_nsys.read, path, NULL, i ? NULL : "h100");
        assert_int_equal(c.status, CT_OK);
        assert_int_equal(c.set.apps.count, files[i].apps);
        for (size_t j = 0; j < c.set.apps.count; j++) {
            tasks += c.set.apps.items[j]->tasks.count;
            carried += c.set.apps.items[j]->carried_tasks;
        }
        assert_int_equal(tasks + carried, files[i].tasks);
        assert_int_equal(c.summary.kept, tasks);
    }
}
