#include "des/des_mser.h"

#include "des/des_tally.h"

#include <math.h>

#define BATCH 5
#define LEAST_BATCHES 10

static double batch_mean(const double *values) {
    double sum = 0;
    for (size_t i = 0; i < BATCH; i++)
        sum += values[i];
    return sum / BATCH;
}

struct des_mser des_mser5(const double *values, size_t count) {
    size_t batches = count / BATCH, half = batches / 2, cut = 0;
    struct des_tally kept = {0};
    double least = INFINITY;
    if (batches < LEAST_BATCHES)
        return (struct des_mser){0, false};
    for (size_t first = batches; first-- > 0;) { /* from the end: each step keeps one more */
        des_tally_add(&kept, batch_mean(values + first * BATCH));
        double error = kept.squares / ((double)kept.count * (double)kept.count);
        if (first <= half && error <= least) { /* of equal ones the shortest warm-up */
            least = error;
            cut = first;
        }
    }
    return (struct des_mser){cut * BATCH, cut < half};
}
