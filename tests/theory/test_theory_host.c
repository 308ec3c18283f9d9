/*
 * Cores of the host are processor sharing: jobs that arrive at random and need a core for 1 ms of
 * host time, between two kernels of 1 us; none waits for a worker.
 *
 * Kelly, Reversibility and Stochastic Networks (1979), section 3.3: where all that are there share
 * min(n, c) cores evenly, the queue is symmetric, and its mean depends on the mean of the work
 * alone: that of M/M/c, 1 / mu + C(c, a) / (c mu - lambda), C Erlang's delay formula.
 */
#include "theory_case.h"

static double erlang_delay(int servers, double load) {
    double blocked = 1;
    for (int n = 1; n <= servers; n++)
        blocked = load * blocked / (n + load * blocked);
    return blocked / (1 - load / servers * (1 - blocked));
}

static void expect_mean(int cores, double use) {
    char given_cores[32], given_rate[64], what[64];
    double load = use * cores; /* jobs per millisecond, too */
    snprintf(given_cores, sizeof given_cores, "host.cores=%d", cores);
    snprintf(given_rate, sizeof given_rate, "apps.jobs.arrivals.rate_per_s=%g", 1000 * load);
    const char *const assignments[] = {given_cores, given_rate, NULL};
    FREED_BY(theory_close) struct theory_case *theory = theory_open("host", assignments);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        samples.of[0][r] = theory_latency_ms(&result, 0, 0) - 0.002;
        samples.of[1][r] = result.host_utilisation;
    }
    snprintf(what, sizeof what, "%d cores, %g of them in use", cores, use);
    theory_expect(what, samples.of[0], 1 + erlang_delay(cores, load) / (cores - load), 0.02);
    theory_expect("their use", samples.of[1], use, 0.01);
}

TEST(one_core) {
    expect_mean(1, 0.6);
}

TEST(four_cores) {
    expect_mean(4, 0.7);
}
