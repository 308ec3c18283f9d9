/* Count, mean and variance of a stream of numbers, without storing them (Welford, Technometrics
 * 4(3), 1962). */
#ifndef DES_TALLY_H
#define DES_TALLY_H

#include "base/ct_types.h"

/* Zero-initialise. */
struct des_tally {
    uint64_t count;
    double mean, squares; /* squares: sum of squared deviations from the mean */
};

void des_tally_add(struct des_tally *tally, double value);

/* Mean, and variance with n - 1. NAN without a value; the variance also with only one. */
double des_tally_mean(const struct des_tally *tally);
double des_tally_variance(const struct des_tally *tally);

#endif
