/* What a model is of, and what it predicts. */
#ifndef PREDICT_KEY_H
#define PREDICT_KEY_H

#include "models/predict/predict.h"

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
