/* How well the contention model predicts co-locations that it was not fitted to. */
#ifndef CONTENTION_VALIDATE_H
#define CONTENTION_VALIDATE_H

#include "models/device/contention_fit.h"

/* Absolute relative errors of co-located latencies, as fractions; NAN where nothing was tested. */
struct contention_errors {
    uint64_t rows, latencies; /* tested: co-locations, and the latencies in them */
    double mean, median, p90, max;
    double baseline_none;   /* mean error of "no slowdown" */
    double baseline_median; /* mean error of the median slowdown of the training rows */
};

/* What was predicted of one tested latency. */
struct contention_prediction {
    struct contention_sample sample;
    double predicted_ms;
};
struct contention_predictions {
    CT_VEC(struct contention_prediction);
};

/* Better than both baselines; false where nothing was tested. */
bool contention_is_worth_it(const struct contention_errors *errors);

/* A model against every sample. Here and below the predictions are appended to `kept`, where that
 * is not NULL. CT_OK or CT_DATA (memory ran out). */
int contention_score(const struct contention_sample *samples, size_t count,
                     const struct contention_model *model, double median_slowdown,
                     struct contention_errors *errors, struct contention_predictions *kept,
                     struct ct_diags *diags);

/*
 * Holds out round(holdout * rows) co-locations, at least one, drawn by the seed; fits the others
 * and tests on what was held out. CT_OK, or CT_DATA after an error: too few rows for both, or
 * memory ran out.
 */
int contention_validate_held_out(const struct contention_sample *samples, size_t count,
                                 double holdout, uint64_t seed, struct contention_errors *errors,
                                 struct contention_predictions *kept, const char *where,
                                 struct ct_diags *diags);

/*
 * Every latency of an application is predicted by a model fitted to the co-locations in which the
 * application's family has no part, neither as victim nor as neighbour. families[app] is equal for
 * the batch sizes of one application. A family whose absence leaves too few rows is not tested.
 */
int contention_validate_unseen(const struct contention_sample *samples, size_t count,
                               const uint32_t *families, struct contention_errors *errors,
                               struct contention_predictions *kept, struct ct_diags *diags);

#endif
