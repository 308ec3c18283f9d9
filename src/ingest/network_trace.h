/* From a network's layers to an application: durations by a roofline, launch shapes assumed. */
#ifndef NETWORK_TRACE_H
#define NETWORK_TRACE_H

#include "ingest/network_file.h"
#include "trace/trace.h"

/* The GPU as a roofline. Efficiencies are fractions of the peaks, above 0 and at most 1. */
struct network_roofline {
    const char *gpu;         /* preset name */
    double flops_per_s;      /* peak of the file's units */
    double dram_bytes_per_s; /* peak */
    double compute_efficiency, memory_efficiency;
    double copy_bytes_per_s, copy_latency_s; /* pageable, one direction */
};

/*
 * Adds an application of one job to the set: the copy of the input, one kernel per layer that is a
 * library call of its own, the copy of the output, back to back on one stream. A layer takes
 * max(operations / (peak x efficiency), bytes / (peak bandwidth x efficiency)). `name` NULL: the
 * network's. `place`: for messages. enum ct_status.
 */
int network_trace(const struct network_file *file, const struct network_roofline *roofline,
                  const char *name, const char *place, struct trace_set *set,
                  struct ct_diags *diags);

#endif
