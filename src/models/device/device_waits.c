/*
 * Whom a task waits for before it begins: those that hold SMs meanwhile, each by the time for
 * which it holds how many. Without MPS an application in its turn holds all of them, whatever it
 * runs. Only where somebody asks.
 */
#include "base/ct_row.h"
#include "models/device/device_internal.h"

#include <string.h>

bool device_waits_start(struct device *device, struct ct_arena *arena) {
    size_t clients = device->config.clients;
    if (!device->config.blame)
        return true;
    device->waits.held_ps =
        ct_arena_array(arena, device->config.streams * clients, sizeof *device->waits.held_ps);
    device->waits.due_ps =
        ct_arena_array(arena, device->config.streams * clients, sizeof *device->waits.due_ps);
    device->waits.now_ps = ct_arena_array(arena, clients, sizeof *device->waits.now_ps);
    return device->waits.held_ps && device->waits.due_ps && device->waits.now_ps;
}

/* Looks for how long each client has had the device so far. */
static void look_at_turns(struct device *device) {
    bool sliced = device->config.sharing == CT_SHARING_TIMESLICE;
    for (uint32_t i = 0; i < device->config.clients; i++)
        device->waits.now_ps[i] =
            sliced ? (double)device_slices_ps(device, i) : device_busy_ps(device, i);
}

/* SMs times the time for which each client has held them so far. Once a fluid kernel is updated
 * what it has held moves to what its client has: the same sum, unless that has more terms. */
static void look_at_sms(struct device *device) {
    double *restrict held = device->waits.now_ps;
    const uint32_t count = device->running.count;
    const ct_time_ps now = des_engine_now(device->engine);
    memcpy(held, device->sm_ps, device->config.clients * sizeof *held);
    for (uint32_t i = 0; i < count; i++) {
        const struct device_task *task = device->running.tasks[i];
        if (task->rate > 0)
            held[task->client] += task->sms * (double)(now - task->updated_ps);
    }
    device->waits.looked_ps = now;
    device->waits.lasts = device->running.crowded == 0 && !device->ops->places_blocks;
}

static void look(struct device *device) {
    if (device->waits.lasts && device->waits.looked_ps == des_engine_now(device->engine))
        return;
    if (device->config.sharing == CT_SHARING_EXCLUSIVE ||
        device->config.sharing == CT_SHARING_TIMESLICE)
        look_at_turns(device);
    else
        look_at_sms(device);
}

static double *held_since(const struct device *device, const struct device_task *task) {
    return device->waits.held_ps + (size_t)task->stream * device->config.clients;
}

static double *due_to(const struct device *device, const struct device_task *task) {
    return device->waits.due_ps + (size_t)task->stream * device->config.clients;
}

static void begin_part(struct device *device, struct device_task *task) {
    task->wait_since_ps = des_engine_now(device->engine);
    memcpy(held_since(device, task), device->waits.now_ps, device->config.clients * sizeof(double));
}

/* Somebody asks, and it does not wait yet. */
static bool is_asked(const struct device_task *task) {
    return task->culprit_ps && task->wait_since_ps < 0 && !device_crosses_link(task);
}

/* One that comes early waits for the one before it in its stream first: it is looked at again. */
void device_waits_note(struct device *device) {
    uint64_t noted = device->queues.order;
    bool looked = false;
    for (uint32_t i = device->queues.head_count;
         i > 0 && device->queues.heads[i - 1]->order > device->waits.noted; i--) {
        struct device_task *task = device->queues.heads[i - 1];
        if (!is_asked(task))
            continue;
        if (device->queues.streams[task->stream].count > 0) {
            noted = task->order - 1;
            continue;
        }
        if (!looked)
            look(device);
        looked = true;
        begin_part(device, task);
        memset(due_to(device, task), 0, device->config.clients * sizeof(double));
    }
    device->waits.noted = noted;
}

/* What of a part of a wait is due to whom: who was there, by what it has held since; nobody: who
 * gave SMs back last. */
static void split(const struct device *device, const struct device_task *task, ct_time_ps waited_ps,
                  uint32_t last_release) {
    double *part = held_since(device, task), all = 0;
    const uint32_t clients = device->config.clients;
    ct_row_take_from(part, device->waits.now_ps, clients);
    for (uint32_t i = 0; i < clients && device->config.slices; i++)
        part[i] = device_meet(device, i, task->client) ? part[i] : 0;
    for (uint32_t i = 0; i < clients; i++)
        all += part[i];
    if (all > 0) {
        ct_row_scale(part, (double)waited_ps / all, clients);
        ct_row_add(due_to(device, task), part, clients);
    } else if (last_release != DEVICE_NOBODY)
        due_to(device, task)[last_release] += (double)waited_ps;
}

/* Whether a client's limit holds a task up whose SMs the client's own kernels used up: then the
 * others' SMs are none of its business. Where it held none itself, a partition was theirs. */
static bool is_own_doing(const struct device *device, const struct device_task *task) {
    uint32_t own = task->client;
    return task->own_limit && device->waits.now_ps[own] > held_since(device, task)[own];
}

void device_waits_settle(struct device *device, struct device_task *task, uint32_t last_release) {
    if (task->wait_since_ps < 0)
        return;
    ct_time_ps waited_ps = des_engine_now(device->engine) - task->wait_since_ps;
    look(device);
    if (is_own_doing(device, task))
        due_to(device, task)[task->client] += (double)waited_ps;
    else
        split(device, task, waited_ps, last_release);
    task->waited_ps += waited_ps;
    begin_part(device, task);
}

void device_waits_charge(const struct device *device, const struct device_task *task) {
    ct_row_add(task->culprit_ps, due_to(device, task), device->config.clients);
}
