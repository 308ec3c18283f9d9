#include "models/predict/predict_bank.h"

#include "base/ct_assert.h"
#include "base/ct_intern.h"
#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "base/ct_vec.h"
#include "models/predict/predict_choose.h"

#include <stdio.h>

#define RUNNING_WEIGHT                                                                             \
    0.0625 /* of the latest error in the running one: about the last sixteen completions */
#define REFIT_WAIT_LEAST 16 /* completions before a model is first fitted anew */

/* One model with its samples. */
struct group {
    struct predict_key key;
    ct_share share;
    const char *name;
    CT_VEC(struct predict_sample) samples;
    bool shared;                   /* samples and model belong to the original */
    struct predict_sample *recent; /* ring of completions, NULL until the first */
    size_t recent_count, recent_next;
    struct predict_choice choice;
    void *model;
    double running_error;
    uint64_t refits;
    uint64_t fresh, wait; /* completions since the last fit; how many are waited for */
};

struct predict_bank {
    uint64_t seed;
    const struct predict_model_type *only; /* NULL: kinds compete */
    uint64_t version; /* rises when any model changes: answers of an older one are stale */
    CT_VEC(struct group *) groups; /* by (kind, id, share) once fitted, as they came before */
    struct ct_intern numbers;      /* of groups, by what group_name says, until then */
};

/* ---- groups ---- */

static int key_compare(struct predict_key a, struct predict_key b) {
    return a.kind != b.kind ? ct_order(a.kind, b.kind) : ct_order(a.id, b.id);
}

static int compare_groups(const void *a, const void *b) {
    const struct group *x = *(struct group *const *)a, *y = *(struct group *const *)b;
    return ct_then(key_compare(x->key, y->key), ct_order(x->share, y->share));
}

static bool group_before(const void *groups, size_t i, const void *wanted) {
    return compare_groups((struct group *const *)groups + i, wanted) < 0;
}

/* The first group that is not before (key, share). */
static size_t group_place(const struct predict_bank *bank, struct predict_key key, ct_share share) {
    const struct group *wanted = &(const struct group){.key = key, .share = share};
    return ct_lower_bound(bank->groups.items, bank->groups.count, group_before, &wanted);
}

/* The group at this place if it is of this key. */
static struct group *group_at(const struct predict_bank *bank, size_t place,
                              struct predict_key key) {
    if (place >= bank->groups.count || key_compare(bank->groups.items[place]->key, key) != 0)
        return NULL;
    return bank->groups.items[place];
}

/* What tells groups apart, without holes. */
struct group_name {
    int32_t kind;
    uint32_t id;
    int64_t share;
};

static struct group *group_append(struct predict_bank *bank) {
    struct group *group = calloc(1, sizeof *group);
    if (!group || !ct_vec_push(&bank->groups, group)) {
        free(group);
        return NULL;
    }
    group->running_error = NAN;
    group->wait = REFIT_WAIT_LEAST;
    return group;
}

/* A copy's model is its own once it has learnt anew. */
static void group_drop_model(struct group *group) {
    if (!group->shared || group->refits > 0)
        predict_model_free(group->choice.type, group->model);
    group->model = NULL;
}

static void group_free(struct group *group) {
    group_drop_model(group);
    if (!group->shared)
        ct_vec_free(&group->samples);
    free(group->recent);
    free(group);
}

/* ---- life ---- */

struct predict_bank *predict_bank_new(uint64_t seed, const struct predict_model_type *only) {
    struct predict_bank *bank = calloc(1, sizeof *bank);
    if (!bank)
        return NULL;
    bank->seed = seed;
    bank->only = only;
    bank->version = 1;
    return bank;
}

void predict_bank_free(struct predict_bank *bank) {
    if (!bank)
        return;
    for (size_t i = 0; i < bank->groups.count; i++)
        group_free(bank->groups.items[i]);
    ct_vec_free(&bank->groups);
    ct_intern_free(&bank->numbers);
    free(bank);
}

struct predict_bank *predict_bank_copy(const struct predict_bank *original) {
    struct predict_bank *bank = predict_bank_new(original->seed, original->only);
    for (size_t i = 0; bank && i < original->groups.count; i++) {
        const struct group *from = original->groups.items[i];
        struct group *group = group_append(bank);
        if (!group) {
            predict_bank_free(bank);
            return NULL;
        }
        ct_assert(!from->recent); /* it has learnt nothing since it was fitted */
        *group = *from;
        group->shared = true;
    }
    return bank;
}

bool predict_bank_add(struct predict_bank *bank, struct predict_key key, const char *name,
                      ct_share share, const struct predict_features *features,
                      struct predict_value measured) {
    struct group_name own = {key.kind, key.id, share};
    uint32_t number = ct_intern_add(&bank->numbers, &own, sizeof own);
    bool fresh = number == bank->groups.count;
    if (number > bank->groups.count || (fresh && !group_append(bank)))
        return false; /* now, or for one before it */
    struct group *group = bank->groups.items[number];
    if (fresh) {
        group->key = key;
        group->share = share;
        group->name = name;
    }
    struct predict_sample sample = {
        *features, {measured.duration_ps, measured.bandwidth_bytes_per_s, measured.ipc}};
    return ct_vec_push(&group->samples, sample);
}

bool predict_bank_has(const struct predict_bank *bank, struct predict_key key, ct_share share) {
    struct group_name own = {key.kind, key.id, share};
    return ct_intern_find(&bank->numbers, &own, sizeof own) != UINT32_MAX;
}

/* ---- fitting ---- */

/* All samples of a group, completions last; NULL: memory ran out. */
static const struct predict_sample **gather(const struct group *group, size_t *count) {
    *count = group->samples.count + group->recent_count;
    const struct predict_sample **list = malloc(*count * sizeof *list);
    for (size_t i = 0; list && i < *count; i++)
        list[i] = i < group->samples.count ? &group->samples.items[i]
                                           : &group->recent[i - group->samples.count];
    return list;
}

/* The kind that does not compete; NULL: they compete. Baymax predicts copies and library calls by
 * lines (sections 7.2.1 and 7.2.2). */
static const struct predict_model_type *only_kind(const struct predict_bank *bank,
                                                  const struct group *group) {
    bool line = group->key.kind == PREDICT_COPY || group->key.kind == PREDICT_CALL;
    return bank->only ? bank->only : line ? &predict_linear : NULL;
}

/* By which samples of a group are held out. */
static struct des_stream group_stream(const struct predict_bank *bank, const struct group *group) {
    struct des_stream stream;
    char purpose[64];
    snprintf(purpose, sizeof purpose, "held-out samples, kind %d, share %d", (int)group->key.kind,
             (int)group->share);
    des_stream_init(&stream, bank->seed, 0, purpose, group->name);
    return stream;
}

/* Chooses a kind, the best on held-out samples where kinds compete, and fits it to all samples,
 * completions included; NULL: memory ran out. */
static void *group_train(const struct predict_bank *bank, const struct group *group,
                         struct predict_choice *choice) {
    size_t count;
    void *model = NULL;
    const struct predict_sample **list = gather(group, &count);
    if (!list)
        return NULL;
    struct des_stream stream = group_stream(bank, group);
    if (predict_choose(only_kind(bank, group), list, count, &stream, choice))
        model = predict_model_new(choice->type, list, count);
    free(list);
    return model;
}

bool predict_bank_fit(struct predict_bank *bank) {
    ct_vec_sort(&bank->groups, compare_groups);
    ct_intern_free(&bank->numbers);
    for (size_t i = 0; i < bank->groups.count; i++) {
        struct group *group = bank->groups.items[i];
        group->model = group_train(bank, group, &group->choice);
        if (!group->model)
            return false;
    }
    return true;
}

bool predict_bank_judge(struct predict_bank *bank) {
    bool ok = true;
    for (size_t i = 0; i < bank->groups.count && ok; i++) {
        struct group *group = bank->groups.items[i];
        struct des_stream stream = group_stream(bank, group);
        size_t count;
        const struct predict_sample **list = gather(group, &count);
        ok = list && predict_choose_judge(list, count, &stream, &group->choice);
        free(list);
    }
    return ok;
}

/* Fits a model anew to the training samples and the latest completions. The errors of the first fit
 * stay: reports show them. False: memory ran out, and the old model stays. */
static bool group_refit(struct predict_bank *bank, struct group *group) {
    struct predict_choice choice;
    void *model = group_train(bank, group, &choice);
    if (!model)
        return false;
    group_drop_model(group);
    group->model = model;
    group->choice.type = choice.type;
    group->refits++;
    group->fresh = 0;
    group->wait *= 2;
    group->running_error = 0;
    bank->version++;
    return true;
}

/* ---- predicting ---- */

static struct predict_value group_predict(const struct group *group,
                                          const struct predict_features *features) {
    double y[PREDICT_TARGETS];
    ct_assert(group->model);
    group->choice.type->predict(group->model, features, y);
    return (struct predict_value){y[PREDICT_DURATION], y[PREDICT_BANDWIDTH], y[PREDICT_IPC]};
}

static double between(double a, double b, double part) {
    return a + (b - a) * part;
}

/* The model of this share, or the line between its neighbours. */
static struct predict_value predict_at(const struct group *below, const struct group *above,
                                       const struct predict_features *features, ct_share share) {
    if (!below || (above && above->share == share))
        return group_predict(above, features);
    if (!above)
        return group_predict(below, features);
    struct predict_value a = group_predict(below, features), b = group_predict(above, features);
    double part = (double)(share - below->share) / (double)(above->share - below->share);
    return (struct predict_value){
        between(a.duration_ps, b.duration_ps, part),
        between(a.bandwidth_bytes_per_s, b.bandwidth_bytes_per_s, part),
        between(a.ipc, b.ipc, part),
    };
}

bool predict_bank_task(const struct predict_bank *bank, struct predict_key key,
                       const struct predict_features *features, ct_share share,
                       struct predict_value *value) {
    size_t place = group_place(bank, key, share);
    const struct group *above = group_at(bank, place, key);
    const struct group *below = place > 0 ? group_at(bank, place - 1, key) : NULL;
    *value = (struct predict_value){NAN, NAN, NAN};
    if (above || below)
        *value = predict_at(below, above, features, share);
    return !isnan(value->duration_ps);
}

uint64_t predict_bank_version(const struct predict_bank *bank) {
    return bank->version;
}

/* ---- learning ---- */

/* Keeps a completion in place of the oldest. */
static bool group_remember(struct group *group, const struct predict_sample *sample) {
    if (!group->recent)
        group->recent = malloc(PREDICT_RECENT * sizeof *group->recent);
    if (!group->recent)
        return false;
    group->recent[group->recent_next] = *sample;
    group->recent_next = (group->recent_next + 1) % PREDICT_RECENT;
    if (group->recent_count < PREDICT_RECENT)
        group->recent_count++;
    return true;
}

static void group_judge(struct group *group, double predicted, double measured) {
    double error = predict_error(predicted, measured);
    if (isnan(error))
        return;
    double before = isnan(group->running_error) ? 0 : group->running_error;
    group->running_error = before + RUNNING_WEIGHT * (error - before);
    group->fresh++;
}

bool predict_bank_update(struct predict_bank *bank, struct predict_key key,
                         const struct predict_features *features, ct_share share,
                         struct predict_value measured) {
    struct group *group = group_at(bank, group_place(bank, key, share), key);
    struct predict_sample sample = {
        *features, {measured.duration_ps, measured.bandwidth_bytes_per_s, measured.ipc}};
    if (!group || group->share != share || !group_remember(group, &sample))
        return false;
    group_judge(group, group_predict(group, features).duration_ps, measured.duration_ps);
    if (group->running_error > PREDICT_REFIT_ERROR && group->fresh >= group->wait)
        return group_refit(bank, group);
    return true;
}

/* ---- looking ---- */

size_t predict_bank_count(const struct predict_bank *bank) {
    return bank->groups.count;
}

static bool group_varies(const struct group *group) {
    for (size_t i = 1; i < group->samples.count; i++)
        if (!predict_features_equal(&group->samples.items[0].features,
                                    &group->samples.items[i].features))
            return true;
    return false;
}

struct predict_info predict_bank_info(const struct predict_bank *bank, size_t index) {
    const struct group *group = bank->groups.items[index];
    return (struct predict_info){
        .key = group->key,
        .share = group->share,
        .name = group->name,
        .model = group->choice.type ? group->choice.type->name : "",
        .samples = group->samples.count,
        .held_out = group->choice.held_out,
        .varies = group_varies(group),
        .error = group->choice.error,
        .running_error = group->running_error,
        .refits = group->refits,
    };
}
