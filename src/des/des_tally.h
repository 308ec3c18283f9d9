/* Count, mean, variance and range of a stream of numbers, without storing them (Welford,
 * Technometrics 4(3), 1962). */
#ifndef DES_TALLY_H
#define DES_TALLY_H

#include "ct_types.h"

/* Zero-initialise. */
struct des_tally {
    uint64_t count;
    double mean, squares; /* squares: sum of squared deviations from the mean */
    double least, most;   /* mean something only if count > 0 */
};

void des_tally_add(struct des_tally *tally, double value);

/* Adds all that `other` has seen (Chan, Golub and LeVeque, 1979). The result depends on the order
 * by rounding only. */
void des_tally_merge(struct des_tally *tally, const struct des_tally *other);

/* NAN without a value; the variance (with n - 1) also with only one. */
double des_tally_mean(const struct des_tally *tally);
double des_tally_variance(const struct des_tally *tally);
double des_tally_least(const struct des_tally *tally);
double des_tally_most(const struct des_tally *tally);

#endif
