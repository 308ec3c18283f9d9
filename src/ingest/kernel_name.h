/* Names of kernels as different tools of one vendor demangle them. */
#ifndef KERNEL_NAME_H
#define KERNEL_NAME_H

/*
 * What such names share: the last parts of the function's and of its template arguments' names, and
 * numbers; no namespaces, no list of parameters, no casts, truth values as 0 and 1. To be freed;
 * NULL: memory ran out.
 */
char *kernel_name_core(const char *name);

#endif
