/* Numbers for byte strings: equal bytes get the same number, 0, 1, 2 ... in order of first
 * appearance. */
#ifndef IMPORT_INTERN_H
#define IMPORT_INTERN_H

#include "ct_arena.h"
#include "ct_types.h"
#include "ct_vec.h"

struct import_interned {
    const void *bytes; /* in the arena, with a zero byte behind the last */
    size_t size;
    uint64_t hash;
};

/* Zero-initialise; free with import_intern_free. */
struct import_intern {
    struct ct_arena arena;
    struct {
        CT_VEC(struct import_interned);
    } items;
    uint32_t *slots; /* item + 1; open addressing, a power of two long */
    size_t slot_count;
};

/* The number of these bytes, new or known; UINT32_MAX when memory ran out. */
uint32_t import_intern_add(struct import_intern *intern, const void *bytes, size_t size);
uint32_t import_intern_text(struct import_intern *intern, const char *text);

/* The bytes of a number, valid as long as the table. */
const void *import_intern_get(const struct import_intern *intern, uint32_t number);
void import_intern_free(struct import_intern *intern);

#endif
