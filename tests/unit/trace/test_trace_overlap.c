/* The part of kernels' time in which others ran. */
#include "cmocka_complete.h"
#include "trace/trace_overlap.h"

#include <math.h>

static double overlap(const struct trace_span *items, size_t count) {
    struct trace_spans spans = {0};
    for (size_t i = 0; i < count; i++)
        assert_true(ct_vec_push(&spans, items[i]));
    double part = trace_spans_overlap(&spans);
    ct_vec_free(&spans);
    return part;
}

TEST(spans_beside_each_other) {
    assert_float_equal(overlap(NULL, 0), 0, 0);
    const struct trace_span behind[] = {{0, 10, true}, {10, 20, true}, {30, 40, true}};
    assert_float_equal(overlap(behind, 3), 0, 0);
    const struct trace_span three[] = {{0, 10, true}, {5, 15, true}, {8, 9, true}, {20, 25, true}};
    assert_float_equal(overlap(three, 4), (5 + 5 + 1) / 26.0, 1e-12);
}

TEST(spans_of_others) {
    const struct trace_span spans[] = {{0, 10, true}, {5, 15, false}, {7, 9, false}};
    assert_float_equal(overlap(spans, 3), 0.5, 1e-12);
}

/* Times of two jobs begin with 0 both; copies are no kernels. */
TEST(kernels_of_a_job) {
    struct trace_set set = {0};
    struct trace_app *app = trace_set_add(&set, "a");
    const struct {
        int kind;
        ct_time_ps start_ps, duration_ps;
    } tasks[] = {
        {TRACE_KERNEL, 0, 10}, {TRACE_COPY, 0, 10}, {TRACE_KERNEL, 8, 10}, {TRACE_KERNEL, 0, 20}};
    for (size_t i = 0; i < CT_COUNT_OF(tasks); i++)
        assert_true(
            ct_vec_push(&app->tasks, (struct trace_task){.kind = (uint8_t)tasks[i].kind,
                                                         .start_ps = tasks[i].start_ps,
                                                         .duration_ps = tasks[i].duration_ps}));
    assert_true(ct_vec_push(&app->jobs, (struct trace_job){.task_count = 3}));
    assert_true(ct_vec_push(&app->jobs, (struct trace_job){.first_task = 3, .task_count = 1}));
    assert_float_equal(trace_app_overlap(app), 4 / 40.0, 1e-12);
    trace_set_free(&set);
}
