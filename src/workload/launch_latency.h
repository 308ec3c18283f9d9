/*
 * How long a launch takes from its call on the host to the device, as recorded: a task whose stream
 * is idle does not begin at once. Behind other work nothing is seen of it, and nothing is lost. And
 * how long a stream stood still, as recorded, between a task and the one before it although both
 * had been launched: the device takes its time from one to the next, a microsecond as a rule.
 */
#ifndef LAUNCH_LATENCY_H
#define LAUNCH_LATENCY_H

#include "trace/trace.h"

/*
 * How long each task of a recording took from its launch to reach the device, in ps, into
 * `latency`. A task that found its job's earlier work done began when its launch had arrived; so
 * did a job's first where the host had waited for the job before. Of another one it is known to be
 * no more than its own time from launch to start, and taken to be what is usual in this recording,
 * the median of those that are known (of copies in, copies out, and all others), if that is less
 * and the job's earlier work was not yet done then. 0 where launches are not recorded. Returns
 * false when memory ran out.
 */
bool launch_latencies(const struct trace_app *app, ct_time_ps *latency);

/*
 * The gap before each task of a recording, in ps, into `gap`: its lag where the recording has one;
 * else, with `latency` of each task's launch, how long the device was idle before it although its
 * launch had arrived. 0 where other tasks of its application ran until it began, for a job's first,
 * and where launches are not recorded. Returns false when memory ran out.
 */
bool stream_gaps(const struct trace_app *app, const ct_time_ps *latency, ct_time_ps *gap);

#endif
