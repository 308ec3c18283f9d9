/* What policies share that hold tasks back in the ready pool. */
#ifndef GATE_H
#define GATE_H

#include "abi/ct_policy.h"

bool gate_is_service(const struct ct_client *client);

/* The scratch of what is decided about: a kernel's whole library call, or the task itself. */
void *gate_own(const struct ct_task *task);

/* Whether an ended task ends what was decided about: all but the last kernel of a call do not. */
bool gate_own_ended(const struct ct_task *task);

/* The hook `rank`: user-facing tasks in the order of launch, then batch tasks, the oldest first. */
int64_t gate_rank(struct ct_context *context, const struct ct_task *task);

/* Says why a task is held, with its number, unless that is what held it last: `held` is that
 * reason + 1, 0 before the first. Returns whether it was said. */
bool gate_hold(struct ct_context *context, const struct ct_task *task, int32_t *held,
               const struct ct_reason *reasons, uint32_t reason, double number);

#endif
