/* A preset for a GPU that only a recording knows. */
#ifndef IMPORT_GPU_H
#define IMPORT_GPU_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "ingest/import_builder.h"
#include "trace/gpu_names.h"

/* The name of a preset in this file: what stands behind the folder and before ".json". NULL, with
 * an error: it does not end so, or memory ran out. */
const char *import_gpu_name(const char *path, struct ct_arena *arena, struct ct_diags *diags);

/*
 * Writes a preset of what the recording says of the GPU; what else the hardware has is taken over
 * from the preset of `presets` that is nearest by compute capability, then by SMs, of the same
 * vendor; parameters of models stay neutral. Both are listed as assumed. Numbers that no preset may
 * have are an error, and nothing is written. enum ct_status.
 */
int import_gpu_write(const char *path, const char *name, const struct import_gpu *gpu,
                     const struct gpu_name_list *presets, struct ct_arena *arena,
                     struct ct_diags *diags);

#endif
