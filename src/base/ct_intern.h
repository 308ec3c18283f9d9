/* Numbers for byte strings: equal bytes get the same number, 0, 1, 2 ... in order of first
 * appearance. */
#ifndef CT_INTERN_H
#define CT_INTERN_H

#include "base/ct_arena.h"
#include "base/ct_types.h"
#include "base/ct_vec.h"

struct ct_interned {
    const void *bytes; /* in the arena, with a zero byte behind the last */
    size_t size;
    uint64_t hash;
};

/* Zero-initialise; free with ct_intern_free. */
struct ct_intern {
    struct ct_arena arena;
    CT_VEC(struct ct_interned) items;
    uint32_t *slots; /* item + 1; open addressing, a power of two long */
    size_t slot_count;
};

/* The number of these bytes, new or known; UINT32_MAX when memory ran out. */
uint32_t ct_intern_add(struct ct_intern *intern, const void *bytes, size_t size);
uint32_t ct_intern_text(struct ct_intern *intern, const char *text);

/* The number of these bytes; UINT32_MAX when they have none. */
uint32_t ct_intern_find(const struct ct_intern *intern, const void *bytes, size_t size);

/* The bytes of a number, valid as long as the table. */
const void *ct_intern_get(const struct ct_intern *intern, uint32_t number);
void ct_intern_free(struct ct_intern *intern);

#endif
