/* From a recording to applications and a trace store: the derivation is the importers' own. */
#ifndef CAPTURE_STORE_H
#define CAPTURE_STORE_H

#include "base/ct_diag.h"
#include "capture/capture_recording.h"
#include "trace/trace.h"

/* Kernel names beyond this many bytes are cut and end in a hash of the whole, so that different
 * kernels stay different. */
enum { CAPTURE_NAME_MOST = 4096 };

struct capture_options {
    const char *app;
    const char *gpu;      /* preset name; NULL: from the GPU's title */
    const char *jobs;     /* as `cotenant import --jobs` takes it */
    const char *recorder; /* program and version that recorded; kept as a note */
    /* The readable form of a mangled name, to be freed, or NULL. NULL: names stay as they are. */
    char *(*demangle)(const char *mangled);
};

/* What came out. */
struct capture_report {
    uint64_t jobs, kernels, copies, memsets, left_out, lost;
};

/*
 * Fills an empty set with an application for each device that ran a kernel. Where the asked jobs
 * cannot be cut (no range of that name) the whole recording becomes one job, with a warning: a
 * recording cannot be repeated. enum ct_status.
 */
int capture_make(const struct capture_recording *recording, const struct capture_options *options,
                 struct trace_set *set, struct capture_report *report, struct ct_diags *diags);

/* As capture_make, but adds the applications to the trace store at `path`; those of the same name
 * there are replaced. */
int capture_store(const struct capture_recording *recording, const struct capture_options *options,
                  const char *path, struct capture_report *report, struct ct_diags *diags);

#endif
