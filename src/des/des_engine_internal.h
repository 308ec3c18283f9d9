/* Internal to the engine and its tests: the members of an engine. */
#ifndef DES_ENGINE_INTERNAL_H
#define DES_ENGINE_INTERNAL_H

#include "des/des_engine.h"
#include "des/des_tree.h"

/* What an event does. A free slot links the next free one in `argument`. */
struct des_slot {
    des_action *action;
    void *context;
    uint64_t argument;
    des_event event; /* generation and slot; the generation starts at 1 and grows when the slot is
                        freed */
};

/* What an event beside the tree does. */
struct des_act {
    des_action *action;
    void *context;
};

/* The standing event; its key is one of the tree's, or DES_KEY_NONE: not planned. */
struct des_standing {
    des_key key;
    struct des_act act;
    enum des_rank rank;
};

/*
 * When an event happens its slot becomes free, but its key stays in the tree as a hole. The next
 * event to be scheduled, usually by its action, gets this slot and replaces the key: one way to the
 * root instead of two. Whatever else changes the tree or takes its least key closes the hole first.
 */
struct des_engine {
    struct des_clock clock; /* first: des_engine.h reads it */
    struct des_tree tree;
    struct des_slot *slots;
    bool hole, stopped;
    uint32_t free;     /* first free slot, or DES_SLOT_NONE */
    uint32_t pending;  /* keys in the tree, without the hole */
    uint64_t sequence; /* number of the next event that is scheduled, below 2^DES_SEQUENCE_BITS */
    uint64_t executed, stale;
    struct des_standing standing;
    struct des_act instant[DES_RANK_COUNT];
};

#define DES_SLOT_NONE UINT32_MAX

#endif
