#include "base/ct_sort.h"

#include <math.h>
#include <stdlib.h>

void ct_sort(void *items, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    if (count > 0)
        qsort(items, count, size, compare);
}

static int compare_doubles(const void *a, const void *b) {
    return ct_order(*(const double *)a, *(const double *)b);
}

void ct_sort_doubles(double *values, size_t count) {
    ct_sort(values, count, sizeof *values, compare_doubles);
}

double ct_sort_median(double *values, size_t count) {
    ct_sort_doubles(values, count);
    return count > 0 ? 0.5 * (values[(count - 1) / 2] + values[count / 2]) : NAN;
}

static int compare_ranked(const void *a, const void *b) {
    const struct ct_ranked *x = a, *y = b;
    return ct_then(ct_order(x->value, y->value), ct_order(x->index, y->index));
}

void ct_sort_ranked(struct ct_ranked *ranked, size_t count) {
    ct_sort(ranked, count, sizeof *ranked, compare_ranked);
}
