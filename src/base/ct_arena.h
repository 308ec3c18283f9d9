/* An arena: many small allocations that end together. Not thread-safe; one arena per owner. */
#ifndef CT_ARENA_H
#define CT_ARENA_H

#include "base/ct_types.h"

#include <stdarg.h>

/* Zero-initialise; free with ct_arena_free. */
struct ct_arena {
    struct ct_arena_block *head;
    size_t bytes; /* handed out so far */
};

/* `size` zeroed bytes, aligned for any type; NULL when memory ran out. */
void *ct_arena_alloc(struct ct_arena *arena, size_t size);

/* Like ct_arena_alloc for `count` items of `size` bytes; NULL also when the product overflows. */
void *ct_arena_array(struct ct_arena *arena, size_t count, size_t size);

/* A copy of a string, or NULL when memory ran out. */
char *ct_arena_strdup(struct ct_arena *arena, const char *text);
char *ct_arena_strndup(struct ct_arena *arena, const char *text, size_t length);

/* What printf would print, whole, or NULL when memory ran out. */
char *ct_arena_format(struct ct_arena *arena, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
char *ct_arena_vformat(struct ct_arena *arena, const char *format, va_list arguments)
    __attribute__((format(printf, 2, 0)));

void ct_arena_free(struct ct_arena *arena);

#endif
