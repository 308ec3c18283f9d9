/* What goes into a result store comes out again, and what is no result store is refused with a
 * reason. */
#include "cmocka_complete.h"
#include "report_sample.h"
#include "results/result_store_internal.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

FREER(result_store_close, struct result_store)

struct fixture {
    char path[64];
    struct ct_diags diags;
};

static int make_fixture(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    snprintf(f->path, sizeof f->path, "result_store_XXXXXX");
    int file = mkstemp(f->path);
    if (file < 0)
        return -1;
    close(file);
    *state = f;
    return 0;
}

static int free_fixture(void **state) {
    struct fixture *f = *state;
    unlink(f->path);
    ct_diags_free(&f->diags);
    free(f);
    return 0;
}

static struct result_store *open_store(struct fixture *f, enum result_mode mode) {
    struct result_store *store = result_store_open(f->path, mode, &f->diags);
    if (!store)
        fail_msg("%s: %s", f->path, f->diags.items[0].text);
    return store;
}

static int64_t add_run(struct fixture *f, struct result_store *store,
                       const struct result_run *run) {
    int64_t number = 0;
    if (result_store_add_run(store, run, &number, &f->diags) != CT_OK)
        fail_msg("%s", f->diags.items[0].text);
    return number;
}

/* A store with one run in it. */
static void make_store(struct fixture *f) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_WRITE);
    add_run(f, store, &run);
}

static char *json_of(const struct report *report) {
    char *text;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    assert_int_equal(report_write_json(report, 1, out), CT_OK);
    fclose(out);
    return text;
}

TEST_WITH(reports_come_back_byte_by_byte, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_WRITE);
    struct result_set set = {0};
    assert_int_equal(add_run(f, store, &run), 1);
    result_store_close(store);
    store = open_store(f, RESULT_READ);
    assert_int_equal(result_store_read(store, 1, 0, &set, &f->diags), CT_OK);
    char *before = json_of(&run.report), *after = json_of(&set.runs.items[0].report);
    assert_string_equal(before, after);
    assert_string_equal(set.runs.items[0].report.config, run.report.config);
    assert_true(set.runs.items[0].key.high == run.key.high &&
                set.runs.items[0].key.low == run.key.low);
    assert_null(set.runs.items[0].jobs);
    free(before);
    free(after);
    result_set_free(&set);
}

static void check_job(const struct result_job *a, const struct result_job *b) {
    assert_int_equal(a->app, b->app);
    assert_int_equal(a->instance, b->instance);
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->arrival_ps, b->arrival_ps);
    assert_int_equal(a->first_issue_ps, b->first_issue_ps);
    assert_int_equal(a->end_ps, b->end_ps);
    assert_int_equal(result_job_until(a), result_job_until(b));
    assert_int_equal(a->blame_ps != NULL, b->blame_ps != NULL);
    if (a->blame_ps)
        assert_memory_equal(a->blame_ps, b->blame_ps, CT_BLAME_COUNT * sizeof *a->blame_ps);
}

static void check_task(const struct result_task *a, const struct result_task *b) {
    const int64_t x[] = {
        a->app,      a->instance,  (int64_t)a->job, a->index,           a->stream,
        a->kind,     a->direction, a->share,        (int64_t)a->blocks, (int64_t)a->bytes,
        a->ready_ps, a->issued_ps, a->queued_ps,    a->started_ps,      a->ended_ps};
    const int64_t y[] = {
        b->app,      b->instance,  (int64_t)b->job, b->index,           b->stream,
        b->kind,     b->direction, b->share,        (int64_t)b->blocks, (int64_t)b->bytes,
        b->ready_ps, b->issued_ps, b->queued_ps,    b->started_ps,      b->ended_ps};
    assert_memory_equal(x, y, sizeof x);
    assert_string_equal(a->name ? a->name : "", b->name ? b->name : "");
}

static void check_decision(const struct result_decision *a, const struct result_decision *b) {
    assert_int_equal(a->number, b->number);
    assert_int_equal(a->time_ps, b->time_ps);
    assert_string_equal(a->hook, b->hook);
    assert_true(a->verb == b->verb && a->outcome == b->outcome);
    assert_true(a->app == b->app && a->instance == b->instance && a->job == b->job &&
                a->task == b->task);
    assert_int_equal(a->note_count, b->note_count);
    for (size_t i = 0; i < a->note_count; i++) {
        assert_string_equal(a->notes[i].key, b->notes[i].key);
        assert_true(a->notes[i].value == b->notes[i].value);
    }
}

TEST_WITH(details_come_back, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_WRITE);
    struct result_set set = {0};
    add_run(f, store, &run);
    assert_int_equal(
        result_store_read(store, 0, RESULT_JOBS | RESULT_TASKS | RESULT_DECISIONS | RESULT_SAMPLES,
                          &set, &f->diags),
        CT_OK);
    const struct result_run *back = &set.runs.items[0];
    assert_int_equal(back->job_count, run.job_count);
    for (size_t i = 0; i < run.job_count; i++)
        check_job(&run.jobs[i], &back->jobs[i]);
    assert_int_equal(back->task_count, run.task_count);
    for (size_t i = 0; i < run.task_count; i++)
        check_task(&run.tasks[i], &back->tasks[i]);
    assert_int_equal(back->decision_count, run.decision_count);
    for (size_t i = 0; i < run.decision_count; i++)
        check_decision(&run.decisions[i], &back->decisions[i]);
    assert_int_equal(back->sample_count, run.sample_count);
    for (size_t i = 0; i < run.sample_count; i++) {
        assert_int_equal(back->samples[i].time_ps, run.samples[i].time_ps);
        assert_string_equal(back->samples[i].name, run.samples[i].name);
        assert_true(back->samples[i].value == run.samples[i].value &&
                    back->samples[i].app == run.samples[i].app);
    }
    result_set_free(&set);
}

TEST_WITH(pools_and_comparisons, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_WRITE);
    struct result_set set = {0};
    const struct result_comparison *comparison;
    int64_t members[2], pools[2];
    size_t shown[8];
    run.purpose = "private";
    add_run(f, store, &run);
    run.purpose = NULL;
    members[0] = add_run(f, store, &run);
    members[1] = add_run(f, store, &run);
    run.replication = RESULT_POOLED;
    run.members = members;
    run.member_count = 2;
    run.jobs = NULL;
    run.job_count = 0;
    pools[0] = add_run(f, store, &run);
    run.members = NULL;
    run.member_count = 0;
    pools[1] = add_run(f, store, &run);
    run.replication = 0;
    run.pool = pools[1];
    members[0] = add_run(f, store, &run);
    assert_int_equal(result_store_read(store, 0, 0, &set, &f->diags), CT_OK);
    assert_int_equal(result_set_shown(&set, shown, &comparison), 2);
    assert_null(comparison);
    assert_int_equal(set.runs.items[shown[0]].number, pools[0]);
    assert_int_equal(set.runs.items[shown[0]].member_count, 2);
    assert_int_equal(set.runs.items[shown[0]].members[1], members[1]);
    assert_int_equal(set.runs.items[1].pool, pools[0]);
    assert_int_equal(set.runs.items[shown[1]].member_count, 1);
    assert_int_equal(set.runs.items[shown[1]].members[0], members[0]);
    assert_string_equal(set.runs.items[0].purpose, "private");
    result_set_free(&set);
    set = (struct result_set){0};
    const struct report_difference d = {.measure = "stp",
                                        .policy_a = "mps",
                                        .policy_b = "fifo",
                                        .mean_a = 1,
                                        .mean_b = 2,
                                        .difference = 1,
                                        .ci95_low = 0.5,
                                        .ci95_high = 1.5,
                                        .simultaneous_low = 0.25,
                                        .simultaneous_high = 1.75,
                                        .p = 0.01,
                                        .p_holm = NAN,
                                        .p_adjusted = 0.02,
                                        .verdict = REPORT_WORSE,
                                        .more_reps = 12};
    const struct result_comparison added = {(int64_t[]){pools[1], pools[0]}, 2, &d, 1};
    assert_int_equal(result_store_add_comparison(store, &added, &f->diags), CT_OK);
    assert_int_equal(result_store_read(store, 0, 0, &set, &f->diags), CT_OK);
    assert_int_equal(result_set_shown(&set, shown, &comparison), 2);
    assert_int_equal(set.runs.items[shown[0]].number, pools[1]);
    assert_int_equal(comparison->difference_count, 1);
    assert_string_equal(comparison->differences[0].measure, "stp");
    assert_null(comparison->differences[0].app);
    assert_true(isnan(comparison->differences[0].p_holm) &&
                comparison->differences[0].ci95_high == 1.5);
    assert_true(comparison->differences[0].simultaneous_low == 0.25 &&
                comparison->differences[0].p_adjusted == 0.02);
    assert_int_equal(comparison->differences[0].more_reps, 12);
    assert_int_equal(comparison->differences[0].verdict, REPORT_WORSE);
    result_set_free(&set);
}

TEST_WITH(views_answer, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct result_store *store = open_store(f, RESULT_WRITE);
    add_run(f, store, &run);
    result_store_close(store);
    static const struct {
        const char *sql, *answer;
    } cases[] = {
        {"SELECT policy || ' ' || app || ' ' || p99_ms || ' ' || p99_over_qos FROM v_p99 WHERE "
         "qos_ms > 0",
         "baymax:margin=0.2 vit 66.0 1.32"},
        {"SELECT round(percent, 2) FROM v_blame WHERE cause = 'sm_share'",
         "31.18"}, /* 20.5 of 65.75 */
        {"SELECT latency_ms || ' ' || service_ms FROM v_latency WHERE app = 'vit' AND job = 1",
         "20.000000001 12.000000001"},
        {"SELECT verb || ' ' || notes FROM v_decisions WHERE number = 1",
         "issue headroom_ms=4.25 predicted_ms=9.0"},
    };
    sqlite3 *db;
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    for (size_t i = 0; i < CT_COUNT_OF(cases); i++) {
        sqlite3_stmt *statement;
        assert_int_equal(sqlite3_prepare_v2(db, cases[i].sql, -1, &statement, NULL), SQLITE_OK);
        assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
        assert_string_equal((const char *)sqlite3_column_text(statement, 0), cases[i].answer);
        sqlite3_finalize(statement);
    }
    sqlite3_close(db);
}

/* Opens and expects a refusal with exactly this text. */
static void refuse(struct fixture *f, enum result_mode mode, const char *text) {
    struct ct_diags diags = {0};
    assert_null(result_store_open(f->path, mode, &diags));
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.items[0].where, f->path);
    assert_string_equal(diags.items[0].text, text);
    ct_diags_free(&diags);
}

static void execute(const char *path, const char *sql) {
    sqlite3 *db;
    assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, sql, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(db);
}

TEST_WITH(foreign_files_are_refused, make_fixture, free_fixture) {
    struct fixture *f = *state;
    refuse(f, RESULT_READ, "not a result store: the file is empty");
    FILE *file = fopen(f->path, "w");
    for (int i = 0; i < 200; i++)
        fputs("this is text, not a database\n", file);
    fclose(file);
    refuse(f, RESULT_READ, "not a result store: it is no SQLite file");
    refuse(f, RESULT_WRITE, "not a result store: it is no SQLite file");
    unlink(f->path);
    refuse(f, RESULT_READ, "cannot open it: No such file or directory");
    execute(f->path, "CREATE TABLE t(a)");
    refuse(f, RESULT_READ, "not a result store: it is another program's SQLite file");
    refuse(f, RESULT_WRITE, "not a result store: it is another program's SQLite file");
}

TEST_WITH(other_versions_are_refused, make_fixture, free_fixture) {
    struct fixture *f = *state;
    make_store(f);
    execute(f->path, "PRAGMA user_version = 7");
    refuse(f, RESULT_READ,
           "was written by a newer cotenant: result schema 7, this one reads schemas 3 to 4");
    execute(f->path, "PRAGMA user_version = 0");
    refuse(f, RESULT_WRITE,
           "was written by an older cotenant: result schema 0, this one reads schemas 3 to 4");
}

/* A store of a program that knew fewer numbers and fewer parts of a job's time: what it lacks is
 * not known, and comes with what is added. */
TEST_WITH(stores_that_lack_columns_are_read_and_extended, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct result_store *store = open_store(f, RESULT_WRITE);
    struct result_set set = {0};
    add_run(f, store, &run);
    result_store_close(store);
    execute(f->path, "ALTER TABLE system DROP COLUMN stp; ALTER TABLE system DROP COLUMN decisions;"
                     "ALTER TABLE app DROP COLUMN p99_over_qos_ci95_low;"
                     "ALTER TABLE system DROP COLUMN littles_law;"
                     "ALTER TABLE job DROP COLUMN sm_contention_ps; PRAGMA user_version = 3");
    store = open_store(f, RESULT_READ);
    assert_int_equal(result_store_read(store, 0, RESULT_JOBS, &set, &f->diags), CT_OK);
    result_store_close(store);
    store = open_store(f, RESULT_WRITE);
    assert_int_equal(add_run(f, store, &run), 2);
    assert_int_equal(result_store_read(store, 0, RESULT_JOBS, &set, &f->diags), CT_OK);
    result_store_close(store);
    assert_int_equal(set.runs.count, 3); /* the first before and after */
    const struct result_run *old = &set.runs.items[1], *new = &set.runs.items[2];
    assert_true(isnan(old->report.system.stp) && new->report.system.stp == run.report.system.stp);
    assert_int_equal(old->report.system.decisions, REPORT_UNKNOWN);
    assert_int_equal(new->report.system.decisions, run.report.system.decisions);
    assert_null(old->report.checks.littles_law);
    assert_true(isnan(set.runs.items[0].report.system.stp));
    assert_true(isnan(old->report.apps[0].p99_over_qos_low));
    for (size_t i = 0; i < set.runs.count; i++) {
        const struct report_app *app = &set.runs.items[i].report.apps[0];
        assert_true(app->p99_over_qos_high == apps[0].p99_over_qos_high);
        assert_true(set.runs.items[i].report.system.antt == run.report.system.antt);
        check_job(&set.runs.items[i].jobs[0], &run.jobs[0]);
    }
    result_set_free(&set);
}

TEST_WITH(truncated_files_are_refused, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct result_store *store = open_store(f, RESULT_WRITE);
    struct stat status;
    add_run(f, store, &run);
    result_store_close(store);
    assert_int_equal(stat(f->path, &status), 0);
    assert_int_equal(truncate(f->path, status.st_size - 100), 0); /* a part of the last page */
    refuse(f, RESULT_READ, "cannot read it: the file is damaged or cut off");
    assert_int_equal(truncate(f->path, status.st_size / 2), 0);
    refuse(f, RESULT_READ, "cannot read it: the file is damaged or cut off");
    assert_int_equal(truncate(f->path, 50), 0);
    refuse(f, RESULT_READ, "cannot read it: the file is damaged or cut off");
}

/* The tables' definitions are there: SQLite itself would notice only while it reads the rows. */
TEST_WITH(rows_cut_off_are_refused, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct result_store *store = open_store(f, RESULT_WRITE);
    struct stat status;
    for (int i = 0; i < 40; i++)
        add_run(f, store, &run);
    result_store_close(store);
    assert_int_equal(stat(f->path, &status), 0);
    assert_int_equal(truncate(f->path, status.st_size - 100), 0);
    refuse(f, RESULT_READ, "cannot read it: the file is damaged or cut off");
    refuse(f, RESULT_WRITE, "cannot read it: the file is damaged or cut off");
}

/* Taken away while it was open: nothing is written to a file that nobody will find. */
TEST_WITH(a_store_that_is_moved, make_fixture, free_fixture) {
    struct fixture *f = *state;
    char away[80];
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_WRITE);
    snprintf(away, sizeof away, "%s.away", f->path);
    assert_int_equal(add_run(f, store, &run), 1);
    assert_int_equal(rename(f->path, away), 0);
    assert_int_equal(result_store_add_run(store, &run, NULL, &f->diags), CT_DATA);
    assert_string_equal(f->diags.items[0].text,
                        "cannot store the run: it was moved or deleted meanwhile; earlier results "
                        "are intact");
    assert_int_equal(rename(away, f->path), 0);
    assert_int_equal(add_run(f, store, &run), 2);
}

/* Why SQLite could not make the file, which it does not say itself. */
/* Who made the store takes it away with them, having put nothing into it: what a second writer has
 * in hand is not lost, whether the place is free then or a third one's. */
TEST_WITH(a_store_whose_maker_gives_up, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    for (int third = 0; third < 2; third++) {
        assert_int_equal(unlink(f->path), 0);
        struct result_store *first = open_store(f, RESULT_WRITE);
        struct result_store *second = open_store(f, RESULT_WRITE);
        struct result_set set = {0};
        assert_int_equal(access(f->path, F_OK), 0);
        result_store_close(first);
        assert_int_not_equal(access(f->path, F_OK), 0);
        if (third) {
            FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_WRITE);
            add_run(f, store, &run);
        }
        assert_int_equal(add_run(f, second, &run), 1 + third);
        assert_int_equal(add_run(f, second, &run), 2 + third);
        result_store_close(second);
        FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_READ);
        assert_int_equal(result_store_read(store, 0, 0, &set, &f->diags), CT_OK);
        assert_int_equal(set.runs.count, 2 + third);
        result_set_free(&set);
    }
}

TEST_WITH(places_that_hold_no_file, make_fixture, free_fixture) {
    struct fixture *f = *state, inside = {0};
    snprintf(inside.path, sizeof inside.path, "%.40s/results.db", f->path);
    refuse(&inside, RESULT_WRITE, "cannot open it: Not a directory");
    refuse(&inside, RESULT_READ, "cannot open it: Not a directory");
    unlink(f->path);
    refuse(&inside, RESULT_WRITE, "cannot open it: No such file or directory");
    assert_int_equal(mkdir(f->path, 0700), 0);
    refuse(f, RESULT_WRITE, "cannot open it: Is a directory");
    assert_int_equal(rmdir(f->path), 0);
}

/* The header and the length are those of a store, what lies between is not. */
TEST_WITH(pages_overwritten_are_refused, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct stat status;
    make_store(f);
    assert_int_equal(stat(f->path, &status), 0);
    FILE *file = fopen(f->path, "r+");
    assert_non_null(file);
    fseek(file, 100, SEEK_SET); /* behind the header of the file format */
    for (off_t at = 100; at < status.st_size; at++)
        fputc('x', file);
    fclose(file);
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct ct_diags diags = {0};
    struct result_store *store = result_store_open(f->path, RESULT_WRITE, &diags);
    if (store)
        assert_int_equal(result_store_add_run(store, &run, NULL, &diags), CT_DATA);
    assert_true(diags.errors > 0);
    assert_string_equal(diags.items[0].where, f->path);
    assert_non_null(strstr(diags.items[0].text, "the file is damaged or cut off"));
    result_store_close(store);
    ct_diags_free(&diags);
}

TEST_WITH(a_run_that_is_not_there, make_fixture, free_fixture) {
    struct fixture *f = *state;
    make_store(f);
    FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_WRITE);
    struct result_set set = {0};
    assert_int_equal(result_store_read(store, 3, 0, &set, &f->diags), CT_USAGE);
    assert_string_equal(f->diags.items[0].text, "has no run 3: its runs are 1 to 1");
    assert_int_equal(sqlite3_exec(store->db, "DELETE FROM run", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(result_store_read(store, 3, 0, &set, &f->diags), CT_USAGE);
    assert_string_equal(f->diags.items[1].text, "has no run 3: it is empty");
    result_set_free(&set);
}

/* What nothing was put into, or what could not be, is not there afterwards. */
TEST_WITH(a_store_with_nothing_in_it, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    unlink(f->path);
    struct result_store *store = open_store(f, RESULT_WRITE);
    assert_int_equal(result_store_begin(store, &f->diags), CT_OK);
    add_run(f, store, &run);
    assert_int_equal(result_store_end(store, false, &f->diags), CT_OK);
    result_store_close(store);
    assert_int_equal(access(f->path, F_OK), -1);
    make_store(f);
    assert_int_equal(access(f->path, F_OK), 0);
}

enum { WRITERS = 4, RUNS_EACH = 10 };

static void *write_runs(void *path) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct ct_diags diags = {0};
    struct result_store *store = result_store_open(path, RESULT_WRITE, &diags);
    for (int i = 0; store && i < RUNS_EACH; i++)
        result_store_add_run(store, &run, NULL, &diags);
    result_store_close(store);
    size_t errors = diags.errors;
    ct_diags_free(&diags);
    return errors ? path : NULL;
}

static void *add_one(void *path) {
    struct report_app apps[2];
    struct result_run run = sample_run(apps);
    struct ct_diags diags = {0};
    int64_t number = 0;
    struct result_store *store = result_store_open(path, RESULT_WRITE, &diags);
    if (store)
        result_store_add_run(store, &run, &number, &diags);
    result_store_close(store);
    ct_diags_free(&diags);
    return number == 1 ? NULL : path;
}

/* Between its look at the empty file and its turn to write, another has made the tables. */
TEST_WITH(the_tables_of_another_are_taken, make_fixture, free_fixture) {
    struct fixture *f = *state;
    const struct timespec pause = {0, 50000000};
    FREED_BY(free) char *schema = result_schema_sql();
    pthread_t thread;
    void *failed;
    sqlite3 *db;
    assert_non_null(schema);
    assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
    sqlite3_busy_timeout(db, 10000); /* the other may look at the file when this one commits */
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(pthread_create(&thread, NULL, add_one, f->path), 0);
    nanosleep(&pause, NULL);
    assert_int_equal(sqlite3_exec(db, schema, NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db,
                                  "PRAGMA application_id = 0x43744e52; PRAGMA user_version = 4;"
                                  "COMMIT",
                                  NULL, NULL, NULL),
                     SQLITE_OK);
    sqlite3_close(db);
    pthread_join(thread, &failed);
    assert_null(failed);
}

/* All of them also race to make the tables. */
TEST_WITH(writers_wait_for_each_other, make_fixture, free_fixture) {
    struct fixture *f = *state;
    pthread_t threads[WRITERS];
    struct result_set set = {0};
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, write_runs, f->path), 0);
    for (int i = 0; i < WRITERS; i++) {
        void *failed;
        pthread_join(threads[i], &failed);
        assert_null(failed);
    }
    FREED_BY(result_store_close) struct result_store *store = open_store(f, RESULT_READ);
    assert_int_equal(result_store_read(store, 0, 0, &set, &f->diags), CT_OK);
    assert_int_equal(set.runs.count, WRITERS * RUNS_EACH);
    result_set_free(&set);
}
