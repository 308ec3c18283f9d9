#include "models/predict/predict.h"

#include "base/ct_arena.h"
#include "base/ct_sort.h"
#include "base/ct_vec.h"
#include "models/predict/predict_scale.h"

#include <stdlib.h>

/* A leaf has no children; node 0 is the root, so that 0 marks a missing child. */
struct tree_node {
    double mean;
    double threshold; /* x <= threshold goes below */
    uint32_t feature;
    uint32_t below, above;
};

/* All three trees lie in one array. */
struct tree_model {
    CT_VEC(struct tree_node) nodes;
    uint32_t root[PREDICT_TARGETS];
    bool known[PREDICT_TARGETS];
};

struct split {
    double threshold, gain; /* gain: how much the sum of squared deviations falls; 0: none */
    uint32_t feature;
};

/* A sample that is sorted by one feature; equal ones keep their order. */
struct sorted {
    uint32_t rank;
    double y;
};

/*
 * What a fit works on: the samples of one target, sorted again in each node for each feature that
 * is tried. Instead of values, which a feature takes few of, their ranks are sorted by.
 */
struct grower {
    struct tree_model *tree;
    const struct predict_sample *const *samples;
    uint32_t *items;          /* of the samples, in the order of the nodes */
    double *y;                /* by sample: of the target */
    uint32_t *rank;           /* by feature and sample: how many smaller values the feature has */
    double *value;            /* by feature and rank */
    struct sorted *sorted[2]; /* the second: room for sorting */
    size_t count;             /* of all samples */
    uint32_t varying[PREDICT_FEATURES_MOST], features; /* which have more than one value */
    int target;
    bool lost; /* memory for a node ran out */
};

/* ---- ranks ---- */

/* The ranks of the samples by a feature, which has this place among those that vary. */
static const uint32_t *ranks_of(const struct grower *grower, uint32_t place) {
    return &grower->rank[place * grower->count];
}

/* Most features of a function do not: it is always launched alike. */
static void find_varying(struct grower *grower) {
    uint32_t features = grower->samples[0]->features.count;
    for (uint32_t feature = 0; feature < features; feature++)
        if (predict_feature_varies(grower->samples, grower->count, feature))
            grower->varying[grower->features++] = feature;
}

/* `room`: for all samples. */
static void rank_feature(const struct grower *grower, uint32_t place, struct ct_ranked *room) {
    uint32_t *rank = &grower->rank[place * grower->count], last = 0;
    double *value = &grower->value[place * grower->count];
    for (size_t i = 0; i < grower->count; i++)
        room[i] = (struct ct_ranked){grower->samples[i]->features.x[grower->varying[place]], i};
    ct_sort_ranked(room, grower->count);
    value[0] = room[0].value;
    for (size_t i = 0; i < grower->count; i++) {
        if (room[i].value != value[last])
            value[++last] = room[i].value;
        rank[room[i].index] = last;
    }
}

static bool rank_all(const struct grower *grower) {
    struct ct_ranked *room = malloc(grower->count * sizeof *room);
    for (uint32_t place = 0; room && place < grower->features; place++)
        rank_feature(grower, place, room);
    bool ranked = room;
    free(room);
    return ranked;
}

/* ---- sorting ---- */

/* Up to so many are inserted faster than they are counted (one measurement). */
enum { FEW = 32 };

static void sort_few(struct sorted *list, size_t count) {
    for (size_t i = 1; i < count; i++) {
        struct sorted held = list[i];
        size_t place = i;
        for (; place > 0 && list[place - 1].rank > held.rank; place--)
            list[place] = list[place - 1];
        list[place] = held;
    }
}

/* One pass of a radix sort: copies the list in the order of eight bits of the rank, from `shift`
 * on; equals keep theirs. */
static void sort_digit(const struct sorted *from, size_t count, uint32_t shift, struct sorted *to) {
    uint32_t place[257] = {0};
    for (size_t i = 0; i < count; i++)
        place[(from[i].rank >> shift & 255) + 1]++;
    for (int digit = 1; digit < 256; digit++)
        place[digit] += place[digit - 1];
    for (size_t i = 0; i < count; i++)
        to[place[from[i].rank >> shift & 255]++] = from[i];
}

/* The first of the two lists in its order, in one of them; the ranks are at most `most`. */
static const struct sorted *sort(struct sorted *const list[2], size_t count, uint32_t most) {
    int from = 0;
    if (count <= FEW)
        sort_few(list[0], count);
    else
        for (uint32_t shift = 0; shift < 32 && most >> shift; shift += 8, from = !from)
            sort_digit(list[from], count, shift, list[!from]);
    return list[from];
}

/* ---- growing ---- */

static double target_of(const struct grower *grower, size_t i) {
    return grower->y[grower->items[i]];
}

static double mean_of(const struct grower *grower, size_t low, size_t high) {
    double sum = 0;
    for (size_t i = low; i < high; i++)
        sum += target_of(grower, i);
    return sum / (double)(high - low);
}

static bool all_equal(const struct grower *grower, size_t low, size_t high) {
    for (size_t i = low + 1; i < high; i++)
        if (target_of(grower, i) != target_of(grower, low))
            return false;
    return true;
}

/* A threshold between two neighbours that tells them apart even when no double lies between them.
 */
static double between(double a, double b) {
    double middle = a + (b - a) / 2;
    return middle < b ? middle : a;
}

/* The least and the largest rank of a feature in a node. False: all its samples have the same. */
static bool find_ranks(const struct grower *grower, size_t low, size_t high, uint32_t place,
                       uint32_t *least, uint32_t *most) {
    const uint32_t *rank = ranks_of(grower, place);
    *least = *most = rank[grower->items[low]];
    for (size_t i = low + 1; i < high; i++) {
        uint32_t here = rank[grower->items[i]];
        *least = here < *least ? here : *least;
        *most = here > *most ? here : *most;
    }
    return *most > *least;
}

/*
 * The best threshold of one feature, if it is better than `best`. With deviations d from the node's
 * mean, whose sum is 0, splitting n samples into n1 of sum s and the rest lowers the squares by
 * s^2 (1 / n1 + 1 / (n - n1)).
 */
static void try_feature(const struct grower *grower, size_t low, size_t high, uint32_t place,
                        double mean, struct split *best) {
    const double *value = &grower->value[place * grower->count];
    const uint32_t *rank = ranks_of(grower, place);
    size_t count = high - low;
    uint32_t least, most;
    double sum = 0;
    if (!find_ranks(grower, low, high, place, &least, &most))
        return;
    for (size_t i = 0; i < count; i++)
        grower->sorted[0][i] = (struct sorted){rank[grower->items[low + i]] - least,
                                               target_of(grower, low + i) - mean};
    const struct sorted *sorted = sort(grower->sorted, count, most - least);
    for (size_t i = 1; i < count; i++) {
        sum += sorted[i - 1].y;
        if (sorted[i].rank == sorted[i - 1].rank)
            continue;
        double gain = sum * sum * (1 / (double)i + 1 / (double)(count - i));
        if (gain > best->gain)
            *best = (struct split){
                between(value[least + sorted[i - 1].rank], value[least + sorted[i].rank]), gain,
                grower->varying[place]};
    }
}

static struct split best_split(const struct grower *grower, size_t low, size_t high, double mean) {
    struct split best = {0};
    if (all_equal(grower, low, high))
        return best;
    for (uint32_t place = 0; place < grower->features; place++)
        try_feature(grower, low, high, place, mean, &best);
    return best;
}

/* Moves the samples below the threshold to the front; returns where the others begin. */
static size_t divide(const struct grower *grower, size_t low, size_t high,
                     const struct split *split) {
    size_t place = low;
    for (size_t i = low; i < high; i++) {
        uint32_t held = grower->items[i];
        if (grower->samples[held]->features.x[split->feature] > split->threshold)
            continue;
        grower->items[i] = grower->items[place];
        grower->items[place++] = held;
    }
    return place;
}

static uint32_t grow(struct grower *grower, size_t low, size_t high) {
    struct tree_model *tree = grower->tree;
    uint32_t place = (uint32_t)tree->nodes.count;
    double mean = mean_of(grower, low, high);
    struct split split = best_split(grower, low, high, mean);
    if (!ct_vec_push(&tree->nodes, (struct tree_node){.mean = mean})) {
        grower->lost = true;
        return place;
    }
    if (!(split.gain > 0))
        return place;
    size_t middle = divide(grower, low, high, &split);
    uint32_t below = grow(grower, low, middle), above = grow(grower, middle, high);
    tree->nodes.items[place] =
        (struct tree_node){mean, split.threshold, split.feature, below, above};
    return place;
}

static void grow_target(struct grower *grower) {
    size_t known = 0;
    for (size_t i = 0; i < grower->count; i++) {
        grower->y[i] = grower->samples[i]->y[grower->target];
        if (!isnan(grower->y[i]))
            grower->items[known++] = (uint32_t)i;
    }
    if (known == 0)
        return;
    grower->tree->known[grower->target] = true;
    grower->tree->root[grower->target] = grow(grower, 0, known);
}

static void tree_free(void *model) {
    struct tree_model *tree = model;
    ct_vec_free(&tree->nodes);
}

static bool make_room(struct grower *grower, struct ct_arena *arena) {
    size_t count = grower->count, of_features = count * grower->features;
    grower->items = ct_arena_array(arena, count, sizeof *grower->items);
    grower->y = ct_arena_array(arena, count, sizeof *grower->y);
    grower->rank = ct_arena_array(arena, of_features, sizeof *grower->rank);
    grower->value = ct_arena_array(arena, of_features, sizeof *grower->value);
    for (int i = 0; i < 2; i++)
        grower->sorted[i] = ct_arena_array(arena, count, sizeof *grower->sorted[i]);
    return grower->items && grower->y && grower->rank && grower->value && grower->sorted[0] &&
           grower->sorted[1];
}

static bool tree_fit(void *model, const struct predict_sample *const *samples, size_t count) {
    struct tree_model *tree = model;
    struct grower grower = {.tree = tree, .samples = samples, .count = count};
    struct ct_arena arena = {0};
    find_varying(&grower);
    bool ok = make_room(&grower, &arena) && rank_all(&grower);
    for (grower.target = 0; ok && grower.target < PREDICT_TARGETS; grower.target++)
        grow_target(&grower);
    ok = ok && !grower.lost;
    ct_arena_free(&arena);
    if (!ok)
        tree_free(tree);
    return ok;
}

/* ---- asking ---- */

static double ask(const struct tree_model *tree, uint32_t place,
                  const struct predict_features *features) {
    const struct tree_node *node = &tree->nodes.items[place];
    while (node->below)
        node =
            &tree->nodes
                 .items[features->x[node->feature] <= node->threshold ? node->below : node->above];
    return node->mean;
}

static void tree_predict(const void *model, const struct predict_features *features,
                         double y[PREDICT_TARGETS]) {
    const struct tree_model *tree = model;
    for (int target = 0; target < PREDICT_TARGETS; target++)
        y[target] = tree->known[target] ? ask(tree, tree->root[target], features) : NAN;
}

const struct predict_model_type predict_tree = {
    .name = "tree",
    .size = sizeof(struct tree_model),
    .fit = tree_fit,
    .predict = tree_predict,
    .free = tree_free,
};
