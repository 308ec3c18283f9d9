/*
 * A bank of models: one for each function, copy, library call or application, and for each SM share
 * that was profiled.
 *
 * Life: predict_bank_new, predict_bank_add for every measurement of the profiling runs,
 * predict_bank_fit once; then predictions and updates. A simulation run works on a copy of its own
 * (predict_bank_copy), which costs little: models and training samples are shared with the original
 * until an update makes the copy learn anew.
 *
 * Completions are fed back by predict_bank_update. Each enters the samples of its model (the latest
 * PREDICT_RECENT of them are kept beside the training samples), and a model is fitted anew when its
 * running error exceeds PREDICT_REFIT_ERROR (Baymax sections 3 and 4.4; the threshold is
 * unpublished). The wait between two fits of a model doubles each time, so that a function that no
 * model fits does not cost a run its speed.
 *
 * Not thread-safe, but different copies may be used by different threads. predict_survive_gsl comes
 * before the first fit, or GSL ends the program when memory runs out.
 */
#ifndef PREDICT_BANK_H
#define PREDICT_BANK_H

#include "models/predict/predict.h"

#define PREDICT_RECENT 256
#define PREDICT_REFIT_ERROR 0.10

/* A model as a report shows it. */
struct predict_info {
    struct predict_key key;
    ct_share share;
    const char *name, *model; /* model: "linear", "knn", "mean" or "tree" */
    size_t samples, held_out;
    bool varies;  /* false: all samples have the same features */
    double error; /* on held-out samples at the first fit; NAN: too few, or not judged */
    /* Mean relative error of the predictions made in this run, the latest weighted most; NAN: no
     * update yet. */
    double running_error;
    uint64_t refits;
};

struct predict_bank;

/* `seed` draws the held-out samples. `only`: every model of this bank and its copies is of this
 * kind, and nothing competes (Laius section 5.3); NULL: kinds compete. NULL: memory ran out. */
struct predict_bank *predict_bank_new(uint64_t seed, const struct predict_model_type *only);

/* A copy of a fitted bank that learns for itself. The original outlives it and does not change.
 * NULL: memory ran out. */
struct predict_bank *predict_bank_copy(const struct predict_bank *original);
void predict_bank_free(struct predict_bank *bank);

/*
 * Adds a measurement of `key` at `share`. `name` says what it is (reports, and the draw of held-out
 * samples: the same name gives the same split whatever its id); it must live as long as the bank.
 * All samples of one key have the same number of features. False: memory ran out. Not for copies,
 * and only before predict_bank_fit.
 */
bool predict_bank_add(struct predict_bank *bank, struct predict_key key, const char *name,
                      ct_share share, const struct predict_features *features,
                      struct predict_value measured);

/* Whether a measurement of `key` at `share` was added. Before predict_bank_fit. */
bool predict_bank_has(const struct predict_bank *bank, struct predict_key key, ct_share share);

/* Chooses and fits every model; call it once, before the first prediction. False: memory ran out.
 */
bool predict_bank_fit(struct predict_bank *bank);

/* Works out the errors that no choice needed, for reports: of the only kind, and of means. After
 * predict_bank_fit, before anything else. False: memory ran out. */
bool predict_bank_judge(struct predict_bank *bank);

/*
 * The prediction for a task of these features. A share that was not profiled lies on the line
 * between its neighbours, or is taken as the nearest outside of them. False: nothing is known of
 * `key`; `value` is all NAN then.
 */
bool predict_bank_task(const struct predict_bank *bank, struct predict_key key,
                       const struct predict_features *features, ct_share share,
                       struct predict_value *value);

/* Rises when any model changes: answers of another version are stale. */
uint64_t predict_bank_version(const struct predict_bank *bank);

/* Feeds a completion back to the model of exactly this share. False: there is none, or memory ran
 * out. */
bool predict_bank_update(struct predict_bank *bank, struct predict_key key,
                         const struct predict_features *features, ct_share share,
                         struct predict_value measured);

/* Models in the order of (kind, id, share). */
size_t predict_bank_count(const struct predict_bank *bank);
struct predict_info predict_bank_info(const struct predict_bank *bank, size_t index);

#endif
