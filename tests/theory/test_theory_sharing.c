/*
 * Processor sharing, which does not depend on the distribution of service.
 *
 * Which part of the device is processor sharing: the saturated DRAM. Every kernel here asks for all
 * the bandwidth that the memory can give (0.86 of peak at a row hit rate of 1), holds one block of
 * 1088, and uses no functional unit. Bandwidth goes in proportion to requests, so n kernels
 * progress at 1/n each, at every instant. (Time slices approach that only as the slice goes to
 * zero, and slots on the SMs are not shared but queued for.)
 *
 * Kleinrock, Queueing Systems II (1976) section 4.4: mean sojourn E[S] / (1 - rho) in M/G/1.
 * Baskett, Chandy, Muntz, Palacios, J. ACM 22(2), 1975: in a closed network too, whatever the
 * distribution.
 */
#include "theory_case.h"

static void expect_latency(const char *name, double exact_ms, double precision) {
    FREED_BY(theory_close) struct theory_case *theory = theory_open_short(name, NULL);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        samples.of[0][r] = theory_latency_ms(&result, 0, 0);
    }
    theory_expect(name, samples.of[0], exact_ms, precision);
}

/*
 * M/G/1 with 600 jobs of 1 ms per second. A thousand instances with one query at a time each: that
 * a query finds its own instance busy has probability 1.5/1000, far below the interval.
 */
TEST(open_exponential) {
    expect_latency("ps_exponential", 1 / (1 - 0.6), 0.02);
}

TEST(open_deterministic) {
    expect_latency("ps_deterministic", 1 / (1 - 0.6), 0.02);
}

TEST(open_hyperexponential) {
    expect_latency("ps_hyperexponential", 1 / (1 - 0.6), 0.03);
}

/* Mean-value analysis of one queueing station behind a delay: R(n) = S (1 + Q(n - 1)), X = n / (R +
 * Z), Q = X R (Reiser and Lavenberg, J. ACM 27(2), 1980). */
static double closed_response(int population, double service, double think) {
    double response = 0, queue = 0;
    for (int n = 1; n <= population; n++) {
        response = service * (1 + queue);
        queue = n * response / (response + think);
    }
    return response;
}

/* Twelve clients, 1 ms of service, 10 ms of thought: exact for every distribution of service. */
TEST(closed_deterministic) {
    expect_latency("closed_ps_deterministic", closed_response(12, 1, 10), 0.01);
}

TEST(closed_lognormal) {
    expect_latency("closed_ps_lognormal", closed_response(12, 1, 10), 0.01);
}

TEST(closed_hyperexponential) {
    expect_latency("closed_ps_hyperexponential", closed_response(12, 1, 10), 0.01);
}
