/* The part of a report on an application's server (docs/servers.md). */
#ifndef REPORT_SERVER_H
#define REPORT_SERVER_H

#include "experiment/report_builder.h"

/* Batches, drops, goodput and queue of an application, where it has a server. */
void report_set_server(struct report_builder *b, uint32_t app, struct report_app *out);

#endif
