/* What a kernel does, by its name: what is left to judge it by where nobody measured it
 * (docs/demand.md). */
#ifndef KERNEL_CLASS_H
#define KERNEL_CLASS_H

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

#endif
