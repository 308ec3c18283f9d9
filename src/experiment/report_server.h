/* The part of a report on an application's server (docs/servers.md). */
#ifndef REPORT_SERVER_H
#define REPORT_SERVER_H

#include "experiment/report_builder.h"

/* Whether a target is kept by a p99 that is late for it or not, enum report_truth: of a backlog
 * that grows every target is missed in the end; a job that the run cut off may yet keep its. */
int64_t report_verdict(const struct workload_app *spec, const struct report_app *app, bool late);

/* Batches, drops, goodput and queue of an application, where it has a server. */
void report_set_server(struct report_builder *b, uint32_t app, struct report_app *out);

#endif
