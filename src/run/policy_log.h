/*
 * The decision log of a run. Notes about a task belong to the decision about it that comes just
 * before or after them. And, since a decision is named by its number there, what if one of them
 * goes the other way.
 */
#ifndef POLICY_LOG_H
#define POLICY_LOG_H

#include "run/run.h"

/* A verb, done or (since it breaks the contract, as may a read) rejected; counted, whoever listens.
 * It is about a task, a client or (NULL, both) all of them. */
void policy_log(struct run *run, enum ct_verb verb, enum ct_outcome outcome,
                const struct ct_client *client, const struct ct_task *task);

/* An issue, counted; what was noted about the task in this hook belongs to it. */
void policy_log_issue(struct run *run, const struct ct_task *task);

/* A ready task that is not issued now; `reason` is one of the policy's. Not counted. */
void policy_log_hold(struct run *run, const struct ct_task *task, uint32_t reason);

/* A number of the policy's own, about a task or (NULL) about nothing but itself. */
void policy_log_note(struct run *run, const struct ct_task *task, const char *key, double value);

/* Hands the decision that is not yet told to the observer. */
void policy_log_flush(struct run *run);

/* ---- What if ---- */

/* Whether this verb is the decision; then it is logged as withheld. */
bool policy_withhold(struct run *run, enum ct_verb verb, const struct ct_client *client);

/* Whether this issue is the decision: it is refused for the whole instant, or until the policy has
 * insisted. */
bool policy_withhold_issue(struct run *run, const struct ct_task *task);

/* The policy has looked at everything: now it issues what it has held. */
void policy_force_issue(struct run *run);

#endif
