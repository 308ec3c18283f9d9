/* Accuracy on recorded durations: made-up recordings with a law that a model can meet or must miss.
 */
#include "cmocka_complete.h"
#include "des/des_stream.h"
#include "study/accuracy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct trace_app *app_of(struct trace_set *set, const char *name) {
    struct trace_app *app = trace_set_add(set, name);
    assert_non_null(app);
    app->gpu = "v100";
    app->source = app->licence = "";
    app->stream_count = 1;
    return app;
}

/* A distinct kernel; its place. */
static uint32_t shape(struct trace_app *app, const char *name, uint32_t blocks,
                      bool communication) {
    struct trace_kernel kernel = {.name = name,
                                  .grid = {blocks, 1, 1},
                                  .block = {64, 1, 1},
                                  .communication = communication,
                                  .metrics = trace_metrics_unknown()};
    assert_true(ct_vec_push(&app->kernels, kernel));
    return (uint32_t)app->kernels.count - 1;
}

static void launch(struct trace_app *app, uint32_t kernel, uint32_t call, ct_time_ps duration) {
    struct trace_task task = {.kind = TRACE_KERNEL,
                              .kernel = kernel,
                              .library_call = call,
                              .waited_for = TRACE_NONE,
                              .duration_ps = duration};
    assert_true(ct_vec_push(&app->tasks, task));
}

static void copy_in(struct trace_app *app, uint64_t bytes, ct_time_ps duration) {
    struct trace_task task = {.kind = TRACE_COPY,
                              .memory = TRACE_PINNED,
                              .kernel = TRACE_NONE,
                              .waited_for = TRACE_NONE,
                              .bytes = bytes,
                              .duration_ps = duration};
    assert_true(ct_vec_push(&app->tasks, task));
}

/* All tasks that no job has become one more. */
static void job(struct trace_app *app, uint32_t first, ct_time_ps length) {
    struct trace_job made = {.name = "job",
                             .first_task = first,
                             .task_count = (uint32_t)app->tasks.count - first,
                             .recorded_ps = length};
    assert_true(ct_vec_push(&app->jobs, made));
}

static const struct accuracy_function *find(const struct accuracy *accuracy, int kind,
                                            const char *name) {
    for (size_t i = 0; i < accuracy->count; i++)
        if (accuracy->functions[i].kind == kind && strcmp(accuracy->functions[i].name, name) == 0)
            return &accuracy->functions[i];
    return NULL;
}

static int measure(const struct trace_set *set, const char *prefix, uint64_t seed,
                   struct accuracy *accuracy) {
    struct ct_diags diags = {0};
    int status = accuracy_measure(set, prefix, seed, 5, "t.db", accuracy, &diags);
    assert_int_equal(status == CT_OK, diags.errors == 0);
    ct_diags_free(&diags);
    return status;
}

static void exact(double error) {
    assert_true(error < 1e-9);
}

/*
 * Copies of 1 to 40 MB take 1 us per 10 kB and 20 us: a line. A kernel whose duration jumps with
 * its grid, five launches of each of eight: k-NN sees the very features, the line cannot. A call of
 * two kernels takes in all 3 us per block, however its kernels share it.
 */
static struct trace_app *lawful(struct trace_set *set) {
    static const uint32_t calls = 30;
    struct trace_app *app = app_of(set, "lawful");
    for (uint64_t i = 1; i <= 40; i++)
        copy_in(app, i * 1000000, ((ct_time_ps)i * 100 + 20) * CT_PS_PER_US);
    for (uint32_t g = 0; g < 8; g++) {
        uint32_t kernel = shape(app, "jumps", 10 * (g + 1), false);
        for (int i = 0; i < 5; i++)
            launch(app, kernel, 0, (g % 2 ? 500 : 10) * CT_PS_PER_US);
    }
    for (uint32_t c = 1; c <= calls; c++) {
        uint32_t first = shape(app, "part", c, false), rest = shape(app, "part", 2 * c, false);
        launch(app, first, c, CT_PS_PER_US * (ct_time_ps)(c % 3 + 1));
        launch(app, rest, c, CT_PS_PER_US * (ct_time_ps)(9 * c - c % 3 - 1));
        assert_true(ct_vec_push(&app->library_calls, "call"));
    }
    job(app, 0, CT_PS_PER_S);
    return app;
}

TEST(each_law_has_its_model) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(accuracy_free) struct accuracy accuracy;
    lawful(&set);
    assert_int_equal(measure(&set, "", 1, &accuracy), CT_OK);
    const struct accuracy_function *copy = find(&accuracy, PREDICT_COPY, "copy in, pinned");
    const struct accuracy_function *jumps = find(&accuracy, PREDICT_KERNEL, "jumps");
    const struct accuracy_function *call = find(&accuracy, PREDICT_CALL, "call");
    assert_true(copy && jumps && call);
    assert_null(find(&accuracy, PREDICT_KERNEL, "part")); /* a call's kernels are no tasks */
    assert_int_equal(copy->samples, 40);
    assert_int_equal(copy->vectors, 40);
    exact(copy->error[ACCURACY_LINEAR]);
    exact(copy->error[ACCURACY_BETTER]);
    assert_true(copy->error[ACCURACY_KNN] > 0.01);
    assert_int_equal(copy->knn_chosen, 0);
    assert_int_equal(jumps->samples, 40);
    assert_int_equal(jumps->vectors, 8);
    exact(jumps->error[ACCURACY_KNN]);
    exact(jumps->error[ACCURACY_BETTER]);
    exact(jumps->error[ACCURACY_TREE]);
    assert_true(jumps->error[ACCURACY_LINEAR] > 0.5);
    assert_int_equal(jumps->knn_chosen, 5);
    assert_int_equal(call->samples, 30);
    exact(call->error[ACCURACY_LINEAR]);
    /* One job is too few for a model of queries. */
    assert_int_equal(accuracy.left_out, 1);
    assert_false(find(&accuracy, PREDICT_QUERY, "lawful")->judged);
}

/* Copies of 20 to 40 MB take more than 2 ms: 21 of 40. The line is right there, so their mean is 0,
 * and no kernel is as long. */
TEST(sums_by_kind_and_length) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(accuracy_free) struct accuracy accuracy;
    lawful(&set);
    assert_int_equal(measure(&set, "", 1, &accuracy), CT_OK);
    const struct accuracy_sum *copies = accuracy.sums[PREDICT_COPY];
    assert_int_equal(copies[ACCURACY_ALL].functions, 1);
    assert_int_equal(copies[ACCURACY_LONG].samples, 21);
    exact(copies[ACCURACY_LONG].error[ACCURACY_LINEAR]);
    assert_int_equal(accuracy.sums[PREDICT_KERNEL][ACCURACY_LONG].samples, 0);
    assert_true(isnan(accuracy.sums[PREDICT_KERNEL][ACCURACY_LONG].error[ACCURACY_KNN]));
    assert_int_equal(accuracy.sums[PREDICT_QUERY][ACCURACY_ALL].functions, 0);
}

/* Durations that nobody measured, and kernels that spin, are no samples; a call with one of them is
 * none either. */
TEST(what_was_not_measured_is_left_out) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(accuracy_free) struct accuracy accuracy;
    struct trace_app *app = app_of(&set, "a");
    uint32_t kernel = shape(app, "kernel", 4, false), nccl = shape(app, "nccl", 4, true);
    for (uint32_t i = 0; i < 24; i++) {
        launch(app, kernel, 0, CT_PS_PER_US);
        app->tasks.items[app->tasks.count - 1].flags = i % 2 ? TRACE_DURATION_ASSUMED : 0;
        launch(app, nccl, 0, CT_PS_PER_US);
        launch(app, i % 2 ? nccl : kernel, i + 1, CT_PS_PER_US);
        assert_true(ct_vec_push(&app->library_calls, "call"));
    }
    job(app, 0, CT_PS_PER_S);
    assert_int_equal(measure(&set, "", 1, &accuracy), CT_OK);
    assert_null(find(&accuracy, PREDICT_KERNEL, "nccl"));
    assert_int_equal(find(&accuracy, PREDICT_KERNEL, "kernel")->samples, 12);
    assert_int_equal(find(&accuracy, PREDICT_CALL, "call")->samples, 12);
}

/* A seed gives always the same splits, another one others; a function is split alone as beside
 * others; queries are split by the jobs of an application. */
TEST(splits_follow_seed_and_name) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(accuracy_free) struct accuracy one, same, other, alone;
    struct des_stream noise;
    des_stream_init(&noise, 1, 0, "test", "noise");
    lawful(&set);
    struct trace_app *app = app_of(&set, "noisy");
    uint32_t kernel = shape(app, "noisy kernel", 4, false);
    for (uint32_t i = 0; i < 40; i++) {
        launch(app, kernel, 0, CT_PS_PER_US * (ct_time_ps)(100 + des_stream_below(&noise, 50)));
        job(app, i, CT_PS_PER_MS * (ct_time_ps)(3 + i % 2));
    }
    assert_int_equal(measure(&set, "", 1, &one), CT_OK);
    assert_int_equal(measure(&set, "", 1, &same), CT_OK);
    assert_int_equal(measure(&set, "", 2, &other), CT_OK);
    assert_int_equal(measure(&set, "noi", 1, &alone), CT_OK);
    double error = find(&one, PREDICT_KERNEL, "noisy kernel")->error[ACCURACY_KNN];
    assert_true(error > 0.05 && error < 0.2);
    assert_true(find(&same, PREDICT_KERNEL, "noisy kernel")->error[ACCURACY_KNN] == error);
    assert_true(find(&other, PREDICT_KERNEL, "noisy kernel")->error[ACCURACY_KNN] != error);
    assert_true(find(&alone, PREDICT_KERNEL, "noisy kernel")->error[ACCURACY_KNN] == error);
    assert_null(find(&alone, PREDICT_COPY, "copy in, pinned"));
    assert_int_equal(find(&alone, PREDICT_QUERY, "noisy")->samples, 40);
}

TEST(nothing_to_judge_by_is_an_error) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(accuracy_free) struct accuracy accuracy;
    struct trace_app *app = app_of(&set, "short");
    uint32_t kernel = shape(app, "kernel", 4, false);
    for (int i = 0; i < 9; i++)
        launch(app, kernel, 0, CT_PS_PER_US);
    job(app, 0, CT_PS_PER_MS);
    assert_int_equal(measure(&set, "", 1, &accuracy), CT_DATA);
    accuracy_free(&accuracy);
    assert_int_equal(measure(&set, "long", 1, &accuracy), CT_DATA);
}
