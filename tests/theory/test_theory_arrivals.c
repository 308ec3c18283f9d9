/*
 * Arrival processes and random numbers against their moments. Each number has the standard error
 * that theory gives it, or a looser one where that is not simple, and must lie within four of them:
 * a chance of one in 16,000 per number, so that two dozen are not expected to miss.
 */
#include "run/arrivals.h"
#include "theory_case.h"

enum { DRAWS = 400000, FAR = 4 };

struct moments {
    double mean, cv, lag1; /* lag1: correlation of neighbours */
};

static struct moments moments_of(const double *values, size_t count) {
    double sum = 0, square = 0, product = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    double mean = sum / (double)count;
    for (size_t i = 0; i < count; i++)
        square += (values[i] - mean) * (values[i] - mean);
    for (size_t i = 0; i + 1 < count; i++)
        product += (values[i] - mean) * (values[i + 1] - mean);
    return (struct moments){mean, sqrt(square / (double)count) / mean,
                            square > 0 ? product / square : 0};
}

static double values[DRAWS];

/* Gaps in seconds. */
static struct moments gaps_of(const struct workload_arrivals *spec) {
    struct arrivals arrivals;
    ct_time_ps before = 0;
    arrivals_init(&arrivals, spec, 1, 0, "app");
    for (size_t i = 0; i < DRAWS; i++) {
        ct_time_ps at = arrivals_next(&arrivals);
        assert_true(at >= before && at % CT_PS_PER_NS == 0);
        values[i] = ct_time_s(at - before);
        before = at;
    }
    return moments_of(values, DRAWS);
}

static void near(const char *what, double got, double exact, double error) {
    print_message("%-28s exact %9.5f got %9.5f +- %.5f\n", what, exact, got, FAR * error);
    if (!(fabs(got - exact) <= FAR * error))
        fail_msg("%s: %.6f is not within %.6f of %.6f", what, got, FAR * error, exact);
}

static const double ROOT = 632.4555320336759; /* of DRAWS */

/* Independent gaps: the mean is off by cv / sqrt(n), neighbours correlate by 1 / sqrt(n). */
static void renewal(const char *name, const struct workload_arrivals *spec, double cv) {
    struct moments m = gaps_of(spec);
    near(name, m.mean * spec->rate_per_s, 1, cv / ROOT);
    near("  coefficient of variation", m.cv, cv, 0.005 * cv);
    near("  correlation of neighbours", m.lag1, 0, 1 / ROOT);
}

TEST(renewal_processes) {
    renewal("poisson", &(struct workload_arrivals){.process = WORKLOAD_POISSON, .rate_per_s = 50},
            1);
    /* Uniform on [0, 2 / rate]: variance (2 / rate)^2 / 12. */
    renewal("uniform", &(struct workload_arrivals){.process = WORKLOAD_UNIFORM, .rate_per_s = 50},
            1 / sqrt(3));
    renewal("gamma, cv 0.5",
            &(struct workload_arrivals){.process = WORKLOAD_GAMMA, .rate_per_s = 50, .cv = 0.5},
            0.5);
    renewal("gamma, cv 3",
            &(struct workload_arrivals){.process = WORKLOAD_GAMMA, .rate_per_s = 50, .cv = 3}, 3);
}

/*
 * Begun within a gap, a stationary stream brings so many arrivals in the mean to any stretch of
 * time, also to the first. With a whole first gap it would not: of a cv of 3 it would be 4 more in
 * the long run.
 */
static void begins_stationary(const char *name, const struct workload_arrivals *spec,
                              double stretch_s) {
    enum { STREAMS = 40000 };
    for (uint64_t r = 0; r < STREAMS; r++) {
        struct arrivals arrivals;
        arrivals_init(&arrivals, spec, 1, r, "app");
        int count = 0;
        while (ct_time_s(arrivals_next(&arrivals)) < stretch_s)
            count++;
        values[r] = count;
    }
    struct moments m = moments_of(values, STREAMS);
    near(name, m.mean, arrivals_mean_rate(spec) * stretch_s, m.cv * m.mean / sqrt(STREAMS));
}

TEST(stationary_from_the_start) {
    struct workload_arrivals spec = {.process = WORKLOAD_GAMMA, .rate_per_s = 50, .cv = 3};
    begins_stationary("gamma, cv 3: in 2 gaps", &spec, 0.04);
    begins_stationary("  in 40 gaps", &spec, 0.8);
    spec.split = 20;
    begins_stationary("  one in 20: in 40 gaps", &spec, 0.8);
    spec = (struct workload_arrivals){.process = WORKLOAD_GAMMA, .rate_per_s = 50, .cv = 0.5};
    begins_stationary("gamma, cv 0.5: in a gap", &spec, 0.02);
}

TEST(deterministic) {
    struct workload_arrivals spec = {.process = WORKLOAD_DETERMINISTIC, .rate_per_s = 50};
    struct moments m = gaps_of(&spec);
    near("deterministic", m.mean, 0.02, 1e-12);
    near("  coefficient of variation", m.cv, 0, 1e-9);
}

/*
 * Two states, exponential sojourns of mean q and b, rates r and s: mean rate (q r + b s) / (q + b),
 * here (0.3 * 100 + 0.1 * 900) / 0.4 = 300. The count in a long time T has variance rate T + 2 (s -
 * r)^2 p (1 - p) T tau with p = b / (q + b), 1 / tau = 1/q + 1/b (Fischer and Meier-Hellstern,
 * Performance Evaluation 18, 1993): index of dispersion 1 + 2 * 800^2 * 0.1875 * 0.075 / 300 = 61.
 */
TEST(bursts) {
    struct workload_arrivals spec = {.process = WORKLOAD_MMPP,
                                     .rate_per_s = 100,
                                     .burst_rate_per_s = 900,
                                     .burst_s = 0.1,
                                     .quiet_s = 0.3};
    struct moments m = gaps_of(&spec);
    near("mmpp: mean rate / 300", 1 / m.mean / 300, 1, sqrt(61.0) / ROOT);
}

/*
 * A run begins in a burst as often as there are bursts, so that the first 0.1 s have the mean rate,
 * too: 30 arrivals, with the variance rate T + 2 (s - r)^2 p (1 - p) (T tau - tau^2 (1 - exp(-T /
 * tau))) = 30 + 806 (the same).
 */
TEST(bursts_from_the_start) {
    enum { RUNS = 20000 };
    struct workload_arrivals spec = {.process = WORKLOAD_MMPP,
                                     .rate_per_s = 100,
                                     .burst_rate_per_s = 900,
                                     .burst_s = 0.1,
                                     .quiet_s = 0.3};
    double count = 0, square = 0;
    for (uint64_t r = 0; r < RUNS; r++) {
        struct arrivals arrivals;
        double arrived = 0;
        arrivals_init(&arrivals, &spec, 1, r, "app");
        while (arrivals_next(&arrivals) < CT_PS_PER_S / 10)
            arrived++;
        count += arrived / RUNS;
        square += arrived * arrived / RUNS;
    }
    near("mmpp: arrivals in the first 0.1 s", count, 30, sqrt(836.0 / RUNS));
    near("  their standard deviation", sqrt(square - count * count), sqrt(836.0), 0.3);
}

/* The rate over a day of 1 s, by quarters: 1 +- amplitude 2 / pi, twice, of 0.25 each; the gaps end
 * within a whole number of days but for one part in hundreds. */
TEST(day) {
    struct workload_arrivals spec = {
        .process = WORKLOAD_DIURNAL, .rate_per_s = 100, .period_s = 1, .amplitude = 0.8};
    struct moments m = gaps_of(&spec);
    double at = 0, first_half = 0;
    for (size_t i = 0; i < DRAWS; i++) {
        at += values[i];
        first_half += at - floor(at) < 0.5;
    }
    near("diurnal: mean rate / 100", 1 / m.mean / 100, 1, 1 / ROOT);
    near("  part in the first half", first_half / DRAWS, 0.5 + 0.8 / 3.141592653589793, 0.5 / ROOT);
}

/* Recorded stamps come round and round from a drawn one, stretched to the rate that is asked: gaps
 * of 1 and 2 s, 1.5 on average before the first comes again, become three in 3 s. */
TEST(stamps) {
    static const ct_time_ps recorded[] = {0, 1 * CT_PS_PER_S, 3 * CT_PS_PER_S};
    struct workload_arrivals spec = {.process = WORKLOAD_TRACE,
                                     .rate_per_s = 1,
                                     .stamps = recorded,
                                     .stamp_count = 3,
                                     .span_ps = 3 * CT_PS_PER_S};
    static const double gaps_s[] = {2 / 3.0, 4 / 3.0, 1};
    struct arrivals arrivals;
    ct_time_ps at[7];
    arrivals_init(&arrivals, &spec, 1, 0, "app");
    size_t first = arrivals.next_stamp;
    for (int i = 0; i < 7; i++)
        at[i] = arrivals_next(&arrivals);
    assert_int_equal(arrivals.stamp, (first + 6) % 3);
    assert_int_equal(at[0], 0);
    assert_int_equal(at[3], 3 * CT_PS_PER_S);
    assert_int_equal(at[6], 6 * CT_PS_PER_S);
    for (size_t i = 0; i < 6; i++)
        assert_float_equal(ct_time_s(at[i + 1] - at[i]), gaps_s[(first + i) % 3], 2e-9);
}

/* The rate in the long run is that of the recording, and no two stamps fall together. */
TEST(stamps_at_their_own_rate) {
    static const ct_time_ps recorded[] = {0, 2 * CT_PS_PER_S, 4 * CT_PS_PER_S, 6 * CT_PS_PER_S};
    struct workload_arrivals spec = {.process = WORKLOAD_TRACE,
                                     .stamps = recorded,
                                     .stamp_count = 4,
                                     .span_ps = 6 * CT_PS_PER_S};
    struct arrivals arrivals;
    assert_true(arrivals_mean_rate(&spec) == 0.5);
    arrivals_init(&arrivals, &spec, 1, 0, "app");
    for (int i = 0; i < 100; i++)
        assert_int_equal(arrivals_next(&arrivals), 2 * i * CT_PS_PER_S);
}

/*
 * Of a renewal process that is split at random among n servers each gets gaps that are sums of a
 * geometric number of the whole stream's: with f the transform of these at s, the transform of
 * those is f / (n - (n - 1) f). At s = 1 / their mean, so that every gap counts. A gamma gap with
 * the mean and variance of the sum has another one.
 */
static void split(const char *name, const struct workload_arrivals *spec, double f) {
    double n = (double)spec->split, sum = 0, square = 0;
    struct moments m = gaps_of(spec);
    near(name, m.mean * spec->rate_per_s / n, 1, m.cv / ROOT);
    for (size_t i = 0; i < DRAWS; i++) {
        double one = exp(-values[i] * spec->rate_per_s / n);
        sum += one / DRAWS;
        square += one * one / DRAWS;
    }
    near("  its transform", sum, f / (n - (n - 1) * f), sqrt(square - sum * sum) / ROOT);
    near("  correlation of neighbours", m.lag1, 0, 1 / ROOT);
}

TEST(split_among_servers) {
    struct workload_arrivals spec = {
        .process = WORKLOAD_DETERMINISTIC, .rate_per_s = 1000, .split = 4};
    split("even gaps, one in 4", &spec, exp(-1.0 / 4));
    spec.process = WORKLOAD_UNIFORM;
    split("uniform gaps, one in 4", &spec, (1 - exp(-2.0 / 4)) / (2.0 / 4));
    spec = (struct workload_arrivals){
        .process = WORKLOAD_GAMMA, .rate_per_s = 1200, .cv = 6, .split = 20};
    split("gamma gaps of cv 6, one in 20", &spec, pow(1 + 36.0 / 20, -1.0 / 36));
    spec.process = WORKLOAD_POISSON;
    split("poisson, one in 20", &spec, 1 / (1 + 1.0 / 20));
    spec = (struct workload_arrivals){
        .process = WORKLOAD_DIURNAL, .rate_per_s = 100, .period_s = 1, .split = 4};
    split("a day without shape, one in 4", &spec, 1 / (1 + 1.0 / 4));
}

/* A fourth of these arrivals: 75/s, with an index of dispersion of 1 + 60 / 4. */
TEST(split_bursts) {
    struct workload_arrivals spec = {.process = WORKLOAD_MMPP,
                                     .rate_per_s = 100,
                                     .burst_rate_per_s = 900,
                                     .burst_s = 0.1,
                                     .quiet_s = 0.3,
                                     .split = 4};
    struct moments m = gaps_of(&spec);
    assert_true(arrivals_mean_rate(&spec) == 75);
    near("mmpp, one in 4: mean rate / 75", 1 / m.mean / 75, 1, sqrt(16.0) / ROOT);
}

/* Stamps keep their times, one in three of them, and each is known by its number; a lap is 4.5 s.
 */
TEST(split_stamps) {
    static const ct_time_ps recorded[] = {0, 1 * CT_PS_PER_S, 3 * CT_PS_PER_S};
    struct workload_arrivals spec = {.process = WORKLOAD_TRACE,
                                     .stamps = recorded,
                                     .stamp_count = 3,
                                     .span_ps = 3 * CT_PS_PER_S,
                                     .split = 3};
    struct arrivals arrivals;
    arrivals_init(&arrivals, &spec, 1, 0, "app");
    ct_time_ps begin = recorded[arrivals.next_stamp], at = arrivals_next(&arrivals), next = at;
    for (int i = 0; i < DRAWS; i++, at = next) {
        ct_time_ps in_lap = (begin + at) % (9 * CT_PS_PER_S / 2);
        assert_int_equal(in_lap, recorded[arrivals.stamp]);
        next = arrivals_next(&arrivals);
        assert_true(next > at);
    }
    near("stamps, one in 3: mean gap / 4.5", ct_time_s(at) / DRAWS / 4.5, 1, sqrt(2.0 / 3) / ROOT);
}

/* A recording that is replayed ends, whoever gets its last stamp. */
TEST(split_replay) {
    static ct_time_ps recorded[3000];
    struct workload_arrivals spec = {.process = WORKLOAD_TRACE,
                                     .replayed = true,
                                     .stamps = recorded,
                                     .stamp_count = 3000,
                                     .span_ps = 2999,
                                     .split = 3};
    struct arrivals arrivals;
    double count = 0;
    for (int i = 0; i < 3000; i++)
        recorded[i] = i;
    arrivals_init(&arrivals, &spec, 1, 0, "app");
    while (arrivals_next(&arrivals) != CT_TIME_NEVER)
        count++;
    near("replayed stamps, one in 3", count, 1000, sqrt(3000 * 2.0 / 9));
}

static void drawn(const char *name, const struct workload_draw *draw, double cv,
                  double spread_of_cv) {
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "size", "app");
    for (size_t i = 0; i < DRAWS; i++)
        values[i] = arrivals_draw(draw, &stream);
    struct moments m = moments_of(values, DRAWS);
    near(name, m.mean / draw->mean, 1, fmax(cv, 1e-12) / ROOT);
    near("  coefficient of variation", m.cv, cv, spread_of_cv);
}

TEST(numbers) {
    drawn("fixed", &(struct workload_draw){WORKLOAD_FIXED, 3, 0}, 0, 1e-9);
    drawn("exponential", &(struct workload_draw){WORKLOAD_EXPONENTIAL, 3, 0}, 1, 0.005);
    drawn("hyperexponential, cv 2", &(struct workload_draw){WORKLOAD_HYPEREXPONENTIAL, 3, 2}, 2,
          0.01);
    drawn("lognormal, cv 1.5", &(struct workload_draw){WORKLOAD_LOGNORMAL, 3, 1.5}, 1.5, 0.02);
}
