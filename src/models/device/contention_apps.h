/*
 * Applications seen in training: by how much each feels its neighbours more, and does more to them,
 * than its use of the memory says. Factors are shrunk towards 1 by as much as cross-validation on
 * the training rows asks for, and left out where they do not pay.
 */
#ifndef CONTENTION_APPS_H
#define CONTENTION_APPS_H

#include "models/device/contention_fit.h"

/* Zero-initialise; free with contention_apps_free. */
struct contention_apps {
    double *sensitivity, *pressure; /* by app; NULL: 1 for all, the factors did not pay */
    size_t count;
    double shrinkage; /* how many average samples with a factor of 1 each application is given */
};

/*
 * Factors of the applications in the samples, for the fitted model. The shrinkage is that of the
 * least mean error over five parts of the rows, each predicted from the other four; the factors
 * stay out unless that error is below the model's by more than twice the standard error of the
 * difference. CT_OK or CT_DATA (memory ran out).
 */
int contention_apps_fit(const struct contention_sample *samples, size_t count,
                        const struct contention_model *model, struct contention_apps *apps,
                        struct ct_diags *diags);
void contention_apps_free(struct contention_apps *apps);

/* 1 for an application that is not there; `factors` may be NULL. */
double contention_apps_factor(const double *factors, size_t count, uint32_t app);

#endif
