#include "des_engine.h"

#include "ct_assert.h"
#include "des_engine_internal.h"

#include <stdlib.h>
#include <string.h>

#define FIRST_CAPACITY 64u
#define CACHE_LINE (DES_KEYS_PER_LINE * sizeof(des_key))
#define GENERATION (UINT64_C(1) << DES_SLOT_BITS)

_Static_assert(offsetof(struct des_engine, clock) == 0, "des_engine.h reads the first member");
_Static_assert(DES_RANK_COUNT <= 1 << (64 - DES_SEQUENCE_BITS - DES_SLOT_BITS),
               "ranks fit into a key");
_Static_assert(DES_PENDING_MOST == 1 << DES_SLOT_BITS, "slots fit into a key");

/* A larger copy of the keys, its unused places filled with DES_KEY_NONE. */
static des_key *grow_keys(const struct des_heap *heap, uint32_t capacity) {
    size_t places = (size_t)capacity + DES_KEYS_PER_LINE;
    des_key *keys = aligned_alloc(CACHE_LINE, places * sizeof *keys);
    if (!keys)
        return NULL;
    memset(keys, 0xff, places * sizeof *keys);
    if (heap->keys)
        memcpy(keys, heap->keys, heap->end * sizeof *keys);
    return keys;
}

/* Doubles the number of slots; false, and the engine as it was, when that cannot be. */
static bool grow(struct des_engine *engine) {
    uint32_t capacity = engine->capacity ? 2 * engine->capacity : FIRST_CAPACITY;
    if (capacity > DES_PENDING_MOST)
        return false;
    struct des_slot *slots = realloc(engine->slots, capacity * sizeof *slots);
    if (!slots)
        return false;
    engine->slots = slots;
    uint32_t *position = realloc(engine->heap.position, capacity * sizeof *position);
    if (!position)
        return false;
    engine->heap.position = position;
    des_key *keys = grow_keys(&engine->heap, capacity);
    if (!keys)
        return false;
    free(engine->heap.keys);
    engine->heap.keys = keys;
    for (uint32_t i = capacity; i-- > engine->capacity;) {
        slots[i] = (struct des_slot){.argument = engine->free, .event = GENERATION | i};
        engine->free = i;
    }
    engine->capacity = capacity;
    return true;
}

struct des_engine *des_engine_new(void) {
    struct des_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
    engine->heap.end = DES_HEAP_ROOT;
    engine->standing.key = DES_KEY_NONE;
    engine->free = DES_SLOT_NONE;
    if (!grow(engine)) {
        des_engine_free(engine);
        return NULL;
    }
    return engine;
}

void des_engine_free(struct des_engine *engine) {
    if (!engine)
        return;
    free(engine->heap.keys);
    free(engine->heap.position);
    free(engine->slots);
    free(engine);
}

/* Apart, so that who seldom finds a hole saves no registers for it. */
__attribute__((noinline)) static void fill_hole(struct des_engine *engine) {
    engine->hole = false;
    des_heap_close(&engine->heap, DES_HEAP_ROOT);
}

static inline void close_hole(struct des_engine *engine) {
    if (engine->hole)
        fill_hole(engine);
}

static int compare_keys(const void *a, const void *b) {
    des_key left = *(const des_key *)a, right = *(const des_key *)b;
    return (left > right) - (left < right);
}

static des_key number_anew(struct des_engine *engine, des_key key) {
    const des_key sequences = (((des_key)1 << DES_SEQUENCE_BITS) - 1) << DES_SLOT_BITS;
    return (key & ~sequences) | (des_key)engine->sequence++ << DES_SLOT_BITS;
}

/* Numbers the pending events 0, 1, ... in the order in which they will happen. A sorted array is a
 * heap. Apart, so that who numbers saves no registers for it. */
__attribute__((noinline, cold)) static void renumber(struct des_engine *engine) {
    struct des_heap *heap = &engine->heap;
    des_key standing = engine->standing.key;
    close_hole(engine);
    qsort(heap->keys + DES_HEAP_ROOT, heap->end - DES_HEAP_ROOT, sizeof *heap->keys, compare_keys);
    engine->sequence = 0;
    for (uint32_t i = DES_HEAP_ROOT; i <= heap->end; i++) { /* behind the last: DES_KEY_NONE */
        if (standing < heap->keys[i]) {
            engine->standing.key = number_anew(engine, standing);
            standing = DES_KEY_NONE;
        }
        if (i < heap->end)
            des_heap_put(heap, i, number_anew(engine, heap->keys[i]));
    }
}

static inline des_key next_key(struct des_engine *engine, ct_time_ps at, uint64_t rank,
                               uint32_t slot) {
    if (engine->sequence >> DES_SEQUENCE_BITS)
        renumber(engine);
    uint64_t low =
        rank << (DES_SEQUENCE_BITS + DES_SLOT_BITS) | engine->sequence++ << DES_SLOT_BITS | slot;
    return (des_key)(uint64_t)at << 64 | low;
}

static inline void release(struct des_engine *engine, uint32_t slot) {
    struct des_slot *freed = &engine->slots[slot];
    freed->event += GENERATION;
    if (freed->event < GENERATION) /* generation 0 would make a slot's name 0 */
        freed->event += GENERATION;
    freed->argument = engine->free;
    engine->free = slot;
}

des_event des_event_schedule(struct des_engine *engine, ct_time_ps at, enum des_rank rank,
                             des_action *action, void *context, uint64_t argument) {
    ct_assert(at >= engine->clock.now);
    if (engine->free == DES_SLOT_NONE && !grow(engine))
        return 0;
    uint32_t index = engine->free;
    struct des_slot *slot = &engine->slots[index];
    engine->free = (uint32_t)slot->argument;
    slot->action = action;
    slot->context = context;
    slot->argument = argument;
    des_key key = next_key(engine, at, rank, index);
    if (engine->hole) {
        engine->hole = false;
        des_heap_sink(&engine->heap, DES_HEAP_ROOT, key);
    } else {
        des_heap_push(&engine->heap, key);
    }
    return slot->event;
}

/* The slot of a pending event, or DES_SLOT_NONE. */
static inline uint32_t find(const struct des_engine *engine, des_event event) {
    uint32_t slot = (uint32_t)event & (DES_PENDING_MOST - 1);
    return slot < engine->capacity && engine->slots[slot].event == event ? slot : DES_SLOT_NONE;
}

bool des_event_cancel(struct des_engine *engine, des_event event) {
    uint32_t slot = find(engine, event);
    if (slot == DES_SLOT_NONE) {
        engine->stale++;
        return false;
    }
    close_hole(engine);
    des_heap_close(&engine->heap, engine->heap.position[slot]);
    release(engine, slot);
    return true;
}

bool des_event_reschedule(struct des_engine *engine, des_event event, ct_time_ps at) {
    uint32_t slot = find(engine, event);
    if (slot == DES_SLOT_NONE) {
        engine->stale++;
        return false;
    }
    ct_assert(at >= engine->clock.now);
    close_hole(engine);
    struct des_heap *heap = &engine->heap;
    uint64_t rank =
        (uint64_t)heap->keys[heap->position[slot]] >> (DES_SEQUENCE_BITS + DES_SLOT_BITS);
    des_key key = next_key(engine, at, rank, slot); /* may renumber, so only then the position */
    des_heap_move(heap, heap->position[slot], key);
    return true;
}

/* ---- Events beside the heap ---- */

void des_standing_set(struct des_engine *engine, enum des_rank rank, des_action *action,
                      void *context) {
    ct_assert(!engine->standing.act.action);
    engine->standing.act = (struct des_act){action, context};
    engine->standing.rank = rank;
}

void des_standing_plan(struct des_engine *engine, ct_time_ps at) {
    ct_assert(at >= engine->clock.now);
    engine->standing.key = next_key(engine, at, engine->standing.rank, 0);
}

void des_standing_cancel(struct des_engine *engine) {
    engine->standing.key = DES_KEY_NONE;
}

void des_instant_set(struct des_engine *engine, enum des_rank rank, des_action *action,
                     void *context) {
    ct_assert(!engine->instant[rank].action);
    engine->instant[rank] = (struct des_act){action, context};
}

/* ---- What happens ---- */

/* One of the root's children happens next, unless this action schedules something earlier. */
static inline void fetch_next(const struct des_engine *engine) {
    const des_key *keys = engine->heap.keys;
    __builtin_prefetch(&engine->slots[des_key_slot(keys[2 * DES_HEAP_ROOT])]);
    __builtin_prefetch(&engine->slots[des_key_slot(keys[2 * DES_HEAP_ROOT + 1])]);
}

/* Lets the event at the root happen; there is one, and no hole. */
static inline void happen(struct des_engine *engine) {
    des_key key = engine->heap.keys[DES_HEAP_ROOT];
    uint32_t slot = des_key_slot(key);
    struct des_slot event = engine->slots[slot];
    release(engine, slot);
    engine->clock.now = des_key_time(key);
    engine->hole = true;
    engine->executed++;
    fetch_next(engine);
    event.action(event.context, event.argument);
}

/* Beside the heap: a hole stays open for what the action schedules first. */
static inline void act(struct des_engine *engine, const struct des_act *act) {
    engine->executed++;
    act->action(act->context, 0);
}

/* The least key of the heap; a hole need not be filled to see it. */
static inline des_key least_key(const struct des_engine *engine) {
    const des_key *keys = engine->heap.keys;
    if (!engine->hole)
        return keys[DES_HEAP_ROOT];
    des_key left = keys[2 * DES_HEAP_ROOT], right = keys[2 * DES_HEAP_ROOT + 1];
    return left < right ? left : right;
}

/* Of an event that comes last of its rank in this instant. */
static inline des_key instant_key(const struct des_engine *engine, uint32_t rank) {
    const unsigned below = DES_SEQUENCE_BITS + DES_SLOT_BITS;
    uint64_t low = (uint64_t)rank << below | ((UINT64_C(1) << below) - 1);
    return (des_key)(uint64_t)engine->clock.now << 64 | low;
}

/* Lets the next event happen, unless its key is above `last`: false. */
static inline bool happen_next(struct des_engine *engine, des_key last) {
    des_key least = least_key(engine), standing = engine->standing.key;
    bool stands = standing < least;
    least = stands ? standing : least;
    if (engine->clock.asked) {
        uint32_t rank = (uint32_t)__builtin_ctz(engine->clock.asked);
        if (instant_key(engine, rank) < least) {
            engine->clock.asked &= engine->clock.asked - 1;
            act(engine, &engine->instant[rank]);
            return true;
        }
    }
    if (least > last)
        return false;
    if (stands) {
        engine->standing.key = DES_KEY_NONE;
        engine->clock.now = des_key_time(standing);
        act(engine, &engine->standing.act);
        return true;
    }
    close_hole(engine);
    happen(engine);
    return true;
}

bool des_engine_step(struct des_engine *engine) {
    return happen_next(engine, DES_KEY_NONE - 1);
}

void des_engine_run(struct des_engine *engine, ct_time_ps until) {
    const des_key last = (des_key)(uint64_t)until << 64 | UINT64_MAX;
    engine->stopped = until < engine->clock.now;
    while (!engine->stopped && happen_next(engine, last)) {
    }
}

void des_engine_stop(struct des_engine *engine) {
    engine->stopped = true;
}

uint64_t des_engine_executed(const struct des_engine *engine) {
    return engine->executed;
}

uint64_t des_engine_stale(const struct des_engine *engine) {
    return engine->stale;
}

size_t des_engine_pending(const struct des_engine *engine) {
    size_t in_heap = engine->heap.end - DES_HEAP_ROOT - engine->hole;
    bool stands = engine->standing.key != DES_KEY_NONE;
    return in_heap + stands + (size_t)__builtin_popcount(engine->clock.asked);
}
