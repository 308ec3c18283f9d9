/* A policy of another version of the interface: the loader must refuse it. */
#include "ct_policy.h"

static const struct ct_policy policy = {
    .abi = CT_POLICY_ABI + 1,
    .size = sizeof(struct ct_policy),
    .name = "foreign-abi",
};

const struct ct_policy *ct_policy_entry(void) {
    return &policy;
}
