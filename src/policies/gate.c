#include "policies/gate.h"

bool gate_is_service(const struct ct_client *client) {
    return client->role == CT_SERVICE;
}

void *gate_own(const struct ct_task *task) {
    return task->call ? task->call->scratch : task->scratch;
}

bool gate_own_ended(const struct ct_task *task) {
    return !task->call || task->call->kernels_done == task->call->kernels;
}

int64_t gate_rank(struct ct_context *context, const struct ct_task *task) {
    (void)context;
    return gate_is_service(task->client) ? 0 : 1;
}

bool gate_hold(struct ct_context *context, const struct ct_task *task, int32_t *held,
               const struct ct_reason *reasons, uint32_t reason, double number) {
    if (*held == (int32_t)reason + 1)
        return false;
    *held = (int32_t)reason + 1;
    context->host->hold(context, task, reason);
    context->host->note(context, task, reasons[reason].key, number);
    return true;
}
