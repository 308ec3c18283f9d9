/*
 * Leftover dispatch. Queue heads compete in the order in which they became heads; a kernel
 * dispatches when those before it have no undispatched block left or are held back only by their
 * own limit. With priorities, the blocks of the higher one go first; blocks that run stay. Without
 * MPS what is on the device is of one application at a time, memsets and copies within the device
 * included; copies over the host link are not on the device.
 */
#include "models/device/device_internal.h"

/* SMs held by each client. */
static void sum_client_sms(struct device *device) {
    if (device->dispatch.clients_summed)
        return;
    device->dispatch.clients_summed = true;
    for (uint32_t i = 0; i < device->running.count && device->running.crowded > 0; i++)
        device->clients[device->running.tasks[i]->client].sms = 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *task = device->running.tasks[i];
        double *sms = &device->clients[task->client].sms;
        *sms = device->running.crowded > 0 ? *sms + task->sms : task->sms;
    }
}

/* SMs of a client's kernels at most: its cap of the device, or of its partition without the SMs
 * that drain. */
static double sms_of_client(const struct device *device, uint32_t index) {
    const struct device_client *client = &device->clients[index];
    if (device_has_all(device, client->cap))
        return device->sms;
    double sms = device->sms;
    if (device->config.sharing == CT_SHARING_PARTITION)
        sms = device_lesser((double)client->partition, (double)device->partition.wanted[index]);
    return sms > 0 ? device_share_sms(device->config.fidelity, sms, client->cap) : 0;
}

double device_limited_sms(const struct device *device, const struct device_task *task) {
    return device_lesser(sms_of_client(device, task->client),
                         device_share_sms(device->config.fidelity, device->sms, task->share));
}

/* In a slice that others use, too, what is free is what they have left of it. */
static double own_room_in_slice(struct device *device, uint32_t index) {
    const struct device_client *client = &device->clients[index];
    double held = 0;
    sum_client_sms(device);
    for (uint32_t i = 0; i < device->config.clients; i++)
        if (device->clients[i].slice == client->slice && device->clients[i].kernels > 0)
            held += device->clients[i].sms;
    device->dispatch.free_sms = (double)client->partition - held;
    return sms_of_client(device, index) - (client->kernels > 0 ? client->sms : 0);
}

/* What the share that was bound at issue still allows it and those in its process. */
static double room_in_share(const struct device *device, const struct device_task *task) {
    double room = device_share_sms(device->config.fidelity, device->sms, task->share) - task->sms;
    if (task->share == CT_SHARE_FULL)
        return room;
    for (uint32_t i = 0; task->process > 0 && i < device->running.count; i++) {
        const struct device_task *other = device->running.tasks[i];
        room -= other != task && device_in_one_process(other, task) ? other->sms : 0;
    }
    return room;
}

/* SMs that the task's own limits (partition, cap, share bound at issue) still allow it. */
static double own_room(struct device *device, const struct device_task *task) {
    struct device_client *client = &device->clients[task->client];
    if (device->ops->places_blocks)
        return INFINITY; /* seen SM by SM */
    if (client->shares_slice)
        return own_room_in_slice(device, task->client);
    if (device->partition.slices_shared)
        device->dispatch.free_sms = device->sms - device_sum_sms(device);
    double held = 0;
    if (client->kernels > 0) {
        sum_client_sms(device);
        held = client->sms;
    }
    double own = sms_of_client(device, task->client) - held;
    /* Where its cap leaves it nothing of what is free, where that lies is nothing to it. */
    if (device_held_to_gpcs(device, task->client) &&
        !(own <= 0 && device->ops->free_sms(device, task) > 0)) {
        sum_client_sms(device);
        client->reach = device_gpc_reach(device, task->client);
        own = device_lesser(own, client->reach - held);
    }
    return device_lesser(own, room_in_share(device, task));
}

/* Who gave SMs back last that a client may have. */
static uint32_t last_release(const struct device *device, uint32_t client) {
    if (!device->config.slices)
        return device->dispatch.last_release;
    return device->clients[client].shares_slice
               ? device->clients[device->clients[client].slice].last_release
               : client;
}

void device_settle_waits(struct device *device) {
    for (uint32_t i = 0; i < device->queues.head_count; i++) {
        struct device_task *task = device->queues.heads[i];
        device_waits_settle(device, task, last_release(device, task->client));
    }
}

static void begin(struct device *device, uint32_t head) {
    struct device_task *task = device->queues.heads[head];
    ct_time_ps now = des_engine_now(device->engine);
    task->state = DEVICE_TASK_RUNNING;
    task->started_ps = task->updated_ps = task->blamed_ps = now;
    device_come(device, task);
    device_queue_start(device, head);
    device_waits_settle(device, task, last_release(device, task->client));
    if (device_crosses_link(task)) {
        device->link.copies++;
        pcie_submit(pcie_bus_link(&device->link.bus, task->direction), &task->copy, now);
        return;
    }
    device_run(device, task);
    struct device_client *client = &device->clients[task->client];
    if (task->profile)
        client->share = task->share;
    device->running.crowded += client->kernels == 1;
    if (client->kernels++ == 0) {
        client->busy_since_ps = now;
        client->sms = 0;
    }
}

/* An exclusive device is free for a head while nothing of another application runs and no older
 * head is of another; those of host copies have begun. */
static bool is_first_come(const struct device *device, uint32_t head) {
    uint32_t client = device->queues.heads[head]->client;
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.tasks[i]->client != client)
            return false;
    for (uint32_t i = 0; i < head; i++)
        if (device->queues.heads[i]->client != client)
            return false;
    return true;
}

/* Whether it is the turn of a head's application. */
static bool may_begin(const struct device *device, uint32_t head) {
    if (device->config.sharing == CT_SHARING_EXCLUSIVE)
        return is_first_come(device, head);
    return device_client_runs(device, device->queues.heads[head]->client);
}

/* Copies and memsets hold no SMs: they start as soon as they are heads, those within the device in
 * their application's turn. */
static void begin_copies(struct device *device) {
    for (uint32_t i = 0; i < device->queues.head_count;) {
        struct device_task *task = device->queues.heads[i];
        if (!task->profile && (device_crosses_link(task) || may_begin(device, i)))
            begin(device, i);
        else
            i++;
    }
}

/* A launch that is held up leaves its turn to the copies behind it. */
static void begin_and_delay(struct device *device) {
    uint32_t heads;
    do {
        begin_copies(device);
        heads = device->queues.head_count;
        if (device->gpu->launch_delay_us != 0 &&
            (!device->config.slices || device->partition.slices_shared))
            device_queue_delay(device);
    } while (device->queues.head_count < heads);
}

/* Whether its own limit leaves no block of it room, whether others do or not. */
static void note_own_limit(struct device *device, struct device_task *task, bool own_limit) {
    if (own_limit == task->own_limit)
        return;
    device_waits_settle(device, task, last_release(device, task->client));
    task->own_limit = own_limit;
}

/* Tries to place the first blocks of a head, else steps over it. Returns whether those behind it
 * may try. */
static bool try_begin(struct device *device, uint32_t *head) {
    struct device_task *task = device->queues.heads[*head];
    if (!may_begin(device, *head)) {
        ++*head;
        return device->config.sharing == CT_SHARING_TIMESLICE;
    }
    double own = own_room(device, task);
    enum device_room room = device->ops->room(device, task, own);
    if (room != DEVICE_ROOM) {
        if (device->ops->places_blocks)
            note_own_limit(device, task, room == DEVICE_ROOM_OWN_LIMIT);
        ++*head;
        return room == DEVICE_ROOM_OWN_LIMIT;
    }
    begin(device, *head);
    return device->ops->grow(device, task, own);
}

/* A kernel that waits holds up all behind it; in a partition, those of its own client, or of its
 * slice. */
static bool stop_behind(struct device *device, const struct device_task *task) {
    device->clients[device->clients[task->client].slice].stopped_by = device->dispatch.number;
    return device->config.sharing != CT_SHARING_PARTITION;
}

static bool competes(const struct device *device, const struct device_task *task,
                     const int32_t *priority) {
    const struct device_client *client = &device->clients[device->clients[task->client].slice];
    return task->profile && client->stopped_by != device->dispatch.number &&
           (!priority || device->config.priorities[task->client] == *priority);
}

static bool grow_running(struct device *device, const int32_t *priority) {
    for (uint32_t i = 0; i < device->running.count && device->running.growing > 0; i++) {
        struct device_task *task = device->running.tasks[i];
        if (task->last_wave || !competes(device, task, priority) ||
            !device_client_runs(device, task->client))
            continue;
        if (!device->ops->grow(device, task, own_room(device, task)) && stop_behind(device, task))
            return false;
    }
    return true;
}

/* Lets kernels of one priority (NULL: all) grow or begin, the running ones first. False: a kernel
 * that waits holds up all behind it, those of other priorities, too. */
static bool dispatch_kernels(struct device *device, const int32_t *priority) {
    if (device->running.growing > 0 && !grow_running(device, priority))
        return false;
    for (uint32_t head = 0; head < device->queues.head_count;) {
        struct device_task *task = device->queues.heads[head];
        if (!competes(device, task, priority))
            head++;
        else if (!try_begin(device, &head) && stop_behind(device, task))
            return false;
    }
    return true;
}

/* The highest priority below `below` of anybody who may have blocks to place; false: nobody. */
static bool next_priority(const struct device *device, int64_t below, int32_t *priority) {
    bool found = false;
    for (uint32_t i = 0; i < device->running.count + device->queues.head_count; i++) {
        const struct device_task *task = i < device->running.count
                                             ? device->running.tasks[i]
                                             : device->queues.heads[i - device->running.count];
        int32_t own = device->config.priorities[task->client];
        if (task->profile && own < below && (!found || own > *priority)) {
            *priority = own;
            found = true;
        }
    }
    return found;
}

static void dispatch_by_priority(struct device *device) {
    int32_t priority = 0;
    bool waits = false; /* a block of that priority */
    for (int64_t below = INT64_MAX; !waits && next_priority(device, below, &priority);
         below = priority)
        waits = !dispatch_kernels(device, &priority);
    for (uint32_t i = 0;
         i < device->running.count && device->ops->yield && device->running.growing > 0; i++) {
        struct device_task *task = device->running.tasks[i];
        if (task->profile && !task->last_wave)
            device->ops->yield(device, task,
                               waits && device->config.priorities[task->client] < priority);
    }
}

/* Where streams share a hardware queue, a task that begins uncovers the one behind it, of whatever
 * kind. */
static void dispatch_all(struct device *device) {
    uint64_t before;
    do {
        before = device->queues.order;
        begin_and_delay(device);
        device->dispatch.number++;
        device->dispatch.clients_summed = false;
        if (device->queues.head_count + device->running.growing == 0)
            return;
        if (!device->ops->places_blocks)
            device->dispatch.free_sms = device->sms - device_sum_sms(device);
        /* Beside nobody nobody is first. */
        if (device->config.priorities && device->config.sharing != CT_SHARING_EXCLUSIVE)
            dispatch_by_priority(device);
        else
            dispatch_kernels(device, NULL);
    } while (device->queues.order != before);
}

/* Notes which heads wait for a limit of their own, also those that did not get to try, behind
 * others that wait. */
static void note_own_limits(struct device *device) {
    for (uint32_t head = 0; head < device->queues.head_count; head++) {
        struct device_task *task = device->queues.heads[head];
        if (!task->profile)
            continue;
        bool limited = device_limited_sms(device, task) < device->sms && may_begin(device, head);
        note_own_limit(device, task,
                       limited && own_room(device, task) * task->profile->blocks_per_sm < 1);
    }
}

void device_dispatch(struct device *device) {
    dispatch_all(device);
    if (!device->waits.held_ps || device->queues.head_count == 0)
        return;
    if (!device->ops->places_blocks)
        note_own_limits(device);
    device_waits_note(device);
}
