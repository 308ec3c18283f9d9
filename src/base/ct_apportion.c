#include "base/ct_apportion.h"

#include <math.h>
#include <stdbool.h>

static double exact_part(const double *weights, size_t i, double sum, int64_t total) {
    return weights[i] > 0 ? weights[i] / sum * (double)total : 0;
}

/* The part that is furthest below its exact one; with `above`, furthest above it. */
static size_t furthest(const double *weights, size_t count, double sum, int64_t total,
                       const int64_t *parts, bool above) {
    size_t found = 0;
    double most = -INFINITY;
    for (size_t i = 0; i < count; i++) {
        double below = exact_part(weights, i, sum, total) - (double)parts[i];
        double off = above ? -below : below;
        if (off > most) {
            most = off;
            found = i;
        }
    }
    return found;
}

void ct_apportion(const double *weights, size_t count, int64_t total, int64_t *parts) {
    double sum = 0;
    int64_t given = 0;
    for (size_t i = 0; i < count; i++)
        sum += weights[i];
    for (size_t i = 0; i < count; i++) {
        parts[i] = (int64_t)exact_part(weights, i, sum, total);
        given += parts[i];
    }
    for (; given < total; given++)
        parts[furthest(weights, count, sum, total, parts, false)]++;
    for (; given > total; given--) /* exact parts are doubles, which round */
        parts[furthest(weights, count, sum, total, parts, true)]--;
}
