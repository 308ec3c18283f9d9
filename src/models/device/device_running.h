/*
 * Changes of the tasks that run: each lets the sums kept by position hold only up to it. In a
 * header, because each is a few instructions, several times per kernel.
 */
#ifndef DEVICE_RUNNING_H
#define DEVICE_RUNNING_H

#include "models/device/device_internal.h"

#include <math.h>

void device_leave(struct device *device, uint32_t slot);

/* Begins behind all others. */
static inline void device_run(struct device *device, struct device_task *task) {
    task->slot = device->running_count++;
    device->running[task->slot] = task;
    device->until_ps[task->slot] = -1;
    device->memory_until_ps[task->slot] = INFINITY;
    device->lanes[task->slot] = (struct device_lane){.row_bytes_per_s = NAN};
    device->growing += !task->last_wave;
    device->drawing += task->demand_bytes_per_s > 0;
    device->unrated = true;
}

/* Others that ended may have let it move up since it was looked for last. */
static inline uint32_t device_slot_of(const struct device *device, struct device_task *task) {
    if (task->slot >= device->running_count)
        task->slot = device->running_count - 1;
    while (device->running[task->slot] != task)
        task->slot--;
    return task->slot;
}

static inline void device_lower(uint32_t *number, uint32_t most) {
    if (*number > most)
        *number = most;
}

/* Its SMs, its speed or the part of its blocks that are awake change: when it ends, too. */
static inline void device_replan(struct device *device, struct device_task *task) {
    uint32_t slot = device_slot_of(device, task);
    device->until_ps[slot] = -1;
    device_lower(&device->lanes_summed, slot);
    device->unrated = true;
}

static inline void device_hold_sms(struct device *device, struct device_task *task, double sms) {
    uint32_t slot = device_slot_of(device, task);
    task->sms = device->lanes[slot].sms = sms;
    device_lower(&device->sms_summed, slot);
}

static inline void device_set_last_wave(struct device *device, struct device_task *task,
                                        bool last_wave) {
    device->growing += (uint32_t)task->last_wave - (uint32_t)last_wave;
    task->last_wave = last_wave;
}

#endif
