/*
 * What `cotenant dram fit` wrote: the line and the curve of a memory (docs/models-dram.md has the
 * format, schema "cotenant.dram/1").
 */
#ifndef DRAM_FILE_H
#define DRAM_FILE_H

#include "base/ct_diag.h"
#include "base/ct_vec.h"

#define DRAM_FILE_SCHEMA "cotenant.dram/1"

struct dram_file_point {
    double row_hit_rate, utilisation;
};

struct dram_file {
    char name[64];                /* of the preset; "" where the file does not say it */
    double line_slope, line_base; /* utilisation = slope * row hit rate + base */
    double line_r2;               /* 0 where the file does not say it */
    struct {
        CT_VEC(struct dram_file_point); /* row hit rates rise, utilisations do not fall */
    } curve;
    struct {
        CT_VEC(struct dram_file_point); /* of the bank-level model; may be missing */
    } points;
};

/*
 * Reads a file. CT_OK; CT_USAGE for a file of another program or schema, a missing member, a number
 * out of range, a curve of fewer than two points or that does not rise; CT_DATA when it cannot be
 * read. On CT_OK the caller frees.
 */
int dram_file_read(const char *path, struct dram_file *file, struct ct_diags *diags);
void dram_file_free(struct dram_file *file);

#endif
