/*
 * What a saturated memory leaves everybody. It is shared in proportion to request rates (HSM
 * section 4.3), by strict rank where the memory controller has ranks, and within each client's
 * slice where memory is sliced.
 *
 * Below saturation the contention term k P has slowed a kernel already; above it the bandwidth
 * decides, so a kernel is slowed by whichever costs it more, not by both.
 */
#include "device_running.h"

#include <math.h>

static const double ROUNDING = 1e-12;
static const double LEAST_PART = 1e-9; /* of a demand; less is nothing, and takes for ever */
enum { HALVINGS = 60 };                /* of an interval of length 1: to a double's last digit */

/* ---- What the memory leaves one task ---- */

/* Copies and memsets stream through whole rows. */
static double row_hits(const struct device_task *task) {
    return task->profile ? task->profile->row_hit_rate : 1;
}

/* Factors of a task's rate by what memory leaves it. */
struct memory_limit {
    double dram, row; /* bandwidth; others' row misses */
};

/* Of what contention below saturation leaves a task and what a saturated memory does, not both. */
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
    limit = worse_limit(contention, limit);
    task->limit[DEVICE_LOSS_DRAM] = limit.dram;
    task->limit[DEVICE_LOSS_ROW_BUFFER] = limit.row;
}

/* What all would get if everybody's rows were hit as often as this task's. */
static double row_bytes_per_s_of(const struct device *device, const struct device_task *task,
                                 struct device_lane *lane) {
    if (isnan(lane->row_bytes_per_s))
        lane->row_bytes_per_s = dram_effective_bytes_per_s(&device->dram, row_hits(task));
    return lane->row_bytes_per_s;
}

/* Traffic that shares a part of a memory that runs short. */
static struct memory_limit part_of(const struct device *device, const struct device_task *task,
                                   struct device_lane *lane, double part,
                                   const struct device_shortage *shortage) {
    double own = part * row_bytes_per_s_of(device, task, lane);
    own = device_lesser(shortage->asked, device_greater(shortage->capacity, own));
    return (struct memory_limit){own / shortage->asked, shortage->capacity / own};
}

/* What a task would draw if the memory held nothing back. */
static double asked_by(const struct device_task *task) {
    return task->demand_bytes_per_s *
           (task->limit[DEVICE_LOSS_SM_SHARE] * task->limit[DEVICE_LOSS_SM_CONTENTION] *
            task->limit[DEVICE_LOSS_PREEMPTION]);
}

void device_ask_memory(struct device *device, uint32_t slot) {
    const struct device_task *task = device->running[slot];
    struct dram_explained *memory = &device->lanes[slot].memory;
    if (task->demand_bytes_per_s <= 0)
        return;
    struct dram_demand demand = {asked_by(task), row_hits(task)};
    if (demand.bytes_per_s != memory->bytes_per_s)
        *memory = dram_explain(&device->dram, &demand);
}

/* ---- In proportion ---- */

void device_share_memory(struct device *device) {
    struct device_shortage now = {.is = false};
    const struct device_sums *sums = device->drawing > 1 ? device_sum_lanes(device) : NULL;
    if (sums && sums->drawing > 1) { /* one alone draws what it was recorded to draw */
        now.asked = sums->memory.bytes_per_s;
        now.capacity = dram_mix_capacity_bytes_per_s(&device->dram, &sums->memory);
        now.is = now.asked > now.capacity;
    }
    device->memory = now;
}

/* Of a task with traffic. */
static void limit_alike(struct device *device, uint32_t slot, double part,
                        const struct device_shortage *shortage) {
    struct device_task *task = device->running[slot];
    if (task->demand_bytes_per_s > 0)
        limit_task(task, part_of(device, task, &device->lanes[slot], part, shortage));
}

void device_limit_by_clock(const struct device *device, struct device_task *task) {
    struct memory_limit limit = {1, 1};
    if (task->follows)
        limit =
            part_of(device, task, &device->lanes[device_slot_of(device, task)], 1, &device->memory);
    task->limit[DEVICE_LOSS_DRAM] = limit.dram;
    task->limit[DEVICE_LOSS_ROW_BUFFER] = limit.row;
}

static void limit_slice(struct device *device, uint32_t client) {
    double part = device->clients[client].memory;
    struct dram_mix mix = {0};
    for (uint32_t i = 0; i < device->running_count; i++)
        if (device->running[i]->client == client)
            dram_mix_add(&mix, &device->lanes[i].memory, device->lanes[i].memory.bytes_per_s);
    if (!(mix.bytes_per_s > 0))
        return;
    struct device_shortage own = {.asked = mix.bytes_per_s,
                                  .capacity =
                                      part * dram_mix_capacity_bytes_per_s(&device->dram, &mix)};
    for (uint32_t i = 0; i < device->running_count && own.asked > own.capacity; i++)
        if (device->running[i]->client == client)
            limit_alike(device, i, part, &own);
}

/* ---- Ranks ---- */

static int32_t rank_of(const struct device *device, const struct device_task *task) {
    return device->clients[task->client].rank;
}

/* One rank: what those before it are served, and what it asks for. */
struct level {
    int32_t rank;
    double before, asked;
};

/* The next rank after `last` of anybody with traffic; false: no more. */
static bool next_level(const struct device *device, int64_t last, struct level *level) {
    bool found = false;
    for (uint32_t i = 0; i < device->running_count; i++) {
        int32_t rank = rank_of(device, device->running[i]);
        if (rank > last && device->lanes[i].memory.bytes_per_s > 0 &&
            (!found || rank < level->rank)) {
            level->rank = rank;
            found = true;
        }
    }
    return found;
}

/* What the memory delivers when this part of the level is served after all before it. */
static double capacity_at(struct device *device, const struct level *level, double part) {
    struct dram_mix mix = {0};
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct dram_explained *memory = &device->lanes[i].memory;
        int32_t rank = rank_of(device, device->running[i]);
        if (rank == level->rank)
            device->served[i] = part;
        else if (rank > level->rank)
            device->served[i] = 0;
        dram_mix_add(&mix, memory, device->served[i] * memory->bytes_per_s);
    }
    return mix.bytes_per_s > 0 ? dram_mix_capacity_bytes_per_s(&device->dram, &mix) : 0;
}

/* The largest part that the memory delivers: rows are hit as the mix that is served hits them. */
static double part_served(struct device *device, const struct level *level) {
    double low = 0, high = 1;
    if (level->before + level->asked <= capacity_at(device, level, 1) * (1 + ROUNDING))
        return 1;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2;
        if (level->before + middle * level->asked <= capacity_at(device, level, middle))
            low = middle;
        else
            high = middle;
    }
    return low < LEAST_PART ? 0 : low;
}

static void limit_level(struct device *device, const struct level *level, double part) {
    for (uint32_t i = 0; i < device->running_count && part < 1; i++) {
        struct device_task *task = device->running[i];
        if (device->lanes[i].memory.bytes_per_s <= 0 || rank_of(device, task) != level->rank)
            continue;
        double own = row_bytes_per_s_of(device, task, &device->lanes[i]);
        own = fmin(1, fmax(part, (own - level->before) / level->asked));
        limit_task(task, (struct memory_limit){own, own > 0 ? part / own : 1});
    }
}

/* Strict priority: whoever ranks before is served first, equals share in proportion. */
static void limit_by_rank(struct device *device) {
    struct level level = {.before = 0};
    for (int64_t last = INT64_MIN; next_level(device, last, &level); last = level.rank) {
        level.asked = 0;
        for (uint32_t i = 0; i < device->running_count; i++)
            if (rank_of(device, device->running[i]) == level.rank)
                level.asked += device->lanes[i].memory.bytes_per_s;
        double part = part_served(device, &level);
        capacity_at(device, &level, part); /* as it is served from now on */
        limit_level(device, &level, part);
        level.before += part * level.asked;
    }
}

void device_limit_memory(struct device *device) {
    for (uint32_t i = 0; i < device->running_count && device->drawing > 0; i++)
        device_ask_memory(device, i);
    for (uint32_t i = 0; i < device->config.clients && device->config.slices; i++)
        limit_slice(device, i);
    if (device->config.slices)
        return;
    device_share_memory(device);
    if (device->ranked) {
        if (device_sum_lanes(device)->drawing > 1)
            limit_by_rank(device);
        return;
    }
    for (uint32_t i = 0; i < device->running_count && device->memory.is && !device->steady; i++)
        limit_alike(device, i, 1, &device->memory);
}
