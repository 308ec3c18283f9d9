/*
 * Host cores that launch threads share, on whole runs: time lines by hand.
 *
 * Each application has one recorded job: a kernel of 1 us, a wait for it, a host gap, a kernel of
 * 1 us. The kernels' 20 blocks fit together and do not slow each other (test_run_host.c). Times in
 * microseconds: gaps begin at 1.
 */
#include "run_case.h"

#define US CT_PS_PER_US

static void record(struct trace_set *set, const char *name, int64_t gap_us) {
    struct trace_app *app = run_case_app(set, name, 1);
    struct trace_kernel kernel = {.name = "kernel",
                                  .grid = {20, 1, 1},
                                  .block = {256, 1, 1},
                                  .demand_provenance = CT_ASSUMED,
                                  .metrics = trace_metrics_unknown()};
    struct trace_job job = {.name = "job", .recorded_ps = US, .task_count = 2};
    struct trace_task first = {
        .kind = TRACE_KERNEL, .waited_for = TRACE_NONE, .duration_ps = US, .host_gap_ps = 0};
    struct trace_task second = first;
    second.flags = TRACE_SYNC;
    second.host_gap_ps = gap_us * US;
    assert_true(ct_vec_push(&app->kernels, kernel) && ct_vec_push(&app->jobs, job) &&
                ct_vec_push(&app->tasks, first) && ct_vec_push(&app->tasks, second));
}

struct cores_case {
    struct run_case file;
    struct run_case_result r;
};

/* Applications a, b, ... with these gaps, a job each; `host` is a key of the file, or ""; `keys`
 * are more of each application, in turn. */
static void run_cores(struct cores_case *c, const char *host, const int64_t *gaps_us,
                      const char *const *keys, size_t count) {
    char json[2048];
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    struct run_case_params params = {.policy = &policy_mps, .seed = 1, .blame = true};
    int length = snprintf(json, sizeof json,
                          "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", "
                          "\"duration_s\": 0.0001, %s\"apps\": [",
                          host);
    for (size_t i = 0; i < count; i++) {
        char name[] = {(char)('a' + i), 0};
        record(&set, name, gaps_us[i]);
        length += snprintf(json + length, sizeof json - (size_t)length,
                           "%s{\"name\": \"%s\", \"trace\": \"t.db#%s\", \"role\": \"service\"%s, "
                           "\"arrivals\": {\"process\": \"once\"}}",
                           i ? ", " : "", name, name, keys ? keys[i] : "");
    }
    snprintf(json + length, sizeof json - (size_t)length, "]}");
    run_case_open(&c->file, json, &set);
    run_case_run(&c->file, &params, &c->r);
    assert_null(c->r.result.broken_law);
    assert_true(c->r.result.littles_law_ok);
}

static void close_cores(struct cores_case *c) {
    run_case_result_free(&c->r);
    run_case_close(&c->file);
}

/* When the second kernel was launched, and what of that was a wait for a core. */
static void expect(const struct cores_case *c, uint32_t app, double launched_us, double cores_us) {
    double launched = (double)run_case_task_of(&c->r, app, 0, 1)->launched_ps / 1e6;
    const struct run_case_job *job = run_case_job_of(&c->r, app, 0);
    double cores = (double)job->blame_ps[CT_BLAME_HOST_CORES] / 1e6, delayed = 0;
    ct_time_ps sum = 0;
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        sum += job->blame_ps[i];
    for (uint32_t i = 0; i < c->r.apps; i++)
        delayed += job->delayed_by_ps[i] / 1e6;
    if (launched != launched_us || cores != cores_us)
        fail_msg("application %u: launched %.6f, cores %.6f; by hand %.6f, %.6f", app, launched,
                 cores, launched_us, cores_us);
    assert_int_equal(sum, job->end_ps - job->arrival_ps);
    assert_float_equal(delayed, cores_us, 1e-6);
}

static void expect_delay(const struct cores_case *c, uint32_t app, uint32_t by, double us) {
    assert_float_equal(run_case_job_of(&c->r, app, 0)->delayed_by_ps[by] / 1e6, us, 1e-6);
}

/* One core, gaps of 10 and 10: each has half of it, 1 + 20. */
TEST(two_share_a_core) {
    CLOSED_BY(close_cores) struct cores_case c;
    run_cores(&c, "\"host\": {\"cores\": 1}, ", (int64_t[]){10, 10}, NULL, 2);
    expect(&c, 0, 21, 10);
    expect(&c, 1, 21, 10);
    expect_delay(&c, 0, 1, 10);
    expect_delay(&c, 1, 0, 10);
    assert_float_equal(c.r.result.host_utilisation, 20.0 / 100, 1e-9);
}

/* Gaps of 10 and 4: b has done 4 at 9, a as much; a's other 6 take until 15. */
TEST(the_shorter_gap_ends_first) {
    CLOSED_BY(close_cores) struct cores_case c;
    run_cores(&c, "\"host\": {\"cores\": 1}, ", (int64_t[]){10, 4}, NULL, 2);
    expect(&c, 0, 15, 4);
    expect(&c, 1, 9, 4);
    assert_float_equal(c.r.result.host_utilisation, 14.0 / 100, 1e-9);
}

/*
 * Two cores, three gaps of 6, 9 and 9: 2/3 each until a is over at 1 + 9, when b and c have done 6;
 * their other 3 have a core each, until 13. a lost 3, as much to b as to c.
 */
TEST(three_share_two_cores) {
    CLOSED_BY(close_cores) struct cores_case c;
    run_cores(&c, "\"host\": {\"cores\": 2}, ", (int64_t[]){6, 9, 9}, NULL, 3);
    expect(&c, 0, 10, 3);
    expect(&c, 1, 13, 3);
    expect(&c, 2, 13, 3);
    expect_delay(&c, 0, 1, 1.5);
    expect_delay(&c, 0, 2, 1.5);
    expect_delay(&c, 0, 0, 0);
}

/* b's gap of 10 keeps two cores busy. Of three that are wanted there are two: 1 + 15 for both. */
TEST(threads_want_as_many_cores) {
    CLOSED_BY(close_cores) struct cores_case c;
    static const char *const keys[] = {"", ", \"host_threads\": 2"};
    run_cores(&c, "\"host\": {\"cores\": 2}, ", (int64_t[]){10, 10}, keys, 2);
    expect(&c, 0, 16, 5);
    expect(&c, 1, 16, 5);
    expect_delay(&c, 0, 1, 5);
    assert_float_equal(c.r.result.host_utilisation, 30.0 / 2 / 100, 1e-9);
}

/* Alone it wants four cores and has two: 1 + 20, and nobody else delays it. */
TEST(one_wants_more_than_there_are) {
    CLOSED_BY(close_cores) struct cores_case c;
    static const char *const keys[] = {", \"host_threads\": 4"};
    run_cores(&c, "\"host\": {\"cores\": 2}, ", (int64_t[]){10}, keys, 1);
    expect(&c, 0, 21, 10);
    expect_delay(&c, 0, 0, 10);
    assert_float_equal(c.r.result.host_utilisation, 20.0 / 100, 1e-9);
}

/* Three cores dealt out in turn: a has two of them, b one; both want two. Were they not pinned, the
 * two would share three: 1 + 10 * 4 / 3. */
TEST(pinned_programs_have_cores_of_their_own) {
    CLOSED_BY(close_cores) struct cores_case c;
    static const char *const keys[] = {", \"host_threads\": 2", ", \"host_threads\": 2"};
    run_cores(&c, "\"host\": {\"cores\": 3, \"pinned\": true}, ", (int64_t[]){12, 12}, keys, 2);
    expect(&c, 0, 13, 0);
    expect(&c, 1, 25, 12);
    expect_delay(&c, 1, 0, 0);
    close_cores(&c);
    run_cores(&c, "\"host\": {\"cores\": 3}, ", (int64_t[]){12, 12}, keys, 2);
    expect(&c, 0, 17, 4);
    expect(&c, 1, 17, 4);
}

/* Two cores and three programs: a and c share the first, b has the second for itself. */
TEST(pinned_programs_share_where_cores_are_few) {
    CLOSED_BY(close_cores) struct cores_case c;
    run_cores(&c, "\"host\": {\"cores\": 2, \"pinned\": true}, ", (int64_t[]){10, 10, 10}, NULL, 3);
    expect(&c, 0, 21, 10);
    expect(&c, 1, 11, 0);
    expect(&c, 2, 21, 10);
    expect_delay(&c, 0, 2, 10);
}

/* As many cores as threads: as without the key, to the picosecond; without it nothing is known of
 * their use. */
TEST(enough_cores_change_nothing) {
    CLOSED_BY(close_cores) struct cores_case with, without;
    run_cores(&with, "\"host\": {\"cores\": 3}, ", (int64_t[]){7, 5, 9}, NULL, 3);
    run_cores(&without, "", (int64_t[]){7, 5, 9}, NULL, 3);
    assert_int_equal(with.r.tasks.count, without.r.tasks.count);
    for (size_t i = 0; i < with.r.tasks.count; i++) {
        const struct run_case_task *a = &with.r.tasks.items[i], *b = &without.r.tasks.items[i];
        assert_int_equal(a->app, b->app);
        assert_int_equal(a->index, b->index);
        assert_int_equal(a->launched_ps, b->launched_ps);
        assert_int_equal(a->ended_ps, b->ended_ps);
    }
    assert_float_equal(with.r.result.host_utilisation, 21.0 / 3 / 100, 1e-9);
    assert_true(isnan(without.r.result.host_utilisation));
}
