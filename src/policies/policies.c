#include "policies/policies.h"

#include <string.h>

static const struct ct_policy *const policies[] = {
    &policy_fifo,
    &policy_timeslice,
    &policy_mps,
    &policy_mps_even,
    &policy_mps_priority,
    &policy_priority,
    &policy_stream_priority,
    &policy_even,
    &policy_proportional,
    &policy_mig,
    &policy_baymax,
    &policy_baymax_nc,
    &policy_baymax_np,
    &policy_baymax_plus,
    &policy_laius,
    &policy_laius_nb,
    &policy_laius_nc,
    &policy_hsm_fair,
    &policy_hsm_qos,
    &policy_dase_fair,
    &policy_dase_qos,
    &policy_themis_fair,
    &policy_themis_qos,
    &policy_bw_app,
    &policy_os_sched,
    &policy_spart_qos,
    &policy_combined,
    &policy_coop,
    &policy_cqos,
};

const struct ct_policy *const *policies_all(size_t *count) {
    *count = sizeof policies / sizeof policies[0];
    return policies;
}

const struct ct_policy *policies_find(const char *name) {
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(policies[i]->name, name) == 0)
            return policies[i];
    return NULL;
}
