/*
 * What `cotenant dram fit` wrote: the line and the curve of a memory (docs/models-dram.md has the
 * format, schema "cotenant.dram/1"). The GPU key `dram` asks for it: "line", "curve" (the file that
 * `dram_fit` names), or a file, FILE or FILE#curve for its curve, FILE#line for its line.
 */
#ifndef DRAM_FILE_H
#define DRAM_FILE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "models/device/dram.h"

#define DRAM_FILE_SCHEMA "cotenant.dram/1"

struct dram_file_points {
    const struct dram_point *items;
    size_t count;
};

struct dram_file {
    const char *name;               /* of the preset; "" where the file does not say it */
    double line_slope, line_base;   /* utilisation = slope * row hit rate + base */
    double line_r2;                 /* 0 where the file does not say it */
    struct dram_file_points curve;  /* row hit rates rise, utilisations do not fall */
    struct dram_file_points points; /* of the bank-level model; may be missing */
};

/*
 * Reads a file, into the arena. CT_OK; CT_USAGE for a file of another program or schema, a missing
 * member, a number out of range, a curve of fewer than two points or that does not rise; CT_DATA
 * when it cannot be read.
 */
int dram_file_read(const char *path, struct dram_file *file, struct ct_arena *arena,
                   struct ct_diags *diags);

/* The FILE of FILE, FILE#curve or FILE#line. NULL after an error: what follows "#" is neither
 * "line" nor "curve", or memory ran out. */
const char *dram_file_of(const char *dram, struct ct_arena *arena, struct ct_diags *diags);

/* Fills the line or the curve of a GPU from the file at `path`. enum ct_status. */
int dram_file_apply(const char *path, struct gpu *gpu, struct ct_arena *arena,
                    struct ct_diags *diags);

/* For a report: the model with its numbers, and R2 of the line where it was fitted. */
enum { DRAM_FILE_TEXT = 120 };
void dram_file_describe(const struct gpu *gpu, char text[DRAM_FILE_TEXT]);

#endif
