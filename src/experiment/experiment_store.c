#include "experiment/experiment_store.h"

#include <stdlib.h>

/* A single replication is its own pool. */
static int store_policy(struct result_store *store, const struct experiment_result *result,
                        uint32_t p, int64_t *number, struct ct_diags *diags) {
    uint32_t finished = result->finished;
    struct result_run pooled = {.replication = RESULT_POOLED, .report = result->pooled[p]};
    if (finished == 1)
        return result_store_add_run(store, &result->runs[p], number, diags);
    int status = result_store_add_run(store, &pooled, number, diags);
    for (uint32_t r = 0; r < finished && status == CT_OK; r++) {
        struct result_run run = result->runs[(size_t)p * finished + r];
        run.pool = *number;
        status = result_store_add_run(store, &run, NULL, diags);
    }
    return status;
}

int experiment_add(const struct experiment *e, const struct experiment_result *result,
                   struct result_store *store, int64_t *numbers, struct ct_diags *diags) {
    uint32_t policies = e->policy_count;
    int status = CT_OK;
    for (uint32_t p = 0; p < policies && status == CT_OK; p++)
        status = store_policy(store, result, p, &numbers[p], diags);
    if (status == CT_OK && policies > 1) {
        struct result_comparison comparison = {numbers, policies, result->differences,
                                               result->difference_count};
        status = result_store_add_comparison(store, &comparison, diags);
    }
    return status;
}

/* Half a comparison would look like a whole one to whoever reads the store later. */
static int add_together(const struct experiment *e, const struct experiment_result *result,
                        struct result_store *store, struct ct_diags *diags) {
    int64_t *numbers = calloc(e->policy_count, sizeof *numbers);
    if (!numbers)
        return ct_out_of_memory(diags);
    int status = result_store_begin(store, diags);
    if (status == CT_OK) {
        status = experiment_add(e, result, store, numbers, diags);
        int ended = result_store_end(store, status == CT_OK, diags);
        status = status == CT_OK ? ended : status;
    }
    free(numbers);
    return status;
}

int experiment_store(const struct experiment *e, const struct experiment_result *result,
                     const char *path, struct ct_diags *diags) {
    struct result_store *store = result_store_open(path, RESULT_WRITE, diags);
    int status = store ? add_together(e, result, store, diags) : CT_DATA;
    result_store_close(store);
    return status;
}
