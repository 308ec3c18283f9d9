/* How long kernels ran beside each other in a recording: what they cost each other then is in their
 * durations. */
#ifndef TRACE_OVERLAP_H
#define TRACE_OVERLAP_H

#include "trace/trace.h"

/* Less of the kernel time than this is not worth a word (assumed). */
#define TRACE_OVERLAP_TOLD 0.01

/* From when to when a kernel ran. */
struct trace_span {
    ct_time_ps begin_ps, end_ps;
    bool counts; /* else it is only what others ran beside */
};
struct trace_spans {
    CT_VEC(struct trace_span);
};

/* The part of the time of the spans that count in which another one ran, 0 to 1. NAN: memory ran
 * out. */
double trace_spans_overlap(const struct trace_spans *spans);

/* The part of an application's kernel time in which another kernel of the same job ran. */
double trace_app_overlap(const struct trace_app *app);

#endif
