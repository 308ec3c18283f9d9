#include "policies/gate.h"

bool gate_is_service(const struct ct_client *client) {
    return client->role == CT_SERVICE;
}

bool gate_is_kernel(const struct ct_task *task) {
    return task->kind == CT_TASK_KERNEL;
}

bool gate_is_host_copy(const struct ct_task *task) {
    return task->kind == CT_TASK_COPY && task->direction != CT_COPY_DEVICE;
}

const struct ct_client *gate_next_client(struct ct_context *context,
                                         const struct ct_client *after) {
    const struct ct_client *client = NULL;
    uint32_t clients = context->host->client_count(context);
    for (uint32_t i = after ? after->index + 1 : 0; i < clients && !client; i++)
        client = context->host->client(context, i);
    return client;
}

void *gate_own(const struct ct_task *task) {
    return task->call ? task->call->scratch : task->scratch;
}

bool gate_own_ended(const struct ct_task *task) {
    return !task->call || task->call->kernels_done == task->call->kernels;
}

bool gate_is_duration(double ps) {
    return ps >= 0.0 && ps <= 1e16;
}

bool gate_predict(struct ct_context *context, const struct ct_task *task, int64_t share,
                  struct ct_prediction *prediction) {
    const struct ct_host *host = context->host;
    return (task->call ? host->predict_call : host->predict_task)(context, task, share,
                                                                  prediction) &&
           gate_is_duration(prediction->duration_ps);
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

void pcie_limit_init(struct pcie_limit *limit, const struct ct_device_info *device) {
    double ratio = device->pcie_bytes_per_s / device->pcie_pageable_bytes_per_s;
    *limit = (struct pcie_limit){.most = ratio >= 2.0 && ratio < 1e6 ? (int64_t)ratio - 1 : 1};
}

bool pcie_limit_full(const struct pcie_limit *limit, int32_t direction) {
    return limit->under_way[direction] >= limit->most;
}
