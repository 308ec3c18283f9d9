/* Nsight Compute's tables for other readers: metrics that attach to kernels of a trace. */
#ifndef IMPORT_NCU_H
#define IMPORT_NCU_H

#include "format/csv_reader.h"
#include "ingest/import_builder.h"

/* Whether the current record is the header of `ncu --csv`. */
bool import_ncu_is_header(const struct csv_reader *csv);

/* Like import_ncu, but for a file that accompanies a trace: metrics only, no kernels. */
int import_ncu_metrics(struct import_builder *builder, const char *path, struct ct_diags *diags);

#endif
