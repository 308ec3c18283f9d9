#include "base/ct_intern.h"

#include <string.h>

enum { INTERN_FIRST_SLOTS = 256 };

/* FNV-1a, 64 bits. */
static uint64_t hash_bytes(const unsigned char *bytes, size_t size) {
    uint64_t hash = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ bytes[i]) * UINT64_C(1099511628211);
    return hash;
}

static size_t slot_of(const struct ct_intern *intern, uint64_t hash, const void *bytes,
                      size_t size) {
    size_t mask = intern->slot_count - 1;
    for (size_t slot = hash & mask;; slot = (slot + 1) & mask) {
        if (!intern->slots[slot])
            return slot;
        const struct ct_interned *item = &intern->items.items[intern->slots[slot] - 1];
        if (item->hash == hash && item->size == size && memcmp(item->bytes, bytes, size) == 0)
            return slot;
    }
}

/* Keeps the table at most half full. */
static bool make_room(struct ct_intern *intern) {
    if (2 * (intern->items.count + 1) <= intern->slot_count)
        return true;
    size_t wanted = intern->slot_count ? 2 * intern->slot_count : INTERN_FIRST_SLOTS;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return false;
    free(intern->slots);
    intern->slots = slots;
    intern->slot_count = wanted;
    for (size_t i = 0; i < intern->items.count; i++) {
        const struct ct_interned *item = &intern->items.items[i];
        slots[slot_of(intern, item->hash, item->bytes, item->size)] = (uint32_t)i + 1;
    }
    return true;
}

uint32_t ct_intern_add(struct ct_intern *intern, const void *bytes, size_t size) {
    if (!make_room(intern) || intern->items.count >= UINT32_MAX - 1)
        return UINT32_MAX;
    uint64_t hash = hash_bytes(bytes, size);
    size_t slot = slot_of(intern, hash, bytes, size);
    if (!intern->slots[slot]) {
        char *copy = ct_arena_strndup(&intern->arena, bytes, size);
        if (!copy || !ct_vec_push(&intern->items, (struct ct_interned){copy, size, hash}))
            return UINT32_MAX;
        intern->slots[slot] = (uint32_t)intern->items.count;
    }
    return intern->slots[slot] - 1;
}

uint32_t ct_intern_text(struct ct_intern *intern, const char *text) {
    return ct_intern_add(intern, text, strlen(text));
}

uint32_t ct_intern_find(const struct ct_intern *intern, const void *bytes, size_t size) {
    if (!intern->slot_count)
        return UINT32_MAX;
    return intern->slots[slot_of(intern, hash_bytes(bytes, size), bytes, size)] - 1;
}

const void *ct_intern_get(const struct ct_intern *intern, uint32_t number) {
    return intern->items.items[number].bytes;
}

void ct_intern_free(struct ct_intern *intern) {
    ct_vec_free(&intern->items);
    free(intern->slots);
    ct_arena_free(&intern->arena);
    *intern = (struct ct_intern){0};
}
