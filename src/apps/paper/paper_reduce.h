/* From the measures of many mixes to one number of a paper. */
#ifndef PAPER_REDUCE_H
#define PAPER_REDUCE_H

#include "apps/paper/paper_file.h"

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
