/*
 * A confidence interval from one run whose observations depend on each other (latencies of a
 * queue).
 *
 * The correlation time is estimated from the series, the series cut into batches at least ten times
 * as long, and the spread of the batches' values gives the interval (Student's t). Ten to thirty
 * batches are used: fewer are too few, more gain next to nothing (Schmeiser, Operations Research
 * 30(3), 1982). A run that is too short for ten batches gets no interval.
 */
#ifndef DES_BATCH_H
#define DES_BATCH_H

#include "ct_types.h"

struct des_batch_interval {
    double estimate;         /* from all observations; NAN without any */
    double low, high;        /* NAN when the run is too short */
    double correlation_time; /* in observations, at least 1: 1 + 2 sum of the autocorrelations */
    size_t batches;          /* used; 0 when the run is too short */
    size_t needed; /* observations that ten batches would need, by this correlation time */
};

/* The mean; `confidence` in (0, 1), 0.95 for instance. False when memory ran out. */
bool des_batch_mean(const double *series, size_t count, double confidence,
                    struct des_batch_interval *interval);

/*
 * The nearest-rank quantile q in (0, 1), by sectioning (Asmussen and Glynn, Stochastic Simulation,
 * 2007, III.5a): the batches' quantiles spread around the whole run's. Correlation is that of "this
 * observation is above the quantile", and each batch has at least ten observations on the rarer
 * side. False when memory ran out.
 */
bool des_batch_quantile(const double *series, size_t count, double q, double confidence,
                        struct des_batch_interval *interval);

/*
 * The integrated autocorrelation time of a series in observations, with Sokal's window (in:
 * Functional Integration, 1997: the first lag that is at least five times the sum so far). Long
 * series are first averaged over blocks, so that at most 2^14 numbers remain; the result is then at
 * least a block's length, an estimate on the safe side. Negative correlation counts as none. Stops
 * at a hundredth of the series, which is too short then. NAN when memory ran out.
 */
double des_batch_correlation_time(const double *series, size_t count);

#endif
