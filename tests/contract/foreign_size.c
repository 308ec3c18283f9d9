/* A policy that was built against a header with fewer members: the loader must refuse it. */
#include "ct_policy.h"

static const struct ct_policy policy = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy) - sizeof(int64_t),
    .name = "foreign-size",
};

const struct ct_policy *ct_policy_entry(void) {
    return &policy;
}
