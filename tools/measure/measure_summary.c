/* Median and quartiles. */
#include "measure.h"

#include <stdlib.h>

static int compare(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double quantile(const double *sorted, int count, double q) {
    double place = q * (count - 1);
    int below = (int)place;
    double rest = place - below;
    return below + 1 < count ? sorted[below] * (1 - rest) + sorted[below + 1] * rest
                             : sorted[below];
}

struct measure_summary measure_summarise(double *values, int count) {
    qsort(values, (size_t)count, sizeof *values, compare);
    return (struct measure_summary){.median = quantile(values, count, 0.5),
                                    .q1 = quantile(values, count, 0.25),
                                    .q3 = quantile(values, count, 0.75),
                                    .count = count};
}
