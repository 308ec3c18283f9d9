/* A trace as text for other programs: every task with all that is known of it. */
#ifndef TRACE_EXPORT_H
#define TRACE_EXPORT_H

#include "trace/trace.h"

#include <stdio.h>

/*
 * CSV: one row per task, app and job by name, times in ns. JSON: "cotenant.trace/1", applications
 * with kernels, jobs and tasks, times in us. Errors of the stream are the caller's to check
 * (ferror).
 */
void trace_export_csv(const struct trace_set *set, FILE *out);
void trace_export_json(const struct trace_set *set, FILE *out);

#endif
