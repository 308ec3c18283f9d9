/*
 * Memory for yajl, which uses what its allocator returns without a look at it. Where the system has
 * none left, its requests are met from a reserve that is large enough for one chunk of input, and
 * `failed` says that the parsing must end with that chunk.
 */
#ifndef KINETO_MEMORY_H
#define KINETO_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <yajl/yajl_common.h>

/* Zero-initialise; free with kineto_memory_free, after yajl. */
struct kineto_memory {
    unsigned char *reserve;
    size_t size, used; /* of the reserve, bytes */
    size_t largest;    /* request so far */
    bool failed;
};

/* Makes the reserve large enough for the next chunk of this many bytes; false when memory ran out.
 */
bool kineto_memory_reserve(struct kineto_memory *memory, size_t chunk_bytes);
yajl_alloc_funcs kineto_memory_functions(struct kineto_memory *memory);
void kineto_memory_free(struct kineto_memory *memory);

#endif
