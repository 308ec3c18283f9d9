/* What `import` takes besides recordings, and what it says of the GPU of one. */
#ifndef IMPORT_KINDS_H
#define IMPORT_KINDS_H

#include "cli/cli.h"
#include "ingest/import_builder.h"
#include "trace/gpu_names.h"

/* `import network`: a network's layers become a trace by a roofline. Reads operand 1 and writes its
 * application to the store of --output. enum ct_status. */
int import_network(const struct cli_args *args, struct ct_diags *diags);

/*
 * `import arrivals`: recorded time stamps become a compact file of arrivals. Reads --column of
 * operand 1, or without it what a server wrote, and writes --output: a CSV with the one column
 * `seconds`, from the first arrival, in whole microseconds. enum ct_status.
 */
int import_arrivals(const struct cli_args *args, struct ct_diags *diags);

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
