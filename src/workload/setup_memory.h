/* Whether applications that share a GPU fit into its memory together. */
#ifndef SETUP_MEMORY_H
#define SETUP_MEMORY_H

#include "models/device/gpu.h"
#include "workload/workload.h"

/* What one instance of an application takes of the GPU's memory, GiB: as its workload says, else as
 * its recording does; NAN: neither. */
double setup_memory_of(const struct workload_app *app);

/* What an instance of MIG with so many of `all` slices of memory has, GiB; NAN: not known. */
double setup_memory_slice(const struct gpu *gpu, int64_t slices, int64_t all);

/* An error with the sum when the instances whose memory is known need more than the GPU has.
 * A GPU whose memory is not known holds all. CT_OK or CT_USAGE. */
int setup_memory_check(const struct workload *workload, const struct gpu *gpu,
                       struct ct_diags *diags);

/* A notice that names the applications whose memory is not known: they cannot be checked. */
void setup_memory_notice(const struct workload *workload, struct ct_diags *diags);

#endif
