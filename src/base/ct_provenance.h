/* How numbers came to be, and how much of a run's inputs rests on which. */
#ifndef CT_PROVENANCE_H
#define CT_PROVENANCE_H

#include <stdbool.h>
#include <stddef.h>

/* How a number came to be. Trace stores hold it by value: numbers stay. */
enum ct_provenance {
    CT_MEASURED,
    /* Follows from what was measured, or from a model. */
    CT_DERIVED,
    CT_ASSUMED,
    /* Given by the user, in the workload. */
    CT_GIVEN,
    /* Nobody says, and a neutral value stands in. */
    CT_UNKNOWN,
    /* Follows from the shapes of what an operator of a framework was called with. */
    CT_SHAPES,
    /* The median of measured kernels of its class and launch (docs/demand.md). */
    CT_CLASS,
    CT_PROVENANCE_COUNT
};

/* What a run needs to know of a task: how long it takes alone, the launch shape of a kernel, what
 * it asks of the memory, the pace of the host before it, and how much of the busiest units it uses.
 */
enum ct_input {
    CT_INPUT_DURATION,
    CT_INPUT_GEOMETRY,
    CT_INPUT_DEMAND,
    CT_INPUT_HOST,
    CT_INPUT_UNITS,
    CT_INPUTS
};

/* The share of the tasks' time alone on the device for which each kind of input has a provenance;
 * each kind adds up to 1. NAN: unknown. */
struct ct_coverage {
    double share[CT_INPUTS][CT_PROVENANCE_COUNT];
};

/* A part of the time from which on a kind is not known well: by choice. */
#define CT_COVERAGE_MUCH 0.25

/* The share of a provenance over all kinds but the use of units, each of which counts alike. */
double ct_coverage_mean(const struct ct_coverage *coverage, enum ct_provenance provenance);

/* Whether the memory demand is unknown of any of the time. */
bool ct_coverage_lacks_demand(const struct ct_coverage *coverage);

/* The parts of one kind that are not nothing, the largest first: "98 % unknown, 2 % derived", in
 * whole per cent, and below 1 % as "under 1 %"; cut at the size. Returns `text`; "unknown" where
 * the shares are. */
const char *ct_coverage_print(const struct ct_coverage *coverage, enum ct_input kind, char *text,
                              size_t size);

extern const char *const ct_input_names[CT_INPUTS]; /* "durations" ... */
extern const char *const ct_provenance_names[CT_PROVENANCE_COUNT];

#endif
