/* A shared object that is no policy: the loader must refuse it. */
#include "ct_policy.h"

#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
extern const struct ct_policy not_the_entry;

const struct ct_policy not_the_entry = {
    .abi = CT_POLICY_ABI,
    .size = sizeof(struct ct_policy),
    .name = "no-entry",
};
