#include "cmocka_complete.h"
#include "results/compare_stats.h"

#include <string.h>

/* Student's sleep data (Biometrika 6, 1908), also R's `sleep`: hours gained with two drugs by ten
 * patients. */
static const double drug_1[] = {0.7, -1.6, -0.2, -1.2, -0.1, 3.4, 3.7, 0.8, 0.0, 2.0};
static const double drug_2[] = {1.9, 0.8, 1.1, 0.1, -0.1, 4.4, 5.5, 1.6, 4.6, 3.4};

static void near(double value, double expected, double within) {
    if (!(fabs(value - expected) <= within))
        fail_msg("%.10g is not %.10g", value, expected);
}

/* R: t.test(extra ~ group, data = sleep, paired = TRUE): p = 0.002833, interval 0.7001142
 * to 2.4598858. */
TEST(paired_test_is_students) {
    struct compare_paired t = compare_paired_test(drug_1, drug_2, 10, false);
    assert_int_equal(t.pairs, 10);
    near(t.mean_a, 0.75, 1e-12);
    near(t.mean_b, 2.33, 1e-12);
    near(t.difference, 1.58, 1e-12);
    near(t.ci95_low, 0.7001142, 5e-8);
    near(t.ci95_high, 2.4598858, 5e-8);
    near(t.p, 0.002833, 5e-7);
}

TEST(pairs_with_an_unknown_are_left_out) {
    const double a[] = {1, NAN, 3, 4}, b[] = {2, 5, NAN, 7};
    struct compare_paired t = compare_paired_test(a, b, 4, false);
    assert_int_equal(t.pairs, 2);
    near(t.difference, 2, 1e-12); /* differences 1 and 3 */
    near(t.deviation, sqrt(2), 1e-12);
    near(t.ci95_high - t.difference, 12.7062, 1e-4); /* t(0.975, 1) sqrt(2) / sqrt(2) */
}

TEST(degenerate_cases) {
    const double a[] = {1, 2, 3}, b[] = {2, 3, 4};
    struct compare_paired one = compare_paired_test(a, b, 1, false),
                          same = compare_paired_test(a, a, 3, false);
    struct compare_paired shifted = compare_paired_test(a, b, 3, false);
    near(one.difference, 1, 0);
    assert_true(isnan(one.p) && isnan(one.ci95_low));
    assert_true(isnan(compare_paired_test(a, b, 0, false).difference));
    near(same.p, 1, 0);
    near(shifted.p, 0, 0);
    near(shifted.ci95_low, 1, 1e-12);
}

/* (d - x)^2 (1 - d^2) / (1 - x^2) = y^2 = half^2 (1 + rise (x - d towards it)) at both ends, and
 * never less than half^2; 0 lies outside exactly where p is below the level. */
TEST(shares_stay_in_their_range) {
    const double a[] = {0.99, 0.95, 0.97, 0.9, 1}, others[][5] = {{0.2, 0.01, 0.1, 0, 0.05},
                                                                  {0.9, 0.97, 0.96, 0.9, 0.7},
                                                                  {1, 1, 0.99, 1, 0.9},
                                                                  {0.98, 0.97, 0.99, 0.97, 1}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        struct compare_paired share = compare_paired_test(a, others[i], 5, true),
                              plain = compare_paired_test(a, others[i], 5, false);
        double d = share.difference, ends[2], around[2], level = 0.5;
        near(plain.rise, 0, 0);
        for (int decade = 0; decade < 6; decade++) {
            compare_interval(&share, level, true, &ends[0], &ends[1]);
            compare_interval(&plain, level, false, &around[0], &around[1]);
            double half = (around[1] - around[0]) / 2;
            for (int end = 0; end < 2; end++) {
                double y = fabs(ends[end] - d) * sqrt((1 - d * d) / (1 - ends[end] * ends[end])),
                       rise = end ? share.rise : -share.rise;
                near(y * y, half * half * (1 + fmax(0, rise * y)), 1e-9);
            }
            assert_true(ends[0] >= -1 && ends[0] < d && ends[1] > d && ends[1] <= 1);
            assert_int_equal(share.p<level, ends[0]> 0 || ends[1] < 0);
        }
    }
}

/* By hand: the level is half the difference away from b's 0, so it falls by 0.5 where the
 * difference grows by 1, and 1 / 0.05 - 1 / 0.95 is 18.947. */
TEST(few_late_jobs_vary_more_where_they_are_more) {
    const double some[] = {0, 0.1, 0.2}, none[] = {0, 0, 0}, rest[] = {1, 0.9, 0.8},
                 all[] = {1, 1, 1};
    struct compare_paired t = compare_paired_test(some, none, 3, true),
                          back = compare_paired_test(none, some, 3, true),
                          done = compare_paired_test(rest, all, 3, true),
                          two = compare_paired_test(some + 1, none, 2, true);
    near(t.rise, -0.5 * 18.947368421, 1e-8);
    near(back.rise, -t.rise, 1e-12);
    near(done.rise, -t.rise, 1e-12);
    near(two.rise, 0, 0);
    near(t.ci95_low, -0.6284227226, 1e-9);
    near(t.ci95_high, 0.1469546751, 1e-9);
    near(back.ci95_high, -t.ci95_low, 1e-12);
    near(back.ci95_low, -t.ci95_high, 1e-12);
    near(done.ci95_high, -t.ci95_low, 1e-12);
    near(t.p, 0.2269634465, 1e-9); /* Student's: towards 0 there are fewer */
    near(back.p, t.p, 1e-12);
}

/* By hand: 4 x 0.005, 3 x 0.01, 2 x 0.03, and 1 x 0.04 raised to the one before it. */
TEST(holm_steps_down) {
    const double p[] = {0.01, NAN, 0.04, 0.03, 0.005, NAN};
    double adjusted[6];
    assert_true(compare_holm(p, 6, adjusted));
    near(adjusted[0], 0.03, 1e-15);
    near(adjusted[2], 0.06, 1e-15);
    near(adjusted[3], 0.06, 1e-15);
    near(adjusted[4], 0.02, 1e-15);
    assert_true(isnan(adjusted[1]) && isnan(adjusted[5]));
}

/* d = 1.58, s = 1.22995: t(0.975, 3) s / 2 = 1.957 is too wide, t(0.975, 4) s / sqrt(5) = 1.527 is
 * not: n = 5. */
TEST(more_replications_by_table) {
    assert_int_equal(compare_more_replications(1.58, 1.22995, 3, 0.05), 2);
    assert_int_equal(compare_more_replications(-1.58, 1.22995, 4, 0.05), 1);
    assert_int_equal(compare_more_replications(1.58, 1.22995, 10, 0.05), 0);
    assert_int_equal(compare_more_replications(0, 1, 10, 0.05), REPORT_UNKNOWN);
    assert_int_equal(compare_more_replications(1, NAN, 1, 0.05), REPORT_UNKNOWN);
    assert_int_equal(compare_more_replications(1e-9, 1, 10, 0.05), REPORT_UNKNOWN);
    /* Far out t is the normal quantile: n = (1.95996 / 0.01)^2 = 38414.6, with the t of that n
     * 38416.5. */
    near((double)compare_more_replications(0.01, 1, 10, 0.05) + 10, 38417, 1);
}

enum { POLICIES = 3, REPS = 10 };

static const struct compare_choice all_pairs = {COMPARE_ALL_PAIRS, false}, second = {1, false};

static void fill(struct report *report, struct report_app *app, const char *policy, double mean,
                 double stp) {
    *report = report_unknown();
    *app = report_app_unknown();
    app->name = "vit";
    app->latency_ms.mean = mean;
    report->policy = policy;
    report->apps = app;
    report->app_count = 1;
    report->system.stp = stp;
}

TEST(verdicts_follow_the_direction) {
    struct report reports[POLICIES * REPS];
    struct report_app apps[POLICIES * REPS];
    const char *const names[] = {"mps", "baymax", "fifo"};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    const struct report_difference *rows;
    size_t count;
    for (size_t i = 0; i < REPS; i++) {
        fill(&reports[i], &apps[i], names[0], 100 + drug_1[i], 1);
        fill(&reports[REPS + i], &apps[REPS + i], names[1], 100 + drug_2[i], 1 + drug_2[i]);
        fill(&reports[2 * REPS + i], &apps[2 * REPS + i], names[2], 100 + drug_1[i],
             1 + (i % 2 ? 0.1 : -0.09));
    }
    assert_int_equal(compare_policies(&(struct compare_runs){NULL, reports, POLICIES, REPS},
                                      &all_pairs, &arena, &rows, &count, &diags),
                     0);
    assert_int_equal(count, 6); /* three pairs, mean and STP; the rest is unknown */
    assert_string_equal(rows[0].measure, "mean_ms");
    assert_string_equal(rows[0].app, "vit");
    assert_string_equal(rows[0].policy_a, "mps");
    assert_string_equal(rows[0].policy_b, "baymax");
    assert_int_equal(rows[0].verdict, REPORT_WORSE); /* a longer mean */
    near(rows[0].p, 0.002833, 5e-7);
    /* The least of five, with its mirror fifo - baymax; what is the same in every replication is
     * no test. */
    near(rows[0].p_holm, 5 * rows[0].p, 1e-9);
    assert_string_equal(rows[1].measure, "stp");
    assert_null(rows[1].app);
    near(rows[0].p_adjusted, 5 * rows[0].p, 1e-9);
    near(rows[2].p_holm, 1, 0);
    assert_true(rows[0].simultaneous_low > 0 && rows[0].simultaneous_low < rows[0].ci95_low);
    assert_int_equal(rows[2].verdict, REPORT_SAME); /* the same mean in every replication */
    assert_int_equal(rows[2].more_reps, REPORT_UNKNOWN);
    assert_int_equal(rows[3].verdict, REPORT_NOT_SEPARABLE);
    assert_true(rows[3].more_reps > 0);
    assert_int_equal(rows[4].verdict, REPORT_BETTER); /* fifo after baymax */
}

/* Only the pairs with the second policy, and Holm counts only them. */
TEST(a_baseline_makes_fewer_pairs) {
    struct report reports[POLICIES * REPS];
    struct report_app apps[POLICIES * REPS];
    const char *const names[] = {"mps", "baymax", "fifo"};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    const struct report_difference *rows;
    size_t count;
    for (size_t i = 0; i < REPS; i++)
        for (size_t p = 0; p < POLICIES; p++)
            fill(&reports[p * REPS + i], &apps[p * REPS + i], names[p],
                 100 + (p == 1 ? drug_2[i] : drug_1[i]), NAN);
    assert_int_equal(compare_policies(&(struct compare_runs){NULL, reports, POLICIES, REPS},
                                      &second, &arena, &rows, &count, &diags),
                     0);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].policy_a, "baymax");
    assert_string_equal(rows[0].policy_b, "mps");
    assert_string_equal(rows[1].policy_a, "baymax");
    assert_string_equal(rows[1].policy_b, "fifo");
    assert_int_equal(rows[0].verdict, REPORT_BETTER);
    near(rows[0].p_holm, 2 * 0.002833, 1e-6);
}

/* A lower bound that is larger is worse for sure; one that is smaller tells nothing. */
TEST(lower_bounds_decide_one_way) {
    struct report reports[POLICIES * REPS];
    struct report_app apps[POLICIES * REPS];
    const char *const names[] = {"slow", "overloaded", "fast"};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    const struct report_difference *rows;
    size_t count;
    for (size_t i = 0; i < REPS; i++)
        for (size_t p = 0; p < POLICIES; p++) {
            fill(&reports[p * REPS + i], &apps[p * REPS + i], names[p],
                 (p == 0   ? 900
                  : p == 1 ? 500
                           : 100) +
                     drug_1[i] * (double)(p + 1),
                 NAN);
            apps[p * REPS + i].overloaded = p == 1 && i == 3;
        }
    assert_int_equal(compare_policies(&(struct compare_runs){NULL, reports, POLICIES, REPS},
                                      &second, &arena, &rows, &count, &diags),
                     0);
    assert_int_equal(count, 2);
    assert_true(rows[0].p_holm < 1e-6 && rows[1].p_holm < 1e-6);
    assert_int_equal(rows[0].verdict, REPORT_NOT_SEPARABLE); /* slow against overloaded */
    assert_int_equal(rows[0].more_reps, REPORT_UNKNOWN);
    assert_int_equal(rows[1].verdict, REPORT_BETTER); /* fast against overloaded */
}

/* So has an upper one of STP: that of an overloaded service may only fall. */
TEST(upper_bounds_decide_one_way) {
    struct report reports[POLICIES * REPS];
    struct report_app apps[POLICIES * REPS];
    const char *const names[] = {"poor", "overloaded", "good"};
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    const struct report_difference *rows;
    size_t count;
    for (size_t i = 0; i < REPS; i++)
        for (size_t p = 0; p < POLICIES; p++) {
            struct report_app *app = &apps[p * REPS + i];
            fill(&reports[p * REPS + i], app, names[p], NAN,
                 (double)(p + 1) + drug_1[i] / 100 * (double)(p + 1));
            app->role = REPORT_SERVICE;
            app->overloaded = p == 1 && i == 3 ? REPORT_YES : REPORT_NO;
            app->alone_overloaded = REPORT_NO;
        }
    assert_int_equal(compare_policies(&(struct compare_runs){NULL, reports, POLICIES, REPS},
                                      &second, &arena, &rows, &count, &diags),
                     0);
    assert_int_equal(count, 2);
    assert_string_equal(rows[0].measure, "stp");
    assert_true(rows[0].p_holm < 1e-6 && rows[1].p_holm < 1e-6);
    assert_int_equal(rows[0].verdict, REPORT_NOT_SEPARABLE); /* overloaded against poor */
    assert_int_equal(rows[1].verdict, REPORT_BETTER);        /* good against overloaded */
}

/* Two policies whose replications have p99s of 100 + drug_1 and 100 + drug_2. */
struct two {
    struct report pooled[2], reports[2 * REPS];
    struct report_app pooled_apps[2], apps[2 * REPS];
};

static void fill_two(struct two *two) {
    for (size_t p = 0; p < 2; p++) {
        fill(&two->pooled[p], &two->pooled_apps[p], p ? "b" : "a", NAN, NAN);
        two->pooled_apps[p].latency_ms.p99 = p ? 110 : 150;
        two->pooled_apps[p].latency_ms.p99_error = (struct report_error){p ? 3 : 4, p ? 5 : 30};
        for (size_t i = 0; i < REPS; i++) {
            fill(&two->reports[p * REPS + i], &two->apps[p * REPS + i], p ? "b" : "a", NAN, NAN);
            two->apps[p * REPS + i].latency_ms.p99 = 100 + (p ? drug_2[i] : drug_1[i]);
        }
    }
}

/* Their only difference. */
static const struct report_difference *compare_two(const struct two *two, struct ct_arena *arena) {
    const struct compare_runs runs = {two->pooled, two->reports, 2, REPS};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    const struct report_difference *rows;
    size_t count;
    assert_int_equal(compare_policies(&runs, &all_pairs, arena, &rows, &count, &diags), 0);
    assert_int_equal(count, 1);
    return rows;
}

/* The p99s of short replications say that b is worse; those of all jobs, which count, better. */
TEST(p99s_are_of_all_jobs) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct two two;
    fill_two(&two);
    const struct report_difference *row = compare_two(&two, &arena);
    near(row->difference, -40, 0);
    /* Student's t of five groups, and the root of 3^2 + 4^2 */
    near(row->ci95_high, -40 + 2.7764 * 5, 1e-3);
    assert_int_equal(row->verdict, REPORT_BETTER);
}

TEST(p99s_of_too_few_jobs_are_not_tested) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct two two;
    fill_two(&two);
    two.pooled_apps[1].latency_ms.p99_error = (struct report_error){0};
    const struct report_difference *row = compare_two(&two, &arena);
    near(row->difference, -40, 0);
    assert_true(isnan(row->ci95_low) && isnan(row->simultaneous_low) && isnan(row->p) &&
                isnan(row->p_adjusted));
    assert_int_equal(row->verdict, REPORT_NOT_SEPARABLE);
    assert_int_equal(row->more_reps, REPORT_UNKNOWN);
}

/* Replications whose p99s are all alike, and others of all jobs: chance has its part in it. */
TEST(p99s_alike_in_each_replication_are_no_certainty) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct two two;
    fill_two(&two);
    for (size_t i = 0; i < REPS; i++)
        two.apps[REPS + i].latency_ms.p99 = two.apps[i].latency_ms.p99;
    near(compare_two(&two, &arena)->ci95_high, -40 + 2.7764 * 5, 1e-3);
    two.pooled_apps[0].latency_ms.p99_error = (struct report_error){0};
    assert_true(isnan(compare_two(&two, &arena)->p));
}

/* Nothing varies: a sum of ten equal differences is not ten times one, by rounding. */
TEST(p99s_that_never_vary_are_certain) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct two two;
    fill_two(&two);
    for (size_t i = 0; i < 2 * REPS; i++)
        two.apps[i].latency_ms.p99 = i < REPS ? 30.3 : 20.2;
    for (size_t p = 0; p < 2; p++)
        two.pooled_apps[p].latency_ms = two.apps[p * REPS].latency_ms;
    assert_int_equal(compare_two(&two, &arena)->verdict, REPORT_BETTER);
}

/* A system's measure that some replications do not know: the others are no fair sample. */
TEST(what_some_replications_do_not_know_has_no_difference) {
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    struct two two;
    fill_two(&two);
    for (size_t i = 0; i < 2 * REPS; i++) {
        two.apps[i].latency_ms.p99 = NAN;
        two.reports[i].system.stp = i % REPS ? 1 + (double)i / 100 : NAN;
    }
    const struct report_difference *row = compare_two(&two, &arena);
    assert_string_equal(row->measure, "stp");
    assert_true(isnan(row->difference) && isnan(row->p));
    assert_int_equal(row->verdict, REPORT_NOT_SEPARABLE);
}

TEST(one_replication_decides_nothing) {
    struct report reports[2];
    struct report_app apps[2];
    CLOSED_BY(ct_arena_free) struct ct_arena arena = {0};
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    const struct report_difference *rows;
    size_t count;
    fill(&reports[0], &apps[0], "mps", 10, NAN);
    fill(&reports[1], &apps[1], "fifo", 20, 1);
    assert_int_equal(compare_policies(&(struct compare_runs){NULL, reports, 2, 1}, &all_pairs,
                                      &arena, &rows, &count, &diags),
                     0);
    assert_int_equal(count, 1);
    near(rows[0].difference, 10, 0);
    assert_true(isnan(rows[0].p_holm));
    assert_int_equal(rows[0].verdict, REPORT_NOT_SEPARABLE);
    assert_int_equal(rows[0].more_reps, REPORT_UNKNOWN);
}
