/*
 * Predictors: what a runtime system may know of a task before it runs, learnt from profiling runs.
 *
 * A model maps a vector of features to the targets duration, bandwidth and IPC. Two kinds compete
 * as in Baymax section 4 (linear regression, Eq. 1; k nearest neighbours, Eq. 2), and a mean serves
 * where all samples have one vector. predict_bank.h keeps one model per function and SM share, and
 * is what a simulation uses.
 */
#ifndef PREDICT_H
#define PREDICT_H

#include "base/ct_types.h"

#define PREDICT_FEATURES_MOST 8

enum predict_target { PREDICT_DURATION, PREDICT_BANDWIDTH, PREDICT_IPC, PREDICT_TARGETS };

/* Features in their natural units; all samples of one model have the same count. */
struct predict_features {
    uint32_t count;
    double x[PREDICT_FEATURES_MOST];
};

/* One measurement: picoseconds, bytes per second, instructions per clock; NAN: not measured. */
struct predict_sample {
    struct predict_features features;
    double y[PREDICT_TARGETS];
};

/* A kind of model. A model is `size` zeroed bytes of its owner's. */
struct predict_model_type {
    const char *name;
    size_t size;
    /* Learns from count > 0 samples, which it need not keep; false: memory ran out. Called once per
     * model. */
    bool (*fit)(void *model, const struct predict_sample *const *samples, size_t count);
    /* Targets that no sample had are NAN; no target is negative. */
    void (*predict)(const void *model, const struct predict_features *features,
                    double y[PREDICT_TARGETS]);
    void (*free)(void *model); /* NULL: nothing but the model itself */
};

/* Least squares on standardised features, by singular values, so that dependent features do no
 * harm. */
extern const struct predict_model_type predict_linear;

/* For the whole program: a fit for which GSL finds no memory fails, instead of ending it. */
void predict_survive_gsl(void);

/*
 * Mean of the PREDICT_NEIGHBOURS nearest samples, the newest of equally near ones; where samples
 * have the very features asked for, the mean of all of those.
 */
extern const struct predict_model_type predict_knn;
#define PREDICT_NEIGHBOURS 5 /* Baymax section 7.1 */

/* A model that predicts the mean of all samples, whatever the features. */
extern const struct predict_model_type predict_mean;

/*
 * Regression trees by the CART method (Breiman, Friedman, Olshen and Stone, Classification and
 * Regression Trees, 1984, chapter 8), which Laius chose for its predictions (ICS'19, section 5.3).
 *
 * One binary tree per target. A node splits at the feature and threshold that leave the least sum
 * of squared deviations from the two means; thresholds lie midway between neighbouring values. Of
 * equally good splits the first feature and the smallest threshold count. A tree grows until the
 * samples of a leaf agree in the target or in all features; its prediction is the mean of the leaf.
 * Nothing is pruned: the paper does not say that it does.
 */
extern const struct predict_model_type predict_tree;

/* Relative error, Baymax Eq. 6; NAN unless measured > 0. */
double predict_error(double predicted, double measured);

/* Features of Baymax Table 1. Direction and storage of a copy choose its model and are no numbers
 * (predict_bank.h). */
struct predict_features predict_features_bytes(uint64_t bytes); /* of a copy, or of a query */
struct predict_features predict_features_kernel(uint64_t input_bytes, const uint32_t grid[3],
                                                const uint32_t block[3], uint64_t smem_bytes);

/* A library call has the sums over its kernels: start from {0} and add each. */
void predict_features_add(struct predict_features *sum, const struct predict_features *kernel);

bool predict_features_equal(const struct predict_features *a, const struct predict_features *b);

enum predict_kind { PREDICT_KERNEL, PREDICT_CALL, PREDICT_COPY, PREDICT_MEMSET, PREDICT_QUERY };

/* What a model is of: `id` is a function's, a library call's or an application's number. */
struct predict_key {
    int32_t kind; /* enum predict_kind */
    uint32_t id;
};

/* The key of copies: a model per direction (enum trace_direction) and storage, since their rates
 * differ, and a line has one slope. */
static inline struct predict_key predict_key_copy(int32_t direction, bool pinned) {
    return (struct predict_key){PREDICT_COPY, (uint32_t)direction * 2u + pinned};
}

/* What a model predicts, or what was measured; NAN: unknown. */
struct predict_value {
    double duration_ps, bandwidth_bytes_per_s, ipc;
};

#endif
