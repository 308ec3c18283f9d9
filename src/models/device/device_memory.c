/*
 * What a saturated memory leaves everybody. It is shared in proportion to what each would draw, by
 * the GPU's other rule or the clients' weights in the memory controller where there are such, and
 * within each client's slice where memory is sliced.
 *
 * Below saturation the contention term k P has slowed a kernel already; above it the bandwidth
 * decides, so a kernel is slowed by whichever costs it more, not by both.
 */
#include "models/device/device_internal.h"

#include <math.h>

static const double ROUNDING = 1e-12;
/* Halvings of an interval that lead to a double's last digit. */
enum { HALVINGS = 60 };

bool device_memory_start(struct device *device, struct ct_arena *arena) {
    struct memory_state *memory = &device->memory;
    const struct gpu *gpu = device->gpu;
    memory->dram = dram_line(gpu);
    memory->clock.next_due_ps = CT_TIME_NEVER;
    memory->weighted = gpu->memory_sharing != GPU_SHARING_FAIR || gpu->row_hit_drift > 0;
    memory->served = ct_arena_array(arena, device_places(device), sizeof *memory->served);
    return memory->served;
}

/* ---- What the memory leaves one task ---- */

/* Copies and memsets stream through whole rows. */
static double row_hits(const struct device_task *task) {
    return task->profile ? task->profile->row_hit_rate : 1;
}

/* What it draws alone explains its row hits, however much it asks for now. */
static struct dram_explained explained(const struct device *device,
                                       const struct device_task *task) {
    struct dram_demand alone = {task->demand_bytes_per_s, row_hits(task)};
    return dram_explain(&device->memory.dram, &alone);
}

/* Factors of a task's rate by what memory leaves it. */
struct memory_limit {
    double dram, row; /* bandwidth; others' row misses */
};

/* The smaller of what contention below saturation leaves a task and of what a saturated memory
 * leaves it; the two do not add up. */
static struct memory_limit worse_limit(struct memory_limit contention, struct memory_limit limit) {
    double below = contention.dram;
    if (below <= limit.dram * limit.row)
        return contention;
    return (struct memory_limit){
        device_lesser(below, limit.dram),
        contention.row * (below < limit.dram ? limit.dram * limit.row / below : limit.row)};
}

static void limit_task(struct device_task *task, struct memory_limit limit) {
    struct memory_limit contention = {task->limit[DEVICE_LOSS_DRAM],
                                      task->limit[DEVICE_LOSS_ROW_BUFFER]};
    task->pressed = task->pressed && contention.dram <= limit.dram * limit.row;
    limit = worse_limit(contention, limit);
    task->limit[DEVICE_LOSS_DRAM] = limit.dram;
    task->limit[DEVICE_LOSS_ROW_BUFFER] = limit.row;
}

/* What all would get if everybody's rows were hit as often as this task's. */
static double row_bytes_per_s_of(const struct device *device, const struct device_task *task,
                                 struct device_lane *lane) {
    if (isnan(lane->row_bytes_per_s))
        lane->row_bytes_per_s =
            dram_effective_bytes_per_s(&device->memory.dram, explained(device, task).row_hit_rate);
    return lane->row_bytes_per_s;
}

/* Traffic that shares a part of a memory that runs short. */
static struct memory_limit part_of(const struct device *device, const struct device_task *task,
                                   struct device_lane *lane, double part,
                                   const struct memory_shortage *shortage) {
    double own = part * row_bytes_per_s_of(device, task, lane);
    own = device_lesser(shortage->asked, device_greater(shortage->capacity, own));
    return (struct memory_limit){own / shortage->asked, shortage->capacity / own};
}

/* What a task would draw if the memory held nothing back. */
static double asked_by(const struct device_task *task) {
    return task->demand_bytes_per_s * device_left_of(task, false) * task->draw;
}

void device_ask_memory(struct device *device, uint32_t slot) {
    const struct device_task *task = device->running.tasks[slot];
    struct dram_explained *memory = &device->running.lanes[slot].memory;
    if (task->demand_bytes_per_s <= 0)
        return;
    double asked = asked_by(task);
    if (asked == memory->bytes_per_s)
        return;
    *memory = explained(device, task);
    memory->bytes_per_s = asked;
}

/* ---- In proportion ---- */

void device_share_memory(struct device *device) {
    struct memory_shortage now = {.is = false};
    /* One alone gets what it was recorded to draw; only placed blocks may ask for more. */
    const uint32_t enough = device->ops->places_blocks ? 0 : 1;
    const struct device_sums *sums =
        device->running.drawing > enough ? device_sum_lanes(device) : NULL;
    if (sums && sums->drawing > enough) {
        now.asked = sums->memory.bytes_per_s;
        now.capacity = dram_mix_capacity_bytes_per_s(&device->memory.dram, &sums->memory);
        now.is = now.asked > now.capacity * (sums->drawing > 1 ? 1 : 1 + ROUNDING);
    }
    device->memory.shortage = now;
}

/* Limits a task that has traffic by what it gets of a part (0 to 1) of the memory, of which all
 * that share it ask for too much. */
static void limit_alike(struct device *device, uint32_t slot, double part,
                        const struct memory_shortage *shortage) {
    struct device_task *task = device->running.tasks[slot];
    if (task->demand_bytes_per_s > 0)
        limit_task(task, part_of(device, task, &device->running.lanes[slot], part, shortage));
}

void device_limit_by_clock(const struct device *device, struct device_task *task) {
    struct memory_limit limit = {1, 1};
    if (task->follows)
        limit = part_of(device, task, &device->running.lanes[device_slot_of(device, task)], 1,
                        &device->memory.shortage);
    task->limit[DEVICE_LOSS_DRAM] = limit.dram;
    task->limit[DEVICE_LOSS_ROW_BUFFER] = limit.row;
}

/* Limits the kernels of one memory slice: the client's whose it is, and of those that share it. */
static void limit_slice(struct device *device, uint32_t client) {
    double part = device->clients[client].memory;
    struct dram_mix mix = {0};
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->clients[device->running.tasks[i]->client].slice == client)
            dram_mix_add(&mix, &device->running.lanes[i].memory,
                         device->running.lanes[i].memory.bytes_per_s);
    if (!(mix.bytes_per_s > 0))
        return;
    struct memory_shortage own = {
        .asked = mix.bytes_per_s,
        .capacity = part * dram_mix_capacity_bytes_per_s(&device->memory.dram, &mix)};
    for (uint32_t i = 0; i < device->running.count && own.asked > own.capacity; i++)
        if (device->clients[device->running.tasks[i]->client].slice == client)
            limit_alike(device, i, part, &own);
}

/* ---- By weight ---- */

/*
 * What a task's part of a memory that runs short grows with: what it would draw, the SMs that it
 * holds, or the bandwidth that these SMs offer if the memory answered at once (HSM section 4.3),
 * times its client's weight in the memory controller. A copy holds no SM: it claims as many as its
 * part of the peak.
 */
static double claim_of(const struct device *device, const struct device_task *task, double asked) {
    double claim = asked;
    if (device->gpu->memory_sharing == GPU_SHARING_SMS)
        claim =
            task->profile ? task->sms : device->sms * asked / device->memory.dram.peak_bytes_per_s;
    if (device->gpu->memory_sharing == GPU_SHARING_OFFERED && task->profile)
        claim = asked * device_greater(1, task->speed / task->profile->compute_fraction);
    return claim * device->clients[task->client].memory_weight;
}

/* The level at which everybody is served all that he asks for. */
static double level_of_all(struct device *device) {
    double level = 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        double asked = device->running.lanes[i].memory.bytes_per_s;
        if (!(asked > 0))
            continue;
        device->running.lanes[i].claim = claim_of(device, device->running.tasks[i], asked);
        level = device_greater(level, asked / device->running.lanes[i].claim);
    }
    return level;
}

/* Row hits that a task loses to others' requests: `row_hit_drift` at equal parts of the traffic, in
 * proportion to theirs over its own. */
static double hits_lost(const struct device *device, double own, double all) {
    return device->gpu->row_hit_drift > 0 && own > 0
               ? device->gpu->row_hit_drift * (all - own) / own
               : 0;
}

/* The mix when everybody is served `level` times his claim, but no more than he asks for. */
static struct dram_mix mix_at(struct device *device, double level) {
    struct dram_mix mix = {0};
    double all = 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        double asked = device->running.lanes[i].memory.bytes_per_s;
        device->memory.served[i] =
            asked > 0 ? device_lesser(1, level * device->running.lanes[i].claim / asked) : 0;
        all += device->memory.served[i] * asked;
    }
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct dram_explained memory = device->running.lanes[i].memory;
        double own = device->memory.served[i] * memory.bytes_per_s;
        memory.row_hit_rate = device_greater(0, memory.row_hit_rate - hits_lost(device, own, all));
        dram_mix_add(&mix, &memory, own);
    }
    return mix;
}

static bool fits(const struct device *device, const struct dram_mix *mix) {
    return mix->bytes_per_s <=
           dram_mix_capacity_bytes_per_s(&device->memory.dram, mix) * (1 + ROUNDING);
}

/* What is counted of a task from now on. */
static void set_hits_lost(struct device *device, struct device_task *task, double lost) {
    lost = device_lesser(lost, row_hits(task));
    if (lost == task->hits_lost)
        return;
    device_advance(device, task);
    task->hits_lost = lost;
}

static void limit_served(struct device *device, uint32_t slot, const struct dram_mix *mix) {
    struct device_task *task = device->running.tasks[slot];
    double part = device->memory.served[slot];
    set_hits_lost(
        device, task,
        hits_lost(device, part * device->running.lanes[slot].memory.bytes_per_s, mix->bytes_per_s));
    if (part >= 1)
        return;
    double capacity = dram_mix_capacity_bytes_per_s(&device->memory.dram, mix);
    double rows = row_bytes_per_s_of(device, task, &device->running.lanes[slot]) / capacity;
    double own = device_lesser(1, part * device_greater(1, rows));
    limit_task(task, (struct memory_limit){own, part / own});
}

/* All at the same level of their claims, or at what they ask for where that is less: the highest
 * level that the memory delivers, whose rows are hit as the mix that is served hits them. */
static void limit_by_weight(struct device *device) {
    double low = 0, high = level_of_all(device);
    struct dram_mix mix = mix_at(device, high);
    if (!fits(device, &mix)) {
        for (int i = 0; i < HALVINGS; i++) {
            double middle = (low + high) / 2;
            mix = mix_at(device, middle);
            if (fits(device, &mix))
                low = middle;
            else
                high = middle;
        }
        mix = mix_at(device, low);
    }
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.lanes[i].memory.bytes_per_s > 0)
            limit_served(device, i, &mix);
}

/* ---- Latency ---- */

/* Where more is asked for, a memory is saturated, and those who share it wait for bandwidth: an
 * H100's latency was twice to three times an idle memory's there (docs/measured.md). */
static const double USED_MOST = 0.955;

/* How much longer than an idle memory's an answer takes, where this part of what the memory can
 * deliver is asked for. */
static double latency_at(const struct device *device, double used) {
    used = device_lesser(used, USED_MOST);
    return 1 + device->gpu->dram_latency_growth * used / (1 - used);
}

/* Who waits for answers and not for bandwidth waits longer where others ask the memory for more
 * than itself did alone, when its time was taken. */
static void limit_by_latency(struct device *device) {
    const struct dram_mix *all = &device_sum_lanes(device)->memory;
    if (!(all->bytes_per_s > 0))
        return;
    double capacity = dram_mix_capacity_bytes_per_s(&device->memory.dram, all);
    double latency = latency_at(device, all->bytes_per_s / capacity);
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        if (!task->profile || task->profile->latency_fraction == 0)
            continue;
        double own = latency_at(device, task->profile->memory_fraction);
        double longer = 1 + task->profile->latency_fraction * (latency / own - 1);
        double row = task->limit[DEVICE_LOSS_ROW_BUFFER];
        double limit = device_lesser(1, 1 / longer / row);
        if (limit >= task->limit[DEVICE_LOSS_DRAM])
            continue;
        task->limit[DEVICE_LOSS_DRAM] = limit;
        task->pressed = false;
    }
}

/* ---- All of it ---- */

static void share_out(struct device *device) {
    for (uint32_t i = 0; i < device->running.count && device->running.drawing > 0; i++)
        device_ask_memory(device, i);
    for (uint32_t i = 0; i < device->config.clients && device->config.slices; i++)
        limit_slice(device, i);
    if (device->config.slices)
        return;
    device_share_memory(device);
    if (device->memory.weighted && device_sum_lanes(device)->drawing > 1) {
        limit_by_weight(device);
        return;
    }
    for (uint32_t i = 0;
         i < device->running.count && device->memory.shortage.is && !device->rates.steady; i++)
        limit_alike(device, i, 1, &device->memory.shortage);
}

void device_limit_memory(struct device *device) {
    share_out(device);
    if (device->config.waits_for_memory && !device->config.slices)
        limit_by_latency(device);
}
