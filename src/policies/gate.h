/* What policies share that hold tasks back in the ready pool: Baymax, Laius and their kind. */
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

/* Notes why a task is held, once until another reason holds it; `noted` is the reason noted last,
 * 0: none. Returns whether it was noted now. */
bool gate_note_hold(struct ct_context *context, const struct ct_task *task, int32_t *noted,
                    int32_t reason, const char *key, double number);

#endif
