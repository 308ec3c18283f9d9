/* The slowest jobs of several runs, as one. */
#include "cmocka_complete.h"
#include "run/sim.h"

#include <math.h>

enum { APPS = 2 };

/* A run of so many jobs, of which `count` were kept: latencies that are their own work alone. */
static struct sim_app_result run_of(uint64_t jobs, const double *latencies, size_t count) {
    struct sim_app_result result = {.slowest = {.jobs = jobs, .row_length = sim_row_length(APPS)}};
    for (size_t i = 0; i < count; i++)
        for (size_t column = 0; column < sim_row_length(APPS); column++) {
            bool own = column == SIM_ROW_LATENCY || column == SIM_ROW_PARTS + CT_BLAME_SOLO_WORK;
            assert_true(ct_vec_push(&result.slowest.rows, own ? latencies[i] : 0));
        }
    return result;
}

/* Mean latency over the slowest 1 % of two runs, and that of their own work. */
static double mean_of(struct sim_app_result *first, struct sim_app_result *second) {
    const struct sim_app_result *both[] = {first, second};
    double mean[64];
    assert_true(sim_row_length(APPS) <= 64);
    assert_true(sim_slowest_mean(both, 2, APPS, mean));
    if (!isnan(mean[SIM_ROW_LATENCY]))
        assert_true(mean[SIM_ROW_PARTS + CT_BLAME_SOLO_WORK] == mean[SIM_ROW_LATENCY]);
    ct_vec_free(&first->slowest.rows);
    ct_vec_free(&second->slowest.rows);
    return mean[SIM_ROW_LATENCY];
}

/* 4 of 400 jobs: whichever run they are of. */
TEST(the_slowest_of_all_runs_may_be_of_one) {
    struct sim_app_result slow = run_of(200, (double[]){7, 90, 50, 70, 60}, 5),
                          quick = run_of(200, (double[]){2, 55, 3, 1}, 4);
    assert_true(mean_of(&slow, &quick) == (90 + 70 + 60 + 55) / 4.0);
}

TEST(a_run_without_jobs_counts_as_none) {
    struct sim_app_result one = run_of(1, (double[]){52}, 1), none = run_of(0, NULL, 0);
    assert_true(mean_of(&one, &none) == 52);
}

TEST(of_no_job_nothing_is_known) {
    struct sim_app_result first = run_of(0, NULL, 0), second = run_of(0, NULL, 0);
    assert_true(isnan(mean_of(&first, &second)));
}

/* 4 of 400 jobs, of which one run kept only two: more of its may be among them. */
TEST(a_run_that_kept_too_few_leaves_it_unknown) {
    struct sim_app_result slow = run_of(200, (double[]){70, 60}, 2),
                          quick = run_of(200, (double[]){2, 3, 1}, 3);
    assert_true(isnan(mean_of(&slow, &quick)));
}

/* What sharing cost is known of those that have ended. */
TEST(costs_are_of_those_of_whom_they_are_known) {
    struct sim_app_result result = run_of(200, (double[]){9, 8, 1}, 3);
    const struct sim_app_result *one = &result;
    const size_t alone = sim_row_alone(APPS), length = sim_row_length(APPS);
    for (size_t i = alone; i < length; i++)
        result.slowest.rows.items[i] = NAN;
    result.slowest.rows.items[length + alone] = 3;
    double mean[64];
    assert_true(sim_slowest_mean(&one, 1, APPS, mean));
    assert_true(mean[SIM_ROW_LATENCY] == 8.5 && mean[alone] == 3 && mean[alone + 1] == 0);
    ct_vec_free(&result.slowest.rows);
}
