#include "des/des_batch.h"

#include "base/ct_assert.h"
#include "des/des_statistics.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BATCHES 10
#define MOST_BATCHES 30
#define TIMES_PER_BATCH 30   /* correlation times in a batch whose mean is taken */
#define CLUSTERS_PER_BATCH 2 /* independent observations beyond the quantile in a batch */
#define LEAST_TIMES 100      /* a series of fewer correlation times cannot tell what they are */
#define MOST_BLOCKS ((size_t)1 << 14)
#define SOKAL_WINDOW 5

/* Deviations of block means from their mean: `blocks` numbers over `length` observations each. */
static double *block_deviations(const double *series, size_t blocks, size_t length) {
    double *means = calloc(blocks, sizeof *means);
    if (!means)
        return NULL;
    struct des_tally all = {0};
    for (size_t i = 0; i < blocks; i++) {
        struct des_tally block = {0};
        for (size_t j = 0; j < length; j++)
            des_tally_add(&block, series[i * length + j]);
        means[i] = block.mean;
        des_tally_add(&all, block.mean);
    }
    for (size_t i = 0; i < blocks; i++)
        means[i] -= all.mean;
    return means;
}

static double autocovariance(const double *deviations, size_t count, size_t lag) {
    double sum = 0;
    for (size_t i = lag; i < count; i++)
        sum += deviations[i] * deviations[i - lag];
    return sum / (double)count;
}

/* 1 + 2 sum of the autocorrelations, in blocks. */
static double integrate_correlation(const double *deviations, size_t count) {
    double variance = autocovariance(deviations, count, 0), time = 1;
    double most = (double)count / LEAST_TIMES;
    if (!(variance > 0))
        return 1;
    for (size_t lag = 1; lag < count && time <= most && (double)lag < SOKAL_WINDOW * time; lag++)
        time += 2 * autocovariance(deviations, count, lag) / variance;
    return fmax(time, 1);
}

double des_batch_correlation_time(const double *series, size_t count) {
    if (count == 0)
        return 1;
    size_t length = (count + MOST_BLOCKS - 1) / MOST_BLOCKS;
    size_t blocks = count / length;
    double *deviations = block_deviations(series, blocks, length);
    if (!deviations)
        return NAN;
    double time = (double)length * integrate_correlation(deviations, blocks);
    free(deviations);
    return time;
}

static size_t count_of(const struct des_batch_series *series) {
    size_t count = 0;
    for (size_t i = 0; i < series->runs; i++)
        count += series->lengths[i];
    return count;
}

/* How many groups there are, each of at least so many observations; 0 when that is too few. */
static void plan_groups(struct des_batch_interval *interval, const struct des_batch_series *series,
                        double least_length, size_t least_groups) {
    double length = ceil(least_length), fit = floor((double)count_of(series) / length);
    size_t most = series->runs == 1 || series->runs > MOST_BATCHES ? MOST_BATCHES : series->runs;
    interval->needed = (size_t)((double)least_groups * length);
    interval->batches = fit < (double)least_groups ? 0 : (size_t)fmin(fit, (double)most);
}

/* How many batches there are of replications that are fewer than the groups of a quantile: as many
 * of each, together at least those of one run; 0 when that is too few. */
static void plan_batches(struct des_batch_interval *interval, const struct des_batch_series *series,
                         double least_length) {
    double length = ceil(least_length);
    size_t shortest = SIZE_MAX;
    for (size_t run = 0; run < series->runs; run++)
        shortest = series->lengths[run] < shortest ? series->lengths[run] : shortest;
    size_t most = MOST_BATCHES / series->runs,
           least = (LEAST_BATCHES + series->runs - 1) / series->runs;
    double each = fmin(floor((double)shortest / length), (double)most);
    interval->needed = (size_t)((double)(least * count_of(series)) * length / (double)shortest);
    interval->batches = each < (double)least ? 0 : (size_t)each * series->runs;
}

/* Where group g begins; the one behind the last begins at the end. What one run has left over is
 * its oldest part. */
static size_t group_begin(const struct des_batch_series *series, size_t groups, size_t g) {
    size_t begin = 0;
    if (series->runs == 1)
        return series->lengths[0] - (groups - g) * (series->lengths[0] / groups);
    size_t last = g * series->runs / groups;
    for (size_t run = 0; run < last; run++)
        begin += series->lengths[run];
    size_t each = groups / series->runs, of = each ? g % each : 0;
    if (of > 0) /* a part of a replication, whose first part has what is left over */
        begin += series->lengths[last] - (each - of) * (series->lengths[last] / each);
    return begin;
}

/* `squares`: the sum over groups of squared deviations from the estimate. */
static void set_interval(struct des_batch_interval *interval, double squares, double confidence) {
    double groups = (double)interval->batches;
    interval->error = sqrt(squares / (groups - 1) / groups);
    double half = interval->error * gsl_cdf_tdist_Pinv((1 + confidence) / 2, groups - 1);
    interval->low = interval->estimate - half;
    interval->high = interval->estimate + half;
}

static double mean_of(const double *values, size_t count) {
    struct des_tally tally = {0};
    for (size_t i = 0; i < count; i++)
        des_tally_add(&tally, values[i]);
    return des_tally_mean(&tally);
}

/* Sum over groups of squared distances from the mean of all, each weighted by its share of the
 * observations. */
static double squares_of_means(const struct des_batch_series *series,
                               const struct des_batch_interval *interval) {
    double squares = 0;
    size_t groups = interval->batches, first = group_begin(series, groups, 0);
    double usual = (double)(count_of(series) - first) / (double)groups;
    for (size_t g = 0; g < groups; g++) {
        size_t begin = group_begin(series, groups, g), end = group_begin(series, groups, g + 1);
        double apart = mean_of(series->values + begin, end - begin) - interval->estimate;
        double weighted = apart * (double)(end - begin) / usual;
        squares += weighted * weighted;
    }
    return squares;
}

bool des_batch_mean(const struct des_batch_series *series, double confidence,
                    struct des_batch_interval *interval) {
    ct_assert(confidence > 0 && confidence < 1);
    size_t count = count_of(series);
    *interval =
        (struct des_batch_interval){mean_of(series->values, count), NAN, NAN, NAN, NAN, 0, 0};
    interval->correlation_time = des_batch_correlation_time(series->values, count);
    if (isnan(interval->correlation_time))
        return false;
    plan_groups(interval, series, TIMES_PER_BATCH * interval->correlation_time, LEAST_BATCHES);
    if (interval->batches)
        set_interval(interval, squares_of_means(series, interval), confidence);
    return true;
}

/* Correlation time of "above the estimate"; `scratch` has room for the series. */
static double exceedance_time(const double *values, size_t count, double estimate,
                              double *scratch) {
    for (size_t i = 0; i < count; i++)
        scratch[i] = values[i] > estimate;
    return des_batch_correlation_time(scratch, count);
}

/* Sum over groups of squared distances between their quantiles and that of all. */
static double section(const struct des_batch_series *series, double q,
                      const struct des_batch_interval *interval, double *scratch) {
    double squares = 0;
    size_t groups = interval->batches;
    for (size_t g = 0; g < groups; g++) {
        size_t begin = group_begin(series, groups, g), end = group_begin(series, groups, g + 1);
        memcpy(scratch, series->values + begin, (end - begin) * sizeof *scratch);
        double apart = des_quantile_select(scratch, end - begin, q) - interval->estimate;
        squares += apart * apart;
    }
    return squares;
}

/* Observations that hold enough clusters of the rarer side; a rounding error of q does not ask for
 * one more. */
static double rare_length(double q, double correlation_time) {
    return CLUSTERS_PER_BATCH * correlation_time / fmin(q, 1 - q) * (1 - 4 * DBL_EPSILON);
}

/* The quantile q of all, and `wide`, which is no more: the one is looked for in what the other has
 * left above it. NAN without any. */
static double select_both(double *values, size_t count, double q, double wide, double *at_wide) {
    *at_wide = NAN;
    if (count == 0)
        return NAN;
    size_t from = des_quantile_rank(count, wide), rank = des_quantile_rank(count, q);
    *at_wide = gsl_stats_select(values, 1, count, from);
    return gsl_stats_select(values + from, 1, count - from, rank - from);
}

bool des_batch_quantile_beside(const struct des_batch_series *series, double q, double wide,
                               double confidence, struct des_batch_interval *interval,
                               double *wide_time) {
    ct_assert(q >= wide && q < 1 && wide > 0 && confidence > 0 && confidence < 1);
    size_t count = count_of(series);
    double at_wide;
    *interval = (struct des_batch_interval){NAN, NAN, NAN, NAN, 1, 0, 0};
    double *scratch = malloc((count + 1) * sizeof *scratch);
    if (!scratch)
        return false;
    if (count > 0)
        memcpy(scratch, series->values, count * sizeof *scratch);
    interval->estimate = select_both(scratch, count, q, wide, &at_wide);
    interval->correlation_time =
        exceedance_time(series->values, count, interval->estimate, scratch);
    if (wide_time)
        *wide_time = exceedance_time(series->values, count, at_wide, scratch);
    double length = rare_length(q, interval->correlation_time);
    if (isnan(length))
        interval->batches = 0;
    else if (series->runs > 1 && series->runs < DES_BATCH_LEAST_GROUPS)
        plan_batches(interval, series, length);
    else
        plan_groups(interval, series, length,
                    series->runs > 1 ? DES_BATCH_LEAST_GROUPS : LEAST_BATCHES);
    if (interval->batches)
        set_interval(interval, section(series, q, interval, scratch), confidence);
    free(scratch);
    return !isnan(interval->correlation_time) && !(wide_time && isnan(*wide_time));
}

bool des_batch_quantile(const struct des_batch_series *series, double q, double confidence,
                        struct des_batch_interval *interval) {
    return des_batch_quantile_beside(series, q, q, confidence, interval, NULL);
}
