/*
 * Rates of progress. A running task's rate is the product of what its SMs, the memory and the SM's
 * inside leave it; the loss of each interval is split in that order and each part is
 * charged to those who caused it (docs/model-reference.md, "How a kernel progresses").
 */
#include "models/device/device_internal.h"

#include "models/device/contention.h"

#include <math.h>

static double bandwidth_peak(const struct device *device) {
    return device->dram.peak_bytes_per_s;
}

/* What a culprit of a loss is weighed by. */
static double weight_of(const struct device *device, const struct device_task *task,
                        enum device_loss cause) {
    switch (cause) {
    case DEVICE_LOSS_SM_SHARE:
        return task->sms;
    case DEVICE_LOSS_DRAM:
    case DEVICE_LOSS_ROW_BUFFER:
        return task->demand_bytes_per_s * device_rate(device, task) * task->draw;
    case DEVICE_LOSS_SM_CONTENTION:
        return task->profile ? task->profile->unit_fraction * device_rate(device, task) : 0;
    default: /* preemption, by a time slice or by a move of SMs */
        return device->config.sharing == CT_SHARING_TIMESLICE
                   ? device->active == (int64_t)task->client
                   : task->sms;
    }
}

/* Which rows of device->weights are made: the running tasks with weight, in their order, made once
 * per cause in a split. */
struct weights {
    bool made[DEVICE_LOSS_COUNT];
    uint32_t count[DEVICE_LOSS_COUNT];
};

/* The row of a cause: each task's weight with the sum of those before it; behind the last, the sum
 * of all. */
static struct device_weight *row_of(const struct device *device, enum device_loss cause) {
    return device->weights + (size_t)cause * (device->config.streams + 1);
}

static void weigh(const struct device *device, struct weights *weights, enum device_loss cause) {
    struct device_weight *row = row_of(device, cause);
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        double weight = weight_of(device, task, cause);
        if (!(weight > 0))
            continue;
        row[count++] = (struct device_weight){weight, sum, task->client};
        sum += weight;
    }
    row[count].before = sum;
    weights->made[cause] = true;
    weights->count[cause] = count;
}

/* Charges a loss to all others by weight; false: there is nobody to charge. */
static bool charge_others(const struct device_task *task, const struct device_weight *row,
                          uint32_t count, double loss_ps) {
    const struct device_weight *end = row + count, *first = row; /* of its own */
    const uint32_t own = task->client;
    double *const restrict culprit_ps = task->culprit_ps;
    while (first < end && first->client != own)
        first++;
    double sum = first->before;
    for (const struct device_weight *other = first + 1; other < end; other++)
        if (other->client != own)
            sum += other->weight;
    if (!(sum > 0))
        return false;
    for (const struct device_weight *other = row; other < first; other++)
        culprit_ps[other->client] += loss_ps * other->weight / sum;
    for (const struct device_weight *other = first + 1; other < end; other++)
        if (other->client != own)
            culprit_ps[other->client] += loss_ps * other->weight / sum;
    return true;
}

/*
 * Charges a loss to the other applications that run, by weight; to the task's own where there is
 * nobody else, and in a slice, where nobody else has a part in it.
 */
static void charge(const struct device *device, struct weights *weights, struct device_task *task,
                   enum device_loss cause, double loss_ps) {
    if (!device->config.slices) {
        if (!weights->made[cause])
            weigh(device, weights, cause);
        const struct device_weight *row = row_of(device, cause);
        uint32_t count = weights->count[cause];
        if (charge_others(task, row, count, loss_ps))
            return;
    }
    uint32_t culprit = cause == DEVICE_LOSS_PREEMPTION && device->active >= 0
                           ? (uint32_t)device->active
                           : task->client;
    task->culprit_ps[culprit] += loss_ps;
}

void device_charge(const struct device *device, struct device_task *task, enum device_loss cause,
                   double loss_ps) {
    struct weights weights = {{false}, {0}};
    charge(device, &weights, task, cause, loss_ps);
}

/* Takes a cause's part of what remains of an interval. Returns the rest. */
static inline double split_cause(const struct device *device, struct weights *weights,
                                 struct device_task *task, enum device_loss cause,
                                 double remaining) {
    if (task->limit[cause] == 1)
        return remaining;
    double loss = remaining * (1 - task->limit[cause]);
    task->loss_ps[cause] += loss;
    if (task->culprit_ps)
        charge(device, weights, task, cause, loss);
    return remaining - loss;
}

/* Splits the time that a task lost by cause, in the order of the list of causes (ct_blame.h): each
 * takes its part of what those before it left. */
static void split_loss(const struct device *device, struct weights *weights,
                       struct device_task *task, double elapsed_ps) {
    double rest = elapsed_ps;
    for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++)
        rest = split_cause(device, weights, task, (enum device_loss)cause, rest);
}

/* Splits what was lost since the last split. Touches no progress: with and without blame, times are
 * the same. */
static inline void blame_until_now(const struct device *device, struct weights *weights,
                                   struct device_task *task, ct_time_ps now) {
    if (now > task->blamed_ps && (task->follows || task->rate != 1)) {
        if (device->steady)
            device_limit_by_clock(device, task);
        split_loss(device, weights, task, (double)(now - task->blamed_ps));
    }
    task->blamed_ps = now;
}

static void blame_alone(const struct device *device, struct device_task *task) {
    struct weights weights = {{false}, {0}};
    blame_until_now(device, &weights, task, des_engine_now(device->engine));
}

static inline void count_traffic(struct device *device, struct device_counters *counters,
                                 const struct device_task *task, double work) {
    double bytes = task->demand_bytes_per_s * work / (double)CT_PS_PER_S;
    device->usage.dram_bytes += bytes;
    if (!task->profile)
        return;
    counters->accesses += bytes / 128;
    counters->row_hits += bytes / 128 * (task->profile->row_hit_rate - task->hits_lost);
}

/* Brings the progress of a task up to `now`, up to when its losses are split. `blocks`: thread
 * blocks are placed (a constant at each call, here and below). */
static inline void progress(struct device *device, struct device_task *task, ct_time_ps now,
                            bool blocks) {
    const struct kernel_profile *profile = task->profile;
    struct device_counters *counters = &device->clients[task->client].counters;
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
    counters->sm_ps += held;
    if (task->demand_bytes_per_s > 0)
        count_traffic(device, counters, task, work);
    if (profile && !isnan(profile->instructions))
        counters->instructions +=
            profile->instructions * task->blocks / profile->blocks * work / task->work_ps;
}

void device_progress(struct device *device, struct device_task *task) {
    ct_time_ps now = des_engine_now(device->engine);
    if (device->config.blame && now > task->blamed_ps)
        blame_alone(device, task);
    progress(device, task, now, device->ops->places_blocks);
}

/* Once an instant: what begins or changes its rate in the course of it has lost nothing yet. */
void device_split_all(struct device *device) {
    struct weights weights = {{false}, {0}};
    ct_time_ps now = des_engine_now(device->engine);
    if (device->split_ps == now)
        return;
    device->split_ps = now;
    for (uint32_t i = 0; i < device->running_count; i++)
        blame_until_now(device, &weights, device->running[i], now);
}

/* Roofline: fewer SMs slow a kernel only once its compute time exceeds its solo duration. */
static double sm_limit(const struct device_task *task) {
    if (!task->profile)
        return 1;
    double limit = task->speed / task->profile->compute_fraction;
    return limit < 1 ? limit : 1;
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

/* What a task asks of the whole GPU's functional units, at the rate that its SMs allow. */
static double ask_units(const struct device *device, const struct device_task *task) {
    if (!task->profile || task->profile->unit_fraction == 0)
        return 0;
    return task->profile->unit_fraction * device_sm_rate(device, task);
}

/* Units, also by client where a partition may be short of them. */
static void sum_units(struct device *device, struct use *use) {
    bool partition = device->config.sharing == CT_SHARING_PARTITION;
    for (uint32_t i = 0; i < device->running_count && partition; i++)
        device->clients[device->running[i]->client].unit_use = 0;
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        double units = device->lanes[i].units = ask_units(device, task);
        if (partition)
            device->clients[task->client].unit_use += units;
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

static void sum_pressure(struct device *device, struct use *use) {
    for (uint32_t i = 0; i < device->running_count; i++)
        device->clients[device->running[i]->client].pressure = 0;
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        struct device_client *client = &device->clients[task->client];
        if (!task->profile)
            continue;
        double rate = device_sm_rate(device, task);
        double dram = task->demand_bytes_per_s * rate / bandwidth_peak(device);
        double pressure = client->presses * (dram + task->profile->l2_fraction * rate);
        client->pressure += pressure;
        use->dram += dram;
        use->pressure += pressure;
        if (device_client_runs(device, task->client))
            note_presence(use, task->client, client->presses);
    }
}

/* S: the application's factor, times what the kernel itself uses of DRAM and L2 where the
 * calibration says so. */
static double sensitivity(const struct device *device, const struct device_task *task) {
    double feels = device->clients[task->client].feels;
    if (!device->gpu->own_sensitivity)
        return feels;
    return feels *
           fmin(1, task->demand_bytes_per_s / bandwidth_peak(device) + task->profile->l2_fraction);
}

/* Slowdown among kernels that are truly resident together. */
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
    task->limit[DEVICE_LOSS_DRAM] /= 1 + loss.bandwidth;
    task->limit[DEVICE_LOSS_SM_CONTENTION] *= (1 + loss.bandwidth) / slowdown;
}

static void limit_inside_sm(struct device *device) {
    struct use use = {.first = DEVICE_NOBODY};
    sum_units(device, &use);
    device->units_short = use.units > 1;
    device->ops->limit_units(device, use.units);
    bool none = device->gpu->contention_k0 == 0 && device->gpu->contention_k == 0;
    if (none || device->config.slices) /* a slice has no neighbour */
        return;
    sum_pressure(device, &use);
    for (uint32_t i = 0; i < device->running_count; i++) {
        struct device_task *task = device->running[i];
        if (task->profile && device_client_runs(device, task->client))
            limit_contention(device, task, &use);
    }
}

/* The rate of a task, per time of the clock that it follows. Host copies have rates of their own: a
 * running task's factors for the link are 1. */
static double rate_of(const struct device *device, const struct device_task *task) {
    double rate = task->limit[DEVICE_LOSS_SM_SHARE];
    if (!device->steady) /* else the clock's pace is what the memory leaves */
        rate = rate * task->limit[DEVICE_LOSS_DRAM] * task->limit[DEVICE_LOSS_ROW_BUFFER];
    return rate * task->limit[DEVICE_LOSS_SM_CONTENTION] * task->limit[DEVICE_LOSS_PREEMPTION];
}

/* What its SMs and its slice leave a task, before what it shares with others. */
static inline void begin_limits(const struct device *device, struct device_task *task) {
    bool runs = device_client_runs(device, task->client);
    task->limit[DEVICE_LOSS_SM_SHARE] = runs ? sm_limit(task) : 1;
    task->limit[DEVICE_LOSS_DRAM] = task->limit[DEVICE_LOSS_ROW_BUFFER] = 1;
    task->limit[DEVICE_LOSS_SM_CONTENTION] = 1;
    task->limit[DEVICE_LOSS_PREEMPTION] = runs ? task->awake : 0;
}

/* Plans when a task falls due. Copies and memsets end when their work is done, and so does the last
 * wave of a fluid kernel. */
static inline void plan(struct device *device, uint32_t slot, ct_time_ps now, bool blocks) {
    struct device_task *task = device->running[slot];
    ct_time_ps *until_ps = &device->until_ps[slot];
    if (blocks && task->profile) {
        *until_ps = device->ops->plan(device, task);
        return;
    }
    bool simple = task->last_wave && !task->yields;
    double work = simple ? task->left_ps : device->ops->work_until_due(device, task);
    double takes = task->rate > 0 ? device_greater(0, work / task->rate) : INFINITY;
    if (task->follows)
        device->memory_until_ps[slot] = task->memory_ps + takes;
    *until_ps = task->follows ? CT_TIME_NEVER : ct_time_later(now, ct_time_round(takes));
}

/* Makes the rates of those in these slots (NULL: of the first so many) from their limits. Who goes
 * on at another rate, or by another clock, is brought up to now, and when it falls due planned. */
static void set_rates(struct device *device, const uint32_t *slots, uint32_t count) {
    const ct_time_ps now = des_engine_now(device->engine);
    const bool blocks = device->ops->places_blocks, clock_runs = device->clock.runs;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t slot = slots ? slots[i] : i;
        struct device_task *task = device->running[slot];
        bool follows = clock_runs && task->demand_bytes_per_s > 0;
        double rate = rate_of(device, task);
        if (rate != task->rate || follows != task->follows) {
            if (task->updated_ps < now)
                progress(device, task, now, blocks);
            task->rate = rate;
            task->follows = follows;
            task->memory_ps = device->clock.ps;
        } else if (device->until_ps[slot] >= 0)
            continue;
        plan(device, slot, now, blocks);
    }
}

/* The first to fall due by the engine's clock. */
static ct_time_ps first_due(const struct device *device) {
    ct_time_ps at_ps = CT_TIME_NEVER;
    for (uint32_t i = 0; i < device->running_count; i++)
        at_ps = device->until_ps[i] < at_ps ? device->until_ps[i] : at_ps;
    return at_ps;
}

static void set_next_due(struct device *device) {
    device->next_ps = first_due(device);
    if (!device->clock.runs)
        return;
    ct_time_ps followers_ps = device_clock_plan(device);
    if (followers_ps < device->next_ps)
        device->next_ps = followers_ps;
}

/* Sets the pace of the memory's clock by how short the memory is now. Whether traffic has begun or
 * ceased to follow the clock. */
static bool set_pace(struct device *device) {
    return (device->clock.runs || device->memory.is) && device_clock_pace(device);
}

/* ---- Where only units and memory that run short tie tasks to each other ---- */

/* Lists those that have changed, with what they ask for. Returns how many. */
static uint32_t list_changed(struct device *device) {
    uint32_t count = 0, end = device->running_count;
    const ct_time_ps *until_ps = device->until_ps;
    for (uint32_t i = device->lanes_summed; i < end; i++) {
        if (until_ps[i] >= 0)
            continue;
        device->stale[count++] = i;
        begin_limits(device, device->running[i]);
        device->lanes[i].units = ask_units(device, device->running[i]);
        device_ask_memory(device, i);
    }
    return count;
}

/* ---- All rates anew ---- */

static void limit_all(struct device *device, bool beside) {
    for (uint32_t i = 0; i < device->running_count; i++)
        begin_limits(device, device->running[i]);
    device->memory.is = false;
    if (!beside)
        return;
    device->lanes_summed = 0;
    limit_inside_sm(device);
    for (uint32_t i = 0; i < device->running_count && device->ops->places_blocks; i++)
        if (device->running[i]->profile)
            device->ops->set_draw(device, device->running[i]);
    device_limit_memory(device);
}

void device_rates_update(struct device *device) {
    /* Alone, a fluid kernel loses nothing but to its slice; blocks may still be packed closer than
     * they were recorded. */
    bool beside = device->running_count > 1 || device->ops->places_blocks || device->config.slices;
    bool all = !device->steady || device->shaken || device->units_short || !beside;
    device->unrated = false;
    device->shaken = !beside;
    if (device->clock.runs)
        device_clock_wind(device);
    const uint32_t *slots = NULL;
    uint32_t count = device->running_count, changed = all ? 0 : list_changed(device);
    if (all || device_sum_lanes(device)->units > 1) {
        limit_all(device, beside);
        set_pace(device);
    } else {
        device_share_memory(device);
        if (!set_pace(device)) { /* the others' rates are as they were */
            slots = device->stale;
            count = changed;
        }
    }
    set_rates(device, slots, count);
    set_next_due(device);
}
