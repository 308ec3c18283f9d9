/* Looking up records of an activity recording: nothing here is for readers. */
#ifndef ACTIVITY_INTERNAL_H
#define ACTIVITY_INTERNAL_H

#include "ingest/activity.h"

/* The first call of a process with this correlation id, or NULL. */
struct activity_call *activity_find_call(const struct activity_recording *recording, int64_t pid,
                                         int64_t correlation);
const struct activity_wait *activity_find_wait(const struct activity_recording *recording,
                                               const struct activity_call *call);
const struct activity_event *activity_find_event(const struct activity_recording *recording,
                                                 int64_t pid, int64_t event_sync);

/* Remembers a context's GPU (false: out of memory, recorded), and looks it up: -1 when no record
 * was on it. */
bool activity_learn_context(struct activity_recording *recording, struct activity_context context,
                            struct ct_diags *diags);
int activity_context_gpu(const struct activity_recording *recording, int64_t pid, int64_t context);

/* One number for a stream of a context of a process: stream 7 exists in every context. */
uint64_t activity_stream_number(int64_t pid, int64_t context, int64_t stream);

#endif
