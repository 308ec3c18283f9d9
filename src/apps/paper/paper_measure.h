/* What is kept of one mix of a suite under one policy, and what many of them come to. */
#ifndef PAPER_MEASURE_H
#define PAPER_MEASURE_H

#include "apps/paper/paper_file.h"
#include "experiment/experiment.h"
#include "results/report.h"

struct paper_values {
    double measures[PAPER_RUN_MEASURES]; /* NAN: unknown */
    double blame[CT_BLAME_COUNT];        /* parts of the slowest jobs' time, mean over applications;
                                                NAN: unknown */
    double inputs[3];                    /* measured, derived, assumed or unknown: means of the
                                            four kinds */
    const char *broken;                  /* check of the run that does not hold; NULL: all hold */
};

/* What the inputs of a run come to for paper_values. */
void paper_inputs(const struct ct_coverage *coverage, double inputs[3]);

/* The values of a run of which nothing but its inputs is known. */
struct paper_values paper_values_unknown(const struct ct_coverage *coverage);

/* The runs that no measure needs (enum experiment_extra, or-ed), of 1 << measure, or-ed. */
unsigned paper_without(unsigned needs);

/* What a run records (enum result_part, or-ed) for measures: 1 << measure, or-ed. */
unsigned paper_records(unsigned needs);

/* The values of a policy's runs that recorded them, decisions of the first; measures that are not
 * needed and cost something stay unknown. */
struct paper_values paper_values_make(const struct experiment_result *result, size_t policy,
                                      unsigned needs);

/* ---- From the measures of many mixes to one number ---- */

/*
 * Reduces `count` values, `against` those of the same mixes under the other policy (NULL: none);
 * `at_least` is the bound of the shares. Mixes where a value is unknown are left out; `used` gets
 * the number of the others. NAN where none is left.
 */
double paper_reduce(enum paper_reduction reduction, const double *values, const double *against,
                    size_t count, double at_least, size_t *used);

struct paper_spread {
    double median, low, high; /* low, high: the range */
};

/* The spread of those values that are known; sorts them. NAN: none is. */
struct paper_spread paper_spread_of(double *values, size_t count);

#endif
