/*
 * Applications seen in training: by how much each feels its neighbours more, and does more to them,
 * than its use of the memory says. Factors are shrunk towards 1 by as much as cross-validation on
 * the training rows asks for, and left out where they do not pay.
 */
#ifndef CONTENTION_APPS_H
#define CONTENTION_APPS_H

#include "models/device/contention_fit.h"

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

#endif
