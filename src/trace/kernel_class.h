/* What a kernel does, by its name: what is left to judge it by where nobody measured it
 * (docs/demand.md). */
#ifndef KERNEL_CLASS_H
#define KERNEL_CLASS_H

#include <stdbool.h>

enum kernel_class {
    KERNEL_GEMM,
    KERNEL_CONVOLUTION,
    KERNEL_ATTENTION,
    KERNEL_NORMALISATION,
    KERNEL_SOFTMAX,
    KERNEL_ELEMENTWISE,
    KERNEL_REDUCTION,
    /* Copies, transposes, gathers, fills. */
    KERNEL_COPY,
    KERNEL_OTHER,
    KERNEL_CLASSES
};
extern const char *const kernel_class_names[KERNEL_CLASSES]; /* "gemm" ... */

/* The class of a kernel by the names that libraries and frameworks give theirs; KERNEL_OTHER where
 * none tells. */
enum kernel_class kernel_class_of(const char *name);

/* A name without what stands before those of very different kernels: "void ", "at::native::",
 * "(anonymous namespace)::". */
const char *kernel_brief_name(const char *name);

/* Whether what it computes is mostly the multiplying and adding that shapes tell of. */
bool kernel_class_is_product(enum kernel_class class);

/* The units that a product is computed on; no name says FP64. */
enum kernel_unit {
    KERNEL_UNIT_UNKNOWN,
    KERNEL_FP32,
    KERNEL_TENSOR_FP16,
    KERNEL_TENSOR_TF32,
    KERNEL_FP64,
    KERNEL_UNITS
};
extern const char
    *const kernel_unit_names[KERNEL_UNITS + 1]; /* "unknown", "fp32" ...; ends with NULL */

/* The unit that a kernel computes on by its name; KERNEL_UNIT_UNKNOWN where it does not tell, and
 * of Winograd's algorithm, which takes fewer operations than a product's shapes. */
enum kernel_unit kernel_unit_of(const char *name);

#endif
