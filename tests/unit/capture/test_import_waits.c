/*
 * One program with copies that hold the host and copies that do not, as three recorders write it:
 * Nsight Systems, PyTorch's profiler, the capture library. What the host waited for, and its gaps,
 * are worked out by hand and the same from each.
 */
#include "capture/capture_store.h"
#include "unit/ingest/import_case.h"

#include <sqlite3.h>
#include <stdlib.h>

#define NS_PER_US 1000
#define START_NS UINT64_C(1700000000000000000)

enum copy { NONE, H2D_PAGEABLE, D2H_PAGEABLE, D2H_PINNED };

/* A call of the one thread, and what it had the device do; times in microseconds. */
struct step {
    const char *call;
    int call_begin, call_end;
    enum copy copy;
    int bytes, stream, start, end; /* end 0: nothing; a wait has the stream that it waits for */
    int waited_for;                /* ASYNC, ALL, or a task */
    int gap;
};
enum { ASYNC = -1, ALL = -2 };

/*
 * "API synchronization behavior" of the CUDA runtime API: an asynchronous copy of pageable memory
 * to the device returns when its last piece is staged (here 80 us before its end), one to the host
 * when it has ended; pinned memory holds nobody; a copy that is not asynchronous returns when it
 * has ended.
 */
static const struct step steps[] = {
    {"cudaMemcpyAsync", 0, 930, H2D_PAGEABLE, 10000000, 7, 10, 1010, ASYNC, 0},
    {"cudaLaunchKernel", 940, 945, NONE, 0, 7, 1012, 1100, 0, 0}, /* before the copy's end */
    {"cudaLaunchKernel", 950, 953, NONE, 0, 8, 1013, 1200, ASYNC, 10},
    {"cudaStreamSynchronize", 955, 1103, NONE, 0, 7, 0, 0, 0, 0},
    {"cudaLaunchKernel", 1110, 1113, NONE, 0, 7, 1115, 1200, 1, 10}, /* from 1100 */
    {"cudaMemcpyAsync", 1118, 1320, D2H_PAGEABLE, 4096, 7, 1205, 1310, ASYNC, 8},
    {"cudaLaunchKernel", 1330, 1332, NONE, 0, 7, 1335, 1390, 4, 20}, /* from 1310 */
    {"cudaMemcpyAsync", 1340, 1342, D2H_PINNED, 4096, 7, 1400, 1500, ASYNC, 10},
    {"cudaLaunchKernel", 1345, 1347, NONE, 0, 7, 1502, 1510, ASYNC, 5},
    {"cudaMemcpy", 1350, 1560, D2H_PAGEABLE, 4096, 7, 1515, 1550, ASYNC, 5},
    {"cudaMemcpy", 1570, 1600, H2D_PAGEABLE, 4096, 7, 1585, 1590, 8, 20}, /* from 1550 */
    {"cudaLaunchKernel", 1606, 1608, NONE, 0, 7, 1610, 1620, 9, 16},      /* from 1590 */
    {"cudaDeviceSynchronize", 1609, 1630, NONE, 0, 0, 0, 0, 0, 0},
    {"cudaLaunchKernel", 1640, 1642, NONE, 0, 8, 1645, 1650, ALL, 20}}; /* from 1620 */
enum { STEPS = sizeof steps / sizeof steps[0] };

static bool waits_for_stream(const struct step *s) {
    return strcmp(s->call, "cudaStreamSynchronize") == 0;
}

static void check(const struct trace_app *app) {
    size_t next = 0;
    for (int i = 0; i < STEPS; i++) {
        const struct step *s = &steps[i];
        if (!s->end)
            continue;
        assert_true(next < app->tasks.count);
        const struct trace_task *t = &app->tasks.items[next++];
        print_message("call at %d\n", s->call_begin);
        assert_int_equal(t->kind, s->copy ? TRACE_COPY : TRACE_KERNEL);
        assert_int_equal(t->start_ps, s->start * CT_PS_PER_US);
        assert_int_equal(t->duration_ps, (s->end - s->start) * CT_PS_PER_US);
        assert_int_equal(t->flags & TRACE_SYNC, s->waited_for == ASYNC ? 0 : TRACE_SYNC);
        assert_int_equal(t->waited_for, s->waited_for < 0 ? TRACE_NONE : (uint32_t)s->waited_for);
        assert_int_equal(t->host_gap_ps, s->gap * CT_PS_PER_US);
        if (s->copy)
            assert_int_equal(t->memory, s->copy == D2H_PINNED ? TRACE_PINNED : TRACE_PAGEABLE);
    }
    assert_int_equal(next, app->tasks.count);
}

/* ---- Nsight Systems ---- */

static void run_sql(sqlite3 *db, const char *sql) {
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
}

static void write_sql(sqlite3 *db, int i) {
    const struct step *s = &steps[i];
    char sql[600];
    snprintf(sql, sizeof sql,
             "INSERT INTO StringIds VALUES (%d, '%s_v3020');"
             "INSERT INTO CUPTI_ACTIVITY_KIND_RUNTIME VALUES (%d, %d, 9, %d, %d);",
             100 + i, s->call, s->call_begin * NS_PER_US, s->call_end * NS_PER_US, i, 100 + i);
    run_sql(db, sql);
    snprintf(sql, sizeof sql,
             "INSERT INTO CUPTI_ACTIVITY_KIND_SYNCHRONIZATION VALUES (1, %d, %d, 0)", s->stream, i);
    if (waits_for_stream(s))
        run_sql(db, sql);
    snprintf(
        sql, sizeof sql,
        "INSERT INTO CUPTI_ACTIVITY_KIND_KERNEL VALUES (%d, %d, 0, 1, %d, %d, 0, 1, 1, 32, 40, "
        "1, 1, 128, 1, 1, 0, 0)",
        s->end * NS_PER_US, s->start * NS_PER_US, s->stream, i);
    if (s->end && !s->copy)
        run_sql(db, sql);
    snprintf(sql, sizeof sql,
             "INSERT INTO CUPTI_ACTIVITY_KIND_MEMCPY VALUES (%d, %d, 0, 1, %d, %d, 0, %d, %d, %d, "
             "%d)",
             s->start * NS_PER_US, s->end * NS_PER_US, s->stream, i, s->bytes,
             s->copy == H2D_PAGEABLE ? 1 : 2, s->copy == H2D_PAGEABLE ? 0 : 2,
             s->copy == H2D_PAGEABLE ? 2 : s->copy == D2H_PINNED);
    if (s->copy)
        run_sql(db, sql);
}

TEST(from_nsys) {
    static const char path[] = "test_import_waits.sqlite";
    sqlite3 *db;
    remove(path);
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    run_sql(db,
            "CREATE TABLE StringIds (id INTEGER, value TEXT);"
            "INSERT INTO StringIds VALUES (1, 'k');"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start, end, globalTid, correlationId,"
            " nameId);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (end, start, deviceId, contextId, streamId,"
            " correlationId, globalPid, shortName, demangledName, registersPerThread, gridX,"
            " gridY, gridZ, blockX, blockY, blockZ, staticSharedMemory, dynamicSharedMemory);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start, end, deviceId, contextId, streamId,"
            " correlationId, globalPid, bytes, copyKind, srcKind, dstKind);"
            "CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (contextId, streamId,"
            " correlationId, globalPid);");
    for (int i = 0; i < STEPS; i++)
        write_sql(db, i);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_nsys.read, path, NULL, "v100");
    assert_int_equal(c.status, CT_OK);
    check(c.set.apps.items[0]);
    remove(path);
}

/* ---- PyTorch's profiler ---- */

static void write_json(FILE *file, int i) {
    static const char *const names[] = {"k", "Memcpy HtoD (Pageable -> Device)",
                                        "Memcpy DtoH (Device -> Pageable)",
                                        "Memcpy DtoH (Device -> Pinned)"};
    const struct step *s = &steps[i];
    fprintf(file,
            "%s{\"ph\":\"X\",\"cat\":\"cuda_runtime\",\"name\":\"%s\",\"pid\":1,\"tid\":1,"
            "\"ts\":%d,\"dur\":%d,\"args\":{\"correlation\":%d}}",
            i ? "," : "", s->call, s->call_begin, s->call_end - s->call_begin, i + 1);
    if (waits_for_stream(s))
        fprintf(file,
                ",{\"ph\":\"X\",\"cat\":\"cuda_sync\",\"name\":\"Stream Synchronize\",\"pid\":0,"
                "\"tid\":7,\"ts\":%d,\"dur\":1,\"args\":{\"stream\":%d,\"correlation\":%d,"
                "\"device\":0}}",
                s->call_begin, s->stream, i + 1);
    if (s->end)
        fprintf(file,
                ",{\"ph\":\"X\",\"cat\":\"%s\",\"name\":\"%s\",\"pid\":0,\"tid\":%d,\"ts\":%d,"
                "\"dur\":%d,\"args\":{\"device\":0,\"context\":1,\"stream\":%d,\"correlation\":%d,"
                "\"bytes\":%d,\"grid\":[40,1,1],\"block\":[128,1,1]}}",
                s->copy ? "gpu_memcpy" : "kernel", names[s->copy], s->stream, s->start,
                s->end - s->start, s->stream, i + 1, s->bytes);
}

TEST(from_kineto) {
    static const char path[] = "test_import_waits.json";
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs("{\"traceEvents\":[", file);
    for (int i = 0; i < STEPS; i++)
        write_json(file, i);
    fputs("]}", file);
    assert_int_equal(fclose(file), 0);
    CLOSED_BY(case_free)
    struct import_case c = case_import(import_format_kineto.read, path, NULL, "v100");
    assert_int_equal(c.status, CT_OK);
    check(c.set.apps.items[0]);
    remove(path);
}

/* ---- the capture library ---- */

static uint64_t time_ns(int us) {
    return START_NS + (uint64_t)us * NS_PER_US;
}

static void record(struct capture_recording *recording, int i) {
    const struct step *s = &steps[i];
    uint32_t id = (uint32_t)i + 1, stream = (uint32_t)s->stream;
    const struct capture_call call = {.start_ns = time_ns(s->call_begin),
                                      .end_ns = time_ns(s->call_end),
                                      .thread = 1,
                                      .correlation = id};
    const struct capture_place place = {time_ns(s->start), time_ns(s->end), 0, 1, stream, id};
    capture_add_call(recording, s->call, &call);
    if (waits_for_stream(s))
        capture_add_wait(recording, &(struct capture_sync){id, 1, stream, UINT32_MAX});
    if (s->copy)
        capture_add_task(
            recording,
            &(struct capture_task){.place = place,
                                   .kind = TRACE_COPY,
                                   .bytes = (uint64_t)s->bytes,
                                   .copy_kind = s->copy == H2D_PAGEABLE ? 1 : 2,
                                   .source = s->copy == H2D_PAGEABLE ? TRACE_PAGEABLE
                                                                     : TRACE_MEMORY_UNKNOWN,
                                   .destination = s->copy == H2D_PAGEABLE ? TRACE_MEMORY_UNKNOWN
                                                  : s->copy == D2H_PINNED ? TRACE_PINNED
                                                                          : TRACE_PAGEABLE});
    else if (s->end)
        capture_add_kernel(recording, &place, "k",
                           &(struct capture_shape){.grid = {40, 1, 1}, .block = {128, 1, 1}});
}

TEST(from_capture) {
    const struct capture_options options = {
        .app = "a", .jobs = "whole", .gpu = "v100", .recorder = ""};
    struct capture_recording *recording = capture_recording_new(1000, false);
    struct trace_set set = {0};
    struct ct_diags diags = {0};
    struct capture_report report;
    assert_non_null(recording);
    for (int i = 0; i < STEPS; i++)
        record(recording, i);
    assert_int_equal(capture_make(recording, &options, &set, &report, &diags), CT_OK);
    check(set.apps.items[0]);
    trace_set_free(&set);
    ct_diags_free(&diags);
    capture_recording_free(recording);
}
