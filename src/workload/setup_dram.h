/* The memory that the GPU key `dram` asks for: "line", "curve" (the file that `dram_fit` names), or
 * a file of `dram fit`, FILE or FILE#curve for its curve, FILE#line for its line. */
#ifndef SETUP_DRAM_H
#define SETUP_DRAM_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "models/device/gpu.h"

/* The FILE of FILE, FILE#curve or FILE#line. NULL after an error: what follows "#" is neither
 * "line" nor "curve", or memory ran out. */
const char *setup_dram_file(const char *dram, struct ct_arena *arena, struct ct_diags *diags);

/* Fills the line or the curve of a GPU from the file at `path`. enum ct_status. */
int setup_dram_read(struct gpu *gpu, const char *path, struct ct_arena *arena,
                    struct ct_diags *diags);

/* For a report: the model with its numbers, and R2 of the line where it was fitted. */
enum { SETUP_DRAM_TEXT = 120 };
void setup_dram_describe(const struct gpu *gpu, char text[SETUP_DRAM_TEXT]);

#endif
