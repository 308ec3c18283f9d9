/*
 * Internal to the engine: a winner tree (Knuth, The Art of Computer Programming, volume 3, section
 * 5.4.1) of 16-byte keys, with a leaf for each slot and four children to a node.
 *
 * A key is one unsigned 128-bit number, from the top: time (64 bits), rank (3), sequence (37), slot
 * (24). Keys are unique, so one comparison settles every tie. A leaf holds its slot's key, every
 * other node the least key below it; DES_KEY_NONE stands for none. The root stands apart; its
 * children are nodes 0 to 3, those of node i are 4i + 4 to 4i + 7, so siblings fill a cache line.
 *
 * In a binary heap each comparison says where the next keys are to be loaded from. Here the slot
 * says it for all of them: loads need not wait, and nothing keeps where a slot's key is. The price
 * is a way to the root as long as the most events that were ever pending make it.
 */
#ifndef DES_TREE_H
#define DES_TREE_H

#include "base/ct_types.h"

__extension__ typedef unsigned __int128 des_key;

#define DES_KEY_NONE (~(des_key)0)
#define DES_SLOT_BITS 24
#define DES_SEQUENCE_BITS 37
#define DES_TREE_CHILDREN 4u

_Static_assert(DES_SLOT_BITS % 2 == 0, "as many leaves as slots, at most: a power of four");

struct des_tree {
    des_key least;   /* the root; an open hole counts */
    des_key *nodes;  /* all others, the leaves last; aligned to a cache line */
    uint32_t inner;  /* nodes that are not leaves */
    uint32_t leaves; /* a power of DES_TREE_CHILDREN */
};

static inline uint32_t des_key_slot(des_key key) {
    return (uint32_t)key & ((UINT32_C(1) << DES_SLOT_BITS) - 1);
}

static inline ct_time_ps des_key_time(des_key key) {
    return (ct_time_ps)(uint64_t)(key >> 64);
}

static inline des_key des_key_least(des_key a, des_key b) {
    return a < b ? a : b;
}

/* The least of the three siblings of `node`. */
static inline des_key des_tree_least_sibling(const des_key *nodes, size_t node) {
    return des_key_least(nodes[node ^ 1], des_key_least(nodes[node ^ 2], nodes[node ^ 3]));
}

/* Replaces the least key, that of `slot`, by `key`. The old key won all the way to the root, so
 * every match on the way is played again, without asking at each whether the winner changed. */
static inline void des_tree_replace_least(struct des_tree *tree, uint32_t slot, des_key key) {
    des_key *nodes = tree->nodes;
    for (size_t above = (size_t)tree->inner + slot + 1; above > 0; above /= DES_TREE_CHILDREN) {
        size_t node = --above;
        nodes[node] = key;
        key = des_key_least(key, des_tree_least_sibling(nodes, node));
    }
    tree->least = key;
}

/* Gives `slot` the key `key`, up to the first node where the same key wins as before. */
static inline void des_tree_put(struct des_tree *tree, uint32_t slot, des_key key) {
    des_key *nodes = tree->nodes;
    for (size_t above = (size_t)tree->inner + slot + 1; above > 0; above /= DES_TREE_CHILDREN) {
        size_t node = --above;
        if (nodes[node] == key)
            return;
        nodes[node] = key;
        key = des_key_least(key, des_tree_least_sibling(nodes, node));
    }
    tree->least = key;
}

/* Plays every match, from the leaves up. */
static inline void des_tree_build(struct des_tree *tree) {
    for (size_t above = tree->inner + 1; above-- > 0;) {
        const size_t child = DES_TREE_CHILDREN * above;
        des_key least =
            des_key_least(tree->nodes[child], des_tree_least_sibling(tree->nodes, child));
        if (above > 0)
            tree->nodes[above - 1] = least;
        else
            tree->least = least;
    }
}

#endif
