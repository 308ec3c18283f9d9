/* What the parts of plan share. */
#ifndef PLAN_INTERNAL_H
#define PLAN_INTERNAL_H

#include "study/plan.h"

/* The workload at a load, kernels `scale` times as long; its own array of applications is in the
 * arena. False when memory ran out. */
bool plan_workload(const struct plan *plan, double load, double scale, struct workload *workload,
                   struct ct_arena *arena);

/* Runs replications up to `most`, fewer where they decide. Strings live in `arena`. enum ct_status.
 */
int plan_point_run(const struct plan *plan, const struct experiment_policy *policy, double load,
                   double scale, uint32_t most, struct plan_point *point, struct ct_arena *arena,
                   struct ct_diags *diags);

/* Why a load misses, by the blame of the first replications. enum ct_status. */
int plan_cause_find(const struct plan *plan, const struct experiment_policy *policy,
                    const struct plan_point *point, double scale, struct plan_cause *cause,
                    struct ct_arena *arena, struct ct_diags *diags);

/* Adds what the answers lean on. enum ct_status. */
int plan_envelope(const struct plan *plan, struct plan_result *result, struct ct_diags *diags);

#endif
