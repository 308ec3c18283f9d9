#include "predict_tree.h"

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
    struct tree_node *nodes;
    size_t count;
    uint32_t root[PREDICT_TARGETS];
    bool known[PREDICT_TARGETS];
};

struct split {
    double threshold, gain; /* gain: how much the sum of squared deviations falls; 0: none */
    uint32_t feature;
};

/* What a fit works on: the samples of one target, sorted again for each feature that is tried. */
struct grower {
    struct tree_model *tree;
    const struct predict_sample **items;
    struct sorted {
        double x, y;
        size_t place; /* before the sort: equal keys keep their order */
    } * sorted;
    uint32_t features;
    int target;
};

/* ---- growing ---- */

static int sorted_compare(const void *a, const void *b) {
    const struct sorted *left = a, *right = b;
    if (left->x != right->x)
        return left->x < right->x ? -1 : 1;
    return left->place < right->place ? -1 : left->place > right->place;
}

static double target_of(const struct grower *grower, size_t i) {
    return grower->items[i]->y[grower->target];
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

static double feature_of(const struct grower *grower, size_t i, uint32_t feature) {
    return grower->items[i]->features.x[feature];
}

/* Most features of a function are: it is always launched alike. */
static bool is_constant(const struct grower *grower, size_t low, size_t high, uint32_t feature) {
    for (size_t i = low + 1; i < high; i++)
        if (feature_of(grower, i, feature) != feature_of(grower, low, feature))
            return false;
    return true;
}

/* A threshold between two neighbours that tells them apart even when no double lies between them.
 */
static double between(double a, double b) {
    double middle = a + (b - a) / 2;
    return middle < b ? middle : a;
}

/*
 * The best threshold of one feature, if it is better than `best`. With deviations d from the node's
 * mean, whose sum is 0, splitting n samples into n1 of sum s and the rest lowers the squares by
 * s^2 (1 / n1 + 1 / (n - n1)).
 */
static void try_feature(const struct grower *grower, size_t low, size_t high, uint32_t feature,
                        struct split *best) {
    size_t count = high - low;
    double mean = mean_of(grower, low, high), sum = 0;
    for (size_t i = 0; i < count; i++)
        grower->sorted[i] = (struct sorted){feature_of(grower, low + i, feature),
                                            target_of(grower, low + i) - mean, i};
    qsort(grower->sorted, count, sizeof *grower->sorted, sorted_compare);
    for (size_t i = 1; i < count; i++) {
        sum += grower->sorted[i - 1].y;
        if (grower->sorted[i].x == grower->sorted[i - 1].x)
            continue;
        double gain = sum * sum * (1 / (double)i + 1 / (double)(count - i));
        if (gain > best->gain)
            *best = (struct split){between(grower->sorted[i - 1].x, grower->sorted[i].x), gain,
                                   feature};
    }
}

static struct split best_split(const struct grower *grower, size_t low, size_t high) {
    struct split best = {0};
    if (all_equal(grower, low, high))
        return best;
    for (uint32_t feature = 0; feature < grower->features; feature++)
        if (!is_constant(grower, low, high, feature))
            try_feature(grower, low, high, feature, &best);
    return best;
}

/* Moves the samples below the threshold to the front; returns where the others begin. */
static size_t divide(const struct grower *grower, size_t low, size_t high,
                     const struct split *split) {
    size_t place = low;
    for (size_t i = low; i < high; i++) {
        if (feature_of(grower, i, split->feature) > split->threshold)
            continue;
        const struct predict_sample *held = grower->items[i];
        grower->items[i] = grower->items[place];
        grower->items[place++] = held;
    }
    return place;
}

/* A tree of n samples has fewer than 2 n nodes: there is room. */
static uint32_t grow(struct grower *grower, size_t low, size_t high) {
    struct tree_model *tree = grower->tree;
    uint32_t place = (uint32_t)tree->count++;
    struct split split = best_split(grower, low, high);
    tree->nodes[place] = (struct tree_node){.mean = mean_of(grower, low, high)};
    if (!(split.gain > 0))
        return place;
    size_t middle = divide(grower, low, high, &split);
    uint32_t below = grow(grower, low, middle), above = grow(grower, middle, high);
    tree->nodes[place].threshold = split.threshold;
    tree->nodes[place].feature = split.feature;
    tree->nodes[place].below = below;
    tree->nodes[place].above = above;
    return place;
}

static void grow_target(struct grower *grower, const struct predict_sample *const *samples,
                        size_t count) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(samples[i]->y[grower->target]))
            grower->items[known++] = samples[i];
    if (known == 0)
        return;
    grower->tree->known[grower->target] = true;
    grower->tree->root[grower->target] = grow(grower, 0, known);
}

static void tree_free(void *model) {
    struct tree_model *tree = model;
    free(tree->nodes);
    tree->nodes = NULL;
}

static bool tree_fit(void *model, const struct predict_sample *const *samples, size_t count) {
    struct tree_model *tree = model;
    struct grower grower = {.tree = tree, .features = samples[0]->features.count};
    tree->nodes = calloc(2 * count * PREDICT_TARGETS, sizeof *tree->nodes);
    grower.items = malloc(count * sizeof *grower.items);
    grower.sorted = malloc(count * sizeof *grower.sorted);
    bool ok = tree->nodes && grower.items && grower.sorted;
    for (grower.target = 0; ok && grower.target < PREDICT_TARGETS; grower.target++)
        grow_target(&grower, samples, count);
    free(grower.items);
    free(grower.sorted);
    if (!ok)
        tree_free(tree);
    return ok;
}

/* ---- asking ---- */

static double ask(const struct tree_model *tree, uint32_t place,
                  const struct predict_features *features) {
    const struct tree_node *node = &tree->nodes[place];
    while (node->below)
        node =
            &tree->nodes[features->x[node->feature] <= node->threshold ? node->below : node->above];
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
