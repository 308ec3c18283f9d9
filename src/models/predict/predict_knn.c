/*
 * k nearest neighbours over standardised features in a k-d tree without pointers: the node of the
 * points [low, high) is the one in the middle, points before it are at most as large in its
 * dimension, points after it at least as large.
 *
 * A point is one vector of features. Kernels are launched with the same one again and again, so a
 * point keeps the mean of all its samples, for questions about that very vector, and its newest
 * samples, which are all that can be among the nearest of another one: among samples at the same
 * distance the newest count first, so that a model that is fitted anew follows what it was told.
 */
#include "base/ct_sort.h"
#include "models/predict/predict.h"
#include "models/predict/predict_scale.h"

#include <stdlib.h>

struct knn_sample {
    double y[PREDICT_TARGETS];
    size_t age; /* 0: the newest of all */
};

struct knn_point {
    double z[PREDICT_FEATURES_MOST];
    struct knn_sample samples[PREDICT_NEIGHBOURS]; /* the newest first */
    size_t count;                                  /* of them */
    double sum[PREDICT_TARGETS];                   /* over all samples that have the target */
    size_t known[PREDICT_TARGETS];                 /* how many have it */
    uint32_t axis;                                 /* dimension in which it splits */
};

struct knn_model {
    struct predict_scale scale;
    struct knn_point *points;
    size_t count;
};

/* ---- points from samples ---- */

/* A sample on its way to its point. */
struct entry {
    const struct predict_sample *sample;
    size_t age;
};

/* Orders entries by features, then the newest first: a total order, whatever the sort does. */
static int entry_compare(const void *a, const void *b) {
    const struct entry *left = a, *right = b;
    for (uint32_t i = 0; i < left->sample->features.count; i++) {
        double x = left->sample->features.x[i], y = right->sample->features.x[i];
        if (x != y)
            return x < y ? -1 : 1;
    }
    return ct_order(left->age, right->age);
}

static void point_add(struct knn_point *point, const struct entry *entry) {
    const double *y = entry->sample->y;
    for (int target = 0; target < PREDICT_TARGETS; target++) {
        if (isnan(y[target]))
            continue;
        point->sum[target] += y[target];
        point->known[target]++;
    }
    if (point->count == PREDICT_NEIGHBOURS)
        return;
    struct knn_sample *sample = &point->samples[point->count++];
    sample->age = entry->age;
    for (int target = 0; target < PREDICT_TARGETS; target++)
        sample->y[target] = y[target];
}

/* One point for each run of equal features in the sorted entries. */
static void make_points(struct knn_model *knn, const struct entry *entries, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct predict_features *features = &entries[i].sample->features;
        if (i == 0 || !predict_features_equal(features, &entries[i - 1].sample->features))
            predict_scale_apply(&knn->scale, features, knn->points[knn->count++].z);
        point_add(&knn->points[knn->count - 1], &entries[i]);
    }
}

/* ---- building ---- */

/* By the axis that both are to be split in, then by age. Points differ in their newest sample, so
 * this is a total order. */
static int point_compare(const void *a, const void *b) {
    const struct knn_point *x = a, *y = b;
    int order = ct_order(x->z[x->axis], y->z[x->axis]);
    return order ? order : ct_order(x->samples[0].age, y->samples[0].age);
}

/* The dimension in which the points spread most; the first of equals. */
static uint32_t widest_axis(const struct knn_model *knn, size_t low, size_t high) {
    uint32_t widest = 0;
    double most = -1;
    for (uint32_t axis = 0; axis < knn->scale.count; axis++) {
        double least = INFINITY, largest = -INFINITY;
        for (size_t i = low; i < high; i++) {
            least = fmin(least, knn->points[i].z[axis]);
            largest = fmax(largest, knn->points[i].z[axis]);
        }
        if (largest - least > most) {
            most = largest - least;
            widest = axis;
        }
    }
    return widest;
}

static void build(struct knn_model *knn, size_t low, size_t high) {
    if (low >= high)
        return;
    size_t middle = low + (high - low) / 2;
    uint32_t axis = widest_axis(knn, low, high);
    for (size_t i = low; i < high; i++)
        knn->points[i].axis = axis;
    ct_sort(knn->points + low, high - low, sizeof *knn->points, point_compare);
    build(knn, low, middle);
    build(knn, middle + 1, high);
}

/* Distinct vectors of features among sorted entries: kernels are launched with few of them. */
static size_t count_points(const struct entry *entries, size_t count) {
    size_t points = 1;
    for (size_t i = 1; i < count; i++)
        points +=
            !predict_features_equal(&entries[i].sample->features, &entries[i - 1].sample->features);
    return points;
}

static bool knn_fit(void *model, const struct predict_sample *const *samples, size_t count) {
    struct knn_model *knn = model;
    struct entry *entries = malloc(count * sizeof *entries);
    if (!entries)
        return false;
    for (size_t i = 0; i < count; i++)
        entries[i] = (struct entry){samples[i], count - 1 - i};
    qsort(entries, count, sizeof *entries, entry_compare);
    knn->points = calloc(count_points(entries, count), sizeof *knn->points);
    if (knn->points) {
        predict_scale_fit(&knn->scale, samples, count);
        make_points(knn, entries, count);
        build(knn, 0, knn->count);
    }
    free(entries);
    return knn->points;
}

/* ---- searching ---- */

struct neighbour {
    double distance; /* squared, Baymax Eq. 2 */
    const struct knn_sample *sample;
};

/* The nearest so far, by (distance, age). */
struct nearest {
    struct neighbour items[PREDICT_NEIGHBOURS];
    size_t count;
    const struct knn_point *same; /* the point at the very place of the question */
};

static bool nearer(const struct neighbour *a, const struct neighbour *b) {
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return a->sample->age < b->sample->age;
}

static void offer(struct nearest *nearest, struct neighbour candidate) {
    size_t at = nearest->count;
    if (at == PREDICT_NEIGHBOURS) {
        if (!nearer(&candidate, &nearest->items[at - 1]))
            return;
        at--;
    } else {
        nearest->count++;
    }
    for (; at > 0 && nearer(&candidate, &nearest->items[at - 1]); at--)
        nearest->items[at] = nearest->items[at - 1];
    nearest->items[at] = candidate;
}

static void offer_point(struct nearest *nearest, double distance, const struct knn_point *point) {
    if (distance == 0)
        nearest->same = point;
    for (size_t i = 0; i < point->count; i++)
        offer(nearest, (struct neighbour){distance, &point->samples[i]});
}

static double distance_to(const struct knn_model *knn, const double *z,
                          const struct knn_point *point) {
    double sum = 0;
    for (uint32_t i = 0; i < knn->scale.count; i++) {
        double d = z[i] - point->z[i];
        sum += d * d;
    }
    return sum;
}

/* Whether the far side of a split, at this squared distance, may hold a neighbour; at equality it
 * may by age. */
static bool may_hold(const struct nearest *nearest, double distance) {
    return nearest->count < PREDICT_NEIGHBOURS ||
           distance <= nearest->items[nearest->count - 1].distance;
}

static void search(const struct knn_model *knn, const double *z, size_t low, size_t high,
                   struct nearest *nearest) {
    if (low >= high)
        return;
    size_t middle = low + (high - low) / 2;
    const struct knn_point *point = &knn->points[middle];
    double gap = z[point->axis] - point->z[point->axis];
    offer_point(nearest, distance_to(knn, z, point), point);
    if (gap <= 0)
        search(knn, z, low, middle, nearest);
    else
        search(knn, z, middle + 1, high, nearest);
    if (!may_hold(nearest, gap * gap))
        return;
    if (gap <= 0)
        search(knn, z, middle + 1, high, nearest);
    else
        search(knn, z, low, middle, nearest);
}

static double mean_of(const struct nearest *nearest, int target) {
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < nearest->count; i++) {
        double y = nearest->items[i].sample->y[target];
        if (isnan(y))
            continue;
        sum += y;
        known++;
    }
    return known ? sum / (double)known : NAN;
}

static void knn_predict(const void *model, const struct predict_features *features,
                        double y[PREDICT_TARGETS]) {
    const struct knn_model *knn = model;
    struct nearest nearest = {.count = 0};
    double z[PREDICT_FEATURES_MOST] = {0};
    predict_scale_apply(&knn->scale, features, z);
    search(knn, z, 0, knn->count, &nearest);
    const struct knn_point *same = nearest.same;
    for (int target = 0; target < PREDICT_TARGETS; target++)
        y[target] = same && same->known[target] ? same->sum[target] / (double)same->known[target]
                                                : mean_of(&nearest, target);
}

static void knn_free(void *model) {
    struct knn_model *knn = model;
    free(knn->points);
    knn->points = NULL;
}

const struct predict_model_type predict_knn = {
    .name = "knn",
    .size = sizeof(struct knn_model),
    .fit = knn_fit,
    .predict = knn_predict,
    .free = knn_free,
};
