/* A policy without the one member that it must have: the loader must refuse it. */
#include "ct_policy.h"

static const struct ct_policy policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
};

const struct ct_policy *ct_policy_entry(void) {
    return &policy;
}
