/* What of a job passes before its first launch: a profiler's start, the preparation of inputs. */
#ifndef TRACE_LEAD_H
#define TRACE_LEAD_H

#include "trace/trace.h"

/* By so much of its recorded time a job may be off and be taken for what was recorded (chosen: what
 * gaps and copies whose begin is not known leave). */
#define TRACE_CLOSE 0.03

/* Says how much of a job passes before its first launch, mean over all jobs. False: not enough for
 * a word. */
bool trace_app_lead(const struct trace_app *app, char *text, size_t size);

#endif
