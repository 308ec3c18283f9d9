/* What a user gives beside what a workload needs: keys of the file and assignments of `--set` that
 * may be left out, one at a time, to see whether they change anything. */
#ifndef WORKLOAD_GIVEN_H
#define WORKLOAD_GIVEN_H

#include "workload/workload.h"

#define WORKLOAD_OF_FILE SIZE_MAX

struct workload_given_key {
    const char *path;  /* as `--set` takes it: "gpu.sms", "apps.bfs.priority" */
    size_t assignment; /* its number, or WORKLOAD_OF_FILE */
};
struct workload_given {
    CT_VEC(struct workload_given_key);
};

/*
 * The keys of the workload's document, then the assignments. Left out are those that say what the
 * workload is: names, roles, traces, rates, targets, the window, the seed. Paths lie in the arena;
 * free with ct_vec_free. enum ct_status.
 */
int workload_given_read(const struct workload_source *source, struct ct_arena *arena,
                        struct workload_given *given, struct ct_diags *diags);

/* Reads the workload as if that key were not given (of an assignment: as the file has it). enum
 * ct_status: an error where it is needed. */
int workload_given_without(const struct workload_source *source,
                           const struct workload_given_key *key, struct workload *workload,
                           struct ct_diags *diags);

#endif
