/* What a policy may know of the completion of a task on a part of the SMs, and of the task after
 * it. */
#ifndef COMPLETION_H
#define COMPLETION_H

#include "run/run.h"

/* From the start of the task to its end (predict_completion.h, Eq. 3, 4 and 7). False: its duration
 * is unknown, or it is a kernel whose client holds no SM in the allocation (by client). */
bool completion_predict(struct run *run, const struct run_task *task, const int64_t *allocation,
                        double *time_ps);

/* The task behind this one in its stream and job, valid until the next call; NULL: none. */
const struct ct_task *completion_upcoming(struct run *run, const struct run_task *task);

#endif
