/* Intervals from one run: by hand, and how often they cover the true value of processes with a
 * closed form. */
#include "cmocka_complete.h"
#include "des/des_batch.h"
#include "des/des_stream.h"

#include <stdlib.h>

#define AUTOREGRESSION 0.9 /* correlation time (1 + 0.9) / (1 - 0.9) = 19 */

static double *room_for(size_t count) {
    double *series = calloc(count, sizeof *series);
    assert_non_null(series);
    return series;
}

/* Each number is 0.9 times the last one and noise; mean 0, variance 1. */
static void fill_autoregression(double *series, size_t count, uint64_t replication) {
    struct des_stream stream;
    des_stream_init(&stream, 1, replication, "test", "autoregression");
    double value = des_stream_normal(&stream);
    for (size_t i = 0; i < count; i++) {
        series[i] = value;
        value = AUTOREGRESSION * value +
                sqrt(1 - AUTOREGRESSION * AUTOREGRESSION) * des_stream_normal(&stream);
    }
}

/* Times in an M/M/1 queue (Lindley's recursion), service rate 1; in equilibrium exponential with
 * rate 1 - load. */
static void fill_queue(double *series, size_t count, double load, uint64_t replication) {
    struct des_stream stream;
    des_stream_init(&stream, 1, replication, "test", "queue");
    double time = des_stream_exponential(&stream) / (1 - load);
    for (size_t i = 0; i < count; i++) {
        series[i] = time;
        double waited = fmax(0, time - des_stream_exponential(&stream) / load);
        time = waited + des_stream_exponential(&stream);
    }
}

/* Intervals of one run. */
static void mean_of_run(const double *values, size_t count, struct des_batch_interval *interval) {
    assert_true(des_batch_mean(&(struct des_batch_series){values, &count, 1}, 0.95, interval));
}

static void quantile_of_run(const double *values, size_t count, double q,
                            struct des_batch_interval *interval) {
    assert_true(
        des_batch_quantile(&(struct des_batch_series){values, &count, 1}, q, 0.95, interval));
}

/* Ten batches of 30: +10, -10, ..., and the batch's number. Batch means 0 ... 9; t(0.975; 9)
 * = 2.262157. */
TEST(test_interval_by_hand) {
    double series[300];
    struct des_batch_interval interval;
    for (size_t i = 0; i < 300; i++) {
        size_t batch = i / 30;
        series[i] = (i % 2 ? -10.0 : 10.0) + (double)batch;
    }
    mean_of_run(series, 300, &interval);
    double half = 2.262157 * sqrt(82.5 / 9 / 10);
    assert_true(fabs(interval.estimate - 4.5) < 1e-12);
    assert_true(fabs(interval.low - (4.5 - half)) < 1e-6 &&
                fabs(interval.high - (4.5 + half)) < 1e-6);
    assert_true(interval.correlation_time == 1);
    assert_int_equal(interval.batches, 10);
    assert_int_equal(interval.needed, 300);
    mean_of_run(series, 299, &interval);
    assert_true(isnan(interval.low) && isnan(interval.high) && !isnan(interval.estimate));
    assert_int_equal(interval.batches, 0);
}

/*
 * Three replications of 100, 100 and 200 numbers with means 1, 2 and 4: the mean of all is 11 / 4,
 * the weighted residuals (100 * -7/4, 100 * -3/4, 200 * 5/4) / (400/3); t(0.975; 2) = 4.302653.
 */
TEST(test_replications_of_different_length_by_hand) {
    double values[400];
    const size_t lengths[] = {100, 100, 200};
    struct des_batch_interval interval;
    for (size_t i = 0; i < 400; i++)
        values[i] = (i % 2 ? -10.0 : 10.0) + (i < 100 ? 1 : i < 200 ? 2 : 4);
    assert_true(des_batch_mean(&(struct des_batch_series){values, lengths, 3}, 0.95, &interval));
    assert_int_equal(interval.batches, 3);
    assert_true(fabs(interval.estimate - 2.75) < 1e-12);
    double squares = (175.0 * 175 + 75.0 * 75 + 250.0 * 250) / (400.0 / 3) / (400.0 / 3);
    double half = 4.302653 * sqrt(squares / 2 / 3);
    assert_true(fabs(interval.high - 2.75 - half) < 1e-5 &&
                fabs(interval.low - 2.75 + half) < 1e-5);
}

/* Forty replications of ten numbers: neighbours are put together until a group holds thirty
 * correlation times. */
TEST(test_short_replications_are_put_together) {
    double values[400];
    size_t lengths[40];
    struct des_batch_interval interval;
    for (size_t i = 0; i < 400; i++)
        values[i] = i % 2 ? -10.0 : 10.0;
    for (size_t i = 0; i < 40; i++)
        lengths[i] = 10;
    assert_true(des_batch_mean(&(struct des_batch_series){values, lengths, 40}, 0.95, &interval));
    assert_int_equal(interval.batches, 13);
}

/* Batches of 20: in number b, nine values are -100 and eleven are b. */
static void fill_batches(double *series, size_t count) {
    for (size_t i = 0; i < count; i++) {
        size_t batch = i / 20;
        series[i] = i % 2 && i % 20 > 1 ? -100 : (double)batch;
    }
}

/*
 * Ten replications of 20. In number b, nine values are -100 and eleven are b, which is its median
 * by nearest rank. Of all 200 values 90 are -100 and eleven are 0: rank 100, the whole run's
 * median, is 0.
 */
TEST(test_quantile_interval_by_hand) {
    double series[200];
    const size_t lengths[] = {20, 20, 20, 20, 20, 20, 20, 20, 20, 20};
    struct des_batch_interval interval;
    fill_batches(series, 200);
    assert_true(
        des_batch_quantile(&(struct des_batch_series){series, lengths, 10}, 0.5, 0.95, &interval));
    assert_int_equal(interval.batches, 10);
    assert_true(interval.estimate == 0);
    double half = 2.262157 * sqrt(285.0 / 9 / 10); /* 285 = 0 + 1 + 4 + ... + 81 */
    assert_true(fabs(interval.high - half) < 1e-6 && fabs(interval.low + half) < 1e-6);
}

/*
 * Two replications of 300, fifteen batches of 20 each. In batch b, nine values are -100 and eleven
 * are b, which is its median by nearest rank. Of all 600 values 270 are -100: rank 300 is the 30th
 * of eleven 0s, eleven 1s and eleven 2s. 6935 = sum of (b - 2)^2 for b to 29; t(0.975; 29)
 * = 2.045230.
 */
TEST(few_replications_are_split_into_batches) {
    double series[600];
    const size_t lengths[] = {300, 300}, uneven[] = {10, 590}, thirds[] = {200, 200, 200};
    struct des_batch_interval interval;
    fill_batches(series, 600);
    assert_true(
        des_batch_quantile(&(struct des_batch_series){series, lengths, 2}, 0.5, 0.95, &interval));
    assert_int_equal(interval.batches, 30);
    assert_true(interval.estimate == 2);
    double half = 2.045230 * sqrt(6935.0 / 29 / 30);
    assert_true(fabs(interval.high - 2 - half) < 1e-5 && fabs(interval.low - 2 + half) < 1e-5);
    /* Two batches of the shorter one and as many of the other are too few. */
    assert_true(
        des_batch_quantile(&(struct des_batch_series){series, uneven, 2}, 0.5, 0.95, &interval));
    assert_true(interval.batches == 0 && isnan(interval.low));
    /* Five of each are needed where there are two, four of each of three, at 4 numbers each: two
     * clusters of one number, half of all. */
    assert_int_equal(interval.needed, 5 * 4 * 600 / 10);
    assert_true(
        des_batch_quantile(&(struct des_batch_series){series, thirds, 3}, 0.5, 0.95, &interval));
    assert_int_equal(interval.needed, 3 * 4 * 4);
}

/* Both quantiles by one selection are those of two. */
TEST(test_two_quantiles_at_once) {
    enum { COUNT = 50000 };
    size_t lengths[] = {20000, 30000}, none = 0;
    double *series = room_for(COUNT), time;
    struct des_batch_interval p99, p90, both;
    fill_queue(series, COUNT, 0.7, 1);
    struct des_batch_series runs = {series, lengths, 2}, empty = {series, &none, 1};
    assert_true(des_batch_quantile(&runs, 0.99, 0.9, &p99));
    assert_true(des_batch_quantile(&runs, 0.9, 0.9, &p90));
    assert_true(des_batch_quantile_beside(&runs, 0.99, 0.9, 0.9, &both, &time));
    assert_float_equal(both.estimate, p99.estimate, 0);
    assert_float_equal(both.low, p99.low, 0);
    assert_float_equal(both.high, p99.high, 0);
    assert_float_equal(both.correlation_time, p99.correlation_time, 0);
    assert_float_equal(time, p90.correlation_time, 0);
    assert_true(time != both.correlation_time);
    assert_true(des_batch_quantile_beside(&empty, 0.99, 0.9, 0.9, &both, &time));
    assert_true(isnan(both.estimate));
    free(series);
}

TEST(test_constant_and_empty_series) {
    double series[2000];
    struct des_batch_interval interval;
    for (size_t i = 0; i < 2000; i++)
        series[i] = 3;
    mean_of_run(series, 2000, &interval);
    assert_true(interval.low == 3 && interval.high == 3 && interval.batches == 30);
    quantile_of_run(series, 2000, 0.9, &interval);
    assert_true(interval.low == 3 && interval.high == 3 && interval.batches == 30);
    mean_of_run(series, 0, &interval);
    assert_true(isnan(interval.estimate) && isnan(interval.low) && interval.batches == 0);
    quantile_of_run(series, 0, 0.5, &interval);
    assert_true(isnan(interval.estimate) && isnan(interval.low) && interval.batches == 0);
}

TEST(test_correlation_time_of_an_autoregression) {
    enum { COUNT = 1 << 14, REPLICATIONS = 40 };
    double *series = room_for(COUNT), sum = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        fill_autoregression(series, COUNT, i);
        sum += des_batch_correlation_time(series, COUNT);
    }
    assert_true(fabs(sum / REPLICATIONS / 19 - 1) < 0.1);
    free(series);
}

/* Blocks may make the estimate larger by up to a block (31 here), never much smaller. */
TEST(test_correlation_time_of_a_long_series) {
    enum { COUNT = 500000 };
    double *series = room_for(COUNT);
    fill_autoregression(series, COUNT, 0);
    double time = des_batch_correlation_time(series, COUNT);
    assert_true(time > 0.9 * 19 && time < 19 + 31 * 1.2);
    free(series);
}

TEST(test_independent_values_have_none) {
    enum { COUNT = 10000 };
    double *series = room_for(COUNT);
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "test", "independent");
    for (size_t i = 0; i < COUNT; i++)
        series[i] = des_stream_uniform(&stream);
    assert_true(des_batch_correlation_time(series, COUNT) < 1.2);
    free(series);
}

TEST(test_a_short_run_says_so) {
    enum { COUNT = 500 };
    double *series = room_for(COUNT);
    struct des_batch_interval interval;
    for (uint64_t i = 0; i < 100; i++) {
        fill_queue(series, COUNT, 0.9, i);
        quantile_of_run(series, COUNT, 0.99, &interval);
        assert_int_equal(interval.batches, 0);
        assert_true(isnan(interval.low) && isnan(interval.high));
        assert_true(interval.needed >= 2000); /* 10 batches, 2 values beyond the quantile in each */
    }
    free(series);
}

static bool covers(const struct des_batch_interval *interval, double truth) {
    assert_true(interval->batches >= 10);
    return interval->low <= truth && truth <= interval->high;
}

/* The interval of independent values would cover far less: the test can fail. */
static bool naive_covers_zero(const double *series, size_t count) {
    double sum = 0, squares = 0, n = (double)count;
    for (size_t i = 0; i < count; i++) {
        sum += series[i];
        squares += series[i] * series[i];
    }
    return fabs(sum / n) < 1.96 * sqrt((squares / n - sum / n * sum / n) / n);
}

TEST(test_coverage_of_a_mean) {
    enum { COUNT = 16000, REPLICATIONS = 400 };
    double *series = room_for(COUNT);
    int covered = 0, naive = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        struct des_batch_interval interval;
        fill_autoregression(series, COUNT, i);
        mean_of_run(series, COUNT, &interval);
        covered += covers(&interval, 0);
        naive += naive_covers_zero(series, COUNT);
    }
    assert_in_range(covered, 0.91 * REPLICATIONS,
                    0.99 * REPLICATIONS); /* 0.95, 4 deviations of 0.011 */
    assert_true(naive < 0.5 * REPLICATIONS);
    free(series);
}

TEST(test_coverage_of_a_quantile) {
    enum { COUNT = 100000, REPLICATIONS = 200 };
    const double load = 0.8, truth = -log(1 - 0.95) / (1 - load);
    double *series = room_for(COUNT);
    int covered = 0;
    for (uint64_t i = 0; i < REPLICATIONS; i++) {
        struct des_batch_interval interval;
        fill_queue(series, COUNT, load, i);
        quantile_of_run(series, COUNT, 0.95, &interval);
        covered += covers(&interval, truth);
    }
    assert_in_range(covered, 0.89 * REPLICATIONS,
                    0.995 * REPLICATIONS); /* 0.95, 4 deviations of 0.015 */
    free(series);
}
