/*
 * k nearest neighbours over standardised features in a k-d tree without pointers: the node of the
 * points [low, high) is the one in the middle, points before it are at most as large in its
 * dimension, points after it at least as large.
 */
#include "predict.h"
#include "predict_scale.h"

#include <stdlib.h>

struct knn_point {
    double z[PREDICT_FEATURES_MOST];
    double y[PREDICT_TARGETS];
    size_t order;  /* of the sample: decides between equal distances */
    uint32_t axis; /* dimension in which it splits */
};

struct knn_model {
    struct predict_scale scale;
    struct knn_point *points;
    size_t count;
};

/* ---- building ---- */

static bool point_before(const struct knn_point *a, const struct knn_point *b, uint32_t axis) {
    if (a->z[axis] != b->z[axis])
        return a->z[axis] < b->z[axis];
    return a->order < b->order;
}

static void point_swap(struct knn_point *a, struct knn_point *b) {
    struct knn_point held = *a;
    *a = *b;
    *b = held;
}

/* Moves a pivot of [low, high) to its place and returns it: smaller points before, larger ones
 * after. */
static size_t partition(struct knn_point *points, size_t low, size_t high, uint32_t axis) {
    size_t last = high - 1, place = low;
    point_swap(&points[low + (high - low) / 2], &points[last]);
    for (size_t i = low; i < last; i++)
        if (point_before(&points[i], &points[last], axis))
            point_swap(&points[i], &points[place++]);
    point_swap(&points[place], &points[last]);
    return place;
}

/* Quickselect: afterwards the point at `middle` is the one that a sort would put there. */
static void select_middle(struct knn_point *points, size_t low, size_t high, size_t middle,
                          uint32_t axis) {
    while (high - low > 1) {
        size_t place = partition(points, low, high, axis);
        if (place == middle)
            return;
        if (place < middle)
            low = place + 1;
        else
            high = place;
    }
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
    select_middle(knn->points, low, high, middle, axis);
    knn->points[middle].axis = axis;
    build(knn, low, middle);
    build(knn, middle + 1, high);
}

static bool knn_fit(void *model, const struct predict_sample *const *samples, size_t count) {
    struct knn_model *knn = model;
    knn->points = calloc(count, sizeof *knn->points);
    if (!knn->points)
        return false;
    knn->count = count;
    predict_scale_fit(&knn->scale, samples, count);
    for (size_t i = 0; i < count; i++) {
        struct knn_point *point = &knn->points[i];
        predict_scale_apply(&knn->scale, &samples[i]->features, point->z);
        point->order = i;
        for (int target = 0; target < PREDICT_TARGETS; target++)
            point->y[target] = samples[i]->y[target];
    }
    build(knn, 0, count);
    return true;
}

/* ---- searching ---- */

struct neighbour {
    double distance; /* squared, Baymax Eq. 2 */
    const struct knn_point *point;
};

/* The nearest so far, by (distance, order of the sample). */
struct nearest {
    struct neighbour items[PREDICT_NEIGHBOURS];
    size_t count;
};

static bool nearer(const struct neighbour *a, const struct neighbour *b) {
    if (a->distance != b->distance)
        return a->distance < b->distance;
    return a->point->order < b->point->order;
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
 * may by order. */
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
    offer(nearest, (struct neighbour){distance_to(knn, z, point), point});
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

static double mean_of(const struct nearest *nearest, size_t count, int target) {
    double sum = 0;
    size_t known = 0;
    for (size_t i = 0; i < count; i++) {
        double y = nearest->items[i].point->y[target];
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
    size_t count = 0;
    while (count < nearest.count && nearest.items[count].distance == 0)
        count++;
    if (count == 0)
        count = nearest.count;
    for (int target = 0; target < PREDICT_TARGETS; target++)
        y[target] = mean_of(&nearest, count, target);
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
