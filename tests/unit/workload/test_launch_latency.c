/* How long launches take, from what was recorded. */
#include "cmocka_complete.h"
#include "workload/launch_latency.h"

#define US CT_PS_PER_US

/* An application of one job whose tasks are launched, begin and take so long, in microseconds. */
static struct trace_app *app_of(struct trace_set *set, const int (*tasks)[3], size_t count) {
    struct trace_app *app = trace_set_add(set, "app");
    assert_non_null(app);
    app->launches_recorded = true;
    for (size_t i = 0; i < count; i++)
        assert_true(ct_vec_push(&app->tasks,
                                (struct trace_task){.launch_begin_ps = (ct_time_ps)tasks[i][0] * US,
                                                    .start_ps = (ct_time_ps)tasks[i][1] * US,
                                                    .duration_ps = (ct_time_ps)tasks[i][2] * US}));
    assert_true(
        ct_vec_push(&app->jobs, (struct trace_job){.name = "job", .task_count = (uint32_t)count}));
    return app;
}

/* What comes first, then behind nothing 8, 10 and 30 us (the median is 10), then behind work: 10 at
 * most, and no more than its own 6. */
static const int mixed[][3] = {{0, 50, 20},    {100, 108, 20}, {200, 210, 20},
                               {300, 330, 20}, {310, 350, 20}, {365, 371, 20}};

static void assert_latencies(const struct trace_app *app, const int *expected) {
    ct_time_ps latency[CT_COUNT_OF(mixed)];
    assert_true(launch_latencies(app, latency));
    for (size_t i = 0; i < app->tasks.count; i++)
        assert_int_equal(latency[i], expected[i] * US);
}

TEST(known_where_the_job_s_work_was_done) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    struct trace_app *app = app_of(&set, mixed, CT_COUNT_OF(mixed));
    assert_latencies(app, (const int[]){10, 8, 10, 30, 10, 6});
    app->launches_recorded = false;
    assert_latencies(app, (const int[]){0, 0, 0, 0, 0, 0});
}

/* The third one waited for what is not in its job, and a node of a graph stands still by itself. */
TEST(unknown_behind_others_and_inside_graphs) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    struct trace_app *app = app_of(&set, mixed, CT_COUNT_OF(mixed));
    app->tasks.items[3].flags = TRACE_BEHIND_OTHERS;
    app->tasks.items[2].lag_ps = 5 * US;
    assert_latencies(app, (const int[]){8, 8, 0, 8, 8, 6});
}

/* A job that begins before its first launch found the device idle. */
TEST(known_of_a_first_task_behind_its_host) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    const int later[][3] = {{20, 23, 20}, {100, 108, 20}};
    assert_latencies(app_of(&set, later, CT_COUNT_OF(later)), (const int[]){3, 8});
}

/* The host waited for the job before: the first one of the next found the device idle. Copies take
 * 170 us to begin, which says nothing of kernels. */
TEST(known_of_a_first_task_behind_a_job_that_was_waited_for) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    const int copied[][3] = {{0, 170, 100}, {280, 288, 20}, {290, 308, 50}};
    for (int waited = 0; waited <= 1; waited++) {
        struct trace_app *app = app_of(&set, copied, CT_COUNT_OF(copied));
        for (size_t i = 0; i < CT_COUNT_OF(copied); i++)
            assert_true(ct_vec_push(&app->tasks, app->tasks.items[i]));
        assert_true(ct_vec_push(
            &app->jobs, (struct trace_job){.name = "job", .first_task = 3, .task_count = 3}));
        app->tasks.items[0].kind = app->tasks.items[3].kind = TRACE_COPY;
        if (waited)
            app->jobs.items[0].tail_ps = US;
        const int first = waited ? 170 : 0;
        assert_latencies(app, (const int[]){first, 8, 8, first, 8, 8});
    }
}

/* The fourth was launched 4 us before the third had ended, and began 10 us after: its launch alone
 * can have held it up. The fifth may have waited for what is not in its job. */
TEST(known_where_the_device_was_idle_when_a_launch_usually_comes) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    const int tasks[][3] = {{0, 8, 20}, {34, 42, 20}, {68, 76, 20}, {92, 106, 20}, {122, 140, 20}};
    struct trace_app *app = app_of(&set, tasks, CT_COUNT_OF(tasks));
    app->tasks.items[4].flags = TRACE_BEHIND_OTHERS;
    assert_latencies(app, (const int[]){8, 8, 8, 14, 8});
}

/* Halved, the first of two that followed each other is over before the second is launched. */
TEST(what_waited_is_kept_before_jobs_are_made_shorter) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    const int tasks[][3] = {{0, 4, 100}, {60, 104, 20}, {200, 210, 20}};
    struct trace_app *app = app_of(&set, tasks, CT_COUNT_OF(tasks));
    for (size_t i = 0; i < app->tasks.count; i++) {
        app->tasks.items[i].duration_ps /= 2;
        app->tasks.items[i].grown_ps = -app->tasks.items[i].duration_ps;
    }
    assert_latencies(app, (const int[]){4, 10, 10});
}
