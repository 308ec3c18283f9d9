/*
 * Internal to the engine: a binary min-heap of 16-byte keys that knows where each slot's key is.
 *
 * A key is one unsigned 128-bit number, from the top: time (64 bits), rank (3), sequence (37), slot
 * (24). Keys are unique, so one comparison settles every tie. The root is at index 1, the children
 * of i are at 2i and 2i + 1, so two siblings share a cache line, and the eight descendants in the
 * third generation fill two lines, which are fetched early. Behind the last key stands
 * DES_KEY_NONE, so the lesser child is chosen without bounds and without a branch.
 */
#ifndef DES_HEAP_H
#define DES_HEAP_H

#include "ct_types.h"

__extension__ typedef unsigned __int128 des_key;

#define DES_KEY_NONE (~(des_key)0)
#define DES_SLOT_BITS 24
#define DES_SEQUENCE_BITS 37
#define DES_HEAP_ROOT 1u
#define DES_KEYS_PER_LINE (64u / sizeof(des_key))

/* `keys` is aligned to a cache line and has room for one key before and one behind those of all
 * slots. */
struct des_heap {
    des_key *keys;
    uint32_t *position; /* of each slot's key; only those of pending slots mean anything */
    uint32_t end;       /* index after the last key */
};

static inline uint32_t des_key_slot(des_key key) {
    return (uint32_t)key & ((UINT32_C(1) << DES_SLOT_BITS) - 1);
}

static inline ct_time_ps des_key_time(des_key key) {
    return (ct_time_ps)(uint64_t)(key >> 64);
}

static inline void des_heap_put(struct des_heap *heap, uint32_t at, des_key key) {
    heap->keys[at] = key;
    heap->position[des_key_slot(key)] = at;
}

/* Puts `key` into the hole at `at` or below it. */
static inline void des_heap_sink(struct des_heap *heap, uint32_t at, des_key key) {
    des_key *keys = heap->keys;
    uint32_t *position = heap->position;
    const uint32_t end = heap->end;
    for (uint32_t child; (child = 2 * at) < end; at = child) {
        __builtin_prefetch(&keys[4 * (size_t)child]);
        __builtin_prefetch(&keys[4 * (size_t)child + DES_KEYS_PER_LINE]);
        child += keys[child + 1] < keys[child];
        des_key least = keys[child];
        if (key < least)
            break;
        keys[at] = least;
        position[des_key_slot(least)] = at;
    }
    keys[at] = key;
    position[des_key_slot(key)] = at;
}

/* Puts `key` into the hole at `at` or above it. */
static inline void des_heap_rise(struct des_heap *heap, uint32_t at, des_key key) {
    for (; at > DES_HEAP_ROOT && key < heap->keys[at / 2]; at /= 2)
        des_heap_put(heap, at, heap->keys[at / 2]);
    des_heap_put(heap, at, key);
}

/* Puts `key` into the hole at `at` or wherever it belongs. */
static inline void des_heap_move(struct des_heap *heap, uint32_t at, des_key key) {
    if (at > DES_HEAP_ROOT && key < heap->keys[at / 2])
        des_heap_rise(heap, at, key);
    else
        des_heap_sink(heap, at, key);
}

static inline void des_heap_push(struct des_heap *heap, des_key key) {
    des_heap_rise(heap, heap->end++, key);
}

/* Closes the hole at `at` with the last key. */
static inline void des_heap_close(struct des_heap *heap, uint32_t at) {
    uint32_t last = --heap->end;
    des_key key = heap->keys[last];
    heap->keys[last] = DES_KEY_NONE;
    if (at != last)
        des_heap_move(heap, at, key);
}

#endif
