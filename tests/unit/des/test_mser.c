/* The end of a warm-up by MSER-5: by hand, against the formula summed directly, and on series whose
 * transient is known. */
#include "cmocka_complete.h"
#include "des/des_statistics.h"
#include "des/des_stream.h"

#include <stdlib.h>

/* Five of 100, then means of 0.4: the rest is constant by fives, and nothing more need go. */
TEST(test_one_batch_by_hand) {
    double series[100];
    for (size_t i = 0; i < 100; i++)
        series[i] = i < 5 ? 100 : i % 5 < 2;
    struct des_mser mser = des_mser5(series, 100);
    assert_int_equal(mser.cut, 5);
    assert_true(mser.found);
}

TEST(test_short_series_are_left_whole) {
    double series[50] = {100};
    assert_int_equal(des_mser5(series, 0).cut, 0);
    assert_false(des_mser5(series, 49).found);
    assert_int_equal(des_mser5(series, 49).cut, 0);
    assert_true(des_mser5(series, 50).found);
    assert_int_equal(des_mser5(series, 50).cut, 5);
}

/* Sum over the kept means of their squared distance from their mean, over the square of their
 * number: White, Cobb and Spratt's statistic as it is printed. */
static double statistic(const double *series, size_t count, size_t first) {
    size_t batches = count / 5;
    double mean = 0, squares = 0, n = (double)(batches - first);
    for (int pass = 0; pass < 2; pass++)
        for (size_t b = first; b < batches; b++) {
            double y = 0;
            for (size_t i = 0; i < 5; i++)
                y += series[b * 5 + i] / 5;
            mean += pass ? 0 : y / n;
            squares += pass ? (y - mean) * (y - mean) : 0;
        }
    return squares / n / n;
}

TEST(test_the_least_of_all_cuts) {
    enum { COUNT = 403 };
    double series[COUNT];
    for (uint64_t r = 0; r < 50; r++) {
        struct des_stream stream;
        des_stream_init(&stream, 1, r, "test", "mser");
        for (size_t i = 0; i < COUNT; i++)
            series[i] = 8 * exp(-(double)i / (1 + (double)r)) + des_stream_normal(&stream);
        struct des_mser mser = des_mser5(series, COUNT);
        double least = statistic(series, COUNT, mser.cut / 5) * (1 + 1e-9);
        assert_true(mser.cut <= COUNT / 2);
        for (size_t first = 0; first <= COUNT / 5 / 2; first++)
            assert_true(least >= 0 && statistic(series, COUNT, first) >= least * (1 - 2e-9));
    }
}

/* A ramp never settles: the least error is where the search ends. */
TEST(test_a_trend_is_not_found) {
    double series[1000];
    for (size_t i = 0; i < 1000; i++)
        series[i] = (double)i;
    assert_false(des_mser5(series, 1000).found);
    assert_int_equal(des_mser5(series, 1000).cut, 500);
}

/* Times in an M/M/1 queue of load 0.8 that begins with work of `begin` (Lindley's recursion). */
static void fill_queue(double *series, size_t count, double begin, uint64_t replication) {
    struct des_stream stream;
    des_stream_init(&stream, 1, replication, "test", "mser-queue");
    double time = begin + des_stream_exponential(&stream);
    for (size_t i = 0; i < count; i++) {
        series[i] = time;
        double waited = fmax(0, time - des_stream_exponential(&stream) / 0.8);
        time = waited + des_stream_exponential(&stream);
    }
}

static double mean_of(const double *series, size_t first, size_t count) {
    double sum = 0;
    for (size_t i = first; i < count; i++)
        sum += series[i];
    return sum / (double)(count - first);
}

/*
 * A queue that begins 400 services deep drains at 0.25 services per arrival: for some 1600
 * arrivals. What is cut must hold that, and what is left must have the mean of equilibrium, 5.
 */
TEST(test_a_queue_that_begins_full) {
    enum { COUNT = 20000, REPLICATIONS = 100 };
    double *series = calloc(COUNT, sizeof *series), left = 0, whole = 0, cut = 0;
    assert_non_null(series);
    for (uint64_t r = 0; r < REPLICATIONS; r++) {
        fill_queue(series, COUNT, 400, r);
        struct des_mser mser = des_mser5(series, COUNT);
        assert_true(mser.found && mser.cut >= 1000);
        cut += (double)mser.cut / REPLICATIONS;
        left += mean_of(series, mser.cut, COUNT) / REPLICATIONS;
        whole += mean_of(series, 0, COUNT) / REPLICATIONS;
    }
    assert_true(cut < 4000 && whole > 15);
    assert_true(fabs(left - 5) < 0.25);
    free(series);
}

/* One that begins empty settles within some tens of services: little is cut, and no bias comes in.
 */
TEST(test_a_queue_that_begins_empty) {
    enum { COUNT = 20000, REPLICATIONS = 100 };
    double *series = calloc(COUNT, sizeof *series), left = 0, cut = 0;
    assert_non_null(series);
    for (uint64_t r = 0; r < REPLICATIONS; r++) {
        fill_queue(series, COUNT, 0, r);
        struct des_mser mser = des_mser5(series, COUNT);
        cut += (double)mser.cut / REPLICATIONS;
        left += mean_of(series, mser.cut, COUNT) / REPLICATIONS;
    }
    assert_true(cut < 0.25 * COUNT);
    assert_true(fabs(left - 5) < 0.25);
    free(series);
}
