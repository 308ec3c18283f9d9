#include "workload/step_times.h"

#include "workload/batch_trace.h"

#include <math.h>

/* Steps of one size, the first of them `first`: how many. */
static size_t row_length(const struct workload_steps *steps, size_t first) {
    size_t end = first;
    while (end < steps->count && steps->items[end].size == steps->items[first].size)
        end++;
    return end - first;
}

/* A size's time at this context, without its step `skip`. */
static double of_row(const struct workload_step *row, size_t count, size_t skip, double context) {
    double contexts[STEP_TIMES_MOST], times[STEP_TIMES_MOST];
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (i != skip) {
            contexts[known] = (double)row[i].context;
            times[known++] = row[i].kernel_ps;
        }
    return batch_trace_law(contexts, times, known, context);
}

/* Time of a step of that size and context by the recorded ones, without those of size `skip` (0:
 * none). */
static double of_rows(const struct workload_steps *steps, int64_t skip, double size,
                      double context) {
    double sizes[STEP_TIMES_MOST], times[STEP_TIMES_MOST];
    size_t known = 0;
    for (size_t first = 0, length; first < steps->count; first += length) {
        length = row_length(steps, first);
        const struct workload_step *row = &steps->items[first];
        if (row->size == skip)
            continue;
        sizes[known] = (double)row->size;
        times[known++] = of_row(row, length, length, context);
    }
    return batch_trace_law(sizes, times, known, size);
}

double step_times_of(const struct workload_steps *steps, double size, double context) {
    return of_rows(steps, 0, size, context);
}

const struct workload_step *step_times_nearest(const struct workload_steps *steps, double size,
                                               double context) {
    const struct workload_step *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < steps->count; i++) {
        const struct workload_step *step = &steps->items[i];
        double away = fabs(log((double)step->size / size)) +
                      fabs(log(((double)step->context + 1) / (context + 1)));
        if (away < least) {
            least = away;
            best = step;
        }
    }
    return best;
}

static double error_of(double told, const struct workload_step *step) {
    return fabs(told / step->kernel_ps - 1);
}

double step_times_error(const struct workload_steps *steps) {
    double worst = NAN;
    for (size_t first = 0, length; first < steps->count; first += length) {
        const struct workload_step *row = &steps->items[first];
        length = row_length(steps, first);
        bool inner = first > 0 && first + length < steps->count;
        for (size_t i = 0; i < length; i++) {
            double context = (double)row[i].context;
            if (i > 0 && i + 1 < length)
                worst = fmax(worst, error_of(of_row(row, length, i, context), &row[i]));
            if (inner)
                worst = fmax(worst, error_of(of_rows(steps, row->size, (double)row->size, context),
                                             &row[i]));
        }
    }
    return worst;
}
