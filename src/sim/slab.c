#include "slab.h"

enum { FIRST_PIECE = 16, LARGEST_PIECE = 1 << 16 }; /* objects */

void slab_free(struct slab *slab) {
    ct_vec_free(&slab->pieces);
    slab->next = NULL;
    slab->left = slab->latest = 0;
}

static bool add_piece(struct slab *slab, struct ct_arena *arena) {
    size_t count = slab->latest ? 2 * slab->latest : FIRST_PIECE;
    count = count < LARGEST_PIECE ? count : LARGEST_PIECE;
    unsigned char *first = ct_arena_array(arena, count, slab->size);
    if (!first || !ct_vec_push(&slab->pieces, (struct slab_piece){first, count * slab->size}))
        return false;
    slab->next = first;
    slab->left = slab->latest = count;
    return true;
}

void *slab_new(struct slab *slab, struct ct_arena *arena) {
    if (!slab->left && !add_piece(slab, arena))
        return NULL;
    void *object = slab->next;
    slab->next += slab->size;
    slab->left--;
    return object;
}

/* The largest pieces, which hold most, are the last. */
bool slab_has(const struct slab *slab, const void *object) {
    for (size_t i = slab->pieces.count; i-- > 0;) {
        const struct slab_piece *piece = &slab->pieces.items[i];
        uintptr_t offset = (uintptr_t)object - (uintptr_t)piece->first;
        if (offset < piece->bytes)
            return offset % slab->size == 0;
    }
    return false;
}
