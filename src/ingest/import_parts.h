/* What becomes an application of its own: the work of one process on one device. */
#ifndef IMPORT_PARTS_H
#define IMPORT_PARTS_H

#include "ingest/import_builder_internal.h"

struct import_part {
    int device;
    uint64_t process; /* 0: the recording tells of none */
};

/* By device, then process. Zero-initialise; free with ct_vec_free. */
struct import_parts {
    CT_VEC(struct import_part);
};

/* All that ran a kernel on a device that is wanted; the tasks of others are left out. enum
 * ct_status. */
int import_parts_find(struct import_builder *builder, struct import_parts *parts);

/* "app", "app-dev1" of several devices, "app-proc0" and "app-dev1-proc0" of several processes of
 * one, which count from 0. */
void import_part_name(const struct import_parts *parts, size_t part, const char *app, char *name,
                      size_t size);

#endif
