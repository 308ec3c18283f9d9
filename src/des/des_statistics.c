#include "des/des_statistics.h"

#include "base/ct_assert.h"

#include <float.h>
#include <gsl/gsl_statistics_double.h>

void des_tally_add(struct des_tally *tally, double value) {
    double before = value - tally->mean;
    tally->count++;
    tally->mean += before / (double)tally->count;
    tally->squares += before * (value - tally->mean);
}

double des_tally_mean(const struct des_tally *tally) {
    return tally->count > 0 ? tally->mean : NAN;
}

double des_tally_variance(const struct des_tally *tally) {
    return tally->count > 1 ? tally->squares / (double)(tally->count - 1) : NAN;
}

size_t des_quantile_rank(size_t count, double q) {
    ct_assert(count > 0 && q >= 0 && q <= 1);
    double product = q * (double)count;
    double rank =
        ceil(product - 4 * DBL_EPSILON * product); /* q and the product are each rounded once */
    return rank < 1 ? 0 : (size_t)rank - 1;
}

double des_quantile_select(double *sample, size_t count, double q) {
    if (count == 0)
        return NAN;
    return gsl_stats_select(sample, 1, count, des_quantile_rank(count, q));
}

double des_quantile_sorted(const double *sample, size_t count, double q) {
    return count > 0 ? sample[des_quantile_rank(count, q)] : NAN;
}

#define BATCH 5
#define LEAST_BATCHES 10

static double batch_mean(const double *values) {
    double sum = 0;
    for (size_t i = 0; i < BATCH; i++)
        sum += values[i];
    return sum / BATCH;
}

struct des_mser des_mser5(const double *values, size_t count) {
    size_t batches = count / BATCH, half = batches / 2, cut = 0;
    struct des_tally kept = {0};
    double least = INFINITY;
    if (batches < LEAST_BATCHES)
        return (struct des_mser){0, false};
    for (size_t first = batches; first-- > 0;) { /* from the end: each step keeps one more */
        des_tally_add(&kept, batch_mean(values + first * BATCH));
        double error = kept.squares / ((double)kept.count * (double)kept.count);
        if (first <= half && error <= least) { /* of equal ones the shortest warm-up */
            least = error;
            cut = first;
        }
    }
    return (struct des_mser){cut * BATCH, cut < half};
}
