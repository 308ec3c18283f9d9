#include "run/slab.h"

enum { FIRST_PIECE = 16, LARGEST_PIECE = 1 << 16 }; /* objects */

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
    slab->next = NULL;
    slab->left = slab->latest = slab->asked = 0;
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

/* Exact division by a multiplication (Warren, Hacker's Delight, section 10-17): only multiples of
 * the size come out small. Policies' calls ask so often that a division would be felt. */
static bool is_multiple(const struct slab *slab, uint64_t offset) {
    uint64_t product = offset * slab->inverse;
    return (product >> slab->shift | product << (64 - slab->shift) % 64) <= slab->most;
}

static bool lies_in(const struct slab *slab, size_t piece, const void *object, uint64_t *offset) {
    const struct slab_piece *at = &slab->pieces.items[piece];
    *offset = (uintptr_t)object - (uintptr_t)at->first;
    return *offset < at->bytes;
}

/* Most questions are about the piece of the one before; the largest pieces, which hold most, are
 * the last. */
bool slab_has(struct slab *slab, const void *object) {
    uint64_t offset;
    if (slab->asked < slab->pieces.count && lies_in(slab, slab->asked, object, &offset))
        return is_multiple(slab, offset);
    for (size_t i = slab->pieces.count; i-- > 0;)
        if (lies_in(slab, i, object, &offset)) {
            slab->asked = i;
            return is_multiple(slab, offset);
        }
    return false;
}
