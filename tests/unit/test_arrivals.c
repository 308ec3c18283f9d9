/* Arrival processes against their definitions: rate, variability, order, repeatability. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "arrivals.h"

#include <math.h>

enum { ARRIVALS = 200000 };

struct shape {
    double rate, cv; /* of the gaps */
};

static struct shape measure(const struct workload_arrivals *spec, const char *name) {
    struct arrivals a;
    double sum = 0, squares = 0;
    ct_time_ps last = 0;
    arrivals_init(&a, spec, 1, 0, name);
    for (int i = 0; i < ARRIVALS; i++) {
        ct_time_ps at = arrivals_next(&a);
        assert_true(at >= last);
        assert_int_equal(at % CT_PS_PER_NS, 0);
        double gap = ct_time_s(at - last);
        sum += gap;
        squares += gap * gap;
        last = at;
    }
    double mean = sum / ARRIVALS;
    return (struct shape){1 / mean, sqrt(squares / ARRIVALS - mean * mean) / mean};
}

static void near(double value, double truth, double relative) {
    if (!(fabs(value - truth) <= relative * fabs(truth)))
        fail_msg("%g is not within %g of %g", value, relative, truth);
}

/* The standard error of the rate is cv / sqrt(n): 0.22 % of it for a cv of 1; four of them are
 * allowed. */
static void test_renewal_processes(void **state) {
    (void)state;
    struct workload_arrivals spec = {.process = WORKLOAD_POISSON, .rate_per_s = 40};
    struct shape s = measure(&spec, "a");
    near(s.rate, 40, 0.009);
    near(s.cv, 1, 0.02);
    spec.process = WORKLOAD_UNIFORM; /* on [0, 2 / rate]: cv = 1 / sqrt(3) */
    s = measure(&spec, "a");
    near(s.rate, 40, 0.006);
    near(s.cv, 1 / sqrt(3), 0.01);
    spec.process = WORKLOAD_DETERMINISTIC;
    s = measure(&spec, "a");
    near(s.rate, 40, 1e-9);
    assert_true(s.cv < 1e-4);
    spec.process = WORKLOAD_GAMMA;
    spec.cv = 2.5;
    s = measure(&spec, "a");
    near(s.rate, 40, 4 * 2.5 / sqrt(ARRIVALS));
    near(s.cv, 2.5, 0.05);
}

/* Mean rate of a two-state process: the states' rates weighted by their mean lengths. */
static void test_bursts(void **state) {
    (void)state;
    struct workload_arrivals spec = {.process = WORKLOAD_MMPP,
                                     .rate_per_s = 10,
                                     .burst_rate_per_s = 200,
                                     .burst_s = 0.5,
                                     .quiet_s = 2};
    struct shape s = measure(&spec, "a");
    near(s.rate, (10 * 2 + 200 * 0.5) / 2.5, 0.05);
    assert_true(s.cv > 1.5);
}

/* Whole periods have the mean rate, whatever the amplitude; the first half of a period is the busy
 * one. */
static void test_a_day(void **state) {
    (void)state;
    struct workload_arrivals spec = {
        .process = WORKLOAD_DIURNAL, .rate_per_s = 50, .period_s = 100, .amplitude = 0.8};
    struct arrivals a;
    arrivals_init(&a, &spec, 3, 0, "a");
    double busy = 0, quiet = 0;
    for (ct_time_ps at; (at = arrivals_next(&a)) < 2000 * CT_PS_PER_S;) {
        double phase = fmod(ct_time_s(at), 100);
        *(phase < 50 ? &busy : &quiet) += 1;
    }
    /* The integral of 1 + 0.8 sin over half a period is (1 + 1.6 / pi) / 2 of the period's
     * arrivals. */
    near(busy + quiet, 100000, 0.015);
    near(busy / (busy + quiet), 0.5 * (1 + 1.6 / acos(-1.0)), 0.01);
}

/* A recording is stretched to the asked rate, wraps, and starts at another stamp in another
 * replication. */
static void test_recorded_stamps(void **state) {
    (void)state;
    static const ct_time_ps stamps[] = {0, 1 * CT_PS_PER_S, 3 * CT_PS_PER_S, 4 * CT_PS_PER_S,
                                        8 * CT_PS_PER_S};
    struct workload_arrivals spec = {.process = WORKLOAD_TRACE,
                                     .rate_per_s = 5,
                                     .stamps = stamps,
                                     .stamp_count = 5,
                                     .span_ps = 10 * CT_PS_PER_S};
    struct shape s = measure(&spec, "a"); /* half an arrival a second as recorded, five asked */
    near(s.rate, 5, 1e-4);
    bool differs = false;
    struct arrivals first, other;
    for (uint64_t r = 1; r < 20 && !differs; r++) {
        arrivals_init(&first, &spec, 1, 0, "a");
        arrivals_init(&other, &spec, 1, r, "a");
        for (int i = 0; i < 5; i++)
            differs |= arrivals_next(&first) != arrivals_next(&other);
    }
    assert_true(differs);
}

/* Keyed by name: the same whatever else is there, another for another application. */
static void test_keyed_by_name(void **state) {
    (void)state;
    struct workload_arrivals spec = {.process = WORKLOAD_POISSON, .rate_per_s = 1};
    struct arrivals a, b, c;
    arrivals_init(&a, &spec, 9, 2, "imc");
    arrivals_init(&b, &spec, 9, 2, "imc");
    arrivals_init(&c, &spec, 9, 2, "imd");
    ct_time_ps first = arrivals_next(&a);
    assert_int_equal(first, arrivals_next(&b));
    assert_int_not_equal(first, arrivals_next(&c));
}

static void draw_near(const struct workload_draw *draw, double cv) {
    struct des_stream stream;
    double sum = 0, squares = 0;
    des_stream_init(&stream, 5, 0, "draw", "a");
    for (int i = 0; i < ARRIVALS; i++) {
        double x = arrivals_draw(draw, &stream);
        assert_true(x > 0);
        sum += x;
        squares += x * x;
    }
    double mean = sum / ARRIVALS;
    near(mean, draw->mean, fmax(1e-12, 5 * cv / sqrt(ARRIVALS)));
    if (cv > 0)
        near(sqrt(squares / ARRIVALS - mean * mean) / mean, cv, 0.06);
}

static void test_distributions(void **state) {
    (void)state;
    draw_near(&(struct workload_draw){WORKLOAD_FIXED, 7, 0}, 0);
    draw_near(&(struct workload_draw){WORKLOAD_EXPONENTIAL, 7, 1}, 1);
    draw_near(&(struct workload_draw){WORKLOAD_HYPEREXPONENTIAL, 7, 2}, 2);
    draw_near(&(struct workload_draw){WORKLOAD_LOGNORMAL, 7, 0.7}, 0.7);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_renewal_processes),
        cmocka_unit_test(test_bursts),
        cmocka_unit_test(test_a_day),
        cmocka_unit_test(test_recorded_stamps),
        cmocka_unit_test(test_keyed_by_name),
        cmocka_unit_test(test_distributions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
