/* Standardised features: zero mean and unit variance over the samples; features that never vary are
 * dropped. */
#ifndef PREDICT_SCALE_H
#define PREDICT_SCALE_H

#include "models/predict/predict.h"

struct predict_scale {
    uint32_t count;                        /* features kept */
    uint32_t from[PREDICT_FEATURES_MOST];  /* their places in the vector */
    double centre[PREDICT_FEATURES_MOST];  /* mean */
    double inverse[PREDICT_FEATURES_MOST]; /* 1 / standard deviation */
};

/* Whether a feature has more than one value. */
bool predict_feature_varies(const struct predict_sample *const *samples, size_t count,
                            uint32_t feature);

void predict_scale_fit(struct predict_scale *scale, const struct predict_sample *const *samples,
                       size_t count);

/* Writes scale->count numbers. */
void predict_scale_apply(const struct predict_scale *scale, const struct predict_features *features,
                         double *z);

#endif
