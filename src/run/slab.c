#include "run/slab.h"

/* Objects. Runs of one job alone need a few, and are made by the thousand; others have hundreds at
 * a time, and to look for one among several small pieces would be felt. */
enum { FIRST_PIECE = 16, SECOND_PIECE = 1024, LARGEST_PIECE = 1 << 16 };

/* The inverse of an odd number modulo 2^64, by Newton's method: each step doubles the bits that are
 * right, three at first. */
static uint64_t inverse_of(uint64_t odd) {
    uint64_t inverse = odd;
    for (int step = 0; step < 5; step++)
        inverse *= 2 - odd * inverse;
    return inverse;
}

struct slab slab_of(size_t size) {
    unsigned shift = 0;
    while (!(size >> shift & 1))
        shift++;
    return (struct slab){.size = size,
                         .inverse = inverse_of(size >> shift),
                         .most = UINT64_MAX / size,
                         .shift = shift};
}

void slab_free(struct slab *slab) {
    ct_vec_free(&slab->pieces);
    slab->asked = (struct slab_piece){0};
    slab->next = NULL;
    slab->left = slab->latest = 0;
}

static bool add_piece(struct slab *slab, struct ct_arena *arena) {
    size_t count = slab->latest == 0             ? FIRST_PIECE
                   : slab->latest == FIRST_PIECE ? SECOND_PIECE
                                                 : 2 * slab->latest;
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
bool slab_find(struct slab *slab, const void *object) {
    for (size_t i = slab->pieces.count; i-- > 0;) {
        const struct slab_piece piece = slab->pieces.items[i];
        if ((uintptr_t)object - (uintptr_t)piece.first < piece.bytes) {
            slab->asked = piece;
            return true;
        }
    }
    return false;
}
