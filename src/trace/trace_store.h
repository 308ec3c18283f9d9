/* The native trace store: one SQLite file, schema-versioned, distinct kernels stored once. */
#ifndef TRACE_STORE_H
#define TRACE_STORE_H

#include "base/ct_diag.h"
#include "trace/trace.h"

/* Reads every application (or the named one; NULL: all) into the set. enum ct_status. */
int trace_store_read(const char *path, const char *app, struct trace_set *set,
                     struct ct_diags *diags);

/* Whether trace_store_write could write there, before long work: an error if not. Leaves nothing
 * behind. enum ct_status. */
int trace_store_probe(const char *path, struct ct_diags *diags);

/* Adds or replaces the set's applications in one transaction; an interrupted write leaves the file
 * as it was. */
int trace_store_write(const char *path, const struct trace_set *set, struct ct_diags *diags);

#endif
