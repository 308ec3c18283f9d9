#include "base/ct_vec.h"

void *ct_vec_grow(void *items, size_t *capacity, size_t count, size_t extra, size_t item_size) {
    if (extra > SIZE_MAX / 2 - count)
        return NULL;
    size_t wanted = *capacity ? *capacity + *capacity / 2 : 16;
    if (wanted < count + extra)
        wanted = count + extra;
    if (wanted > SIZE_MAX / 2 / item_size)
        return NULL;
    void *grown = realloc(items, wanted * item_size);
    if (grown)
        *capacity = wanted;
    return grown;
}
