/* The life of the device: tasks come, begin, fall due and end; everything settles at the end of an
 * instant. */
#include "models/device/device_internal.h"

#include "base/ct_assert.h"
#include "models/device/contention.h"

#include <math.h>

static void leave_running(struct device *device, struct device_task *task, uint32_t slot) {
    device_leave(device, slot);
    device->last_release = task->client;
    struct device_client *client = &device->clients[task->client];
    if (--client->kernels == 0)
        client->counters.busy_ps +=
            (double)(des_engine_now(device->engine) - client->busy_since_ps);
    client->counters.kernels_finished += task->profile != NULL;
}

static void end_task(struct device *device, struct device_task *task) {
    task->ended_ps = des_engine_now(device->engine);
    task->state = DEVICE_TASK_ENDED;
    device->clients[task->client].active -= task->kind != TRACE_COPY;
    if (task->delayed_ps > 0)
        device_charge_delay(device, task);
    device_queue_end(device, task);
    device->listener.ended(device->listener.context, task);
}

/* What falls due now: blocks and last waves, kernels that end. */
static void end_due(struct device *device) {
    ct_time_ps now = des_engine_now(device->engine);
    const ct_time_ps *until_ps = device->until_ps;
    device_split_losses(device);
    if (device->clock.next_due_ps <= now)
        device_clock_ring(device);
    for (uint32_t i = 0; i < device->running_count;) {
        if (until_ps[i] > now) {
            i++;
            continue;
        }
        struct device_task *task = device->running[i];
        device_advance(device, task);
        if (task->profile && !device->ops->due(device, task)) {
            i++;
            continue;
        }
        leave_running(device, task, i);
        end_task(device, task);
    }
}

static void end_copy(struct device *device, struct pcie_copy *copy) {
    struct device_task *task = copy->owner;
    task->loss_ps[DEVICE_LOSS_PCIE_WAIT] = (double)copy->wait_ps;
    task->loss_ps[DEVICE_LOSS_PCIE_SHARE] = copy->sharing_loss_ps;
    device->usage.pcie_bytes[task->direction] += (double)task->bytes;
    device->copies--;
    end_task(device, task);
}

static void advance_bus(struct device *device) {
    ct_time_ps now = des_engine_now(device->engine);
    for (size_t i = 0; i < device->bus.link_count; i++)
        while (pcie_next_event(&device->bus.links[i]) <= now) {
            struct pcie_copy *copy = pcie_advance(&device->bus.links[i], now);
            if (copy)
                end_copy(device, copy);
        }
}

/* The earlier of the device's own time and the link's; both at one time are two events, that of the
 * link behind the other. */
static void on_due(void *context, uint64_t argument) {
    struct device *device = context;
    ct_time_ps now = des_engine_now(device->engine);
    (void)argument;
    if (device->next_ps > now) {
        device->bus_ps = CT_TIME_NEVER;
        advance_bus(device);
    } else {
        device->next_ps = CT_TIME_NEVER;
        if (device->bus_ps <= now)
            des_standing_plan(device->engine, now);
        end_due(device);
    }
    device_touch(device);
}

static void blame_copy(void *context, const struct pcie_copy *victim,
                       const struct pcie_copy *culprit, enum pcie_loss loss, double ps) {
    const struct device_task *task = victim->owner, *other = culprit->owner;
    (void)context;
    (void)loss;
    if (task->culprit_ps)
        task->culprit_ps[other->client] += ps;
}

static ct_time_ps next_on_bus(const struct device *device) {
    ct_time_ps at = CT_TIME_NEVER;
    for (size_t i = 0; i < device->bus.link_count; i++) {
        ct_time_ps next = pcie_next_event(&device->bus.links[i]);
        at = next < at ? next : at;
    }
    return at;
}

static void plan(struct device *device) {
    device->bus_ps = device->copies > 0 ? next_on_bus(device) : CT_TIME_NEVER;
    ct_time_ps at = device->next_ps < device->bus_ps ? device->next_ps : device->bus_ps;
    if (at == CT_TIME_NEVER)
        des_standing_cancel(device->engine);
    else
        des_standing_plan(device->engine, at);
}

void device_tell_moved(struct device *device) {
    if (device->listener.repartitioned)
        device->listener.repartitioned(device->listener.context);
}

/* The end of an instant: place blocks, then let everything run at its new rate. */
static void on_settle(void *context, uint64_t argument) {
    struct device *device = context;
    (void)argument;
    device_split_losses(device);
    if (device->config.sharing == CT_SHARING_TIMESLICE)
        device_slices_update(device);
    if (device->ops->settle)
        device->ops->settle(device);
    if (device->head_count + device->growing > 0)
        device_dispatch(device);
    if (!device_rates_hold(device))
        device_rates_update(device);
    device_account(device);
    plan(device);
    for (uint32_t i = 0; i < device->begun_count; i++)
        device->listener.started(device->listener.context, device->begun[i]);
    device->begun_count = 0;
}

static bool allocate(struct device *d, struct ct_arena *arena, uint32_t clients, uint32_t streams) {
    d->queues = ct_arena_array(arena, d->queue_count, sizeof *d->queues);
    d->stream_busy = ct_arena_array(arena, streams, sizeof *d->stream_busy);
    d->heads = ct_arena_array(arena, streams, sizeof(struct device_task *));
    d->running = ct_arena_array(arena, streams, sizeof(struct device_task *));
    d->begun = ct_arena_array(arena, streams, sizeof(struct device_task *));
    d->until_ps = ct_arena_array(arena, streams, sizeof *d->until_ps);
    d->memory_until_ps = ct_arena_array(arena, streams, sizeof *d->memory_until_ps);
    d->lanes = ct_arena_array(arena, streams, sizeof *d->lanes);
    d->sms_sums = ct_arena_array(arena, streams, sizeof *d->sms_sums);
    d->sums = ct_arena_array(arena, (size_t)streams + 1, sizeof *d->sums);
    d->stale = ct_arena_array(arena, streams, sizeof *d->stale);
    d->served = ct_arena_array(arena, streams, sizeof *d->served);
    d->delayed = ct_arena_array(arena, streams, sizeof(struct device_task *));
    d->weights = ct_arena_array(arena, (size_t)streams + 1, DEVICE_LOSS_COUNT * sizeof *d->weights);
    bool asked = d->config.blame && d->gpu->launch_delay_us > 0;
    if (asked && !(d->delayers = ct_arena_array(arena, (size_t)streams * clients, 1)))
        return false;
    d->clients = ct_arena_array(arena, clients, sizeof *d->clients);
    d->wanted = ct_arena_array(arena, clients, sizeof *d->wanted);
    return d->queues && d->stream_busy && d->heads && d->running && d->begun && d->until_ps &&
           d->memory_until_ps && d->lanes && d->sms_sums && d->sums && d->stale && d->served &&
           d->weights && d->delayed && d->clients && d->wanted;
}

/* Weights in the memory controller may come later. */
static bool is_steady(const struct device *device) {
    return !device->ops->places_blocks && device->config.sharing != CT_SHARING_PARTITION &&
           !device->config.slices && !device->weighted && device->gpu->contention_k0 == 0 &&
           device->gpu->contention_k == 0;
}

struct device *device_new(struct des_engine *engine, const struct device_config *config,
                          const struct device_listener *listener, struct ct_arena *arena) {
    struct device *device = ct_arena_alloc(arena, sizeof *device);
    if (!device)
        return NULL;
    device->engine = engine;
    device->config = *config;
    device->ops = config->fidelity == DEVICE_BLOCK ? &block_ops : &fluid_ops;
    device->gpu = config->gpu;
    device->listener = *listener;
    device->sms = (double)config->gpu->sms;
    device->dram = dram_line(config->gpu);
    /* A MIG instance has queues of its own: no stream shares one with another's. */
    bool shared = !config->slices && config->hw_queues < config->streams;
    device->queue_count = shared ? config->hw_queues : config->streams;
    device->active = -1;
    device->split_ps = -1;
    device->next_ps = device->bus_ps = device->clock.next_due_ps = CT_TIME_NEVER;
    device->weighted =
        config->gpu->memory_sharing != GPU_SHARING_FAIR || config->gpu->row_hit_drift > 0;
    device->steady = is_steady(device);
    device->last_release = DEVICE_NOBODY;
    if (!allocate(device, arena, config->clients, config->streams))
        return NULL;
    for (uint32_t i = 0; i < config->clients; i++) {
        const struct contention_app *app = config->contention ? &config->contention[i] : NULL;
        device->clients[i].cap = CT_SHARE_FULL;
        device->clients[i].memory_weight = 1;
        device->clients[i].feels = app ? app->sensitivity : 1;
        device->clients[i].presses = app ? app->pressure : 1;
    }
    if (!device->ops->start(device, arena))
        return NULL;
    des_standing_set(engine, DES_RANK_DEVICE, on_due, device);
    des_instant_set(engine, DES_RANK_SETTLE, on_settle, device);
    pcie_bus_init(&device->bus, config->gpu);
    for (size_t i = 0; i < device->bus.link_count && config->blame; i++) {
        device->bus.links[i].blame = blame_copy;
        device->bus.links[i].blame_context = device;
    }
    return device;
}

/* Traffic of a device-to-device copy (read and written) or a memset (written). */
static double copy_demand(const struct device_task *task) {
    if (device_crosses_link(task))
        return 0;
    double bytes = (double)task->bytes * (task->kind == TRACE_COPY ? 2 : 1);
    return bytes / task->work_ps * (double)CT_PS_PER_S;
}

void device_task_init(const struct device *device, struct device_task *task) {
    task->queued_ps = des_engine_now(device->engine);
    task->head_ps = task->started_ps = task->ended_ps = -1;
    task->state = DEVICE_TASK_QUEUED;
    task->delayed_ps = 0;
    task->launched = task->yields = task->follows = false;
    task->left_ps = task->work_ps;
    task->rate = 0;
    task->held_by = DEVICE_NOBODY;
    task->resident = task->sms = 0;
    task->speed = task->awake = task->draw = 1;
    task->hits_lost = 0;
    if (device->ops->places_blocks)
        task->at = (struct device_blocks){.pending = task->blocks};
    task->last_wave = !task->profile;
    task->demand_bytes_per_s = task->profile ? task->profile->dram_bytes_per_s : copy_demand(task);
    for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++) {
        task->loss_ps[cause] = 0;
        task->limit[cause] = 1;
    }
    task->copy.bytes = task->bytes;
    task->copy.pinned = task->pinned;
    task->copy.owner = task;
}

void device_submit(struct device *device, struct device_task *task) {
    device_task_init(device, task);
    device_queue_append(device, task);
    device_touch(device);
}

void device_offer(struct device *device, uint32_t stream) {
    device_queue_refill(device, device_queue_of(device, stream));
    device_touch(device);
}

void device_set_cap(struct device *device, uint32_t client, ct_share cap) {
    device->clients[client].cap = cap;
    device_touch(device);
}

void device_set_memory_weight(struct device *device, uint32_t client, double weight) {
    device_split_losses(device); /* up to now, by the memory's clock if it runs */
    device->clients[client].memory_weight = weight;
    device->weighted = true;
    device->steady = false;
    device_touch(device);
}

void device_set_slice(struct device *device, uint32_t client, int64_t sms, double memory) {
    device->clients[client].memory = memory;
    device->wanted[client] = sms;
    device->ops->repartition(device, CT_MOVE_DRAIN);
}

void device_repartition(struct device *device, const int64_t *sms, enum ct_move move) {
    for (uint32_t i = 0; i < device->config.clients; i++)
        device->wanted[i] = sms[i];
    device->ops->repartition(device, move);
}

struct device_sm device_sm_state(const struct device *device, uint32_t sm) {
    return device->ops->sm(device, sm);
}

bool device_is_idle(const struct device *device) {
    return device->running_count == 0 && device->head_count == 0 && device->delayed_count == 0 &&
           device->copies == 0;
}

struct device_usage device_usage(struct device *device) {
    for (uint32_t i = 0; i < device->running_count; i++)
        device_advance(device, device->running[i]);
    device_account(device);
    return device->usage;
}

struct device_counters device_client_counters(struct device *device, uint32_t client) {
    for (uint32_t i = 0; i < device->running_count; i++)
        if (device->running[i]->client == client)
            device_advance(device, device->running[i]);
    device_account(device);
    struct device_counters counters = device->clients[client].counters;
    if (device->clients[client].kernels)
        counters.busy_ps +=
            (double)(des_engine_now(device->engine) - device->clients[client].busy_since_ps);
    return counters;
}

void device_visit_running(struct device *device, device_visitor *visit, void *context) {
    for (uint32_t i = 0; i < device->running_count; i++) {
        device_advance(device, device->running[i]);
        visit(context, device->running[i],
              device->running[i]->work_ps - device->running[i]->left_ps);
    }
}

double device_copy_work_ps(const struct gpu *gpu, uint64_t bytes, bool pinned) {
    struct pcie_link link;
    pcie_link_init(&link, gpu);
    return (double)pcie_solo_time(&link, bytes, pinned);
}
