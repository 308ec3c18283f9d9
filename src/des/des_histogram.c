#include "des_histogram.h"

#include "ct_assert.h"
#include "des_quantile.h"

#include <string.h>

#define DOUBLE_FRACTION_BITS 52
#define DOUBLE_BIAS 1023

/* The bits of a positive double, read as a number, grow like its logarithm: its top bits are the
 * bucket. */
static size_t bucket_of(double value) {
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    uint64_t first = (uint64_t)(DOUBLE_BIAS + DES_HISTOGRAM_LEAST_EXPONENT)
                     << DES_HISTOGRAM_FRACTION_BITS;
    return (size_t)((bits >> (DOUBLE_FRACTION_BITS - DES_HISTOGRAM_FRACTION_BITS)) - first);
}

static double bucket_middle(size_t bucket) {
    const double steps = 1 << DES_HISTOGRAM_FRACTION_BITS;
    int exponent = (int)(bucket >> DES_HISTOGRAM_FRACTION_BITS) + DES_HISTOGRAM_LEAST_EXPONENT;
    double step = (double)(bucket & ((1u << DES_HISTOGRAM_FRACTION_BITS) - 1));
    return ldexp(1 + (step + 0.5) / steps, exponent);
}

void des_histogram_add(struct des_histogram *histogram, double value) {
    ct_assert(!isnan(value));
    des_tally_add(&histogram->tally, value);
    if (value < ldexp(1, DES_HISTOGRAM_LEAST_EXPONENT))
        histogram->below++;
    else if (value >= ldexp(1, DES_HISTOGRAM_MOST_EXPONENT))
        histogram->beyond++;
    else
        histogram->buckets[bucket_of(value)]++;
}

void des_histogram_merge(struct des_histogram *histogram, const struct des_histogram *other) {
    des_tally_merge(&histogram->tally, &other->tally);
    histogram->below += other->below;
    histogram->beyond += other->beyond;
    for (size_t i = 0; i < DES_HISTOGRAM_BUCKETS; i++)
        histogram->buckets[i] += other->buckets[i];
}

double des_histogram_quantile(const struct des_histogram *histogram, double q) {
    const struct des_tally *tally = &histogram->tally;
    if (tally->count == 0)
        return NAN;
    uint64_t rank = des_quantile_rank(tally->count, q);
    if (rank < histogram->below || rank == 0)
        return tally->least;
    if (rank >= tally->count - histogram->beyond || rank == tally->count - 1)
        return tally->most;
    uint64_t seen = histogram->below;
    size_t bucket = 0;
    while ((seen += histogram->buckets[bucket]) <= rank)
        bucket++;
    return fmin(fmax(bucket_middle(bucket), tally->least), tally->most);
}
