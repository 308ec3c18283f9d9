/* Whether a kernel's launch fills the GPU: what its demand is judged by beside its class where
 * nobody measured it (docs/demand.md). */
#ifndef KERNEL_LAUNCH_H
#define KERNEL_LAUNCH_H

#include "models/device/gpu.h"
#include "trace/trace.h"

/* Whether the blocks of a launch fill all places for them on the GPU at least once, or are one for
 * each SM, of 128 threads or more (persistent kernels); false of a kernel that fits on no SM. */
bool kernel_launch_is_full(const struct gpu *gpu, const struct trace_kernel *kernel);

#endif
