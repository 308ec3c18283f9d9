/*
 * Statistics of one run: mean and variance of a stream of numbers, exact quantiles of a stored
 * sample, the end of the warm-up.
 */
#ifndef DES_STATISTICS_H
#define DES_STATISTICS_H

#include "base/ct_types.h"

/* Count, mean and variance of a stream of numbers, without storing them (Welford, Technometrics
 * 4(3), 1962). Zero-initialise. */
struct des_tally {
    uint64_t count;
    double mean, squares; /* squares: sum of squared deviations from the mean */
};

void des_tally_add(struct des_tally *tally, double value);

/* Mean, and variance with n - 1. NAN without a value; the variance also with only one. */
double des_tally_mean(const struct des_tally *tally);
double des_tally_variance(const struct des_tally *tally);

/*
 * Exact quantiles of a stored sample by nearest rank: the smallest x of the sample with F(x) >= q,
 * where F is the sample's own distribution. So q = 0.99 of 100 values is the 99th smallest; no
 * value is interpolated. A product q * n that misses a whole number by rounding only counts as that
 * number. The sample holds no NAN.
 */

/* The rank, from 0, of quantile q (0 ... 1) among `count` > 0 sorted values. */
size_t des_quantile_rank(size_t count, double q);

/* Quantile q (0 to 1) of a sample in any order, by selection in linear time. Reorders the sample;
 * NAN if it is empty. */
double des_quantile_select(double *sample, size_t count, double q);

/* Quantile q (0 to 1) of a sample that is in rising order; NAN if it is empty. */
double des_quantile_sorted(const double *sample, size_t count, double q);

/*
 * Where the warm-up of a run ends, by MSER-5 (White, Cobb and Spratt, Winter Simulation Conference
 * 2000, pages 755 to 760): means of five observations each; cut off so many of the first that the
 * standard error of the mean of the rest is least.
 */
struct des_mser {
    size_t cut; /* observations to leave out, a multiple of five, at most half of them */
    bool found; /* false: fewer than fifty observations (cut 0), or the least error lies at the end
                   of the first half: the series has not settled */
};

/* The series in the order in which it was observed. */
struct des_mser des_mser5(const double *values, size_t count);

#endif
