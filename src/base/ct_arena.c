#include "base/ct_arena.h"

#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct ct_arena_block {
    struct ct_arena_block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

enum { ARENA_FIRST_BLOCK = 16 * 1024, ARENA_LARGEST_BLOCK = 1024 * 1024 };

static struct ct_arena_block *arena_grow(struct ct_arena *arena, size_t size) {
    size_t wanted = arena->head ? 2 * arena->head->size : ARENA_FIRST_BLOCK;
    if (wanted > ARENA_LARGEST_BLOCK)
        wanted = ARENA_LARGEST_BLOCK;
    if (wanted < size)
        wanted = size;
    struct ct_arena_block *block = calloc(1, sizeof *block + wanted);
    if (!block)
        return NULL;
    block->size = wanted;
    block->next = arena->head;
    arena->head = block;
    return block;
}

void *ct_arena_alloc(struct ct_arena *arena, size_t size) {
    const size_t align = alignof(max_align_t);
    if (size > SIZE_MAX / 2)
        return NULL;
    size = size ? (size + align - 1) / align * align : align;
    struct ct_arena_block *block = arena->head;
    if (!block || block->size - block->used < size)
        block = arena_grow(arena, size);
    if (!block)
        return NULL;
    void *memory = block->bytes + block->used;
    block->used += size;
    arena->bytes += size;
    return memory;
}

void *ct_arena_array(struct ct_arena *arena, size_t count, size_t size) {
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    return ct_arena_alloc(arena, count * size);
}

char *ct_arena_strndup(struct ct_arena *arena, const char *text, size_t length) {
    char *copy = ct_arena_alloc(arena, length + 1);
    if (copy)
        memcpy(copy, text, length);
    return copy;
}

char *ct_arena_strdup(struct ct_arena *arena, const char *text) {
    return ct_arena_strndup(arena, text, strlen(text));
}

char *ct_arena_vformat(struct ct_arena *arena, const char *format, va_list arguments) {
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *text = length < 0 ? NULL : ct_arena_alloc(arena, (size_t)length + 1);
    if (text)
        vsnprintf(text, (size_t)length + 1, format, arguments);
    return text;
}

char *ct_arena_format(struct ct_arena *arena, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = ct_arena_vformat(arena, format, arguments);
    va_end(arguments);
    return text;
}

void ct_arena_free(struct ct_arena *arena) {
    for (struct ct_arena_block *block = arena->head; block;) {
        struct ct_arena_block *next = block->next;
        free(block);
        block = next;
    }
    *arena = (struct ct_arena){0};
}
