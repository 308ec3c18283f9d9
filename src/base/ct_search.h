/* Bisection. */
#ifndef CT_SEARCH_H
#define CT_SEARCH_H

#include "base/ct_types.h"

/* The first of `count` items that does not lie before the key; the count when all do. `before` says
 * whether item i does: a first part of the items, then none. Inline, as a function named at the
 * call is then compiled into the loop. */
static inline size_t ct_lower_bound(const void *items, size_t count,
                                    bool (*before)(const void *items, size_t i, const void *key),
                                    const void *key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (before(items, middle, key))
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The first of items of `size` bytes, which a comparison has sorted, that is not below the key,
 * which is such an item. */
static inline size_t ct_lower_item(const void *items, size_t count, size_t size,
                                   int (*compare)(const void *, const void *), const void *key) {
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare((const char *)items + middle * size, key) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* ct_lower_item among the items of a CT_VEC. */
#define ct_vec_lower(vec, compare, key)                                                            \
    ct_lower_item((vec)->items, (vec)->count, sizeof *(vec)->items, (compare), (key))

#endif
