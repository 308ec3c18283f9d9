/* Sorting. An array of no items may never have been allocated. */
#ifndef CT_SORT_H
#define CT_SORT_H

#include "base/ct_types.h"

/* qsort's contract. No order of the items may depend on how it treats equals. */
void ct_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *));

/* For comparisons: -1, 0, 1 as a number is below another one, equal to it, above it. */
#define ct_order(a, b) (((a) > (b)) - ((a) < (b)))

/* Of several keys the first that differs decides. */
static inline int ct_then(int order, int next) {
    return order ? order : next;
}

/* Sorts the items of a CT_VEC, as ct_sort does. */
#define ct_vec_sort(vec, compare)                                                                  \
    ct_sort((vec)->items, (vec)->count, sizeof *(vec)->items, (compare))

/* Sorts numbers in rising order; none of them may be NAN. */
void ct_sort_doubles(double *values, size_t count);

/* The median: for an even number of values the mean of the two in the middle, for none NAN. Sorts
 * the values. */
double ct_sort_median(double *values, size_t count);

/* A value and where it stood. */
struct ct_ranked {
    double value;
    size_t index;
};

/* Sorts in rising order of the value, those of equal value by index; no value may be NAN. */
void ct_sort_ranked(struct ct_ranked *ranked, size_t count);

#endif
