#include "models/predict/predict.h"

double predict_error(double predicted, double measured) {
    return measured > 0 ? fabs(predicted - measured) / measured : NAN; /* Baymax Eq. 6 */
}

struct predict_features predict_features_bytes(uint64_t bytes) {
    return (struct predict_features){1, {(double)bytes}};
}

struct predict_features predict_features_kernel(uint64_t input_bytes, const uint32_t grid[3],
                                                const uint32_t block[3], uint64_t smem_bytes) {
    return (struct predict_features){8,
                                     {(double)input_bytes, grid[0], grid[1], grid[2], block[0],
                                      block[1], block[2], (double)smem_bytes}};
}

void predict_features_add(struct predict_features *sum, const struct predict_features *kernel) {
    if (sum->count < kernel->count)
        sum->count = kernel->count;
    for (uint32_t i = 0; i < kernel->count; i++)
        sum->x[i] += kernel->x[i];
}

bool predict_features_equal(const struct predict_features *a, const struct predict_features *b) {
    if (a->count != b->count)
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->x[i] != b->x[i])
            return false;
    return true;
}
