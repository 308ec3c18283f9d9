#include "apps/paper/paper_reduce.h"

#include "base/ct_sort.h"

#include <math.h>

static double value_of(enum paper_reduction reduction, double value, double against,
                       double at_least) {
    switch (reduction) {
    case PAPER_SHARE:
        return isnan(value) ? NAN : value >= at_least;
    case PAPER_SHARE_OVER:
        return isnan(value) ? NAN : value > at_least;
    case PAPER_MEAN_OVER:
        return value > at_least ? value : NAN;
    case PAPER_GAIN:
    case PAPER_GAIN_MOST:
        return against > 0 ? value / against - 1 : NAN;
    case PAPER_SAVING:
    case PAPER_SAVING_MOST:
        return against > 0 ? 1 - value / against : NAN;
    case PAPER_RATIO_MOST:
        return against > 0 ? value / against : NAN;
    case PAPER_MEAN:
    case PAPER_LEAST:
    case PAPER_MOST:
        break;
    }
    return value;
}

double paper_reduce(enum paper_reduction reduction, const double *values, const double *against,
                    size_t count, double at_least, size_t *used) {
    double sum = 0, least = INFINITY, most = -INFINITY;
    *used = 0;
    for (size_t i = 0; i < count; i++) {
        double value = value_of(reduction, values[i], against ? against[i] : NAN, at_least);
        if (isnan(value))
            continue;
        sum += value;
        least = fmin(least, value);
        most = fmax(most, value);
        ++*used;
    }
    if (*used == 0)
        return NAN;
    if (reduction == PAPER_LEAST)
        return least;
    if (reduction == PAPER_MOST || reduction == PAPER_GAIN_MOST || reduction == PAPER_SAVING_MOST ||
        reduction == PAPER_RATIO_MOST)
        return most;
    return sum / (double)*used;
}

struct paper_spread paper_spread_of(double *values, size_t count) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[known++] = values[i];
    if (known == 0)
        return (struct paper_spread){NAN, NAN, NAN};
    double median = ct_sort_median(values, known);
    return (struct paper_spread){median, values[0], values[known - 1]};
}
