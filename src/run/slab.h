/*
 * Equal objects of a run that policies get pointers to: made in pieces that double in size, so that
 * it takes a few comparisons to tell an object of the run from a pointer to anything else.
 */
#ifndef SLAB_H
#define SLAB_H

#include "base/ct_arena.h"
#include "base/ct_vec.h"

struct slab_piece {
    const unsigned char *first;
    size_t bytes;
};

struct slab {
    struct slab_piece asked; /* that of the latest question: most are about the same again */
    uint64_t inverse, most;  /* by which multiples of the size are told, see slab_has */
    unsigned shift;
    size_t size; /* bytes of one object */
    CT_VEC(struct slab_piece) pieces;
    unsigned char *next; /* not yet handed out */
    size_t left;         /* objects there */
    size_t latest;       /* objects in the latest piece; 0: none yet */
};

/* `size` is that of an object, alignment included. */
struct slab slab_of(size_t size);

/* The pieces are the arena's, the list of them goes here. */
void slab_free(struct slab *slab);

/* Another object, zeroed; NULL: memory ran out. */
void *slab_new(struct slab *slab, struct ct_arena *arena);

/* Makes the piece in which this lies that of the latest question; false: it lies in none. */
bool slab_find(struct slab *slab, const void *object);

/* Whether the pointer is that of an object, or of one that is still to be made. Exact division by a
 * multiplication (Warren, Hacker's Delight, section 10-17): only multiples of the size come out
 * small. Policies' calls ask so often that a division would be felt. */
static inline bool slab_has(struct slab *slab, const void *object) {
    uintptr_t offset = (uintptr_t)object - (uintptr_t)slab->asked.first;
    if (offset >= slab->asked.bytes) {
        if (!slab_find(slab, object))
            return false;
        offset = (uintptr_t)object - (uintptr_t)slab->asked.first;
    }
    uint64_t product = offset * slab->inverse;
    return (product >> slab->shift | product << (64 - slab->shift) % 64) <= slab->most;
}

#endif
