#include "format/yajl_memory.h"

#include "base/ct_assert.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

/*
 * yajl holds two texts (the token in hand, and the string decoded from it) in buffers that double,
 * so that within a chunk each asks for at most twice, and with all its steps four times, what it
 * held and the chunk; the rest is its handle, its lexer and a stack of one byte per level.
 */
enum { TEXTS = 2, STEPS = 4, REST_BYTES = 16384 };

struct block {
    alignas(max_align_t) size_t size;
};

static bool is_reserved(const struct yajl_memory *memory, const struct block *block) {
    const unsigned char *at = (const unsigned char *)block;
    return memory->used && at >= memory->reserve && at < memory->reserve + memory->used;
}

static struct block *take_reserved(struct yajl_memory *memory, size_t size) {
    const size_t align = alignof(max_align_t);
    size_t whole = (sizeof(struct block) + size + align - 1) / align * align;
    ct_assert(whole <= memory->size - memory->used);
    struct block *block = (struct block *)(void *)(memory->reserve + memory->used);
    memory->used += whole;
    return block;
}

static void *take(void *context, size_t size) {
    struct yajl_memory *memory = context;
    struct block *block = memory->failed ? NULL : malloc(sizeof *block + size);
    memory->failed = !block;
    if (!block)
        block = take_reserved(memory, size);
    block->size = size;
    memory->largest = size > memory->largest ? size : memory->largest;
    return block + 1;
}

static void give(void *context, void *text) {
    struct block *block = text ? (struct block *)text - 1 : NULL;
    if (block && !is_reserved(context, block))
        free(block);
}

static void *retake(void *context, void *text, size_t size) {
    void *larger = take(context, size);
    if (text) {
        size_t held = ((struct block *)text - 1)->size;
        memcpy(larger, text, held < size ? held : size);
    }
    give(context, text);
    return larger;
}

bool yajl_memory_overlong(const struct yajl_memory *memory) {
    return memory->largest > 2 * (size_t)YAJL_MEMORY_LONGEST; /* its buffers double */
}

bool yajl_memory_reserve(struct yajl_memory *memory, size_t chunk_bytes) {
    size_t wanted = (size_t)TEXTS * STEPS * (memory->largest + chunk_bytes) + REST_BYTES;
    if (memory->failed || memory->size >= wanted)
        return !memory->failed;
    unsigned char *reserve = malloc(wanted);
    if (!reserve)
        return false;
    free(memory->reserve);
    memory->reserve = reserve;
    memory->size = wanted;
    return true;
}

yajl_alloc_funcs yajl_memory_functions(struct yajl_memory *memory) {
    return (yajl_alloc_funcs){.malloc = take, .realloc = retake, .free = give, .ctx = memory};
}

void yajl_memory_free(struct yajl_memory *memory) {
    free(memory->reserve);
    *memory = (struct yajl_memory){0};
}
