#include "models/predict/predict_choose.h"

#include <stdlib.h>
#include <string.h>

void *predict_model_new(const struct predict_model_type *type,
                        const struct predict_sample *const *samples, size_t count) {
    void *model = calloc(1, type->size);
    if (model && !type->fit(model, samples, count)) {
        free(model);
        return NULL;
    }
    return model;
}

void predict_model_free(const struct predict_model_type *type, void *model) {
    if (model && type->free)
        type->free(model);
    free(model);
}

/* Sum of errors over the samples [0, held) with a model of the others. */
struct error_sum {
    double sum;
    size_t count;
};

static bool add_errors(const struct predict_model_type *type,
                       const struct predict_sample *const *samples, size_t count, size_t held,
                       struct error_sum *errors) {
    void *model = predict_model_new(type, samples + held, count - held);
    if (!model)
        return false;
    for (size_t i = 0; i < held; i++) {
        double y[PREDICT_TARGETS];
        type->predict(model, &samples[i]->features, y);
        double error = predict_error(y[PREDICT_DURATION], samples[i]->y[PREDICT_DURATION]);
        if (isnan(error))
            continue;
        errors->sum += error;
        errors->count++;
    }
    predict_model_free(type, model);
    return true;
}

static void swap(const struct predict_sample **a, const struct predict_sample **b) {
    const struct predict_sample *held = *a;
    *a = *b;
    *b = held;
}

/* The error of one kind. `order` is shuffled: its first tenth is held out, or each sample in turn.
 */
static bool judge(const struct predict_model_type *type, const struct predict_sample **order,
                  size_t count, double *error) {
    struct error_sum errors = {0};
    bool ok = true;
    *error = NAN;
    if (count < 2)
        return true;
    if (count >= 10)
        ok = add_errors(type, order, count, count / 10, &errors);
    for (size_t i = 0; count < 10 && i < count && ok; i++) {
        swap(&order[0], &order[i]);
        ok = add_errors(type, order, count, 1, &errors);
        swap(&order[0], &order[i]);
    }
    if (errors.count > 0)
        *error = errors.sum / (double)errors.count;
    return ok;
}

static bool one_vector(const struct predict_sample *const *samples, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (!predict_features_equal(&samples[0]->features, &samples[i]->features))
            return false;
    return true;
}

static bool choose_shuffled(const struct predict_sample **order, size_t count,
                            struct predict_choice *choice) {
    if (choice->type)
        return judge(choice->type, order, count, &choice->error);
    if (!judge(&predict_linear, order, count, &choice->error_linear) ||
        !judge(&predict_knn, order, count, &choice->error_knn))
        return false;
    bool knn = choice->error_knn < choice->error_linear;
    choice->type = knn ? &predict_knn : &predict_linear;
    choice->error = knn ? choice->error_knn : choice->error_linear;
    return true;
}

static bool judge_shuffled(const struct predict_sample *const *samples, size_t count,
                           struct des_stream *stream, struct predict_choice *choice) {
    const struct predict_sample **order = malloc(count * sizeof *order);
    if (!order)
        return false;
    memcpy(order, samples, count * sizeof *order);
    des_stream_shuffle(stream, order, count, sizeof *order);
    bool ok = choose_shuffled(order, count, choice);
    free(order);
    return ok;
}

bool predict_choose(const struct predict_model_type *only,
                    const struct predict_sample *const *samples, size_t count,
                    struct des_stream *stream, struct predict_choice *choice) {
    *choice = (struct predict_choice){.type = only,
                                      .error = NAN,
                                      .error_linear = NAN,
                                      .error_knn = NAN,
                                      .held_out = count < 2    ? 0
                                                  : count < 10 ? count
                                                               : count / 10};
    if (!only && one_vector(samples, count))
        choice->type = &predict_mean;
    return choice->type || judge_shuffled(samples, count, stream, choice);
}

bool predict_choose_judge(const struct predict_sample *const *samples, size_t count,
                          struct des_stream *stream, struct predict_choice *choice) {
    return !isnan(choice->error_linear) || judge_shuffled(samples, count, stream, choice);
}
