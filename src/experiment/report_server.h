/* The part of a report on an application's server (docs/servers.md). */
#ifndef REPORT_SERVER_H
#define REPORT_SERVER_H

#include "experiment/report_builder.h"

/* Whether a target is kept by a p99, and by what was dropped (docs/servers.md, "What is counted");
 * enum report_truth. `within` is what a p99 within the target says, which a lower bound does not
 * tell. Asked when what the server did is set. */
int64_t report_verdict(const struct report_app *app, double p99_ms, double target_ms,
                       int64_t within);

/* Batches, drops, goodput and queue of an application, where it has a server. */
void report_set_server(struct report_builder *b, uint32_t app, struct report_app *out);

#endif
