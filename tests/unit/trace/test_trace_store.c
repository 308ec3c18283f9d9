/* The trace store: what is written is read, and what is not a store is refused with a reason. */
#include "cmocka_complete.h"
#include "trace/trace_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <sqlite3.h>

static char folder[] = "/tmp/cotenant_store_XXXXXX";

static const char *path_of(const char *name) {
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static int make_folder(void **state) {
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state) {
    static const char *const names[] = {"t.db", "u.db", "v.db", "w.db", "other.db"};
    for (size_t i = 0; i < CT_COUNT_OF(names); i++)
        unlink(path_of(names[i]));
    return rmdir(folder);
}

static const struct trace_curve_point curve[] = {{100, 6.13}, {1000, 1}};

/* Two jobs, two streams, a dependency, a wait, a curve; times with a common unit of half a
 * microsecond. */
static void fill(struct trace_set *set, const char *name, ct_time_ps first_duration) {
    struct trace_app *app = trace_set_add(set, name);
    struct trace_metrics metrics = trace_metrics_unknown();
    metrics.dram_bytes_per_s = 123456789.25;
    metrics.instructions = 1e12 + 1;
    metrics.fp64_fraction = 0.9;
    app->gpu = "v100";
    app->source = "made by a test";
    app->licence = "MIT";
    app->resolution_ps = CT_PS_PER_US;
    app->stream_count = 2;
    app->carried_tasks = 3;
    app->launches_recorded = true;
    assert_true(ct_vec_push(&app->kernels, (struct trace_kernel){.name = "one",
                                                                 .grid = {1, 2, 3},
                                                                 .block = {4, 5, 6},
                                                                 .registers_per_thread = 7,
                                                                 .static_smem_bytes = 8,
                                                                 .dynamic_smem_bytes = 9,
                                                                 .demand_provenance = CT_MEASURED,
                                                                 .metrics = metrics,
                                                                 .curve = curve,
                                                                 .curve_count = 2}));
    assert_true(
        ct_vec_push(&app->kernels, (struct trace_kernel){.name = "nccl",
                                                         .grid = {1, 1, 1},
                                                         .block = {1, 1, 1},
                                                         .communication = true,
                                                         .demand_provenance = CT_ASSUMED,
                                                         .metrics = trace_metrics_unknown()}));
    const struct trace_task tasks[] = {{.kernel = 0,
                                        .direction = TRACE_DEVICE_TO_DEVICE,
                                        .memory = TRACE_MEMORY_UNKNOWN,
                                        .waited_for = TRACE_NONE,
                                        .library_call = 1,
                                        .duration_ps = first_duration,
                                        .start_ps = 7000000,
                                        .launch_end_ps = 2000000},
                                       {.kind = TRACE_COPY,
                                        .direction = TRACE_DEVICE_TO_HOST,
                                        .memory = TRACE_PINNED,
                                        .flags = TRACE_SYNC | TRACE_CARRIED,
                                        .kernel = TRACE_NONE,
                                        .stream = 1,
                                        .waited_for = 0,
                                        .dependency_count = 1,
                                        .bytes = UINT64_C(1) << 40,
                                        .duration_ps = 500000,
                                        .start_ps = 90000000,
                                        .launch_begin_ps = 80000000,
                                        .launch_end_ps = 80000000,
                                        .host_gap_ps = 1500000},
                                       {.kernel = 1,
                                        .direction = TRACE_DEVICE_TO_DEVICE,
                                        .memory = TRACE_MEMORY_UNKNOWN,
                                        .waited_for = TRACE_NONE,
                                        .duration_ps = 1000000}};
    for (size_t i = 0; i < CT_COUNT_OF(tasks); i++)
        assert_true(ct_vec_push(&app->tasks, tasks[i]));
    assert_true(ct_vec_push(&app->jobs, (struct trace_job){"first", 0, 2, 4096, 90500000, 0}));
    assert_true(ct_vec_push(&app->jobs, (struct trace_job){"second", 2, 1, 0, 1000000, 0}));
    assert_true(ct_vec_push(&app->dependencies, 0));
    assert_true(ct_vec_push(&app->library_calls, "aten::conv2d"));
    assert_true(ct_vec_push(&app->notes, (struct trace_note){"GPU", "Tesla V100"}));
    assert_true(ct_vec_push(&app->notes, (struct trace_note){"dropped records", "0"}));
}

static void write_set(const char *path, const char *name, ct_time_ps duration) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    fill(&set, name, duration);
    assert_int_equal(trace_store_write(path, &set, &diags), CT_OK);
}

static void assert_same_task(const struct trace_task *a, const struct trace_task *b) {
    assert_int_equal(a->kind, b->kind);
    assert_int_equal(a->direction, b->direction);
    assert_int_equal(a->memory, b->memory);
    assert_int_equal(a->flags, b->flags);
    assert_int_equal(a->kernel, b->kernel);
    assert_int_equal(a->stream, b->stream);
    assert_int_equal(a->waited_for, b->waited_for);
    assert_int_equal(a->library_call, b->library_call);
    assert_int_equal(a->dependency_count, b->dependency_count);
    assert_int_equal(a->bytes, b->bytes);
    assert_int_equal(a->duration_ps, b->duration_ps);
    assert_int_equal(a->start_ps, b->start_ps);
    assert_int_equal(a->launch_begin_ps, b->launch_begin_ps);
    assert_int_equal(a->launch_end_ps, b->launch_end_ps);
    assert_int_equal(a->host_gap_ps, b->host_gap_ps);
}

static void assert_same_kernel(const struct trace_kernel *a, const struct trace_kernel *b) {
    assert_string_equal(a->name, b->name);
    assert_memory_equal(a->grid, b->grid, sizeof a->grid);
    assert_memory_equal(a->block, b->block, sizeof a->block);
    assert_int_equal(a->registers_per_thread, b->registers_per_thread);
    assert_int_equal(a->static_smem_bytes, b->static_smem_bytes);
    assert_int_equal(a->dynamic_smem_bytes, b->dynamic_smem_bytes);
    assert_int_equal(a->communication, b->communication);
    assert_int_equal(a->demand_provenance, b->demand_provenance);
    assert_true(isnan(a->metrics.row_hit_rate) && isnan(b->metrics.row_hit_rate));
    assert_int_equal(isnan(a->metrics.instructions), isnan(b->metrics.instructions));
    assert_true(isnan(a->metrics.fp32_fraction) && isnan(b->metrics.fp32_fraction));
    assert_true(a->metrics.fp64_fraction == b->metrics.fp64_fraction ||
                (isnan(a->metrics.fp64_fraction) && isnan(b->metrics.fp64_fraction)));
    if (!isnan(a->metrics.instructions)) {
        assert_true(a->metrics.instructions == b->metrics.instructions);
        assert_true(a->metrics.dram_bytes_per_s == b->metrics.dram_bytes_per_s);
    }
    assert_int_equal(a->curve_count, b->curve_count);
    for (uint32_t i = 0; i < a->curve_count; i++) {
        assert_int_equal(a->curve[i].share, b->curve[i].share);
        assert_true(a->curve[i].factor == b->curve[i].factor);
    }
}

TEST(test_round_trip) {
    CLOSED_BY(trace_set_free) struct trace_set made = {0}, got = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    fill(&made, "a", 2500000);
    assert_int_equal(trace_store_write(path_of("t.db"), &made, &diags), CT_OK);
    assert_int_equal(trace_store_read(path_of("t.db"), NULL, &got, &diags), CT_OK);
    const struct trace_app *a = made.apps.items[0], *b = got.apps.items[0];
    assert_string_equal(b->name, "a");
    assert_string_equal(b->gpu, "v100");
    assert_string_equal(b->source, "made by a test");
    assert_string_equal(b->licence, "MIT");
    assert_int_equal(b->resolution_ps, CT_PS_PER_US);
    assert_int_equal(b->stream_count, 2);
    assert_int_equal(b->carried_tasks, 3);
    assert_true(b->launches_recorded && !b->stacks_recorded);
    assert_int_equal(b->tasks.count, a->tasks.count);
    for (size_t i = 0; i < a->tasks.count; i++)
        assert_same_task(&a->tasks.items[i], &b->tasks.items[i]);
    assert_int_equal(b->kernels.count, 2);
    for (size_t i = 0; i < 2; i++)
        assert_same_kernel(&a->kernels.items[i], &b->kernels.items[i]);
    assert_int_equal(b->dependencies.count, 1);
    assert_int_equal(b->dependencies.items[b->tasks.items[1].first_dependency], 0);
    assert_string_equal(b->library_calls.items[0], "aten::conv2d");
    assert_int_equal(b->notes.count, 2);
    assert_string_equal(b->notes.items[0].name, "GPU");
    assert_string_equal(b->notes.items[1].value, "0");
    assert_string_equal(b->jobs.items[1].name, "second");
    assert_int_equal(b->jobs.items[0].input_bytes, 4096);
    assert_int_equal(b->jobs.items[0].recorded_ps, 90500000);
}

/* The view rebuilds absolute times; checked by SQL that people would type. */
TEST(test_views) {
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(path_of("t.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db,
                                        "SELECT start_ps, direction, memory, sync, host_gap_ps"
                                        " FROM v_tasks WHERE job = 'first' AND kind = 'copy'",
                                        -1, &row, NULL),
                     SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    assert_int_equal(sqlite3_column_int64(row, 0), 90000000);
    assert_string_equal(sqlite3_column_text(row, 1), "d2h");
    assert_string_equal(sqlite3_column_text(row, 2), "pinned");
    assert_int_equal(sqlite3_column_int(row, 3), 1);
    assert_int_equal(sqlite3_column_int64(row, 4), 1500000);
    sqlite3_finalize(row);
    for (size_t i = 0; i < 3; i++) {
        static const char *const views[] = {"SELECT count(*) FROM v_apps",
                                            "SELECT count(*) FROM v_jobs",
                                            "SELECT count(*) FROM v_kernels"};
        assert_int_equal(sqlite3_prepare_v2(db, views[i], -1, &row, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(row), SQLITE_ROW);
        assert_int_equal(sqlite3_column_int(row, 0), i == 0 ? 1 : 2);
        sqlite3_finalize(row);
    }
    sqlite3_close(db);
}

TEST(test_add_and_replace) {
    CLOSED_BY(trace_set_free) struct trace_set got = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    write_set(path_of("u.db"), "a", 2500000);
    write_set(path_of("u.db"), "b", 2500000);
    write_set(path_of("u.db"), "a", 9000000);
    assert_int_equal(trace_store_read(path_of("u.db"), NULL, &got, &diags), CT_OK);
    assert_int_equal(got.apps.count, 2);
    assert_int_equal(trace_set_find(&got, "a")->tasks.items[0].duration_ps, 9000000);
    assert_int_equal(trace_set_find(&got, "b")->tasks.items[0].duration_ps, 2500000);
    trace_set_free(&got);
    assert_int_equal(trace_store_read(path_of("u.db"), "b", &got, &diags), CT_OK);
    assert_int_equal(got.apps.count, 1);
    trace_set_free(&got);
    assert_int_equal(trace_store_read(path_of("u.db"), "c", &got, &diags), CT_USAGE);
    assert_non_null(strstr(diags.items[0].text, "no application 'c': there are a, b"));
}

static size_t slurp(const char *path, char **bytes) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    *bytes = malloc(1 << 20);
    assert_non_null(*bytes);
    size_t size = fread(*bytes, 1, 1 << 20, file);
    fclose(file);
    return size;
}

static void spill(const char *path, const char *bytes, size_t size) {
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
}

TEST(test_same_input_same_bytes) {
    char *a, *b;
    write_set(path_of("v.db"), "a", 2500000);
    write_set(path_of("w.db"), "a", 2500000);
    size_t size = slurp(path_of("v.db"), &a);
    assert_int_equal(slurp(path_of("w.db"), &b), size);
    assert_memory_equal(a, b, size);
    free(a);
    free(b);
}

static void refuse(const char *text) {
    CLOSED_BY(trace_set_free) struct trace_set got = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    assert_int_equal(trace_store_read(path_of("other.db"), NULL, &got, &diags), CT_DATA);
    assert_int_equal(diags.errors, 1);
    if (!strstr(diags.items[0].text, text))
        fail_msg("'%s' instead of '%s'", diags.items[0].text, text);
}

static void execute_on_other(const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path_of("other.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

TEST(test_refused_files) {
    FREED_BY(free) char *bytes;
    size_t size = slurp(path_of("t.db"), &bytes);
    refuse("cannot open it");
    spill(path_of("other.db"), "", 0);
    refuse("the file is empty");
    spill(path_of("other.db"), "hello, this is a text", 21);
    refuse("not an SQLite file");
    spill(path_of("other.db"), bytes, size / 2);
    refuse("truncated");
    spill(path_of("other.db"), bytes, 50);
    refuse("truncated");
    spill(path_of("other.db"), bytes, size);
    execute_on_other("PRAGMA user_version = 7");
    refuse("was written by a newer cotenant: trace schema 7");
    execute_on_other("PRAGMA user_version = 0");
    refuse("was written by no cotenant that is known: trace schema 0, this one reads schema 1");
    spill(path_of("other.db"), bytes, size);
    execute_on_other("UPDATE task SET kernel = 99 WHERE id = 0");
    refuse("damaged: a task of application 'a'");
    spill(path_of("other.db"), bytes, size);
    execute_on_other("UPDATE job SET tasks = 7 WHERE id = 1");
    refuse("damaged: a job");
    spill(path_of("other.db"), bytes, size);
    execute_on_other("PRAGMA application_id = 0");
    refuse("another SQLite file");
}

/* Writing into a file that is not ours leaves it as it was. */
TEST(test_foreign_file_stays) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    FREED_BY(free) char *bytes;
    spill(path_of("other.db"), "precious", 8);
    fill(&set, "a", 1000000);
    assert_int_equal(trace_store_write(path_of("other.db"), &set, &diags), CT_DATA);
    assert_int_equal(slurp(path_of("other.db"), &bytes), 8);
    assert_memory_equal(bytes, "precious", 8);
    assert_int_equal(trace_store_write("/nowhere/at/all.db", &set, &diags), CT_DATA);
}

/*
 * A writer that is killed between its first page and its commit: a copy of file and journal as they
 * lie then. The next reader finds the store as it was.
 */
TEST(test_killed_writer) {
    CLOSED_BY(trace_set_free) struct trace_set got = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    sqlite3 *db;
    char *bytes;
    write_set(path_of("u.db"), "a", 2500000);
    assert_int_equal(sqlite3_open(path_of("u.db"), &db), SQLITE_OK);
    assert_int_equal(
        sqlite3_exec(db,
                     "PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE;"
                     "UPDATE task SET duration = 77; DELETE FROM job;"
                     "CREATE TABLE filler AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL"
                     " SELECT i + 1 FROM n WHERE i < 1000) SELECT i, randomblob(100) b FROM n",
                     NULL, NULL, NULL),
        SQLITE_OK);
    size_t size = slurp(path_of("u.db"), &bytes);
    spill(path_of("other.db"), bytes, size);
    free(bytes);
    size = slurp(path_of("u.db-journal"), &bytes);
    assert_true(size > 512);
    spill(path_of("other.db-journal"), bytes, size);
    free(bytes);
    sqlite3_close(db);
    assert_int_equal(trace_store_read(path_of("other.db"), NULL, &got, &diags), CT_OK);
    assert_int_equal(got.apps.items[0]->jobs.count, 2);
    assert_int_equal(got.apps.items[0]->tasks.items[0].duration_ps, 2500000);
}

static int64_t ask_other(const char *sql) {
    sqlite3 *db;
    sqlite3_stmt *row;
    assert_int_equal(sqlite3_open(path_of("other.db"), &db), SQLITE_OK);
    assert_int_equal(sqlite3_prepare_v2(db, sql, -1, &row, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_step(row), SQLITE_ROW);
    int64_t answer = sqlite3_column_int64(row, 0);
    sqlite3_finalize(row);
    sqlite3_close(db);
    return answer;
}

/* Lags take part in the unit of times and leave with their application. A store without any has no
 * table of them. */
TEST(test_lags) {
    struct trace_set made = {0}, got = {0};
    struct ct_diags diags = {0};
    unlink(path_of("other.db"));
    write_set(path_of("other.db"), "a", 2500000);
    assert_int_equal(ask_other("SELECT count(*) FROM sqlite_master WHERE name = 'lag'"), 0);
    fill(&made, "a", 2500000);
    made.apps.items[0]->tasks.items[1].lag_ps = 7000000;
    made.apps.items[0]->tasks.items[2].lag_ps = -250000;
    assert_int_equal(trace_store_write(path_of("other.db"), &made, &diags), CT_OK);
    assert_int_equal(ask_other("SELECT unit_ps FROM app"), 250000);
    assert_int_equal(trace_store_read(path_of("other.db"), NULL, &got, &diags), CT_OK);
    const struct trace_task *tasks = got.apps.items[0]->tasks.items;
    assert_int_equal(tasks[0].lag_ps, 0);
    assert_int_equal(tasks[1].lag_ps, 7000000);
    assert_int_equal(tasks[2].lag_ps, -250000);
    trace_set_free(&got);
    trace_set_free(&made);
    ct_diags_free(&diags);
    execute_on_other("UPDATE lag SET lag = -lag");
    refuse("damaged: the lag of a task");
    write_set(path_of("other.db"), "a", 2500000);
    assert_int_equal(ask_other("SELECT count(*) FROM lag"), 0);
}

TEST_GROUP(make_folder, remove_folder)
