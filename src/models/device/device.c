/* The life of the device: tasks come, begin, fall due and end; everything settles at the end of an
 * instant. */
#include "models/device/device_internal.h"

#include "base/ct_assert.h"
#include "models/device/contention.h"

static void leave_running(struct device *device, struct device_task *task, uint32_t slot) {
    device_leave(device, slot);
    device_released(device, task->client);
    struct device_client *client = &device->clients[task->client];
    if (client->kernels == 1)
        client->counters.told.busy_ps = device_busy_ps(device, task->client);
    client->kernels--;
    device->running.crowded -= client->kernels == 1;
    client->counters.kernels_finished += task->profile != NULL;
}

/* Before it began, who asks for it. */
static void charge_waits(struct device *device, struct device_task *task) {
    if (task->delayed_ps > 0)
        device_charge_delay(device, task);
    if (task->waited_ps > 0)
        device_waits_charge(device, task);
}

static void end_task(struct device *device, struct device_task *task) {
    task->ended_ps = des_engine_now(device->engine);
    task->state = DEVICE_TASK_ENDED;
    device->clients[task->client].active -= task->kind != TRACE_COPY;
    charge_waits(device, task);
    device_queue_end(device, task);
    device->listener.ended(device->listener.context, task);
}

/* What falls due now: blocks and last waves, kernels that end. */
static void end_due(struct device *device) {
    ct_time_ps now = des_engine_now(device->engine);
    const ct_time_ps *until_ps = device->running.until_ps;
    device_split_losses(device);
    if (device->memory.clock.next_due_ps <= now)
        device_clock_ring(device);
    for (uint32_t i = 0; i < device->running.count;) {
        if (until_ps[i] > now) {
            i++;
            continue;
        }
        struct device_task *task = device->running.tasks[i];
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
    device->link.copies--;
    end_task(device, task);
}

static void advance_bus(struct device *device) {
    ct_time_ps now = des_engine_now(device->engine);
    for (size_t i = 0; i < device->link.bus.link_count; i++)
        while (pcie_next_event(&device->link.bus.links[i]) <= now) {
            struct pcie_copy *copy = pcie_advance(&device->link.bus.links[i], now);
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
    if (device->rates.next_ps > now) {
        device->link.next_ps = CT_TIME_NEVER;
        advance_bus(device);
    } else {
        device->rates.next_ps = CT_TIME_NEVER;
        if (device->link.next_ps <= now)
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
    for (size_t i = 0; i < device->link.bus.link_count; i++) {
        ct_time_ps next = pcie_next_event(&device->link.bus.links[i]);
        at = next < at ? next : at;
    }
    return at;
}

static void plan(struct device *device) {
    device->link.next_ps = device->link.copies > 0 ? next_on_bus(device) : CT_TIME_NEVER;
    ct_time_ps at =
        device->rates.next_ps < device->link.next_ps ? device->rates.next_ps : device->link.next_ps;
    if (at == CT_TIME_NEVER)
        des_standing_cancel(device->engine);
    else
        des_standing_plan(device->engine, at);
}

static void on_moved(void *context, uint64_t argument) {
    struct device *device = context;
    (void)argument;
    if (device->listener.repartitioned)
        device->listener.repartitioned(device->listener.context);
}

void device_tell_moved(struct device *device) {
    des_event event = des_event_schedule(device->engine, des_engine_now(device->engine),
                                         DES_RANK_REPARTITION, on_moved, device, 0);
    ct_assert(event);
}

/* The end of an instant: place blocks, then let everything run at its new rate. */
static void on_settle(void *context, uint64_t argument) {
    struct device *device = context;
    (void)argument;
    device_split_losses(device);
    if (device->queues.waiting > 0)
        device_queues_wake(device);
    if (device->config.sharing == CT_SHARING_TIMESLICE)
        device_slices_update(device);
    if (device->ops->settle)
        device->ops->settle(device);
    if (device->queues.head_count + device->running.growing > 0)
        device_dispatch(device);
    if (!device_rates_hold(device))
        device_rates_update(device);
    device_account(device);
    plan(device);
    for (uint32_t i = 0; i < device->dispatch.begun_count; i++)
        device->listener.started(device->listener.context, device->dispatch.begun[i]);
    device->dispatch.begun_count = 0;
}

static bool start_parts(struct device *device, struct ct_arena *arena) {
    const struct device_config *config = &device->config;
    device->clients = ct_arena_array(arena, config->clients, sizeof *device->clients);
    device->sm_ps = ct_arena_array(arena, config->clients, sizeof *device->sm_ps);
    device->partition.wanted =
        ct_arena_array(arena, config->clients, sizeof *device->partition.wanted);
    device->dispatch.begun =
        ct_arena_array(arena, device_places(device), sizeof(struct device_task *));
    device->dispatch.last_release = DEVICE_NOBODY;
    device->slices.active = -1;
    device->link.next_ps = CT_TIME_NEVER;
    pcie_bus_init(&device->link.bus, device->gpu);
    return device->clients && device->sm_ps && device->partition.wanted && device->dispatch.begun &&
           device_queues_start(device, arena) && device_waits_start(device, arena) &&
           device_running_start(&device->running, device_places(device), arena) &&
           device_memory_start(device, arena) && device_rates_start(device, arena) &&
           device_losses_start(device, arena) &&
           (!device->ops->start || device->ops->start(device, arena));
}

static void set_client(struct device_client *client, const struct contention_app *app) {
    client->cap = client->share = CT_SHARE_FULL;
    client->memory_weight = 1;
    client->feels = app ? app->sensitivity : 1;
    client->presses = app ? app->pressure : 1;
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
    if (!start_parts(device, arena))
        return NULL;
    for (uint32_t i = 0; i < config->clients; i++) {
        set_client(&device->clients[i], config->contention ? &config->contention[i] : NULL);
        device->clients[i].slice = i;
        device->clients[i].last_release = DEVICE_NOBODY;
    }
    des_standing_set(engine, DES_RANK_DEVICE, on_due, device);
    des_instant_set(engine, DES_RANK_SETTLE, on_settle, device);
    for (size_t i = 0; i < device->link.bus.link_count && config->blame; i++) {
        device->link.bus.links[i].blame = blame_copy;
        device->link.bus.links[i].blame_context = device;
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
    task->head_ps = task->came_ps = task->started_ps = task->ended_ps = -1;
    task->state = DEVICE_TASK_QUEUED;
    task->delayed_ps = 0;
    task->launched = task->waits = task->yields = task->follows = false;
    task->own_limit = task->pressed = false;
    task->wait_since_ps = -1;
    task->waited_ps = 0;
    task->left_ps = task->work_ps;
    task->rate = 0;
    task->resident = task->sms = task->spread = 0;
    task->speed = task->awake = task->draw = task->part_rate = task->by_presence = 1;
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
    task->copy.alone_ps = (ct_time_ps)task->work_ps;
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
    device->memory.weighted = true;
    device->rates.steady = false;
    device_touch(device);
}

void device_set_slice(struct device *device, uint32_t client, int64_t sms, double memory) {
    device->clients[client].memory = memory;
    device->partition.wanted[client] = sms;
    device->ops->repartition(device, CT_MOVE_DRAIN);
}

void device_share_slice(struct device *device, uint32_t client, uint32_t with) {
    uint32_t slice = device->clients[with].slice;
    device->clients[client].slice = slice;
    device->clients[client].shares_slice = device->clients[slice].shares_slice = true;
    device->partition.slices_shared = true;
    device->partition.wanted[client] = device->partition.wanted[slice];
    device->ops->repartition(device, CT_MOVE_DRAIN);
}

void device_repartition(struct device *device, const int64_t *sms, enum ct_move move) {
    for (uint32_t i = 0; i < device->config.clients; i++)
        device->partition.wanted[i] = sms[i];
    device->ops->repartition(device, move);
}

bool device_is_idle(const struct device *device) {
    return device->running.count == 0 && device->queues.head_count == 0 &&
           device->queues.delayed_count == 0 && device->link.copies == 0;
}

struct device_usage device_usage(struct device *device) {
    for (uint32_t i = 0; i < device->running.count; i++)
        device_advance(device, device->running.tasks[i]);
    device_account(device);
    return device->usage;
}

struct device_counters device_client_counters(struct device *device, uint32_t client) {
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.tasks[i]->client == client)
            device_advance(device, device->running.tasks[i]);
    device_account(device);
    struct device_counters counters = device->clients[client].counters;
    counters.told.busy_ps = device_busy_ps(device, client);
    counters.told.sm_ps = device->sm_ps[client];
    return counters;
}

void device_settle_losses(struct device *device) {
    if (!device->config.blame)
        return;
    device_split_losses(device);
    device_settle_waits(device);
    for (uint32_t i = 0; i < device->queues.head_count; i++)
        charge_waits(device, device->queues.heads[i]);
    for (uint32_t i = 0; i < device->running.count; i++)
        charge_waits(device, device->running.tasks[i]);
}

void device_visit_running(struct device *device, device_visitor *visit, void *context) {
    for (uint32_t i = 0; i < device->running.count; i++) {
        device_advance(device, device->running.tasks[i]);
        visit(context, device->running.tasks[i],
              device->running.tasks[i]->work_ps - device->running.tasks[i]->left_ps);
    }
    device_visit_copies(device, visit, context);
}

double device_copy_work_ps(const struct gpu *gpu, uint64_t bytes, bool pinned) {
    struct pcie_link link;
    pcie_link_init(&link, gpu);
    return (double)pcie_solo_time(&link, bytes, pinned);
}
