/* Time slices between processes (no MPS): one application's kernels at a time; the others' stand
 * still. */
#include "models/device/device_internal.h"

/* A copy over the link needs no slice. */
static bool wants_slice(const struct device_task *task, uint32_t client) {
    return task && task->client == client && !device_crosses_link(task);
}

/* The device is on its way from one task of it to the next: it keeps its slice, as a CUDA graph
 * does (measured: docs/measured.md). */
static bool client_lags(const struct device *device, uint32_t client) {
    const struct device_queues *queues = &device->queues;
    for (uint32_t i = 0; queues->delayed_count > 0 && i < device->config.streams; i++)
        if (wants_slice(queues->delayed[i], client) && !queues->delayed[i]->launching)
            return true;
    return false;
}

static bool client_has_work(const struct device *device, uint32_t client) {
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.tasks[i]->client == client)
            return true;
    for (uint32_t i = 0; i < device->queues.head_count; i++)
        if (wants_slice(device->queues.heads[i], client))
            return true;
    return client_lags(device, client);
}

static ct_time_ps earlier(ct_time_ps a, ct_time_ps b) {
    return a < b ? a : b;
}

/* Since when a client with work waits for its slice; CT_TIME_NEVER: it has none. */
static ct_time_ps waits_since(const struct device *device, uint32_t client) {
    ct_time_ps since = CT_TIME_NEVER, last = device->clients[client].slice_end_ps;
    if (client_lags(device, client))
        since = des_engine_now(device->engine);
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.tasks[i]->client == client)
            since = earlier(since, device->running.tasks[i]->started_ps);
    for (uint32_t i = 0; i < device->queues.head_count; i++)
        if (wants_slice(device->queues.heads[i], client))
            since = earlier(since, device->queues.heads[i]->head_ps);
    return since < last ? last : since;
}

/* The client with work that has waited longest, -1: nobody. The active one comes last. */
static int64_t next_in_turn(const struct device *device) {
    ct_time_ps least = CT_TIME_NEVER;
    int64_t next = -1;
    for (uint32_t i = 0; i < device->config.clients; i++) {
        ct_time_ps since = waits_since(device, i);
        if (since < least && i != device->slices.active) {
            least = since;
            next = i;
        }
    }
    if (next < 0 && device->slices.active >= 0 &&
        client_has_work(device, (uint32_t)device->slices.active))
        return device->slices.active;
    return next;
}

static void on_slice(void *context, uint64_t argument);

static void plan(struct device *device, double after_us) {
    ct_time_ps at = des_engine_now(device->engine) + ct_time_round(after_us * (double)CT_PS_PER_US);
    device->slices.event =
        des_event_schedule(device->engine, at, DES_RANK_DEVICE, on_slice, device, 0);
}

ct_time_ps device_slices_ps(const struct device *device, uint32_t client) {
    const struct time_slices *slices = &device->slices;
    bool running = slices->active == (int64_t)client && !slices->switching;
    return device->clients[client].slices_ps +
           (running ? des_engine_now(device->engine) - slices->since_ps : 0);
}

static void tell_slice(const struct device *device, enum device_block_change change) {
    const struct device_listener *listener = &device->listener;
    struct device_block_move move = {.change = change,
                                     .time_ps = des_engine_now(device->engine),
                                     .client = (uint32_t)device->slices.active};
    if (listener->slice_changed)
        listener->slice_changed(listener->context, move.client, change == DEVICE_SLICE_BEGIN);
    if (listener->blocks_moved)
        listener->blocks_moved(listener->context, &move);
}

static void begin_slice(struct device *device) {
    device->slices.since_ps = des_engine_now(device->engine);
    tell_slice(device, DEVICE_SLICE_BEGIN);
}

static void end_slice(struct device *device) {
    struct device_client *client = &device->clients[device->slices.active];
    tell_slice(device, DEVICE_SLICE_END);
    client->slices_ps = device_slices_ps(device, (uint32_t)device->slices.active);
    client->slice_end_ps = des_engine_now(device->engine);
}

static void activate(struct device *device, int64_t client) {
    bool first = device->slices.active < 0;
    if (client == device->slices.active) {
        plan(device, device->gpu->time_slice_us);
        return;
    }
    if (!first)
        end_slice(device);
    device->slices.before = device->slices.active;
    device->slices.active = client;
    device->rates.shaken = true;
    device->slices.switching = !first && device->gpu->time_slice_switch_us > 0;
    if (!device->slices.switching)
        begin_slice(device);
    plan(device,
         device->slices.switching ? device->gpu->time_slice_switch_us : device->gpu->time_slice_us);
}

/* The switch is done, or the slice is over. */
static void on_slice(void *context, uint64_t argument) {
    struct device *device = context;
    (void)argument;
    device_split_losses(device);
    device->slices.event = 0;
    device->rates.shaken = true;
    if (device->slices.switching) {
        device->slices.switching = false;
        begin_slice(device);
        plan(device, device->gpu->time_slice_us);
    } else {
        int64_t next = next_in_turn(device);
        if (next >= 0)
            activate(device, next);
    }
    device_touch(device);
}

void device_slices_update(struct device *device) {
    if (device->slices.switching)
        return;
    if (device->slices.active >= 0 && device->slices.event &&
        client_has_work(device, (uint32_t)device->slices.active))
        return;
    int64_t next = next_in_turn(device);
    if (next < 0)
        return;
    if (device->slices.event)
        des_event_cancel(device->engine, device->slices.event);
    activate(device, next);
}
