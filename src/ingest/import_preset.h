/* Which preset the tasks of a device are on. */
#ifndef IMPORT_PRESET_H
#define IMPORT_PRESET_H

#include "ingest/import_builder_internal.h"

/*
 * The name of the device's preset: the one that the options give, else the one that the recorded
 * title means. Where the recording says other things of the GPU than the preset has, it is the one
 * that the options name for an unknown GPU, else a warning names what differs. NULL, with an error:
 * there is none.
 */
const char *import_preset_of(struct import_builder *builder, int device);

/* Whether the GPU lets a kernel start before the one before it ends, by its preset or by what was
 * recorded of it. */
bool import_preset_programmatic(const struct import_builder *builder, int device,
                                const char *preset);

#endif
