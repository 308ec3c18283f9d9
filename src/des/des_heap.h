/*
 * Internal to the engine: a 4-ary min-heap of 16-byte keys that knows where each slot's key is.
 *
 * A key is one unsigned 128-bit number, from the top: time (64 bits), rank (3), sequence (37), slot
 * (24). Keys are unique, so one comparison settles every tie. The four children of a node share one
 * cache line: the root is at index 3, the children of i at 4i - 8 ... 4i - 5. The line that holds
 * the last key is filled up with DES_KEY_NONE, so the choice of the least child needs no bounds and
 * no branches.
 */
#ifndef DES_HEAP_H
#define DES_HEAP_H

#include "ct_types.h"

__extension__ typedef unsigned __int128 des_key;

#define DES_KEY_NONE (~(des_key)0)
#define DES_SLOT_BITS 24
#define DES_SEQUENCE_BITS 37
#define DES_HEAP_ROOT 3u
#define DES_HEAP_ARITY 4u

/* `keys` has room for capacity keys after the root's three places of padding, and is aligned to a
 * cache line. */
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

static inline uint32_t des_heap_parent(uint32_t at) {
    return at / DES_HEAP_ARITY + 2;
}

/* Index of the least of the four keys that start at `first`. */
static inline uint32_t des_heap_least(const des_key *keys, uint32_t first) {
    const des_key *four = keys + first;
    uint32_t low = four[1] < four[0];
    uint32_t high = 2 + (four[3] < four[2]);
    return first + (four[high] < four[low] ? high : low);
}

/* Puts `key` into the hole at `at` or below it. */
static inline void des_heap_sink(struct des_heap *heap, uint32_t at, des_key key) {
    for (;;) {
        uint32_t child = DES_HEAP_ARITY * at - 8;
        if (child >= heap->end)
            break;
        child = des_heap_least(heap->keys, child);
        if (key < heap->keys[child])
            break;
        des_heap_put(heap, at, heap->keys[child]);
        at = child;
    }
    des_heap_put(heap, at, key);
}

/* Puts `key` into the hole at `at` or above it. */
static inline void des_heap_rise(struct des_heap *heap, uint32_t at, des_key key) {
    while (at > DES_HEAP_ROOT) {
        uint32_t parent = des_heap_parent(at);
        if (heap->keys[parent] < key)
            break;
        des_heap_put(heap, at, heap->keys[parent]);
        at = parent;
    }
    des_heap_put(heap, at, key);
}

/* Puts `key` into the hole at `at` or wherever it belongs. */
static inline void des_heap_move(struct des_heap *heap, uint32_t at, des_key key) {
    if (at > DES_HEAP_ROOT && key < heap->keys[des_heap_parent(at)])
        des_heap_rise(heap, at, key);
    else
        des_heap_sink(heap, at, key);
}

static inline void des_heap_push(struct des_heap *heap, des_key key) {
    uint32_t at = heap->end++;
    des_heap_rise(heap, at, key);
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
