#include "des_batch.h"

#include "ct_assert.h"
#include "des_quantile.h"
#include "des_tally.h"

#include <float.h>
#include <gsl/gsl_cdf.h>
#include <stdlib.h>
#include <string.h>

#define LEAST_BATCHES 10
#define MOST_BATCHES 30
#define TIMES_PER_BATCH 10 /* a batch lasts so many correlation times */
#define RARE_PER_BATCH 10  /* and has so many observations beyond its quantile */
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
    double most = (double)count / (LEAST_BATCHES * TIMES_PER_BATCH);
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

/* Sets all but the estimate and the interval; returns the length of a batch, 0 when the run is too
 * short. */
static size_t plan_batches(struct des_batch_interval *interval, size_t count, double least_length) {
    double length = ceil(fmax(TIMES_PER_BATCH * interval->correlation_time, least_length));
    double batches = fmin(floor((double)count / length), MOST_BATCHES);
    interval->needed = (size_t)(LEAST_BATCHES * length);
    interval->batches = batches < LEAST_BATCHES ? 0 : (size_t)batches;
    return interval->batches ? count / interval->batches : 0;
}

/* `squares`: the sum over batches of squared deviations from the estimate. */
static void set_interval(struct des_batch_interval *interval, double squares, double confidence) {
    double batches = (double)interval->batches;
    double half = sqrt(squares / (batches - 1) / batches) *
                  gsl_cdf_tdist_Pinv((1 + confidence) / 2, batches - 1);
    interval->low = interval->estimate - half;
    interval->high = interval->estimate + half;
}

static double mean_of(const double *series, size_t count) {
    struct des_tally tally = {0};
    for (size_t i = 0; i < count; i++)
        des_tally_add(&tally, series[i]);
    return des_tally_mean(&tally);
}

bool des_batch_mean(const double *series, size_t count, double confidence,
                    struct des_batch_interval *interval) {
    ct_assert(confidence > 0 && confidence < 1);
    *interval = (struct des_batch_interval){mean_of(series, count), NAN, NAN, NAN, 0, 0};
    interval->correlation_time = des_batch_correlation_time(series, count);
    if (isnan(interval->correlation_time))
        return false;
    size_t length = plan_batches(interval, count, 1);
    if (length == 0)
        return true;
    const double *first =
        series + count - interval->batches * length; /* what is left over is the oldest */
    struct des_tally means = {0};
    for (size_t i = 0; i < interval->batches; i++)
        des_tally_add(&means, mean_of(first + i * length, length));
    set_interval(interval, means.squares, confidence);
    return true;
}

/* Correlation time of "above the estimate"; `scratch` has room for the series. */
static double exceedance_time(const double *series, size_t count, double estimate,
                              double *scratch) {
    for (size_t i = 0; i < count; i++)
        scratch[i] = series[i] > estimate;
    return des_batch_correlation_time(scratch, count);
}

/* Sum over batches of squared distances between their quantiles and the whole run's. */
static double section(const double *first, size_t length, double q,
                      const struct des_batch_interval *interval, double *scratch) {
    double squares = 0;
    for (size_t i = 0; i < interval->batches; i++) {
        memcpy(scratch, first + i * length, length * sizeof *scratch);
        double apart = des_quantile_select(scratch, length, q) - interval->estimate;
        squares += apart * apart;
    }
    return squares;
}

/* Observations that hold enough of the rarer side; a rounding error of q does not ask for one more.
 */
static double rare_length(double q) {
    return RARE_PER_BATCH / fmin(q, 1 - q) * (1 - 4 * DBL_EPSILON);
}

bool des_batch_quantile(const double *series, size_t count, double q, double confidence,
                        struct des_batch_interval *interval) {
    ct_assert(q > 0 && q < 1 && confidence > 0 && confidence < 1);
    *interval = (struct des_batch_interval){NAN, NAN, NAN, 1, 0, 0};
    double *scratch = malloc((count + 1) * sizeof *scratch);
    if (!scratch)
        return false;
    if (count > 0)
        memcpy(scratch, series, count * sizeof *scratch);
    interval->estimate = des_quantile_select(scratch, count, q);
    interval->correlation_time = exceedance_time(series, count, interval->estimate, scratch);
    size_t length = 0;
    if (!isnan(interval->correlation_time))
        length = plan_batches(interval, count, rare_length(q));
    if (length > 0) {
        const double *first = series + count - interval->batches * length;
        set_interval(interval, section(first, length, q, interval, scratch), confidence);
    }
    free(scratch);
    return !isnan(interval->correlation_time);
}
