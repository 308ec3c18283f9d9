/* Time slices between processes (no MPS): one application's kernels at a time; the others' stand
 * still. */
#include "device_internal.h"

static bool client_has_work(const struct device *device, uint32_t client) {
    for (uint32_t i = 0; i < device->running_count; i++)
        if (device->running[i]->client == client)
            return true;
    for (uint32_t i = 0; i < device->head_count; i++)
        if (device->heads[i]->client == client)
            return true;
    return false;
}

/* The next client in turn that has work, -1: nobody. The active one comes last. */
static int64_t next_in_turn(const struct device *device) {
    uint32_t clients = device->config.clients,
             first = device->active < 0 ? 0 : (uint32_t)device->active + 1;
    for (uint32_t i = 0; i < clients; i++)
        if (client_has_work(device, (first + i) % clients))
            return (first + i) % clients;
    return -1;
}

static void on_slice(void *context, uint64_t argument);

static void plan(struct device *device, double after_us) {
    ct_time_ps at = des_engine_now(device->engine) + ct_time_round(after_us * (double)CT_PS_PER_US);
    device->slice_event =
        des_event_schedule(device->engine, at, DES_RANK_DEVICE, on_slice, device, 0);
}

static void activate(struct device *device, int64_t client) {
    bool first = device->active < 0;
    if (client == device->active) {
        plan(device, device->gpu->time_slice_us);
        return;
    }
    device->active = client;
    device->switching = !first && device->gpu->time_slice_switch_us > 0;
    plan(device,
         device->switching ? device->gpu->time_slice_switch_us : device->gpu->time_slice_us);
}

/* The switch is done, or the slice is over. */
static void on_slice(void *context, uint64_t argument) {
    struct device *device = context;
    (void)argument;
    device_split_losses(device);
    device->slice_event = 0;
    if (device->switching) {
        device->switching = false;
        plan(device, device->gpu->time_slice_us);
    } else {
        int64_t next = next_in_turn(device);
        if (next >= 0)
            activate(device, next);
    }
    device_touch(device);
}

void device_slices_update(struct device *device) {
    if (device->config.sharing != DEVICE_SHARING_TIMESLICE || device->switching)
        return;
    if (device->active >= 0 && device->slice_event &&
        client_has_work(device, (uint32_t)device->active))
        return;
    int64_t next = next_in_turn(device);
    if (next < 0)
        return;
    if (device->slice_event)
        des_event_cancel(device->engine, device->slice_event);
    activate(device, next);
}
