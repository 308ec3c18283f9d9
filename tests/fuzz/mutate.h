/* What libFuzzer and a mutator of ours say to each other. */
#ifndef MUTATE_H
#define MUTATE_H

#include "base/ct_types.h"

/* libFuzzer's own changes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
/* Ours, which it calls instead; returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* A number below `bound` (above 0) from a state that is not 0: Marsaglia's xorshift. */
static inline size_t mutate_below(uint32_t *state, size_t bound) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % bound;
}

#endif
