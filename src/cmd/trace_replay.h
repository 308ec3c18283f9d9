/* Whether a recording, replayed alone, takes the time that was recorded. */
#ifndef TRACE_REPLAY_H
#define TRACE_REPLAY_H

#include "format/table.h"
#include "trace/trace.h"

/* Adds a row (application, "replay", verdict, finding) to a table of `trace check`. `store`: where
 * the application's recording is. */
void trace_replay_check(const char *store, const struct trace_app *app, struct table *table);

#endif
