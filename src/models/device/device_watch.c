/*
 * The device seen by a watcher. Everything is computed from what stands, and nothing is brought up
 * to date: a run that is watched rounds as one that is not, so both give the same times.
 */
#include "models/device/device_internal.h"

static double not_counted_ps(const struct device *device, const struct device_task *task) {
    return (double)(des_engine_now(device->engine) - task->updated_ps);
}

static double bytes_not_counted(const struct device *device, const struct device_task *task) {
    return task->demand_bytes_per_s * device_work_since(device, task) * task->draw /
           (double)CT_PS_PER_S;
}

/* The part of the SMs, 0 to 1, that a client may hold now, whether it runs or not: its partition
 * and its cap there, else the smaller of its cap and the share that was bound at issue to the
 * kernel that it began last. */
static double quota(const struct device *device, uint32_t client) {
    const struct device_client *own = &device->clients[client];
    double cap = (double)own->cap / CT_SHARE_FULL;
    if (device->config.sharing == CT_SHARING_PARTITION)
        return (double)own->partition / device->sms * cap;
    return fmin(cap, (double)own->share / CT_SHARE_FULL);
}

struct device_watch device_watch_client(const struct device *device, uint32_t client) {
    const struct ct_counters *counters = &device->clients[client].counters.told;
    struct device_watch watch = {device->sm_ps[client], counters->memory_accesses * 128,
                                 quota(device, client)};
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *task = device->running.tasks[i];
        if (task->client != client || task->rate <= 0)
            continue;
        watch.sm_ps += task->sms * not_counted_ps(device, task);
        if (task->profile)
            watch.dram_bytes += bytes_not_counted(device, task);
    }
    return watch;
}

typedef double copy_measure(const struct pcie_link *link, const struct pcie_copy *copy,
                            ct_time_ps now);

/* Shows every copy on the host link with a measure of it. */
static void visit_copies(const struct device *device, copy_measure *measure, device_visitor *visit,
                         void *context) {
    for (size_t i = 0; i < device->link.bus.link_count; i++) {
        const struct pcie_link *link = &device->link.bus.links[i];
        const struct pcie_list *lists[] = {&link->setup, &link->waiting, &link->active,
                                           &link->ended};
        for (size_t k = 0; k < sizeof lists / sizeof *lists; k++)
            for (const struct pcie_copy *copy = lists[k]->head; copy; copy = copy->next)
                visit(context, copy->owner, measure(link, copy, des_engine_now(device->engine)));
    }
}

void device_visit_copies(const struct device *device, device_visitor *visit, void *context) {
    visit_copies(device, pcie_done_ps, visit, context);
}

void device_watch_running(const struct device *device, device_visitor *visit, void *context) {
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *task = device->running.tasks[i];
        double left_ps = task->left_ps - device_work_since(device, task);
        visit(context, task, task->work_ps - left_ps);
    }
    device_visit_copies(device, visit, context);
}

double device_watch_dram_bytes(const struct device *device) {
    double bytes = device->usage.dram_bytes;
    for (uint32_t i = 0; i < device->running.count; i++)
        bytes += bytes_not_counted(device, device->running.tasks[i]);
    return bytes;
}

static void add_moved(void *context, const struct device_task *task, double moved_part) {
    double *bytes = context;
    bytes[task->direction] += moved_part * (double)task->bytes;
}

void device_watch_copied_bytes(const struct device *device, double bytes[2]) {
    bytes[0] = device->usage.pcie_bytes[0];
    bytes[1] = device->usage.pcie_bytes[1];
    visit_copies(device, pcie_moved_part, add_moved, bytes);
}

double device_watch_pcie_bytes(const struct device *device, uint32_t link_index) {
    const struct pcie_link *link = &device->link.bus.links[link_index];
    return pcie_moved_bytes(link, des_engine_now(device->engine));
}

uint32_t device_watch_pcie_links(const struct device *device) {
    return (uint32_t)device->link.bus.link_count;
}

uint32_t device_sm_group_size(uint32_t sms) {
    return (sms + DEVICE_SM_GROUPS - 1) / DEVICE_SM_GROUPS;
}
