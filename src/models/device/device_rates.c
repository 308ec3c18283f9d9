/*
 * Rates of progress. A running task's rate is the product of what its SMs, the memory and the SM's
 * inside leave it; the loss of each interval is split in that order and each part is
 * charged to those who caused it (docs/model-reference.md, "How a kernel progresses").
 */
#include "models/device/device_internal.h"

#include "models/device/contention.h"

#include <math.h>

/* The peak of the memory that a client may use. */
static double bandwidth_of(const struct device *device, uint32_t client) {
    double part = device->config.slices ? device->clients[device->clients[client].slice].memory : 1;
    return part * device->memory.dram.peak_bytes_per_s;
}

/* Before anybody runs; weights in the memory controller may come later. */
static bool is_steady(const struct device *device) {
    return !device->ops->places_blocks && device->config.sharing != CT_SHARING_PARTITION &&
           !device->config.slices && !device->memory.weighted && !device->config.waits_for_memory &&
           device->gpu->contention_k0 == 0 && device->gpu->contention_k == 0;
}

bool device_rates_start(struct device *device, struct ct_arena *arena) {
    device->rates.next_ps = CT_TIME_NEVER;
    device->rates.steady = is_steady(device);
    device->rates.stale = ct_arena_array(arena, device_places(device), sizeof *device->rates.stale);
    return device->rates.stale;
}

static inline void count_traffic(struct device *device, struct ct_counters *counters,
                                 const struct device_task *task, double work) {
    double bytes = task->demand_bytes_per_s * work / (double)CT_PS_PER_S;
    device->usage.dram_bytes += bytes;
    if (!task->profile)
        return;
    counters->memory_accesses += bytes / 128;
    counters->row_hits += bytes / 128 * (task->profile->row_hit_rate - task->hits_lost);
}

/* Brings the progress of a task up to `now`, up to when its losses are split. `blocks`: thread
 * blocks are placed (a constant at each call, here and below). */
static inline void progress(struct device *device, struct device_task *task, ct_time_ps now,
                            bool blocks) {
    const struct kernel_profile *profile = task->profile;
    struct ct_counters *counters = &device->clients[task->client].counters.told;
    double elapsed = (double)(now - task->updated_ps);
    double work = elapsed * task->rate;
    double held = task->rate > 0 ? task->sms * elapsed : 0; /* frozen, it lies in memory */
    if (task->follows) {
        double memory_ps = device_clock_now(device);
        work = (memory_ps - task->memory_ps) * task->rate;
        task->memory_ps = memory_ps;
    }
    if (profile && blocks)
        work = device->ops->work(device, task, elapsed);
    else
        device->usage.sm_ps += held;
    task->left_ps -= work;
    task->updated_ps = now;
    device->sm_ps[task->client] += held;
    if (task->demand_bytes_per_s > 0)
        count_traffic(device, counters, task, work);
    if (profile && !isnan(profile->instructions))
        counters->instructions +=
            profile->instructions * task->blocks / profile->blocks * work / task->work_ps;
}

void device_progress(struct device *device, struct device_task *task) {
    ct_time_ps now = des_engine_now(device->engine);
    if (device->config.blame && task->loses && now > task->blamed_ps)
        device_blame(device, task);
    progress(device, task, now, device->ops->places_blocks);
}

/* Roofline: fewer slots slow a kernel only once its compute time exceeds its solo duration. */
static double sm_limit(const struct device_task *task) {
    if (!task->profile)
        return 1;
    if (task->waits)
        return 0;
    double limit = task->speed / task->profile->compute_fraction;
    return device_lesser(limit, task->part_rate);
}

double device_sm_rate(const struct device *device, const struct device_task *task) {
    return device_client_runs(device, task->client) ? task->limit[DEVICE_LOSS_SM_SHARE] : 0;
}

/* ---- Inside the SMs ---- */

/* What the running kernels use at the rate that their SMs allow. */
struct use {
    double units; /* of the whole GPU's */
    double dram, pressure;
    double presence; /* the largest of anybody, and of anybody but that client */
    double second;
    uint32_t first;
};

/* What a task asks of the functional units, at the rate that its SMs allow: of the whole GPU's, or
 * of those where it lies. */
static double ask_units(const struct device *device, const struct device_task *task) {
    if (!task->profile || task->profile->unit_fraction == 0)
        return 0;
    double units = task->profile->unit_fraction * device_sm_rate(device, task);
    return device->ops->slots_needed ? device->ops->slots_needed(device, task, units) : units;
}

/* Units, also by client (of a shared slice, by the one whose it is) where a partition may be short
 * of them. */
static void sum_units(struct device *device, struct use *use) {
    bool partition = device->config.sharing == CT_SHARING_PARTITION;
    for (uint32_t i = 0; i < device->running.count && partition; i++)
        device->clients[device->clients[device->running.tasks[i]->client].slice].unit_use = 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *task = device->running.tasks[i];
        double units = device->running.lanes[i].units = ask_units(device, task);
        if (partition)
            device->clients[device->clients[task->client].slice].unit_use += units;
        use->units += units;
    }
}

static void note_presence(struct use *use, uint32_t client, double presses) {
    if (client == use->first)
        return;
    if (presses > use->presence) {
        use->second = use->presence;
        use->presence = presses;
        use->first = client;
    } else if (presses > use->second)
        use->second = presses;
}

/* Whether a kernel has blocks on SMs that are neither saved nor being saved or restored. */
static bool is_resident(const struct device_task *task) {
    return task->profile && task->resident > 0 && task->awake > 0;
}

/* At the rate that its SMs allow, what it uses of the bandwidth that its client may use. */
static double dram_use(const struct device *device, const struct device_task *task) {
    double rate = device_sm_rate(device, task) * task->awake;
    return task->demand_bytes_per_s * rate / bandwidth_of(device, task->client);
}

/* What a kernel uses of DRAM and L2, at the rate that its SMs allow. */
static double memory_use(const struct device *device, const struct device_task *task) {
    double l2 = task->profile->l2_fraction * (device_sm_rate(device, task) * task->awake);
    return dram_use(device, task) + l2;
}

double device_pressure(const struct device *device, const struct device_task *task) {
    if (!is_resident(task))
        return 0;
    return device->clients[task->client].presses * memory_use(device, task);
}

double device_presence(const struct device *device, const struct device_task *task) {
    bool present =
        is_resident(task) && !task->profile->off_memory && device_client_runs(device, task->client);
    return present ? device->clients[task->client].presses : 0;
}

/* Adds up the pressure of those running kernels that meet this client. */
static void sum_pressure(struct device *device, uint32_t with, struct use *use) {
    for (uint32_t i = 0; i < device->running.count; i++)
        device->clients[device->running.tasks[i]->client].pressure = 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *task = device->running.tasks[i];
        struct device_client *client = &device->clients[task->client];
        if (!is_resident(task) || !device_meet(device, task->client, with))
            continue;
        double pressure = device_pressure(device, task);
        client->pressure += pressure;
        use->dram += dram_use(device, task);
        use->pressure += pressure;
        note_presence(use, task->client, device_presence(device, task));
    }
}

/* S: the application's factor, times what the kernel itself uses of DRAM and L2 where the
 * calibration says so. */
static double sensitivity(const struct device *device, const struct device_task *task) {
    double feels = device->clients[task->client].feels;
    return device->gpu->own_sensitivity ? feels * fmin(1, memory_use(device, task)) : feels;
}

/* Slowdown among kernels that are truly resident together, and meet in L2 or DRAM. */
static void limit_contention(const struct device *device, struct device_task *task,
                             const struct use *use) {
    double others = use->pressure - device->clients[task->client].pressure;
    struct contention_load load = {.presence =
                                       task->client == use->first ? use->second : use->presence,
                                   .pressure = fmax(0, others),
                                   .dram = use->dram,
                                   .sensitivity = sensitivity(device, task)};
    struct contention_loss loss = contention_loss(device->gpu, &load);
    double slowdown = 1 + loss.bandwidth + loss.sm;
    task->pressed = loss.bandwidth > 0;
    task->by_presence = (1 + loss.bandwidth) / slowdown;
    task->limit[DEVICE_LOSS_DRAM] /= 1 + loss.bandwidth;
    task->limit[DEVICE_LOSS_SM_CONTENTION] *= task->by_presence;
}

/* Contention among the kernels that meet this client. */
static void limit_among(struct device *device, uint32_t with) {
    struct use use = {.first = DEVICE_NOBODY};
    sum_pressure(device, with, &use);
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        if (task->profile && !task->profile->off_memory &&
            device_client_runs(device, task->client) && device_meet(device, task->client, with))
            limit_contention(device, task, &use);
    }
}

static void limit_inside_sm(struct device *device) {
    struct use use = {.first = DEVICE_NOBODY};
    sum_units(device, &use);
    device->rates.units_short = use.units > 1;
    device->ops->limit_units(device, use.units);
    if (device->gpu->contention_k0 == 0 && device->gpu->contention_k == 0)
        return;
    if (!device->config.slices)
        limit_among(device, 0);
    for (uint32_t i = 0; i < device->config.clients && device->partition.slices_shared; i++)
        if (device->clients[i].slice == i && device->clients[i].shares_slice)
            limit_among(device, i);
}

/* The rate of a task, per time of the clock that it follows. Host copies have rates of their own: a
 * running task's factors for the link are 1. */
static double rate_of(const struct device *device, const struct device_task *task) {
    return device_left_of(task, !device->rates.steady); /* else the clock's pace has the memory */
}

/* What its SMs and its slice leave a task, before what it shares with others. */
static inline void begin_limits(const struct device *device, struct device_task *task) {
    bool runs = device_client_runs(device, task->client);
    for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++)
        task->limit[cause] = 1;
    task->limit[DEVICE_LOSS_SM_SHARE] = runs ? sm_limit(task) : 1;
    task->limit[DEVICE_LOSS_PREEMPTION] = runs ? task->awake : 0;
    task->by_presence = 1;
    task->pressed = false;
}

/* Plans when a task falls due. Copies and memsets end when their work is done, and so does the last
 * wave of a fluid kernel. */
static inline void plan(struct device *device, uint32_t slot, ct_time_ps now, bool blocks) {
    struct device_task *task = device->running.tasks[slot];
    ct_time_ps *until_ps = &device->running.until_ps[slot];
    if (blocks && task->profile) {
        *until_ps = device->ops->plan(device, task);
        return;
    }
    bool simple = task->last_wave && !task->yields;
    double work = simple ? task->left_ps : device->ops->work_until_due(device, task);
    double takes = task->rate > 0 ? device_greater(0, work / task->rate) : INFINITY;
    if (task->follows)
        device->running.memory_until_ps[slot] = task->memory_ps + takes;
    *until_ps = task->follows ? CT_TIME_NEVER : ct_time_later(now, ct_time_round(takes));
}

/* Who begins to lose loses from now on. */
static inline void set_loses(struct device *device, struct device_task *task, ct_time_ps now) {
    bool loses = task->follows || task->rate != 1;
    if (loses == task->loses)
        return;
    task->loses = loses;
    task->blamed_ps = now;
    device->running.losing += loses ? 1 : -1u;
}

/* Makes the rates of those in these slots (NULL: of the first so many) from their limits. Who goes
 * on at another rate, or by another clock, is brought up to now, and when it falls due planned. */
static void set_rates(struct device *device, const uint32_t *slots, uint32_t count) {
    const ct_time_ps now = des_engine_now(device->engine);
    const bool blocks = device->ops->places_blocks, clock_runs = device->memory.clock.runs;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slots ? slots[i] : i;
        struct device_task *task = device->running.tasks[slot];
        bool follows = clock_runs && task->demand_bytes_per_s > 0;
        double rate = rate_of(device, task);
        if (rate != task->rate || follows != task->follows) {
            if (task->updated_ps < now)
                progress(device, task, now, blocks);
            task->rate = rate;
            task->follows = follows;
            task->memory_ps = device->memory.clock.ps;
            set_loses(device, task, now);
        } else if (device->running.until_ps[slot] >= 0)
            continue;
        plan(device, slot, now, blocks);
    }
}

/* The first to fall due by the engine's clock. */
static ct_time_ps first_due(const struct device *device) {
    ct_time_ps at_ps = CT_TIME_NEVER;
    for (uint32_t i = 0; i < device->running.count; i++)
        at_ps = device->running.until_ps[i] < at_ps ? device->running.until_ps[i] : at_ps;
    return at_ps;
}

static void set_next_due(struct device *device) {
    device->rates.next_ps = first_due(device);
    if (!device->memory.clock.runs)
        return;
    ct_time_ps followers_ps = device_clock_plan(device);
    if (followers_ps < device->rates.next_ps)
        device->rates.next_ps = followers_ps;
}

/* Sets the pace of the memory's clock by how short the memory is now. Whether traffic has begun or
 * ceased to follow the clock. */
static bool set_pace(struct device *device) {
    return (device->memory.clock.runs || device->memory.shortage.is) && device_clock_pace(device);
}

/* ---- Where only units and memory that run short tie tasks to each other ---- */

/* Lists those that have changed, with what they ask for. Returns how many. */
static uint32_t list_changed(struct device *device) {
    uint32_t count = 0, end = device->running.count;
    const ct_time_ps *until_ps = device->running.until_ps;
    for (uint32_t i = device->running.lanes_summed; i < end; i++) {
        if (until_ps[i] >= 0)
            continue;
        device->rates.stale[count++] = i;
        begin_limits(device, device->running.tasks[i]);
        device->running.lanes[i].units = ask_units(device, device->running.tasks[i]);
        device_ask_memory(device, i);
    }
    return count;
}

/* ---- All rates anew ---- */

static void limit_all(struct device *device, bool beside) {
    for (uint32_t i = 0; i < device->running.count; i++)
        begin_limits(device, device->running.tasks[i]);
    device->memory.shortage.is = false;
    if (!beside)
        return;
    device->running.lanes_summed = 0;
    limit_inside_sm(device);
    for (uint32_t i = 0; i < device->running.count && device->ops->places_blocks; i++)
        if (device->running.tasks[i]->profile)
            device->ops->set_draw(device, device->running.tasks[i]);
    device_limit_memory(device);
}

void device_rates_update(struct device *device) {
    /* Alone, a fluid kernel loses nothing but to its slice; blocks may still be packed closer than
     * they were recorded. */
    bool beside = device->running.count > 1 || device->ops->places_blocks || device->config.slices;
    bool all =
        !device->rates.steady || device->rates.shaken || device->rates.units_short || !beside;
    device->rates.unrated = false;
    device->rates.shaken = !beside;
    if (device->memory.clock.runs)
        device_clock_wind(device);
    const uint32_t *slots = NULL;
    uint32_t count = device->running.count, changed = all ? 0 : list_changed(device);
    if (all || device_sum_lanes(device)->units > 1) {
        limit_all(device, beside);
        set_pace(device);
    } else {
        device_share_memory(device);
        if (!set_pace(device)) { /* the others' rates are as they were */
            slots = device->rates.stale;
            count = changed;
        }
    }
    set_rates(device, slots, count);
    set_next_due(device);
}
