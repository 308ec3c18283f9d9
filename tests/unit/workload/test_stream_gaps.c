/* How long the device stood still between tasks that had been launched. */
#include "cmocka_complete.h"
#include "workload/launch_latency.h"

#define US CT_PS_PER_US

/* Launched, begun, so long, on a stream; its launch takes 4 us. */
struct recorded {
    int launch, start, us, stream, gap;
};

static struct trace_app *app_of(struct trace_set *set, const struct recorded *tasks, size_t count) {
    struct trace_app *app = trace_set_add(set, "app");
    assert_non_null(app);
    app->launches_recorded = true;
    for (size_t i = 0; i < count; i++)
        assert_true(ct_vec_push(
            &app->tasks, (struct trace_task){.stream = (uint32_t)tasks[i].stream,
                                             .launch_begin_ps = (ct_time_ps)tasks[i].launch * US,
                                             .start_ps = (ct_time_ps)tasks[i].start * US,
                                             .duration_ps = (ct_time_ps)tasks[i].us * US}));
    assert_true(
        ct_vec_push(&app->jobs, (struct trace_job){.name = "job", .task_count = (uint32_t)count}));
    return app;
}

static const struct recorded mixed[] = {{0, 10, 20, 0, 0},  /* before it: not known */
                                        {1, 31, 20, 0, 1},  /* 30 to 31 */
                                        {2, 53, 10, 0, 2},  /* 51 to 53 */
                                        {60, 66, 20, 0, 0}, /* its launch came at 64 only */
                                        {61, 67, 30, 1, 0}, /* beside it */
                                        {62, 88, 5, 0, 0},  /* the other stream's ran until 97 */
                                        {63, 99, 5, 0, 2}}; /* 97 to 99 */

static void assert_gaps(const struct trace_app *app, const int *expected) {
    ct_time_ps latency[CT_COUNT_OF(mixed)], gap[CT_COUNT_OF(mixed)];
    for (size_t i = 0; i < CT_COUNT_OF(mixed); i++)
        latency[i] = 4 * US;
    assert_true(stream_gaps(app, latency, gap));
    for (size_t i = 0; i < CT_COUNT_OF(mixed); i++)
        assert_int_equal(gap[i], expected[i] * US);
}

TEST(idle_although_launched) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    struct trace_app *app = app_of(&set, mixed, CT_COUNT_OF(mixed));
    assert_gaps(app, (const int[]){0, 1, 2, 0, 0, 0, 2});
    app->launches_recorded = false;
    assert_gaps(app, (const int[]){0, 0, 0, 0, 0, 0, 0});
}

/* Behind what is not in the job nothing is known; a lag that was recorded stays. */
TEST(others_and_lags) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    struct trace_app *app = app_of(&set, mixed, CT_COUNT_OF(mixed));
    app->tasks.items[1].flags = TRACE_BEHIND_OTHERS;
    app->tasks.items[2].lag_ps = -3 * US;
    assert_gaps(app, (const int[]){0, 0, -3, 0, 0, 0, 2});
}

/* Twice as long as recorded, a task leaves the next the gap that was recorded. */
TEST(of_jobs_made_longer) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    struct trace_app *app = app_of(&set, mixed, CT_COUNT_OF(mixed));
    for (size_t i = 0; i < CT_COUNT_OF(mixed); i++) {
        app->tasks.items[i].grown_ps = app->tasks.items[i].duration_ps;
        app->tasks.items[i].duration_ps *= 2;
    }
    assert_gaps(app, (const int[]){0, 1, 2, 0, 0, 0, 2});
}
