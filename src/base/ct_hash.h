/* A 128-bit content hash (FNV-1a) for the keys of caches and stores; not for security. */
#ifndef CT_HASH_H
#define CT_HASH_H

#include "base/ct_types.h"

struct ct_hash {
    uint64_t high, low;
};

#define CT_HASH_TEXT 33 /* 32 hexadecimal digits and the end */

/* The hash of nothing: start here. */
struct ct_hash ct_hash_start(void);
void ct_hash_bytes(struct ct_hash *hash, const void *bytes, size_t size);

/* Adds all bytes of a file; false: not all of them, since it cannot be read. */
bool ct_hash_file(struct ct_hash *hash, const char *path);

/* A string with its length, so that ("ab", "c") and ("a", "bc") differ. NULL hashes like no string.
 */
void ct_hash_string(struct ct_hash *hash, const char *text);
void ct_hash_u64(struct ct_hash *hash, uint64_t value);
void ct_hash_add(struct ct_hash *hash, struct ct_hash part);

/* Adds a number by its bit pattern; -0.0 counts as 0.0. */
void ct_hash_double(struct ct_hash *hash, double value);
void ct_hash_print(struct ct_hash hash, char text[CT_HASH_TEXT]);

#endif
