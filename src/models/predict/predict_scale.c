#include "models/predict/predict_scale.h"

static double mean_of(const struct predict_sample *const *samples, size_t count, uint32_t feature) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += samples[i]->features.x[feature];
    return sum / (double)count;
}

static double deviation_of(const struct predict_sample *const *samples, size_t count,
                           uint32_t feature, double mean) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        double d = samples[i]->features.x[feature] - mean;
        sum += d * d;
    }
    return sqrt(sum / (double)count);
}

bool predict_feature_varies(const struct predict_sample *const *samples, size_t count,
                            uint32_t feature) {
    for (size_t i = 1; i < count; i++)
        if (samples[i]->features.x[feature] != samples[0]->features.x[feature])
            return true;
    return false;
}

void predict_scale_fit(struct predict_scale *scale, const struct predict_sample *const *samples,
                       size_t count) {
    scale->count = 0;
    for (uint32_t feature = 0; feature < samples[0]->features.count; feature++) {
        if (!predict_feature_varies(samples, count, feature))
            continue;
        double mean = mean_of(samples, count, feature);
        double deviation = deviation_of(samples, count, feature, mean);
        if (!(deviation > 0))
            continue;
        scale->from[scale->count] = feature;
        scale->centre[scale->count] = mean;
        scale->inverse[scale->count++] = 1 / deviation;
    }
}

void predict_scale_apply(const struct predict_scale *scale, const struct predict_features *features,
                         double *z) {
    for (uint32_t i = 0; i < scale->count; i++)
        z[i] = (features->x[scale->from[i]] - scale->centre[i]) * scale->inverse[i];
}
