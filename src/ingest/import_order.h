/* The order of streams by events: which tasks of a job wait for tasks of other streams. */
#ifndef IMPORT_ORDER_H
#define IMPORT_ORDER_H

#include "ingest/import_builder_internal.h"

/* Zero-initialise; free with import_order_free. */
struct import_order {
    CT_VEC(struct import_moment) moments; /* in order */
    CT_VEC(struct import_event) events;   /* one for each stream's wait */
    CT_VEC(struct import_awaited) pool;
    struct ct_intern raw_streams; /* that record events, or wait for them */
    struct import_front *fronts;  /* of each of these */
    uint32_t *front_of;           /* of each stream of the builder; UINT32_MAX: none */
};

/* Reads the waits of one device. False: memory ran out. */
bool import_order_begin(struct import_order *order, const struct import_builder *builder,
                        int device);
/* Adds what tasks of one job, which are in launch order, wait for. False: memory ran out. */
bool import_order_find(struct import_order *order, struct import_task *const *tasks, size_t count,
                       struct import_dependencies *into);
void import_order_free(struct import_order *order);

#endif
