/* Growing arrays of any type: `CT_VEC(double) v = {0};` gives v.items, v.count, v.capacity. Without
 * a name they are members of the struct around it. */
#ifndef CT_VEC_H
#define CT_VEC_H

#include "base/ct_types.h"

#include <stdlib.h>

#define CT_VEC(type)                                                                               \
    struct {                                                                                       \
        type *items;                                                                               \
        size_t count, capacity;                                                                    \
    }

/* Room for `count + extra` items; returns the new storage (capacity is set) or NULL, the old one
 * untouched. */
void *ct_vec_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t item_size);

/* Makes room for `extra` more items; false when memory ran out. */
#define ct_vec_reserve(vec, extra)                                                                 \
    ((vec)->count + (extra) <= (vec)->capacity ||                                                  \
     ct_vec_assign((void **)&(vec)->items,                                                         \
                   ct_vec_grow((vec)->items, &(vec)->capacity, (vec)->count, (extra),              \
                               sizeof *(vec)->items)))

/* Appends one item; false when memory ran out, the vector untouched. */
#define ct_vec_push(vec, ...)                                                                      \
    (ct_vec_reserve((vec), 1) ? ((vec)->items[(vec)->count++] = (__VA_ARGS__), true) : false)

#define ct_vec_free(vec)                                                                           \
    do {                                                                                           \
        free((vec)->items);                                                                        \
        (vec)->items = NULL;                                                                       \
        (vec)->count = (vec)->capacity = 0;                                                        \
    } while (0)

static inline bool ct_vec_assign(void **items, void *grown) {
    if (!grown)
        return false;
    *items = grown;
    return true;
}

#endif
