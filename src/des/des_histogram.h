/*
 * A histogram with logarithmic buckets: quantiles of any number of values in fixed memory.
 *
 * 128 buckets per factor of two, from 2^-32 up to 2^64 (the whole clock in picoseconds): 96 KiB. A
 * quantile is the midpoint of its bucket, so it misses the nearest-rank quantile of the same values
 * by at most 1/256 (0.4 %) of it. Values below the range (zero and negative ones too) count as the
 * least value seen, values beyond it as the largest.
 */
#ifndef DES_HISTOGRAM_H
#define DES_HISTOGRAM_H

#include "des_tally.h"

#define DES_HISTOGRAM_LEAST_EXPONENT (-32)
#define DES_HISTOGRAM_MOST_EXPONENT 64
#define DES_HISTOGRAM_FRACTION_BITS 7
#define DES_HISTOGRAM_BUCKETS                                                                      \
    ((DES_HISTOGRAM_MOST_EXPONENT - DES_HISTOGRAM_LEAST_EXPONENT) << DES_HISTOGRAM_FRACTION_BITS)
#define DES_HISTOGRAM_ERROR (1.0 / 256)

/* Zero-initialise. The tally is exact. */
struct des_histogram {
    struct des_tally tally;
    uint64_t below, beyond;
    uint64_t buckets[DES_HISTOGRAM_BUCKETS];
};

/* `value` is not NAN (asserted). */
void des_histogram_add(struct des_histogram *histogram, double value);
void des_histogram_merge(struct des_histogram *histogram, const struct des_histogram *other);

/* The quantile q (0 ... 1); 0 and 1 are exact. NAN of an empty histogram. */
double des_histogram_quantile(const struct des_histogram *histogram, double q);

#endif
