/* The slices of the GPU that a policy gives away (policy_host.c). */
#ifndef SLICES_STATE_H
#define SLICES_STATE_H

#include "models/device/gpu_slices.h"

struct slices_given {
    struct gpu_slice profiles[GPU_SLICES_MOST]; /* the slices that this GPU can be cut into; for
                                                   policies that give them */
    size_t count;
    int64_t compute, memory; /* slices given away */
};

#endif
