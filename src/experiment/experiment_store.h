/* The runs of an experiment in a result store. */
#ifndef EXPERIMENT_STORE_H
#define EXPERIMENT_STORE_H

#include "experiment/experiment.h"

/* Adds all runs, and the comparison where there are several policies, to the store at `path`, which
 * is made where none is. enum ct_status; after an error the store is as before. */
int experiment_store(const struct experiment *experiment, const struct experiment_result *result,
                     const char *path, struct ct_diags *diags);

/* Adds them to a store in whose transaction this is; `numbers` gets those of the policies' (pooled)
 * runs. enum ct_status. */
int experiment_add(const struct experiment *experiment, const struct experiment_result *result,
                   struct result_store *store, int64_t *numbers, struct ct_diags *diags);

#endif
