/*
 * What steps of a model that generates tokens take, by what was recorded at some sizes and
 * contexts: in each direction by the law of batch sizes (batch_trace_law).
 */
#ifndef STEP_TIMES_H
#define STEP_TIMES_H

#include "workload/workload.h"

/* Steps of one list, all their batches and contexts together. */
enum { STEP_TIMES_MOST = 256 };

/*
 * Kernel time in ps of a step of this size, whose sequences have so many tokens in the cache, by
 * steps that are sorted by size, then by context, at least one: in each size by its contexts, where
 * it has but one the same for all; then by sizes. One step alone tells that of all.
 */
double step_times_of(const struct workload_steps *steps, double size, double context);

/* The recorded step nearest by ratio: whose launches stand in. */
const struct workload_step *step_times_nearest(const struct workload_steps *steps, double size,
                                               double context);

/* Largest relative error of a size (with all its contexts), or of a context of a size, neither the
 * least nor the largest, that the law tells from the others. NAN: there is none. */
double step_times_error(const struct workload_steps *steps);

#endif
