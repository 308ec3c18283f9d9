/* What runs a GPU that is cut by MIG: the policy `mig`, told which profile each application has. */
#ifndef CUT_POLICY_H
#define CUT_POLICY_H

#include "experiment/experiment_types.h"
#include "workload/cluster_file.h"

/* Whether the GPUs of a group are cut. */
bool cut_policy_rules(const struct cluster *cluster, uint32_t group);

/* The policy, without profiles. */
const struct ct_policy *cut_policy(void);

/* Makes the policy for a GPU with these copies of each application; texts in the arena. `watch` may
 * be NULL. enum ct_status. */
int cut_policy_make(const struct cluster *cluster, const uint32_t *copies,
                    struct policy_watch *watch, struct ct_arena *arena,
                    const struct experiment_policy **policy, struct ct_diags *diags);

#endif
