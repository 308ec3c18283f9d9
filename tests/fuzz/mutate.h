/* How inputs are changed: what libFuzzer and our mutators say to each other. */
#ifndef MUTATE_H
#define MUTATE_H

#include "base/ct_types.h"

/* libFuzzer's own changes. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
/* Ours, which it calls instead; returns the new size. */
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

/* Each gets an input and a state that is not 0, and returns the new size, `most` or less. */
typedef size_t mutator(uint8_t *data, size_t size, size_t most, uint32_t *state);
mutator mutate_text; /* numbers, words, pieces between separators */
mutator mutate_json; /* members and values of a document; of what is none, as text */
mutator mutate_sql;  /* statements on a store, one a line (fuzz_store_edit) */

/* The n-th of all "UPDATE table SET column = value", or of those with two values that are wrong in
 * most columns, a text or bytes and another, from one column to the next in turn, without its end;
 * false: there are no more. */
bool mutate_sql_column(size_t n, bool all, char *text, size_t size);

/* Texts of values that readers tend to trip over, many of them JSON. */
const char *mutate_value(uint32_t *state);

/* A number below `bound` (above 0) from a state that is not 0: Marsaglia's xorshift. */
static inline size_t mutate_below(uint32_t *state, size_t bound) {
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state % bound;
}

#endif
