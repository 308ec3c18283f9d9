/* Sorting. An array of no items may never have been allocated. */
#ifndef CT_SORT_H
#define CT_SORT_H

#include "base/ct_types.h"

/* qsort's contract. No order of the items may depend on how it treats equals. */
void ct_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));

/* The items of a CT_VEC. */
#define ct_vec_sort(vec, compare)                                                                  \
    ct_sort((vec)->items, (vec)->count, sizeof *(vec)->items, (compare))

/* In rising order; none is NAN. */
void ct_sort_doubles(double *values, size_t count);

/* Of an even number of values the mean of the two in the middle. Sorts them; NAN of none. */
double ct_sort_median(double *values, size_t count);

/* A value and where it stood. */
struct ct_ranked {
    double value;
    size_t index;
};

/* By value, equals by index; none is NAN. */
void ct_sort_ranked(struct ct_ranked *ranked, size_t count);

#endif
