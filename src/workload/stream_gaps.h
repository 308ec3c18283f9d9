/*
 * How long a stream stood still, as recorded, between a task and the one before it although both
 * had been launched: the device takes its time from one to the next, a microsecond as a rule.
 */
#ifndef STREAM_GAPS_H
#define STREAM_GAPS_H

#include "trace/trace.h"

/*
 * Of each task of a recording, in ps, into `gap`: its lag where the recording has one; else, with
 * `latency` of each task's launch (launch_latency.h), how long the device was idle before it
 * although its launch had arrived. 0 where other tasks of its application ran until it began, for a
 * job's first, and where launches are not recorded. Returns false when memory ran out.
 */
bool stream_gaps(const struct trace_app *app, const ct_time_ps *latency, ct_time_ps *gap);

#endif
