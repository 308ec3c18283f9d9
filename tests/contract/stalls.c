/* A policy that loads but never issues anything: a run must end as a policy fault. */
#include "ct_policy.h"

static void decide(struct ct_context *context, uint32_t why) {
    (void)context;
    (void)why;
}

static const struct ct_policy policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "stalls",
    .summary = "issues nothing",
    .decide = decide,
};

const struct ct_policy *ct_policy_entry(void) {
    return &policy;
}
