/*
 * Cores of the host are processor sharing: jobs that arrive at random and need a core for 1 ms of
 * host time, between two kernels that take next to nothing.
 *
 * Kelly, Reversibility and Stochastic Networks (1979), section 3.3: where all that are there share
 * min(n, c) cores evenly, the queue is symmetric, and its mean depends on the mean of the work
 * alone: that of M/M/c, 1 / mu + C(c, a) / (c mu - lambda), C Erlang's delay formula.
 */
#include "theory_case.h"
#include "trace/trace_store.h"

#include <stdlib.h>
#include <unistd.h>

/* Host gaps of 1 ms between kernels of 1 us in a store of its own. */
static void write_trace(const char *path) {
    struct trace_set set = {0};
    struct ct_diags diags = {0};
    struct trace_app *app = trace_set_add(&set, "app");
    assert_non_null(app);
    app->gpu = "rtx2080ti";
    app->source = "made by a test";
    app->licence = "none";
    app->stream_count = 1;
    app->launches_recorded = true;
    struct trace_kernel kernel = {.name = "kernel",
                                  .grid = {1, 1, 1},
                                  .block = {32, 1, 1},
                                  .demand_provenance = CT_ASSUMED,
                                  .metrics = trace_metrics_unknown()};
    struct trace_job job = {.name = "job", .recorded_ps = CT_PS_PER_MS, .task_count = 2};
    struct trace_task first = {
        .kind = TRACE_KERNEL, .waited_for = TRACE_NONE, .duration_ps = CT_PS_PER_US};
    struct trace_task second = first;
    second.flags = TRACE_SYNC;
    second.host_gap_ps = CT_PS_PER_MS;
    assert_true(ct_vec_push(&app->kernels, kernel) && ct_vec_push(&app->jobs, job) &&
                ct_vec_push(&app->tasks, first) && ct_vec_push(&app->tasks, second));
    assert_int_equal(trace_store_write(path, &set, &diags), CT_OK);
    trace_set_free(&set);
    ct_diags_free(&diags);
}

/* Opens jobs that arrive so often on so many cores; no job waits for a worker. */
static struct theory_case *open_host(const char *trace, int cores, double rate_per_s) {
    static struct theory_case theory;
    char json[1024];
    theory = (struct theory_case){.policy = &policy_mps};
    snprintf(json, sizeof json,
             "{\"schema\": \"cotenant.workload/1\", \"gpu\": \"rtx2080ti\", \"duration_s\": 16, "
             "\"warmup_s\": 2, \"host\": {\"cores\": %d}, \"apps\": [{\"name\": \"app\", "
             "\"role\": \"service\", \"workers\": 200, \"trace\": \"%s#app\", "
             "\"arrivals\": {\"process\": \"poisson\", \"rate_per_s\": %g}}]}",
             cores, trace, rate_per_s);
    if (workload_read_text("host.json", json, NULL, 0, &theory.workload, &theory.diags) != CT_OK ||
        setup_make(&theory.workload, &theory.setup, &theory.diags) != CT_OK)
        theory_fail(&theory.diags, json);
    return &theory;
}

static double erlang_delay(int servers, double load) {
    double blocked = 1;
    for (int n = 1; n <= servers; n++)
        blocked = load * blocked / (n + load * blocked);
    return blocked / (1 - load / servers * (1 - blocked));
}

static void expect_mean(int cores, double use) {
    char trace[] = "/tmp/cotenant-theory-XXXXXX", what[64];
    double load = use * cores; /* jobs per millisecond, too */
    struct theory_samples samples;
    int file = mkstemp(trace);
    assert_true(file >= 0 && close(file) == 0 && remove(trace) == 0);
    write_trace(trace);
    struct theory_case *theory = open_host(trace, cores, 1000 * load);
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        samples.of[0][r] = theory_latency_ms(&result, 0, 0) - 0.002;
        samples.of[1][r] = result.host_utilisation;
        sim_result_free(&result);
    }
    snprintf(what, sizeof what, "%d cores, %g of them in use", cores, use);
    theory_expect(what, samples.of[0], 1 + erlang_delay(cores, load) / (cores - load), 0.02);
    theory_expect("their use", samples.of[1], use, 0.01);
    theory_close(theory);
    remove(trace);
}

static void one_core(void **unused) {
    (void)unused;
    expect_mean(1, 0.6);
}

static void four_cores(void **unused) {
    (void)unused;
    expect_mean(4, 0.7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_core),
        cmocka_unit_test(four_cores),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
