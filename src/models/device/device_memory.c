/*
 * What a saturated memory leaves everybody. It is shared in proportion to request rates (HSM
 * section 4.3), by strict rank where the memory controller has ranks, and within each client's
 * slice where memory is sliced.
 *
 * Below saturation the contention term k P has slowed a kernel already; above it the bandwidth
 * decides, so a kernel is slowed by whichever costs it more, not by both.
 */
#include "device_internal.h"

#include <math.h>

static const double ROUNDING = 1e-12;
static const double LEAST_PART = 1e-9; /* of a demand; less is nothing, and takes for ever */
enum { HALVINGS = 60 };                /* of an interval of length 1: to a double's last digit */

/* Copies and memsets stream through whole rows. */
static double device_row_hits(const struct device_task *task) {
    return task->profile ? task->profile->row_hit_rate : 1;
}

/* What a task would draw if the memory held nothing back. */
static double asked_by(const struct device_task *task) {
    return task->demand_bytes_per_s *
           (task->limit[DEVICE_LOSS_SM_SHARE] * task->limit[DEVICE_LOSS_SM_CONTENTION] *
            task->limit[DEVICE_LOSS_PREEMPTION]);
}

/* Bandwidth leaves a task `dram`, and others' row misses `row` of that. */
static void limit_task(struct device_task *task, double dram, double row) {
    double below = task->limit[DEVICE_LOSS_DRAM]; /* contention below saturation */
    if (below <= dram * row)
        return;
    task->limit[DEVICE_LOSS_DRAM] = fmin(below, dram);
    task->limit[DEVICE_LOSS_ROW_BUFFER] *= below < dram ? dram * row / below : row;
}

/* Traffic that shares the memory, or a slice of it. */
struct traffic {
    uint32_t client; /* DEVICE_NOBODY: all */
    double part;     /* of the memory */
    size_t count;
    double asked;
};

static bool belongs(const struct traffic *traffic, const struct device_task *task) {
    return traffic->client == DEVICE_NOBODY || traffic->client == task->client;
}

/* Fills the demands in the order of the running tasks. */
static void sum_demands(struct device *device, struct traffic *traffic) {
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        if (task->demand_bytes_per_s <= 0 || !belongs(traffic, task))
            continue;
        double bytes = asked_by(task);
        if (bytes > 0)
            device->demands[traffic->count++] = (struct dram_demand){bytes, device_row_hits(task)};
        traffic->asked += bytes;
    }
}

static void limit_alike(struct device *device, const struct traffic *traffic) {
    double asked = traffic->asked, part = traffic->part;
    double capacity =
        part * dram_capacity_bytes_per_s(&device->dram, device->demands, traffic->count);
    if (asked <= capacity)
        return;
    for (uint32_t i = 0; i < device->running_count; i++) {
        struct device_task *task = device->running[i];
        if (task->demand_bytes_per_s <= 0 || !belongs(traffic, task))
            continue;
        /* What all would get if everybody's rows were hit as often as this task's. */
        double own = part * dram_effective_bytes_per_s(&device->dram, device_row_hits(task));
        own = fmin(asked, fmax(capacity, own));
        limit_task(task, own / asked, capacity / own);
    }
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
        const struct device_task *task = device->running[i];
        int32_t rank = rank_of(device, task);
        if (rank > last && asked_by(task) > 0 && (!found || rank < level->rank)) {
            level->rank = rank;
            found = true;
        }
    }
    return found;
}

/* What the memory delivers when this part of the level is served after all before it. */
static double capacity_at(struct device *device, const struct level *level, double part) {
    size_t count = 0;
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        if (asked_by(task) <= 0)
            continue;
        if (rank_of(device, task) == level->rank)
            device->served[count] = part;
        else if (rank_of(device, task) > level->rank)
            device->served[count] = 0;
        count++;
    }
    return dram_capacity_of_parts(&device->dram, device->demands, device->served, count);
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
        if (asked_by(task) <= 0 || rank_of(device, task) != level->rank)
            continue;
        double own = dram_effective_bytes_per_s(&device->dram, device_row_hits(task));
        own = fmin(1, fmax(part, (own - level->before) / level->asked));
        limit_task(task, own, own > 0 ? part / own : 1);
    }
}

/* Strict priority: whoever ranks before is served first, equals share in proportion. */
static void limit_by_rank(struct device *device) {
    struct level level = {.before = 0};
    for (int64_t last = INT64_MIN; next_level(device, last, &level); last = level.rank) {
        level.asked = 0;
        for (uint32_t i = 0; i < device->running_count; i++)
            if (rank_of(device, device->running[i]) == level.rank)
                level.asked += asked_by(device->running[i]);
        double part = part_served(device, &level);
        capacity_at(device, &level, part); /* as it is served from now on */
        limit_level(device, &level, part);
        level.before += part * level.asked;
    }
}

static void limit_slices(struct device *device) {
    for (uint32_t i = 0; i < device->config.clients; i++) {
        struct traffic own = {.client = i, .part = device->clients[i].memory};
        sum_demands(device, &own);
        if (own.count > 0)
            limit_alike(device, &own);
    }
}

void device_limit_memory(struct device *device) {
    struct traffic all = {.client = DEVICE_NOBODY, .part = 1};
    if (device->config.slices) {
        limit_slices(device);
        return;
    }
    sum_demands(device, &all);
    if (all.count < 2) /* one alone draws what it was recorded to draw */
        return;
    if (device->ranked)
        limit_by_rank(device);
    else
        limit_alike(device, &all);
}
