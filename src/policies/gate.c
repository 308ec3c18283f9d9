#include "policies/gate.h"

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

void gate_say_held(struct ct_context *context, const struct ct_task *task, int32_t *held,
                   const struct ct_reason *reasons, uint32_t reason, double number) {
    *held = (int32_t)reason + 1;
    context->host->hold(context, task, reason);
    context->host->note(context, task, reasons[reason].key, number);
}

void pcie_limit_init(struct pcie_limit *limit, const struct ct_device_info *device) {
    double ratio = device->pcie_bytes_per_s / device->pcie_pageable_bytes_per_s;
    *limit = (struct pcie_limit){.most = ratio >= 2.0 && ratio < 1e6 ? (int64_t)ratio - 1 : 1};
}

bool pcie_limit_full(const struct pcie_limit *limit, int32_t direction) {
    return limit->under_way[direction] >= limit->most;
}
