/*
 * A confidence interval from observations that depend on each other (latencies of a queue), of one
 * run or of several replications.
 *
 * The observations fall into groups: batches of one run, or replications (neighbours are put
 * together where one alone is too short; for a quantile fewer than five are split into batches,
 * since the quantiles of two or three have no spread to speak of). The spread of the groups' values
 * around the value of all gives the interval (Student's t). Ten to thirty batches are used: fewer
 * are too few, more gain next to nothing (Schmeiser, Operations Research 30(3), 1982). How long a
 * group must be follows from the correlation time, which is estimated from the series; too few
 * observations for ten such groups (of replications, for a quantile: five) get no interval.
 * docs/statistics.md has the measured coverage that the lengths rest on.
 */
#ifndef DES_BATCH_H
#define DES_BATCH_H

#include "base/ct_types.h"

/* Groups that the interval of a quantile has at least where they are replications, whose values do
 * not depend on each other. */
enum { DES_BATCH_LEAST_GROUPS = 5 };

struct des_batch_interval {
    double estimate;         /* from all observations; NAN without any */
    double low, high;        /* NAN when the run is too short, as `error` */
    double error;            /* standard deviation of the estimate */
    double correlation_time; /* in observations, at least 1: 1 + 2 sum of the autocorrelations */
    size_t batches;          /* groups used; 0 when the run is too short */
    size_t needed; /* observations that an interval would need, by this correlation time */
};

/* Observations of one run or of several replications, one after the other. */
struct des_batch_series {
    const double *values;
    const size_t *lengths; /* observations of each replication, at least 1 */
    size_t runs;           /* how many; 1: lengths[0] observations */
};

/*
 * The mean; `confidence` in (0, 1), 0.95 for instance. A group is at least thirty correlation times
 * long. Replications that differ in length count by it (ratio estimator: Law, Simulation Modeling
 * and Analysis, section 9.5.3). False when memory ran out.
 */
bool des_batch_mean(const struct des_batch_series *series, double confidence,
                    struct des_batch_interval *interval);

/*
 * The nearest-rank quantile q in (0, 1), by sectioning (Asmussen and Glynn, Stochastic Simulation,
 * 2007, III.5a): the groups' quantiles spread around that of all. Correlation is that of "this
 * observation is above the quantile": so many neighbours exceed it together and tell what one would
 * tell. Each group has at least two such clusters on the rarer side. False when memory ran out.
 */
bool des_batch_quantile(const struct des_batch_series *series, double q, double confidence,
                        struct des_batch_interval *interval);

/* The interval of des_batch_quantile, with the correlation time of "above the quantile `wide`", q
 * at most: more observations lie above that, so it is known from a shorter run. */
bool des_batch_quantile_beside(const struct des_batch_series *series, double q, double wide,
                               double confidence, struct des_batch_interval *interval,
                               double *wide_time);

/*
 * The integrated autocorrelation time of a series in observations, with Sokal's window (in:
 * Functional Integration, 1997: the first lag that is at least five times the sum so far). Long
 * series are first averaged over blocks, so that at most 2^14 numbers remain; the result is then at
 * least a block's length, an estimate on the safe side. Negative correlation counts as none. Stops
 * at a hundredth of the series, which is too short then. Of replications one after the other it is
 * that of their sums, which short ones cut off. NAN when memory ran out.
 */
double des_batch_correlation_time(const double *series, size_t count);

#endif
