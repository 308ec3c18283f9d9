/*
 * One device as one server or several: open queues whose mean sojourn time is known in closed form.
 *
 * Kleinrock, Queueing Systems I (1975): M/M/1 section 3.2, M/M/c section 3.5, Pollaczek-Khinchine
 * section 5.6; II (1976): conservation law section 3.4, Cobham's priorities section 3.6.
 *
 * Four applications share the device first come first served, each with a queue of its own. The
 * order in which their jobs run is then not that of arrival, but it does not look at service times,
 * nothing idles while work waits, and nothing is preempted: by the conservation law the mean over
 * all jobs is that of one queue.
 */
#include "theory_case.h"

static void expect_open(const char *name, uint32_t last, double exact_ms, double utilisation,
                        double precision) {
    FREED_BY(theory_close) struct theory_case *theory = theory_open_short(name, NULL);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, NULL, &result);
        samples.of[0][r] = theory_latency_ms(&result, 0, last);
        samples.of[1][r] = result.sm_utilisation;
    }
    theory_expect(name, samples.of[0], exact_ms, precision);
    theory_expect("  SM utilisation", samples.of[1], utilisation, precision);
}

/* rate 700/s, service 1 ms: 1 / (1000/s - 700/s). */
TEST(mm1) {
    expect_open("mm1", 3, 1e3 / (1000 - 700), 0.7, 0.02);
}

/* Pollaczek-Khinchine: E[S] + rate E[S^2] / (2 (1 - rho)), here with E[S^2] = 1 ms^2. */
TEST(md1) {
    expect_open("md1", 3, 1 + 0.7 * 1 / (2 * 0.3), 0.7, 0.02);
}

/* rate 600/s, coefficient of variation 2: E[S^2] = (1 + 4) ms^2. */
TEST(mg1) {
    expect_open("mg1", 3, 1 + 0.6 * 5 / (2 * 0.4), 0.6, 0.04);
}

/* Erlang's C: the probability of waiting with `servers` and offered load `erlangs`. */
static double erlang_c(int servers, double erlangs) {
    double term = 1, sum = 0;
    for (int k = 0; k < servers; k++) {
        sum += term;
        term *= erlangs / (k + 1);
    }
    double all_busy = term * servers / (servers - erlangs);
    return all_busy / (sum + all_busy);
}

/* Kernels of a quarter of the SMs each: four servers, load 3. */
TEST(mmc) {
    expect_open("mmc", 0, 1 + erlang_c(4, 3) / (4 - 3), 0.75, 0.02);
}

/* Time slices that cost nothing: preemption does not change the number of jobs in M/M/1, because
 * what is left of an exponential service is as long as the whole. */
TEST(timeslice) {
    expect_open("timeslice", 0, 1e3 / (1000 - 700), 0.7, 0.02);
}

/*
 * Cobham: the work found in service W0 = (sum of rate E[S^2]) / 2; the urgent wait W0 / (1 - rho1),
 * the patient W0 / ((1 - rho1) (1 - rho)). Urgent: 300/s of 1 ms, cv 0.5: E[S^2] = 1.25 ms^2;
 * patient: 80/s of 5 ms, exponential: E[S^2] = 50 ms^2.
 */
TEST(cobham) {
    const struct { int64_t ahead; } options = {1};
    double rho1 = 0.3 * 1, rho = rho1 + 0.08 * 5;
    double found = (0.3 * 1.25 + 0.08 * 50) / 2;
    FREED_BY(theory_close) struct theory_case *theory = theory_open("priority", NULL);
    struct theory_samples samples;
    for (int r = 0; r < THEORY_REPLICATIONS; r++) {
        CLOSED_BY(sim_result_free) struct sim_result result;
        theory_run(theory, (uint64_t)r, &options, &result);
        samples.of[0][r] = theory_latency_ms(&result, 0, 0);
        samples.of[1][r] = theory_latency_ms(&result, 1, 1);
    }
    theory_expect("priority: urgent", samples.of[0], 1 + found / (1 - rho1), 0.02);
    theory_expect("priority: patient", samples.of[1], 5 + found / ((1 - rho1) * (1 - rho)), 0.03);
}
