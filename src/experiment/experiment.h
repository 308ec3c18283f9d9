/*
 * Policies compared on one prepared workload: private runs, profiling runs, replications under
 * common random numbers, and the reports made of them.
 */
#ifndef EXPERIMENT_H
#define EXPERIMENT_H

#include "experiment/experiment_types.h"
#include "results/report.h"
#include "results/result_store.h"

struct experiment_result {
    struct ct_arena arena;
    struct report *pooled;       /* one report per policy, over its replications */
    struct report *replications; /* [policy * finished + replication] */
    struct result_run *runs;     /* in the same order, each with what was recorded of it */
    struct recorder *recorders;  /* memory of what `runs` point to */
    size_t recorder_count;
    const struct report_difference *differences;
    size_t difference_count;
    uint32_t
        finished; /* replications that every policy has finished, with reports; 0 after an error */
    bool interrupted;
};

/* Runs of the plan, private and profiling ones included: what `progress` counts. */
uint64_t experiment_run_count(const struct experiment *experiment);

/* The key of the whole experiment: of its policies' runs, their labels, the replications. enum
 * ct_status. */
int experiment_key(const struct experiment *experiment, struct ct_hash *key,
                   struct ct_diags *diags);

/*
 * Runs everything. enum ct_status; CT_INTERRUPTED with the result of the replications that are
 * complete (none: an empty result). Free with experiment_result_free in every case.
 */
int experiment_run(const struct experiment *experiment, struct experiment_result *result,
                   struct ct_diags *diags);
void experiment_result_free(struct experiment_result *result);

/* ---- In a result store ---- */

/* Adds all runs, and the comparison where there are several policies, to the store at `path`, which
 * is made where none is. enum ct_status; after an error the store is as before. */
int experiment_store(const struct experiment *experiment, const struct experiment_result *result,
                     const char *path, struct ct_diags *diags);

/* Adds them to a store in whose transaction this is; `numbers` gets those of the policies' (pooled)
 * runs. enum ct_status. */
int experiment_add(const struct experiment *experiment, const struct experiment_result *result,
                   struct result_store *store, int64_t *numbers, struct ct_diags *diags);

#endif
