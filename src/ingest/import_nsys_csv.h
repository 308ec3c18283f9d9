/* The CSV of `nsys stats --report cuda_gpu_trace --format csv`, for import_nsys. */
#ifndef IMPORT_NSYS_CSV_H
#define IMPORT_NSYS_CSV_H

#include "ingest/import_builder.h"

/*
 * Reads such a file (gz too) into the builder. A file whose table is one of Nsight Compute is taken
 * as metrics of the kernels. enum ct_status: CT_DATA, with errors at file and line, when it is
 * neither.
 */
int import_nsys_csv(struct import_builder *builder, const char *path, struct ct_diags *diags);

#endif
