/* A full disk, and a process that is killed while it writes: every earlier run stays readable. */
#include "cmocka_complete.h"
#include "results/result_store_internal.h"
#include "unit/results/report_sample.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { MANY = 20000 };

struct fixture {
    char path[32];
    struct result_job *jobs;
    struct report_app apps[2];
    struct result_run small, large;
};

/* A store with one run, and a run that is too large for what is left. */
static int make_fixture(void **state) {
    struct fixture *f = calloc(1, sizeof *f);
    struct ct_diags diags = {0};
    snprintf(f->path, sizeof f->path, "result_full_XXXXXX");
    close(mkstemp(f->path));
    f->jobs = calloc(MANY, sizeof *f->jobs);
    for (uint64_t i = 0; i < MANY; i++)
        f->jobs[i] =
            (struct result_job){.number = i, .end_ps = INT64_C(1000000000000) + (ct_time_ps)i};
    f->small = sample_run(f->apps);
    f->large = f->small;
    f->large.jobs = f->jobs;
    f->large.job_count = MANY;
    struct result_store *store = result_store_open(f->path, RESULT_WRITE, &diags);
    int status = store ? result_store_add_run(store, &f->small, NULL, &diags) : CT_DATA;
    result_store_close(store);
    ct_diags_free(&diags);
    *state = f;
    return status;
}

static int free_fixture(void **state) {
    struct fixture *f = *state;
    char journal[64];
    snprintf(journal, sizeof journal, "%s-journal", f->path);
    unlink(journal);
    unlink(f->path);
    free(f->jobs);
    free(f);
    return 0;
}

/* The first run is whole, there is no second, and one can be added. */
static void check_intact(struct fixture *f) {
    struct ct_diags diags = {0};
    struct result_set set = {0};
    struct result_store *store = result_store_open(f->path, RESULT_READ, &diags);
    if (!store)
        fail_msg("%s", diags.items[0].text);
    assert_int_equal(result_store_read(store, 0, RESULT_JOBS | RESULT_TASKS, &set, &diags), CT_OK);
    assert_int_equal(set.runs.count, 1);
    assert_int_equal(set.runs.items[0].job_count, f->small.job_count);
    assert_int_equal(set.runs.items[0].task_count, f->small.task_count);
    result_set_free(&set);
    result_store_close(store);
    store = result_store_open(f->path, RESULT_WRITE, &diags);
    assert_int_equal(result_store_add_run(store, &f->large, NULL, &diags), CT_OK);
    result_store_close(store);
    ct_diags_free(&diags);
}

static void limit_file_size(rlim_t bytes) {
    struct rlimit limit;
    getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    setrlimit(RLIMIT_FSIZE, &limit);
}

TEST_WITH(a_full_disk_leaves_earlier_runs, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct ct_diags diags = {0};
    struct stat status;
    assert_int_equal(stat(f->path, &status), 0);
    signal(SIGXFSZ, SIG_IGN);
    limit_file_size((rlim_t)status.st_size + 65536);
    struct result_store *store = result_store_open(f->path, RESULT_WRITE, &diags);
    assert_non_null(store);
    assert_int_equal(result_store_add_run(store, &f->large, NULL, &diags), CT_DATA);
    limit_file_size(RLIM_INFINITY);
    assert_string_equal(diags.items[0].where, f->path);
    assert_string_equal(diags.items[0].text, "cannot store the run: the disk refuses (full, or a "
                                             "size limit?); earlier results are intact");
    result_store_close(store);
    ct_diags_free(&diags);
    check_intact(f);
}

/* After a write that failed for want of room, the open store goes on once there is room again. */
TEST_WITH(a_failed_write_does_not_lock_the_store, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct ct_diags diags = {0};
    struct stat status;
    int64_t number = 0;
    assert_int_equal(stat(f->path, &status), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct result_store *store = result_store_open(f->path, RESULT_WRITE, &diags);
    limit_file_size((rlim_t)status.st_size + 65536);
    assert_int_equal(result_store_add_run(store, &f->large, &number, &diags), CT_DATA);
    assert_int_equal(number, 0);
    limit_file_size(RLIM_INFINITY);
    assert_int_equal(result_store_add_run(store, &f->small, &number, &diags), CT_OK);
    assert_int_equal(number, 2);
    result_store_close(store);
    ct_diags_free(&diags);
}

/* A disk without room says so, and nothing of the run is left; SQLite's own limit stands for it. */
TEST_WITH(no_space_left_is_said, make_fixture, free_fixture) {
    struct fixture *f = *state;
    struct ct_diags diags = {0};
    int64_t number = 0;
    struct result_store *store = result_store_open(f->path, RESULT_WRITE, &diags);
    assert_int_equal(result_execute(store, "PRAGMA max_page_count = 1"), SQLITE_OK);
    assert_int_equal(result_store_add_run(store, &f->large, &number, &diags), CT_DATA);
    assert_string_equal(diags.items[0].text, "cannot store the run: no space left on the disk; "
                                             "earlier results are intact");
    assert_int_equal(result_store_begin(store, &diags), CT_OK);
    assert_int_equal(result_store_add_run(store, &f->large, &number, &diags), CT_DATA);
    assert_int_equal(result_store_end(store, true, &diags), CT_DATA);
    result_store_close(store);
    ct_diags_free(&diags);
    check_intact(f);
}

/* Writes until it is killed. */
static void write_forever(struct fixture *f) {
    struct ct_diags diags = {0};
    struct result_store *store = result_store_open(f->path, RESULT_WRITE, &diags);
    while (store && result_store_add_run(store, &f->large, NULL, &diags) == CT_OK)
        continue;
    _exit(1);
}

/* Killed at other moments each time, often with a journal left behind. */
TEST_WITH(a_killed_writer_leaves_whole_runs, make_fixture, free_fixture) {
    struct fixture *f = *state;
    for (int round = 0; round < 8; round++) {
        struct timespec pause = {0, 15000000L + 7000000L * round};
        pid_t child = fork();
        if (child == 0)
            write_forever(f);
        nanosleep(&pause, NULL);
        kill(child, SIGKILL);
        waitpid(child, NULL, 0);
        struct ct_diags diags = {0};
        struct result_set set = {0};
        struct result_store *store = result_store_open(f->path, RESULT_READ, &diags);
        if (!store)
            fail_msg("round %d: %s", round, diags.items[0].text);
        assert_int_equal(result_store_read(store, 0, RESULT_JOBS, &set, &diags), CT_OK);
        assert_true(set.runs.count >= 1);
        for (size_t i = 1; i < set.runs.count; i++)
            assert_int_equal(set.runs.items[i].job_count, MANY);
        result_set_free(&set);
        result_store_close(store);
    }
}
