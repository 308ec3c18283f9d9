/* Tallies and quantiles against sums and sorted lists. */
#include "cmocka_complete.h"
#include "des/des_statistics.h"
#include "des/des_stream.h"

#include <stdlib.h>
#include <string.h>

static void assert_near(double value, double expected, double relative) {
    assert_true(fabs(value - expected) <= relative * fabs(expected));
}

TEST(test_tally_of_a_textbook_sample) {
    static const double sample[] = {2, 4, 4, 4,
                                    5, 5, 7, 9}; /* squared deviations: 9 1 1 1 0 0 4 16 */
    struct des_tally tally = {0};
    assert_true(isnan(des_tally_mean(&tally)));
    for (size_t i = 0; i < CT_COUNT_OF(sample); i++) {
        assert_int_equal(isnan(des_tally_variance(&tally)), i < 2);
        des_tally_add(&tally, sample[i]);
    }
    assert_near(des_tally_mean(&tally), 5, 1e-15);
    assert_near(des_tally_variance(&tally), 32.0 / 7, 1e-15);
}

/* A sum of squares would lose all digits here. Deviations from the mean: -6, -3, 3, 6, so the
 * variance is 90 / 3. */
TEST(test_tally_keeps_digits) {
    struct des_tally tally = {0};
    static const double sample[] = {1e9 + 4, 1e9 + 7, 1e9 + 13, 1e9 + 16};
    for (size_t i = 0; i < CT_COUNT_OF(sample); i++)
        des_tally_add(&tally, sample[i]);
    assert_near(des_tally_variance(&tally), 30, 1e-12);
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

TEST(test_quantiles_by_counting) {
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
TEST(test_whole_products_are_whole) {
    for (size_t count = 100; count <= 1000000; count *= 10)
        for (size_t percent = 1; percent <= 100; percent++)
            assert_int_equal(des_quantile_rank(count, (double)percent / 100),
                             percent * (count / 100) - 1);
}

TEST(test_selection_in_large_samples) {
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
