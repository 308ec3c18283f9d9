/* What the memory leaves one task. */
#ifndef DEVICE_MEMORY_H
#define DEVICE_MEMORY_H

#include "device_internal.h"

#include <math.h>

/* Copies and memsets stream through whole rows. */
static inline double device_row_hits(const struct device_task *task) {
    return task->profile ? task->profile->row_hit_rate : 1;
}

/* Factors of a task's rate by what memory leaves it. */
struct device_memory_limit {
    double dram, row; /* bandwidth; others' row misses */
};

/* Of what contention below saturation leaves a task and what a saturated memory does, not both. */
static inline struct device_memory_limit device_worse_limit(struct device_memory_limit contention,
                                                            struct device_memory_limit limit) {
    double below = contention.dram;
    if (below <= limit.dram * limit.row)
        return contention;
    return (struct device_memory_limit){
        device_lesser(below, limit.dram),
        contention.row * (below < limit.dram ? limit.dram * limit.row / below : limit.row)};
}

static inline void device_limit_task(struct device_task *task, struct device_memory_limit limit) {
    struct device_memory_limit contention = {task->limit[DEVICE_LOSS_DRAM],
                                             task->limit[DEVICE_LOSS_ROW_BUFFER]};
    limit = device_worse_limit(contention, limit);
    task->limit[DEVICE_LOSS_DRAM] = limit.dram;
    task->limit[DEVICE_LOSS_ROW_BUFFER] = limit.row;
}

/* What all would get if everybody's rows were hit as often as this task's. */
static inline double device_row_bytes_per_s(const struct device *device,
                                            const struct device_task *task,
                                            struct device_lane *lane) {
    if (isnan(lane->row_bytes_per_s))
        lane->row_bytes_per_s = dram_effective_bytes_per_s(&device->dram, device_row_hits(task));
    return lane->row_bytes_per_s;
}

/* Traffic that shares a part of a memory that runs short. */
static inline struct device_memory_limit device_part_of(const struct device *device,
                                                        const struct device_task *task,
                                                        struct device_lane *lane, double part,
                                                        const struct device_shortage *shortage) {
    double own = part * device_row_bytes_per_s(device, task, lane);
    own = device_lesser(shortage->asked, device_greater(shortage->capacity, own));
    return (struct device_memory_limit){own / shortage->asked, shortage->capacity / own};
}

#endif
