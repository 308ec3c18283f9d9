/*
 * fifo: one application's kernels at a time, first come first served.
 *
 * The device without any sharing support: ready tasks pass in the order of readiness, and the next
 * application's kernels start when none of the present one's are queued.
 */
#include "policies/policies.h"

const struct ct_policy policy_fifo = {
    POLICIES_HEAD("fifo"),
    .summary = "exclusive device, first come first served",
    .source = "",
    .sharing = CT_SHARING_EXCLUSIVE,
};
