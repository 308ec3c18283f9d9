#include "models/predict/predict.h"

struct mean_model {
    double y[PREDICT_TARGETS];
};

static bool mean_fit(void *model, const struct predict_sample *const *samples, size_t count) {
    struct mean_model *mean = model;
    for (int target = 0; target < PREDICT_TARGETS; target++) {
        double sum = 0;
        size_t known = 0;
        for (size_t i = 0; i < count; i++) {
            if (isnan(samples[i]->y[target]))
                continue;
            sum += samples[i]->y[target];
            known++;
        }
        mean->y[target] = known ? sum / (double)known : NAN;
    }
    return true;
}

static void mean_predict(const void *model, const struct predict_features *features,
                         double y[PREDICT_TARGETS]) {
    const struct mean_model *mean = model;
    (void)features;
    for (int target = 0; target < PREDICT_TARGETS; target++)
        y[target] = mean->y[target];
}

const struct predict_model_type predict_mean = {
    .name = "mean",
    .size = sizeof(struct mean_model),
    .fit = mean_fit,
    .predict = mean_predict,
};
