/* rocpd: databases of rocprofv3 as its schema 3 has them, from one process and from two. */
#include "import_case.h"

#include <sqlite3.h>
#include <stdlib.h>

static const char *const file = "test_rocpd.db";

/* Times in ns since the machine's start. */
#define AT(ns) "(900000000000000 + " #ns ")"

/* The tables of one process; what stands behind their names tells whose they are. */
#define TABLES(of)                                                                                 \
    "CREATE TABLE rocpd_string" of " (id INTEGER, guid TEXT, string TEXT);"                        \
    "INSERT INTO rocpd_string" of " VALUES (1, 'g', 'hipLaunchKernel'), (2, 'g', 'hipMemcpy'),"    \
    "(3, 'g', 'hipStreamSynchronize'), (4, 'g', 'MEMORY_COPY_HOST_TO_DEVICE'),"                    \
    "(5, 'g', 'roctxThreadRangeA'), (6, 'g', 'MEMORY_COPY_HOST_TO_HOST'), (7, 'g', 'hipMalloc');"  \
    "CREATE TABLE rocpd_info_agent" of " (id INTEGER, type TEXT, absolute_index INTEGER,"          \
    "type_index INTEGER, name TEXT, model_name TEXT, product_name TEXT);"                          \
    "INSERT INTO rocpd_info_agent" of " VALUES (0, 'CPU', 0, 0, 'epyc', '', ''),"                  \
    "(4, 'GPU', 4, 0, 'gfx942', '', 'AMD Instinct MI300X'),"                                       \
    "(5, 'GPU', 5, 1, 'gfx942', '', 'AMD Instinct MI300X');"                                       \
    "CREATE TABLE rocpd_info_kernel_symbol" of                                                     \
    " (id INTEGER, kernel_name TEXT, display_name TEXT,"                                           \
    "arch_vgpr_count INTEGER, accum_vgpr_count INTEGER);"                                          \
    "INSERT INTO rocpd_info_kernel_symbol" of " VALUES (1, '_Z4gemm.kd', 'gemm<1>', 24, 8),"       \
    "(2, 'large', NULL, 256, 256);"                                                                \
    "CREATE TABLE rocpd_event" of " (id INTEGER, category_id INTEGER, stack_id INTEGER,"           \
    "parent_stack_id INTEGER, correlation_id INTEGER, extdata TEXT);"                              \
    "CREATE TABLE rocpd_region" of " (id INTEGER, nid INTEGER, pid INTEGER, tid INTEGER,"          \
    "start BIGINT, end BIGINT, name_id INTEGER, event_id INTEGER);"                                \
    "CREATE TABLE rocpd_kernel_dispatch" of " (id INTEGER, nid INTEGER, pid INTEGER, tid INTEGER," \
    "agent_id INTEGER, kernel_id INTEGER, dispatch_id INTEGER, queue_id INTEGER,"                  \
    "stream_id INTEGER, start BIGINT, end BIGINT, private_segment_size INTEGER,"                   \
    "group_segment_size INTEGER, workgroup_size_x INTEGER, workgroup_size_y INTEGER,"              \
    "workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER,"     \
    "event_id INTEGER);"                                                                           \
    "CREATE TABLE rocpd_memory_copy" of " (id INTEGER, nid INTEGER, pid INTEGER, tid INTEGER,"     \
    "start BIGINT, end BIGINT, name_id INTEGER, dst_agent_id INTEGER, dst_address INTEGER,"        \
    "src_agent_id INTEGER, src_address INTEGER, size INTEGER, queue_id INTEGER,"                   \
    "stream_id INTEGER, event_id INTEGER);"

/* An event of a call; a host call; a dispatch; a copy. The event of call n is n, of its work 100 n.
 */
#define EVENT(of, id, call, data)                                                                  \
    "INSERT INTO rocpd_event" of " VALUES (" #id ", 0, " #call ", 0, 0, '" data "');"
#define CALL(of, start, end, name, call, pid)                                                      \
    EVENT(of, call, call, "{}")                                                                    \
    "INSERT INTO rocpd_region" of " VALUES (" #call ", 1, " #pid                                   \
    ", 9, " AT(start) ", " AT(end) ", " #name ", " #call ");"
#define KERNEL(of, start, end, agent, kernel, call, pid, grid)                                     \
    EVENT(of, call##00, call, "{}")                                                                \
    "INSERT INTO rocpd_kernel_dispatch" of " VALUES (" #call ", 1, " #pid ", 9, " #agent           \
    ", " #kernel ", 1, 3, 2, " AT(start) ", " AT(end) ", 0, 4096, 256, 1, 1, " grid ", " #call     \
                                                      "00);"
#define COPY(of, start, end, name, to, from, call, pid)                                            \
    EVENT(of, call##00, call, "{}")                                                                \
    "INSERT INTO rocpd_memory_copy" of " VALUES (1, 1, " #pid                                      \
    ", 9, " AT(start) ", " AT(end) ", " #name ", " #to ", 0, " #from ", 0, 65536, NULL, 2, " #call \
                                   "00);"
#define RANGE(of, start, end, id, message)                                                         \
    EVENT(of, id, id, "{\"message\": \"" message "\"}")                                            \
    "INSERT INTO rocpd_region" of " VALUES (" #id ", 1, 5, 9, " AT(start) ", " AT(end) ", 5, " #id \
                                                                                       ");"
#define ALLOCATIONS(of)                                                                            \
    "CREATE TABLE rocpd_memory_allocate" of " (pid INTEGER, agent_id INTEGER, type TEXT,"          \
    "level TEXT, start BIGINT, address INTEGER, size INTEGER);"
#define ALLOCATION(of, start, agent, type, level, address, size)                                   \
    "INSERT INTO rocpd_memory_allocate" of " VALUES (5, " #agent ", " #type ", " #level            \
    ", " AT(start) ", " #address ", " #size ");"
#define ONE "_0190_aa"
#define TWO "_0190_bb"
#define GRID "1000, 3, 1"

static void write_database(const char *sql) {
    sqlite3 *db;
    char *message = NULL;
    remove(file);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "PRAGMA page_size = 512", NULL, NULL, NULL), SQLITE_OK);
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s", message);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static struct import_case import_sql(const char *sql) {
    write_database(sql);
    struct import_case c = case_import(import_format_rocpd.read, file, NULL, NULL);
    remove(file);
    return c;
}

/* A copy that the host waits for, two launches, a wait for the stream, a launch. */
static const char complete[] =
    TABLES(ONE) CALL(ONE, 0, 1000, 7, 1, 5) CALL(ONE, 2000, 9000, 2, 2, 5)
        COPY(ONE, 3000, 8000, 4, 4, 0, 2, 5) CALL(ONE, 10000, 12000, 1, 3, 5)
            KERNEL(ONE, 13000, 30000, 4, 1, 3, 5, GRID) CALL(ONE, 14000, 15000, 1, 4, 5)
                KERNEL(ONE, 30000, 50000, 4, 1, 4, 5, GRID) CALL(ONE, 16000, 52000, 3, 5, 5)
                    CALL(ONE, 55000, 56000, 1, 6, 5) KERNEL(ONE, 57000, 60000, 4, 1, 6, 5, GRID);

TEST(launches_and_waits) {
    CLOSED_BY(case_free) struct import_case c = import_sql(complete);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 1);
    const struct trace_app *app = c.set.apps.items[0];
    assert_string_equal(app->gpu, "mi300x");
    assert_true(app->launches_recorded);
    assert_int_equal(app->tasks.count, 4);
    const struct trace_task *t = app->tasks.items;
    assert_int_equal(t[0].kind, TRACE_COPY);
    assert_int_equal(t[0].direction, TRACE_HOST_TO_DEVICE);
    assert_int_equal(t[0].memory, TRACE_MEMORY_UNKNOWN);
    assert_int_equal(t[0].bytes, 65536);
    assert_int_equal(t[1].flags & TRACE_SYNC, TRACE_SYNC);
    assert_int_equal(t[1].host_gap_ps, 2000 * CT_PS_PER_NS); /* from the copy's end */
    assert_int_equal(t[1].launch_begin_ps, 8000 * CT_PS_PER_NS);
    assert_int_equal(t[1].duration_ps, 17000 * CT_PS_PER_NS);
    assert_int_equal(t[2].flags & TRACE_SYNC, 0);
    assert_int_equal(t[3].flags & TRACE_SYNC, TRACE_SYNC);
    assert_int_equal(t[3].host_gap_ps, 5000 * CT_PS_PER_NS); /* from the task's end at 50000 */
    const struct trace_kernel *k = &app->kernels.items[0];
    assert_int_equal(app->kernels.count, 1);
    assert_string_equal(k->name, "gemm<1>");
    assert_int_equal(k->grid[0], 4); /* 1000 work-items in groups of 256 */
    assert_int_equal(k->grid[1], 3);
    assert_int_equal(k->block[0], 256);
    assert_int_equal(k->registers_per_thread, 32);
    assert_int_equal(k->dynamic_smem_bytes, 4096);
    assert_int_equal(c.summary.left_out, 1); /* hipMalloc */
}

/* Both call their call 3; each has tables of its own, and the second is on another GPU. */
TEST(processes_and_devices) {
    CLOSED_BY(case_free)
    struct import_case c =
        import_sql(TABLES(ONE) CALL(ONE, 100, 200, 1, 3, 5) KERNEL(ONE, 300, 1300, 4, 1, 3, 5, GRID)
                       TABLES(TWO) CALL(TWO, 150, 250, 1, 3, 6)
                           KERNEL(TWO, 450, 2450, 5, 2, 3, 6, "256, 1, 1"));
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 2);
    assert_string_equal(c.set.apps.items[1]->name, "app-dev1");
    assert_int_equal(c.set.apps.items[0]->tasks.items[0].start_ps, 200 * CT_PS_PER_NS);
    assert_int_equal(c.set.apps.items[1]->tasks.items[0].start_ps, 300 * CT_PS_PER_NS);
    assert_string_equal(c.set.apps.items[1]->kernels.items[0].name, "large");
    assert_int_equal(c.set.apps.items[1]->kernels.items[0].registers_per_thread, 255);
    assert_true(case_said(&c.diags, CT_NOTICE, file, "1 launches use more than 255 registers"));
}

TEST(two_processes_of_one_device) {
    CLOSED_BY(case_free)
    struct import_case c =
        import_sql(TABLES(ONE) CALL(ONE, 100, 200, 1, 3, 5) KERNEL(ONE, 300, 1300, 4, 1, 3, 5, GRID)
                       TABLES(TWO) CALL(TWO, 150, 250, 1, 3, 6)
                           KERNEL(TWO, 450, 2450, 4, 2, 3, 6, "256, 1, 1"));
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.set.apps.count, 2);
    assert_string_equal(c.set.apps.items[0]->name, "app-proc0");
    assert_string_equal(c.set.apps.items[1]->name, "app-proc1");
    assert_string_equal(c.set.apps.items[1]->kernels.items[0].name, "large");
}

/* Ranges of roctx cut jobs, by their message. */
TEST(ranges_cut_jobs) {
    write_database(TABLES("") RANGE("", 0, 1000, 1, "query") CALL("", 100, 200, 1, 3, 5)
                       KERNEL("", 300, 1300, 4, 1, 3, 5, GRID) RANGE("", 2000, 3000, 2, "query")
                           CALL("", 2100, 2200, 1, 4, 5) KERNEL("", 2300, 3300, 4, 1, 4, 5, GRID));
    CLOSED_BY(case_free) struct import_case c = {0};
    const struct import_options options = {
        .app_name = "app", .cut = IMPORT_CUT_MARK, .mark_name = "query", .device = -1};
    struct import_builder *builder = import_begin(&options, &c.diags);
    assert_int_equal(import_format_rocpd.read(builder, file, &c.diags), CT_OK);
    assert_int_equal(import_finish(builder, &c.set, &c.summary), CT_OK);
    assert_int_equal(c.set.apps.items[0]->jobs.count, 2);
    remove(file);
}

static void refuse(const char *sql, const char *where, const char *text) {
    CLOSED_BY(case_free) struct import_case c = import_sql(sql);
    assert_int_equal(c.status, CT_DATA);
    assert_true(case_said(&c.diags, CT_ERROR, where, text));
}

TEST(what_is_refused) {
    refuse("CREATE TABLE a (b);", file, "is a SQLite file, but no rocpd database of rocprofv3");
    refuse("CREATE TABLE rocpd_op (b);", file, "it is one of rocmProfileData");
    refuse(TABLES(ONE), file, "holds no kernels and no copies");
    refuse(TABLES(ONE) KERNEL(ONE, 500, 400, 4, 1, 3, 5, GRID),
           "test_rocpd.db: rocpd_kernel_dispatch_0190_aa row 1", "the duration is negative");
    refuse(TABLES(ONE) KERNEL(ONE, 300, 400, 4, 7, 3, 5, GRID),
           "test_rocpd.db: rocpd_kernel_dispatch_0190_aa row 1", "the kernel has no name");
    refuse(TABLES(ONE) KERNEL(ONE, 300, 400, 4, 1, 3, 5, "0, 1, 1"),
           "test_rocpd.db: rocpd_kernel_dispatch_0190_aa row 1", "the kernel has 0 thread blocks");
    refuse(TABLES(ONE) "ALTER TABLE rocpd_kernel_dispatch_0190_aa RENAME COLUMN start TO start_id;",
           file, "table 'rocpd_kernel_dispatch_0190_aa' has no column 'start'");
    refuse(TABLES(ONE) "CREATE TABLE rocpd_metadata_0190_aa (id INTEGER, tag TEXT, value TEXT);"
                       "INSERT INTO rocpd_metadata_0190_aa VALUES (1, 'schema_version', '4.1.0');",
           file,
           "is a rocpd database of schema 4.1.0, and schema 3 alone is read: record with a "
           "rocprofv3 that writes it, as that of ROCm 7.0 does, or with PyTorch's profiler");
    case_refused(import_format_rocpd.read, file, "text", file, "is no SQLite file");
}

/* Both are SQLite files: their tables tell whose. */
TEST(recognised_by_its_tables) {
    write_database(complete);
    assert_ptr_equal(import_content_of(file).format, &import_format_rocpd);
    write_database("CREATE TABLE StringIds (id INTEGER, value TEXT);");
    assert_ptr_equal(import_content_of(file).format, &import_format_nsys);
    remove(file);
}

TEST(host_copies_are_left_out) {
    CLOSED_BY(case_free)
    struct import_case c = import_sql(TABLES(ONE) KERNEL(ONE, 300, 1300, 4, 1, 3, 5, GRID)
                                          COPY(ONE, 2000, 5000, 6, 0, 0, 4, 5));
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(c.summary.kept, 1);
    assert_string_equal(c.summary.reasons.items[0].reason, "copy within host memory");
    assert_true(import_share_kept(c.summary.gpu_ps) == 25);
}

/* What is freed names neither GPU nor size; memory of the CPU and scratch memory do not count. */
TEST(memory_of_the_gpu) {
    static const char *const tables = TABLES(ONE) KERNEL(ONE, 300, 1300, 4, 1, 3, 5, GRID)
        ALLOCATIONS(ONE) ALLOCATION(ONE, 10, 4, 'ALLOC', 'REAL', 4096, 1000)
            ALLOCATION(ONE, 11, 0, 'ALLOC', 'REAL', 64, 9000)
                ALLOCATION(ONE, 12, 4, 'ALLOC', 'SCRATCH', 128, 9000)
                    ALLOCATION(ONE, 20, NULL, 'FREE', 'REAL', 4096, 0)
                        ALLOCATION(ONE, 30, 4, 'ALLOC', 'VIRTUAL', 8192, 700)
                            ALLOCATION(ONE, 40, 4, 'ALLOC', 'REAL', 4096, 600);
    CLOSED_BY(case_free) struct import_case c = import_sql(tables);
    assert_int_equal(c.status, CT_OK);
    assert_int_equal(trace_app_memory(c.set.apps.items[0]), 1300);
}

TEST(truncations) {
    static char bytes[100000];
    write_database(complete);
    FILE *db = fopen(file, "rb");
    assert_non_null(db);
    size_t size = fread(bytes, 1, sizeof bytes, db);
    fclose(db);
    assert_in_range(size, 1, sizeof bytes - 1);
    for (size_t length = 0; length < size; length += 211) {
        case_write_bytes(file, bytes, length);
        CLOSED_BY(case_free)
        struct import_case c = case_import(import_format_rocpd.read, file, NULL, NULL);
        assert_int_equal(c.status, CT_DATA);
    }
    remove(file);
}
