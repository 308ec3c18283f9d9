#include "des/des_engine.h"

#include "base/ct_assert.h"
#include "des/des_engine_internal.h"

#include <stdlib.h>
#include <string.h>

#define CACHE_LINE 64u
#define GENERATION (UINT64_C(1) << DES_SLOT_BITS)

_Static_assert(offsetof(struct des_engine, clock) == 0, "des_engine.h reads the first member");
_Static_assert(DES_RANK_COUNT <= 1 << (64 - DES_SEQUENCE_BITS - DES_SLOT_BITS),
               "ranks fit into a key");
_Static_assert(DES_PENDING_MOST == 1 << DES_SLOT_BITS, "slots fit into a key");

/* Gives the tree `leaves` leaves; the present ones keep their keys. False, and the tree as it was,
 * when memory ran out. */
static bool grow_tree(struct des_tree *tree, uint32_t leaves) {
    uint32_t inner = tree->inner + tree->leaves;
    size_t size = ((size_t)inner + leaves) * sizeof *tree->nodes;
    des_key *nodes = aligned_alloc(CACHE_LINE, size);
    if (!nodes)
        return false;
    memset(nodes, 0xff, size); /* DES_KEY_NONE */
    if (tree->nodes)
        memcpy(nodes + inner, tree->nodes + tree->inner, tree->leaves * sizeof *nodes);
    free(tree->nodes);
    *tree = (struct des_tree){.nodes = nodes, .inner = inner, .leaves = leaves};
    des_tree_build(tree);
    return true;
}

/* Adds a level to the tree; false, and the engine as it was, when that cannot be. */
static bool grow(struct des_engine *engine) {
    uint32_t before = engine->tree.leaves;
    uint32_t capacity = before ? DES_TREE_CHILDREN * before : DES_TREE_CHILDREN;
    if (capacity > DES_PENDING_MOST)
        return false;
    struct des_slot *slots = realloc(engine->slots, capacity * sizeof *slots);
    if (!slots)
        return false;
    engine->slots = slots;
    if (!grow_tree(&engine->tree, capacity))
        return false;
    for (uint32_t i = capacity; i-- > before;) {
        slots[i] = (struct des_slot){.argument = engine->free, .event = GENERATION | i};
        engine->free = i;
    }
    return true;
}

struct des_engine *des_engine_new(void) {
    struct des_engine *engine = calloc(1, sizeof *engine);
    if (!engine)
        return NULL;
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
    free(engine->tree.nodes);
    free(engine->slots);
    free(engine);
}

/* Apart, so that who seldom finds a hole saves no registers for it. */
__attribute__((noinline)) static void fill_hole(struct des_engine *engine) {
    engine->hole = false;
    des_tree_replace_least(&engine->tree, des_key_slot(engine->tree.least), DES_KEY_NONE);
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

/* Brings every key to its slot's leaf. */
static void put_back(des_key *leaf, uint32_t leaves) {
    for (uint32_t i = 0; i < leaves; i++)
        for (uint32_t slot; leaf[i] != DES_KEY_NONE && (slot = des_key_slot(leaf[i])) != i;) {
            des_key key = leaf[i];
            leaf[i] = leaf[slot];
            leaf[slot] = key;
        }
}

/* Numbers the pending events 0, 1, ... in the order in which they will happen. Apart, so that who
 * numbers saves no registers for it. */
__attribute__((noinline, cold)) static void renumber(struct des_engine *engine) {
    close_hole(engine);
    const struct des_tree *tree = &engine->tree;
    des_key *leaf = tree->nodes + tree->inner, standing = engine->standing.key;
    qsort(leaf, tree->leaves, sizeof *leaf, compare_keys);
    engine->sequence = 0;
    for (uint32_t i = 0; i <= engine->pending; i++) {
        if (standing < (i < engine->pending ? leaf[i] : DES_KEY_NONE)) {
            engine->standing.key = number_anew(engine, standing);
            standing = DES_KEY_NONE;
        }
        if (i < engine->pending)
            leaf[i] = number_anew(engine, leaf[i]);
    }
    put_back(leaf, tree->leaves);
    des_tree_build(&engine->tree);
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
    engine->pending++;
    if (engine->hole) { /* in this slot, the one that was freed last */
        engine->hole = false;
        des_tree_replace_least(&engine->tree, index, key);
    } else {
        des_tree_put(&engine->tree, index, key);
    }
    return slot->event;
}

/* The slot of a pending event, or DES_SLOT_NONE. */
static inline uint32_t find(const struct des_engine *engine, des_event event) {
    uint32_t slot = (uint32_t)event & (DES_PENDING_MOST - 1);
    return slot < engine->tree.leaves && engine->slots[slot].event == event ? slot : DES_SLOT_NONE;
}

bool des_event_cancel(struct des_engine *engine, des_event event) {
    uint32_t slot = find(engine, event);
    if (slot == DES_SLOT_NONE) {
        engine->stale++;
        return false;
    }
    close_hole(engine);
    engine->pending--;
    des_tree_put(&engine->tree, slot, DES_KEY_NONE);
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
    const struct des_tree *tree = &engine->tree;
    uint64_t rank =
        (uint64_t)tree->nodes[tree->inner + slot] >> (DES_SEQUENCE_BITS + DES_SLOT_BITS);
    des_tree_put(&engine->tree, slot, next_key(engine, at, rank, slot));
    return true;
}

/* ---- Events beside the tree ---- */

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

/* The root's children are the event that happens now and the least of the slots in the other three
 * quarters; often the next one is among them. Where a quarter is empty the address means nothing,
 * which a prefetch may. */
static inline void fetch_next(const struct des_engine *engine) {
    const uintptr_t slots = (uintptr_t)engine->slots;
    const des_key *child = engine->tree.nodes;
    __builtin_prefetch((const void *)(slots + des_key_slot(child[0]) * sizeof *engine->slots));
    __builtin_prefetch((const void *)(slots + des_key_slot(child[1]) * sizeof *engine->slots));
    __builtin_prefetch((const void *)(slots + des_key_slot(child[2]) * sizeof *engine->slots));
    __builtin_prefetch((const void *)(slots + des_key_slot(child[3]) * sizeof *engine->slots));
}

/* Lets the event whose key is the least happen; there is one, and no hole. */
static inline void happen(struct des_engine *engine) {
    des_key key = engine->tree.least;
    uint32_t slot = des_key_slot(key);
    struct des_slot event = engine->slots[slot];
    release(engine, slot);
    engine->clock.now = des_key_time(key);
    engine->hole = true;
    engine->pending--;
    engine->executed++;
    fetch_next(engine);
    event.action(event.context, event.argument);
}

/* Lets an event happen that is not in the tree: the standing event, or an instant's. */
static inline void act(struct des_engine *engine, const struct des_act *act) {
    engine->executed++;
    act->action(act->context, 0);
}

/* The key of an instant's event: now, and after all other events of its rank. */
static inline des_key instant_key(const struct des_engine *engine, uint32_t rank) {
    const unsigned below = DES_SEQUENCE_BITS + DES_SLOT_BITS;
    uint64_t low = (uint64_t)rank << below | ((UINT64_C(1) << below) - 1);
    return (des_key)(uint64_t)engine->clock.now << 64 | low;
}

/* Lets the next event happen, unless its key is above `last`: false. */
static inline bool happen_next(struct des_engine *engine, des_key last) {
    close_hole(engine);
    des_key least = engine->tree.least, standing = engine->standing.key;
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
    bool stands = engine->standing.key != DES_KEY_NONE;
    return (size_t)engine->pending + stands + (size_t)__builtin_popcount(engine->clock.asked);
}
