/* The slices of the GPU that a policy gives away (policy_host.c). */
#ifndef SLICES_GIVEN_H
#define SLICES_GIVEN_H

#include "models/device/gpu_slices.h"

struct slices_given {
    struct gpu_slice profiles[GPU_SLICES_MOST]; /* of policies that need them */
    size_t count;
    int64_t compute, memory; /* slices given away */
};

#endif
