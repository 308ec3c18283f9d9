/*
 * timeslice: one application's kernels at a time, in time slices.
 *
 * What a GPU does with several processes when MPS is off. The length of a slice and the cost of a
 * switch belong to the GPU (`gpu.time_slice_us`, `gpu.time_slice_switch_us`), so the policy has no
 * options of its own.
 */
#include "policies/policies.h"

const struct ct_policy policy_timeslice = {
    POLICIES_HEAD("timeslice"),
    .summary = "time slices between processes, no concurrent kernels of two applications",
    .source = "",
    .sharing = CT_SHARING_TIMESLICE,
};
