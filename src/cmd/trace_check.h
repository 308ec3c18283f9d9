/* What a simulation can and cannot conclude from a trace. */
#ifndef TRACE_CHECK_H
#define TRACE_CHECK_H

#include "format/table.h"
#include "models/device/gpu.h"
#include "trace/trace.h"

/* Adds rows (application, subject, verdict, finding) to a table of four columns. */
void trace_check_app(const struct trace_app *app, const struct gpu *gpu, struct table *table);

#endif
