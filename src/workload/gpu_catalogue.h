/* The presets that there are, by whatever name somebody calls them. */
#ifndef GPU_CATALOGUE_H
#define GPU_CATALOGUE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "trace/gpu_names.h"

/* Names, titles and spellings of all presets in the share folder, sorted by name; texts in the
 * arena. A preset that cannot be read is left out: it says why where it is used. enum ct_status. */
int gpu_catalogue_read(struct ct_arena *arena, struct gpu_name_list *list);

/* The file of the preset of exactly this name, NULL: there is none, or memory ran out. At each
 * place what `files` (may be NULL) serves counts as a file. */
const char *gpu_catalogue_file(const char *name, struct ct_arena *arena,
                               const struct ct_files *files);

/*
 * The name of the preset that `text` means. Where the text leaves several, it is the one that
 * src/models/gpus/README.md gives, and a notice at `where` says so. NULL: none (no error), or
 * memory ran out (an error).
 */
const char *gpu_catalogue_find(const char *text, const char *where, struct ct_arena *arena,
                               struct ct_diags *diags);

/* Records that there are no presets, and where they were looked for. CT_DATA. */
int gpu_catalogue_none(struct ct_arena *arena, struct ct_diags *diags);

/* Records at `where` that no preset has this name, with the nearest one of the same generation.
 * CT_USAGE, or CT_DATA when there are none at all or memory ran out. */
int gpu_catalogue_unknown(const char *text, const char *where, struct ct_arena *arena,
                          struct ct_diags *diags);

#endif
