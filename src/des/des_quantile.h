/*
 * Exact quantiles of a stored sample by nearest rank: the smallest x of the sample with F(x) >= q,
 * where F is the sample's own distribution. So q = 0.99 of 100 values is the 99th smallest; no
 * value is interpolated. A product q * n that misses a whole number by rounding only counts as that
 * number. The sample holds no NAN.
 */
#ifndef DES_QUANTILE_H
#define DES_QUANTILE_H

#include "base/ct_types.h"

/* The rank, from 0, of quantile q (0 ... 1) among `count` > 0 sorted values. */
size_t des_quantile_rank(size_t count, double q);

/* Quantile q (0 to 1) of a sample in any order, by selection in linear time. Reorders the sample;
 * NAN if it is empty. */
double des_quantile_select(double *sample, size_t count, double q);

/* Quantile q (0 to 1) of a sample that is in rising order; NAN if it is empty. */
double des_quantile_sorted(const double *sample, size_t count, double q);

#endif
