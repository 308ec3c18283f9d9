/*
 * Progress of first runs (HSM section 5): an application that ends before the others is launched
 * again, and what counts is its first run, against the time that as much takes alone.
 *
 * 68 SMs of four slots: A is 272 blocks of 2 ms, B 272 of 3 ms, each launched again and again. One
 * follows the other: A to 2 ms, B to 5, A to 7, B to 10, A to 12, B to 15, A at 16.
 */
#include "scenario/run/run_case.h"

#include "experiment/experiment.h"

static const char workload[] =
    "{\"schema\": \"cotenant.workload/1\", \"name\": \"t\", \"gpu\": \"rtx2080ti\", \"fidelity\": "
    "\"block\", \"duration_s\": %g, \"warmup_s\": 0, \"seed\": 1, \"defaults\": {\"role\": "
    "\"batch\", \"arrivals\": {\"process\": \"closed\", \"start\": \"at-once\"}}, \"apps\": "
    "[{\"name\": \"a\", \"synthetic\": {\"kernels\": 1, \"blocks\": 272, \"threads\": 256, "
    "\"duration_ms\": 2, \"unit_fraction\": 0, \"dram_fraction\": 0}}, {\"name\": \"b\", "
    "\"synthetic\": {\"kernels\": 1, \"blocks\": 272, \"threads\": 256, \"duration_ms\": 3, "
    "\"unit_fraction\": 0, \"dram_fraction\": 0}}]}";

static void expect_progress(double duration_s, bool first_runs, double a, double b) {
    CLOSED_BY(run_case_close) struct run_case c;
    char json[2000];
    struct experiment_result result;
    struct experiment_policy policy = {
        .policy = &policy_mps, .label = "mps", .without = EXPERIMENT_FREE};
    struct experiment e = {.setup = &c.setup,
                           .policies = &policy,
                           .policy_count = 1,
                           .baseline = &policy,
                           .replications = 1,
                           .threads = 1,
                           .seed = 1,
                           .first_runs = first_runs,
                           .dump_at_ps = CT_TIME_NEVER,
                           .version = "test"};
    snprintf(json, sizeof json, workload, duration_s);
    run_case_open(&c, json, NULL);
    if (experiment_run(&e, &result, &c.diags) != CT_OK)
        run_case_fail(&c, "mps");
    const struct report_app *apps = result.pooled[0].apps;
    if (fabs(apps[0].normalised_progress - a) > 0.001 ||
        fabs(apps[1].normalised_progress - b) > 0.001)
        fail_msg("progress %.4f and %.4f, by hand %.4f and %.4f", apps[0].normalised_progress,
                 apps[1].normalised_progress, a, b);
    experiment_result_free(&result);
}

TEST(all_runs) {
    expect_progress(0.016, false, 7.0 / 16, 9.0 / 16);
}

TEST(the_first_run) {
    expect_progress(0.016, true, 2.0 / 2, 3.0 / 5);
}

/* B has done 2 of its 3 ms in 4. */
TEST(a_first_run_that_does_not_end) {
    expect_progress(0.004, true, 2.0 / 2, 2.0 / 4);
}
