/* The law by which batch sizes without a recording get their times; a recording made of others. */
#include "cmocka_complete.h"
#include "trace/trace_store.h"
#include "workload/batch_trace.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static double law(const double *sizes, const double *values, size_t count, double size) {
    return batch_trace_law(sizes, values, count, size);
}

/* 10 + n up to 30, 2 n from there on 20: a kernel that is bound by memory, then by arithmetic. */
TEST(bends_between) {
    const double sizes[] = {2, 4, 16, 32}, values[] = {12, 14, 32, 64};
    assert_true(law(sizes, values, 4, 8) == 18);
    assert_true(law(sizes, values, 4, 10) == 20);
    assert_true(law(sizes, values, 4, 12) == 24);
    assert_true(law(sizes, values, 4, 16) == 32);
    assert_true(law(sizes, values, 4, 64) == 128);
}

/* Values whose chords fall behind are no sum of such kernels: the chord. */
TEST(concave) {
    const double sizes[] = {1, 2, 4, 5}, values[] = {1, 10, 16, 17};
    assert_true(law(sizes, values, 4, 3) == 13);
}

TEST(few) {
    const double sizes[] = {4, 8}, values[] = {10, 30};
    assert_true(law(sizes, values, 2, 6) == 20);
    assert_true(law(sizes, values, 2, 1) == 2.5); /* the line would be negative */
    assert_true(law(sizes, values, 2, 10) == 40);
}

/* More is never less work: of recordings that fall, as by chance they do, the last holds beyond. */
TEST(falls) {
    const double sizes[] = {1, 2, 4}, values[] = {3, 3.1, 2.9};
    assert_true(law(sizes, values, 3, 32) == 2.9);
    assert_true(law(sizes + 1, values + 1, 2, 3) == 3);
}

/* A size that was recorded faster than its lesser neighbour tilts the lines: no size between two is
 * less work than both. The larger of the lines is -0.4 at 9. */
TEST(falls_and_rises) {
    const double sizes[] = {1, 2, 16, 17}, values[] = {2, 1.7, 2, 2.6};
    assert_true(law(sizes, values, 4, 9) == 1.7);
    assert_true(law(sizes, values, 4, 12) == 1.7);
    assert_true(law(sizes, values, 4, 15.75) == 1.85);
}

/* MobileNet V2, recorded on a V100 with batches of 32, 64 and 96. */
TEST(recorded) {
    CLOSED_BY(trace_set_free) struct trace_set set = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    static const char *const names[] = {"mobilenetv2_32_fb1", "mobilenetv2_64_fb1",
                                        "mobilenetv2_96_fb1"};
    struct batch_part parts[3];
    struct workload_batch_jobs jobs[96];
    assert_int_equal(
        trace_store_read(COTENANT_SOURCE_DIR "/traces/v100-orion.db", NULL, &set, &diags), CT_OK);
    for (uint32_t i = 0; i < 3; i++)
        parts[i] = batch_part_of(32 * (i + 1), trace_set_find(&set, names[i]), TRACE_NONE);
    double error = batch_trace_error(parts, 3);
    print_message("a batch of 64 from those of 32 and 96: %.2f %% off\n", 100 * error);
    assert_true(error > 0 && error < 0.05);

    const struct trace_app *whole = batch_trace_make(&set, "all", parts, 3, 96, jobs);
    assert_non_null(whole);
    assert_int_equal(whole->jobs.count, 96);
    assert_false(jobs[63].interpolated);
    assert_true(jobs[47].interpolated);
    struct batch_part made = batch_part_of(48, whole, jobs[47].first);
    assert_true(fabs(made.mean[BATCH_KERNEL_PS] /
                         ((parts[0].mean[BATCH_KERNEL_PS] + parts[1].mean[BATCH_KERNEL_PS]) / 2) -
                     1) < 1e-6);
    const struct trace_job *job = &whole->jobs.items[jobs[47].first];
    for (uint32_t i = 0; i < job->task_count; i++)
        assert_true(whole->tasks.items[job->first_task + i].flags & TRACE_DURATION_ASSUMED);
}
