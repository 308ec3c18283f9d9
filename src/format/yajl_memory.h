/*
 * Memory for yajl, which uses what its allocator returns without a look at it. Where the system has
 * none left, its requests are met from a reserve that is large enough for one chunk of input, and
 * `failed` says that the parsing must end with that chunk.
 */
#ifndef YAJL_MEMORY_H
#define YAJL_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <yajl/yajl_common.h>

/* Bytes of the longest text: yajl begins one that goes on in the next chunk anew. */
enum { YAJL_MEMORY_LONGEST = 1 << 22 };

/* Zero-initialise; free with yajl_memory_free, after yajl. */
struct yajl_memory {
    unsigned char *reserve;
    size_t size, used; /* of the reserve, bytes */
    size_t largest;    /* request so far */
    bool failed;
};

/* Whether a text was too long to go on with. */
bool yajl_memory_overlong(const struct yajl_memory *memory);

/* Makes the reserve large enough for the next chunk of this many bytes; false when memory ran out.
 */
bool yajl_memory_reserve(struct yajl_memory *memory, size_t chunk_bytes);
yajl_alloc_funcs yajl_memory_functions(struct yajl_memory *memory);
void yajl_memory_free(struct yajl_memory *memory);

#endif
