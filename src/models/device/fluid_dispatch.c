/*
 * Leftover dispatch. Queue heads compete in the order in which they became heads; a kernel dispatches when those
 * before it have no undispatched block left or are held back only by their own cap. A kernel of more than one wave
 * claims all that it may have until its last wave begins, then only the last wave's blocks.
 */
#include "fluid.h"

#include <math.h>

static const double SLOT_ROUNDING = 1e-9; /* block slots that floating-point sums may be off by */

bool fluid_client_runs(const struct device *device, uint32_t client) {
    return device->config.sharing != DEVICE_SHARING_TIMESLICE ||
           (device->active == (int64_t)client && !device->switching);
}

/* SMs held by each client; returns those of all clients whose kernels run now. */
static double sum_sms(struct device *device) {
    double sum = 0;
    for (uint32_t i = 0; i < device->running_count; i++)
        device->clients[device->running[i]->client].sms = 0;
    for (uint32_t i = 0; i < device->head_count; i++)
        device->clients[device->heads[i]->client].sms = 0;
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        device->clients[task->client].sms += task->sms;
        if (fluid_client_runs(device, task->client))
            sum += task->sms;
    }
    return sum;
}

/* SMs that a share stands for: a cap below one SM still is one. */
static double sms_of_share(const struct device *device, ct_share share) {
    return fmax(1, device->sms * share / CT_SHARE_FULL);
}

/* SMs that the task's own limits (partition, cap, share bound at issue) still allow it. */
static double own_room(const struct device *device, const struct device_task *task) {
    const struct fluid_client *client = &device->clients[task->client];
    double own = device->config.sharing == DEVICE_SHARING_PARTITION ? (double)client->partition
                                                                    : sms_of_share(device, client->cap);
    return fmin(own - client->sms, sms_of_share(device, task->share) - task->sms);
}

static void hold(struct device_task *task, double resident) {
    task->resident = resident;
    task->sms = resident / task->profile->blocks_per_sm;
}

void fluid_enter_last_wave(struct device_task *task) {
    double waves = kernel_waves(task->blocks, task->resident);
    double blocks = task->blocks - (waves - 1) * task->resident;
    task->last_wave = true;
    hold(task, fmin(task->resident, fmax(1, blocks)));
}

/* Work left when the last wave begins, at the present block slots. */
static double last_wave_work(const struct device_task *task) {
    return task->work_ps / kernel_waves(task->blocks, task->resident);
}

/*
 * Gives a kernel with undispatched blocks as many more slots as it may have. Returns whether it is no obstacle for
 * those behind it: all its blocks are placed, or its own limit holds it back.
 */
static bool grow(struct device *device, struct device_task *task, double free_sms) {
    double slots = task->profile->blocks_per_sm;
    double own = own_room(device, task), room = fmin(own, free_sms);
    double wanted = fmin(task->blocks, floor(slots * device->sms)) - task->resident;
    double extra = fmin(wanted, floor(room * slots + SLOT_ROUNDING));
    if (extra > 0) {
        double before = task->sms;
        fluid_advance(device, task);
        hold(task, task->resident + extra);
        task->speed = kernel_speed(task->profile, task->blocks, task->resident, floor(slots * device->sms));
        if (task->left_ps <= last_wave_work(task) * (1 + 1e-12))
            fluid_enter_last_wave(task);
        task->until_ps = -1; /* the begin of the last wave, or the end, has moved */
        device->clients[task->client].sms += task->sms - before;
    }
    return task->last_wave || own < free_sms || (extra >= wanted && wanted > 0);
}

void fluid_shrink(struct device *device) {
    for (uint32_t i = 0; i < device->running_count; i++) {
        struct device_task *task = device->running[i];
        double sms = (double)device->clients[task->client].partition;
        if (!task->profile || task->last_wave || task->sms <= sms)
            continue;
        double slots = task->profile->blocks_per_sm;
        fluid_advance(device, task);
        hold(task, fmax(1, floor(sms * slots)));
        task->speed = kernel_speed(task->profile, task->blocks, task->resident, floor(slots * device->sms));
        task->until_ps = -1;
    }
}

static void begin(struct device *device, uint32_t head) {
    struct device_task *task = device->heads[head];
    ct_time_ps now = des_engine_now(device->engine);
    fluid_queue_start(device, head);
    task->state = DEVICE_TASK_RUNNING;
    task->started_ps = task->updated_ps = task->blamed_ps = now;
    device->begun[device->begun_count++] = task;
    if (task->head_ps < now)
        task->held_by = device->last_release;
    if (task->kind == TRACE_COPY && task->direction != TRACE_DEVICE_TO_DEVICE) {
        device->copies++;
        pcie_submit(pcie_bus_link(&device->bus, task->direction), &task->copy, now);
        return;
    }
    device->running[device->running_count++] = task;
    struct fluid_client *client = &device->clients[task->client];
    if (client->kernels++ == 0)
        client->busy_since_ps = now;
}

/* Copies and memsets hold no SMs; they start as soon as they are heads. */
static void begin_copies(struct device *device) {
    for (uint32_t i = 0; i < device->head_count;) {
        struct device_task *task = device->heads[i];
        bool host_copy = task->kind == TRACE_COPY && task->direction != TRACE_DEVICE_TO_DEVICE;
        if (!task->profile && (host_copy || fluid_client_runs(device, task->client)))
            begin(device, i);
        else
            i++;
    }
}

/* Under an exclusive device a kernel waits until no other application's kernel runs. */
static bool may_begin(const struct device *device, const struct device_task *task) {
    if (device->config.sharing == DEVICE_SHARING_TIMESLICE)
        return fluid_client_runs(device, task->client);
    if (device->config.sharing == DEVICE_SHARING_EXCLUSIVE)
        for (uint32_t i = 0; i < device->running_count; i++)
            if (device->running[i]->client != task->client)
                return false;
    return true;
}

/* Tries to place the first blocks of a head. Returns whether those behind it may try. */
static bool try_begin(struct device *device, uint32_t *head, double free_sms) {
    struct device_task *task = device->heads[*head];
    if (!may_begin(device, task)) {
        ++*head;
        return device->config.sharing == DEVICE_SHARING_TIMESLICE;
    }
    double slots = task->profile->blocks_per_sm, own = own_room(device, task);
    if (fmin(own, free_sms) * slots + SLOT_ROUNDING < 1) {
        ++*head;
        return own < free_sms;
    }
    begin(device, *head);
    return grow(device, task, free_sms);
}

static bool grow_running(struct device *device, double *free_sms) {
    for (uint32_t i = 0; i < device->running_count; i++) {
        struct device_task *task = device->running[i];
        if (!task->profile || task->last_wave || !fluid_client_runs(device, task->client))
            continue;
        double before = task->sms;
        bool passes = grow(device, task, *free_sms);
        *free_sms -= task->sms - before;
        if (!passes)
            return false;
    }
    return true;
}

static void dispatch_kernels(struct device *device) {
    double free_sms = device->sms - sum_sms(device);
    if (!grow_running(device, &free_sms))
        return;
    for (uint32_t head = 0; head < device->head_count;) {
        struct device_task *task = device->heads[head];
        if (!task->profile) {
            head++;
            continue;
        }
        bool passes = try_begin(device, &head, free_sms);
        if (task->state == DEVICE_TASK_RUNNING)
            free_sms -= task->sms;
        if (!passes)
            return;
    }
}

/* Where streams share a hardware queue, a task that begins uncovers the one behind it, of whatever kind. */
void fluid_dispatch(struct device *device) {
    uint64_t before;
    do {
        before = device->head_order;
        begin_copies(device);
        dispatch_kernels(device);
    } while (device->head_order != before);
}
