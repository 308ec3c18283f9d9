/* What policies share. What they ask of every task in a walk is in this header, where it costs no
 * call. */
#ifndef GATE_H
#define GATE_H

#include "abi/ct_policy.h"

static inline bool gate_is_service(const struct ct_client *client) {
    return client->role == CT_SERVICE;
}

/* Memsets, and copies inside the device, are neither. */
static inline bool gate_is_kernel(const struct ct_task *task) {
    return task->kind == CT_TASK_KERNEL;
}
static inline bool gate_is_host_copy(const struct ct_task *task) {
    return task->kind == CT_TASK_COPY && task->direction != CT_COPY_DEVICE;
}

/* The clients of the run in the order of their index: NULL gives the first, NULL ends it. */
static inline const struct ct_client *gate_next_client(struct ct_context *context,
                                                       const struct ct_client *after) {
    return context->host->client(context, after ? after->index + 1 : 0);
}

/* The scratch of what is decided about: a kernel's whole library call, or the task itself. */
static inline void *gate_own(const struct ct_task *task) {
    return task->call ? task->call->scratch : task->scratch;
}

/* Whether an ended task ends what was decided about: all but the last kernel of a call do not. */
bool gate_own_ended(const struct ct_task *task);

/* Whether what was predicted is a duration: what is longer than nearly three hours is taken as
 * unknown. */
bool gate_is_duration(double ps);

/* The prediction of a task at a share; of its whole library call where it has one. False: there is
 * none, or it is no duration. */
bool gate_predict(struct ct_context *context, const struct ct_task *task, int64_t share,
                  struct ct_prediction *prediction);

/* The hook `rank`: user-facing tasks in the order of launch, then batch tasks, the oldest first. */
int64_t gate_rank(struct ct_context *context, const struct ct_task *task);

/* Says why a task is held, with its number. */
void gate_say_held(struct ct_context *context, const struct ct_task *task, int32_t *held,
                   const struct ct_reason *reasons, uint32_t reason, double number);

/* Says why a task is held, unless the same reason held it last: `held` is that reason + 1, 0 before
 * the first. Returns whether it was said. */
static inline bool gate_hold(struct ct_context *context, const struct ct_task *task, int32_t *held,
                             const struct ct_reason *reasons, uint32_t reason, double number) {
    if (*held == (int32_t)reason + 1)
        return false;
    gate_say_held(context, task, held, reasons, reason, number);
    return true;
}

/*
 * How many batch copies may be under way per direction so that a user-facing copy still gets the
 * rate that it has alone (Baymax, ASPLOS'16, Eq. 5; Laius, ICS'19, section 1, relies on the same).
 */
struct pcie_limit {
    int64_t most;         /* N_tr, per direction */
    int64_t under_way[2]; /* batch copies, by direction: in, out */
};

/* Why a copy waits for it, in words: the note `held_copies` is under_way of its direction. */
#define PCIE_LIMIT_HELD "{held_copies copy|copies} in its direction under way, the most allowed"

/* The note of it at the start of a run, in words. */
#define PCIE_LIMIT_NOTE                                                                            \
    { "n_tr", "at most {n_tr copy|copies} of batch work at a time in each direction", CT_VERB_NOTE }

void pcie_limit_init(struct pcie_limit *limit, const struct ct_device_info *device);
bool pcie_limit_full(const struct pcie_limit *limit, int32_t direction);

#endif
