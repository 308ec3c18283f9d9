/*
 * What a kernel does, by its name, and whether its launch fills the GPU: what is left to judge its
 * demand by where nobody measured it (docs/demand.md).
 */
#ifndef KERNEL_CLASS_H
#define KERNEL_CLASS_H

#include "models/device/gpu.h"
#include "trace/trace.h"

enum kernel_class {
    KERNEL_GEMM,
    KERNEL_CONVOLUTION,
    KERNEL_ATTENTION,
    KERNEL_NORMALISATION,
    KERNEL_SOFTMAX,
    KERNEL_ELEMENTWISE,
    KERNEL_REDUCTION,
    KERNEL_COPY, /* copies, transposes, gathers, fills */
    KERNEL_OTHER,
    KERNEL_CLASSES
};
extern const char *const kernel_class_names[KERNEL_CLASSES]; /* "gemm" ... */

/* By the names that libraries and frameworks give their kernels; KERNEL_OTHER where none tells. */
enum kernel_class kernel_class_of(const char *name);

/* Whether the blocks of a launch fill all places for them on the GPU at least once; false, too, of
 * a kernel that fits on no SM. */
bool kernel_launch_is_full(const struct gpu *gpu, const struct trace_kernel *kernel);

#endif
