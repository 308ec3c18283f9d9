/* Tallies, time averages, quantiles and histograms against sums and sorted lists. */
#include "des_histogram.h"
#include "des_quantile.h"
#include "des_stream.h"
#include "des_tally.h"
#include "des_time_weighted.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void assert_near(double value, double expected, double relative) {
    assert_true(fabs(value - expected) <= relative * fabs(expected));
}

static void test_tally_of_a_textbook_sample(void **state) {
    (void)state;
    static const double sample[] = {2, 4, 4, 4,
                                    5, 5, 7, 9}; /* squared deviations: 9 1 1 1 0 0 4 16 */
    struct des_tally tally = {0};
    assert_true(isnan(des_tally_mean(&tally)) && isnan(des_tally_least(&tally)) &&
                isnan(des_tally_most(&tally)));
    for (size_t i = 0; i < CT_COUNT_OF(sample); i++) {
        assert_int_equal(isnan(des_tally_variance(&tally)), i < 2);
        des_tally_add(&tally, sample[i]);
    }
    assert_near(des_tally_mean(&tally), 5, 1e-15);
    assert_near(des_tally_variance(&tally), 32.0 / 7, 1e-15);
    assert_true(des_tally_least(&tally) == 2 && des_tally_most(&tally) == 9);
}

/* A sum of squares would lose all digits here. Deviations from the mean: -6, -3, 3, 6, so the
 * variance is 90 / 3. */
static void test_tally_keeps_digits(void **state) {
    (void)state;
    struct des_tally tally = {0};
    static const double sample[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    for (size_t i = 0; i < CT_COUNT_OF(sample); i++)
        des_tally_add(&tally, sample[i]);
    assert_near(des_tally_variance(&tally), 30, 1e-12);
}

static void test_merged_tallies_are_one(void **state) {
    (void)state;
    struct des_stream stream;
    des_stream_init(&stream, 1, 0, "test", "tally");
    for (size_t cut = 0; cut <= 100; cut += 10) {
        struct des_tally whole = {0}, parts[2] = {{0}, {0}};
        for (size_t i = 0; i < 100; i++) {
            double value = 100 * des_stream_normal(&stream) - 50;
            des_tally_add(&whole, value);
            des_tally_add(&parts[i >= cut], value);
        }
        des_tally_merge(&parts[0], &parts[1]);
        assert_int_equal(parts[0].count, 100);
        assert_near(parts[0].mean, whole.mean, 1e-12);
        assert_near(des_tally_variance(&parts[0]), des_tally_variance(&whole), 1e-12);
        assert_true(parts[0].least == whole.least && parts[0].most == whole.most);
    }
}

static void test_time_average_of_a_staircase(void **state) {
    (void)state;
    struct des_time_weighted stairs;
    des_time_weighted_start(&stairs, 100, 3);
    assert_true(isnan(des_time_weighted_mean(&stairs, 100)));
    des_time_weighted_set(&stairs, 110, 5);  /* 3 for 10 */
    des_time_weighted_add(&stairs, 110, -4); /* 5 for 0 */
    des_time_weighted_add(&stairs, 130, 1);  /* 1 for 20 */
    assert_near(des_time_weighted_integral(&stairs, 140), 3 * 10 + 1 * 20 + 2 * 10, 1e-15);
    assert_near(des_time_weighted_mean(&stairs, 140), 70.0 / 40, 1e-15);
    assert_true(stairs.most == 5);
    des_time_weighted_start(&stairs, 140, stairs.value); /* the warm-up is over */
    assert_near(des_time_weighted_mean(&stairs, 150), 2, 1e-15);
    assert_true(stairs.most == 2);
}

/* Smallest x of the sample such that at least q of the sample is <= x, by counting. `percent` keeps
 * q exact. */
static double quantile_by_counting(const double *sample, size_t count, unsigned percent) {
    double least = INFINITY;
    for (size_t i = 0; i < count; i++) {
        size_t below = 0;
        for (size_t j = 0; j < count; j++)
            below += sample[j] <= sample[i];
        if (100 * below >= percent * count && sample[i] < least)
            least = sample[i];
    }
    return least;
}

static void fill(struct des_stream *stream, double *sample, size_t count, unsigned shape) {
    for (size_t i = 0; i < count; i++) {
        switch (shape) {
        case 0:
            sample[i] = des_stream_normal(stream);
            break;
        case 1:
            sample[i] = (double)des_stream_below(stream, 3);
            break;
        case 2:
            sample[i] = (double)i;
            break;
        case 3:
            sample[i] = -(double)i;
            break;
        default:
            sample[i] = (double)(i < count / 2 ? i : count - i); /* an organ pipe */
        }
    }
}

static int compare_doubles(const void *a, const void *b) {
    double left = *(const double *)a, right = *(const double *)b;
    return (left > right) - (left < right);
}

static void check_quantiles(const double *sample, size_t count) {
    double copy[300], sorted[300];
    memcpy(sorted, sample, count * sizeof *sample);
    qsort(sorted, count, sizeof *sorted, compare_doubles);
    for (unsigned percent = 0; percent <= 100; percent++) {
        double expected = quantile_by_counting(sample, count, percent);
        memcpy(copy, sample, count * sizeof *sample);
        assert_true(des_quantile_select(copy, count, percent / 100.0) == expected);
        assert_true(des_quantile_sorted(sorted, count, percent / 100.0) == expected);
        qsort(copy, count, sizeof *copy, compare_doubles);
        assert_memory_equal(copy, sorted, count * sizeof *copy); /* reordered, nothing else */
    }
}

static void test_quantiles_by_counting(void **state) {
    (void)state;
    static const size_t counts[] = {1, 2, 3, 7, 33, 34, 35, 100, 300};
    struct des_stream stream;
    double sample[300];
    des_stream_init(&stream, 1, 0, "test", "quantile");
    for (unsigned shape = 0; shape < 5; shape++) {
        for (size_t i = 0; i < CT_COUNT_OF(counts); i++) {
            fill(&stream, sample, counts[i], shape);
            check_quantiles(sample, counts[i]);
        }
    }
    assert_true(isnan(des_quantile_select(sample, 0, 0.5)) &&
                isnan(des_quantile_sorted(sample, 0, 0.5)));
}

/* Every percentile of every hundred: the product q * n is whole, and its rounding error must not
 * add a rank. */
static void test_whole_products_are_whole(void **state) {
    (void)state;
    for (size_t count = 100; count <= 1000000; count *= 10)
        for (size_t percent = 1; percent <= 100; percent++)
            assert_int_equal(des_quantile_rank(count, (double)percent / 100),
                             percent * (count / 100) - 1);
}

static void test_selection_in_large_samples(void **state) {
    (void)state;
    enum { COUNT = 100000 };
    struct des_stream stream;
    double *sample = calloc(COUNT, sizeof *sample), *sorted = calloc(COUNT, sizeof *sorted);
    assert_true(sample && sorted);
    des_stream_init(&stream, 1, 0, "test", "selection");
    for (unsigned shape = 0; shape < 5; shape++) {
        fill(&stream, sample, COUNT, shape);
        memcpy(sorted, sample, COUNT * sizeof *sorted);
        qsort(sorted, COUNT, sizeof *sorted, compare_doubles);
        for (unsigned percent = 1; percent < 100; percent += 14)
            assert_true(des_quantile_select(sample, COUNT, percent / 100.0) ==
                        sorted[percent * (COUNT / 100) - 1]);
    }
    free(sample);
    free(sorted);
}

static void test_histogram_keeps_its_bound(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    struct des_stream stream;
    struct des_histogram *halves = calloc(2, sizeof *halves);
    double *sample = calloc(COUNT, sizeof *sample);
    assert_true(halves && sample);
    des_stream_init(&stream, 1, 0, "test", "histogram");
    for (size_t i = 0; i < COUNT; i++) {
        sample[i] =
            exp(10 * des_stream_normal(
                         &stream)); /* 30 orders of magnitude: leaves the range on both sides */
        des_histogram_add(&halves[i % 2], sample[i]);
    }
    des_histogram_merge(&halves[0], &halves[1]);
    qsort(sample, COUNT, sizeof *sample, compare_doubles);
    assert_int_equal(halves[0].tally.count, COUNT);
    for (unsigned permille = 0; permille <= 1000; permille++) {
        double exact = des_quantile_sorted(sample, COUNT, permille / 1000.0);
        double approximate = des_histogram_quantile(&halves[0], permille / 1000.0);
        if (exact < 0x1p-32)
            assert_true(approximate == sample[0]);
        else if (exact >= 0x1p64)
            assert_true(approximate == sample[COUNT - 1]);
        else
            assert_near(approximate, exact, DES_HISTOGRAM_ERROR);
    }
    free(halves);
    free(sample);
}

static void test_histogram_of_odd_values(void **state) {
    (void)state;
    struct des_histogram *histogram = calloc(1, sizeof *histogram);
    assert_non_null(histogram);
    assert_true(isnan(des_histogram_quantile(histogram, 0.5)));
    static const double values[] = {0,      -3,      0x1p-33, 0x1p-32, 1, 0x1.fffffffffffffp63,
                                    0x1p64, INFINITY};
    for (size_t i = 0; i < CT_COUNT_OF(values); i++)
        des_histogram_add(histogram, values[i]);
    assert_int_equal(histogram->below, 3);
    assert_int_equal(histogram->beyond, 2);
    assert_true(des_histogram_quantile(histogram, 0) == -3);
    assert_near(des_histogram_quantile(histogram, 4 / 8.0), 0x1p-32, DES_HISTOGRAM_ERROR);
    assert_near(des_histogram_quantile(histogram, 5 / 8.0), 1, DES_HISTOGRAM_ERROR);
    assert_near(des_histogram_quantile(histogram, 6 / 8.0), 0x1p64, DES_HISTOGRAM_ERROR);
    assert_true(des_histogram_quantile(histogram, 1) == INFINITY);
    free(histogram);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tally_of_a_textbook_sample),
        cmocka_unit_test(test_tally_keeps_digits),
        cmocka_unit_test(test_merged_tallies_are_one),
        cmocka_unit_test(test_time_average_of_a_staircase),
        cmocka_unit_test(test_quantiles_by_counting),
        cmocka_unit_test(test_whole_products_are_whole),
        cmocka_unit_test(test_selection_in_large_samples),
        cmocka_unit_test(test_histogram_keeps_its_bound),
        cmocka_unit_test(test_histogram_of_odd_values),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
