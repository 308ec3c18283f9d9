/*
 * The tasks that run, in the order of dispatch. What passes go over lies in arrays by position.
 * Sums are kept up to each position: where one task changes, only those from it on are added anew,
 * in the same order, so that they are the same to the last bit as if all were.
 */
#include "device_internal.h"

#include <math.h>
#include <string.h>

/* Others that ended may have let it move up since it was looked for last. */
static inline uint32_t slot_of(const struct device *device, struct device_task *task) {
    if (task->slot >= device->running_count)
        task->slot = device->running_count - 1;
    while (device->running[task->slot] != task)
        task->slot--;
    return task->slot;
}

static inline void lower(uint32_t *number, uint32_t most) {
    if (*number > most)
        *number = most;
}

void device_run(struct device *device, struct device_task *task) {
    task->slot = device->running_count++;
    device->running[task->slot] = task;
    device->until_ps[task->slot] = -1;
    device->lanes[task->slot] = (struct device_lane){.row_bytes_per_s = NAN};
    device->growing += !task->last_wave;
    device->drawing += task->demand_bytes_per_s > 0;
    device->unrated = true;
}

static void move_up(void *first, size_t count, size_t size) {
    memmove(first, (char *)first + size, count * size);
}

void device_leave(struct device *device, uint32_t slot) {
    const struct device_task *task = device->running[slot];
    size_t behind = --device->running_count - slot;
    device->growing -= !task->last_wave;
    device->drawing -= task->demand_bytes_per_s > 0;
    if (behind > 0) {
        move_up(device->running + slot, behind, sizeof *device->running);
        move_up(device->until_ps + slot, behind, sizeof *device->until_ps);
        move_up(device->lanes + slot, behind, sizeof *device->lanes);
    }
    lower(&device->sms_summed, slot);
    lower(&device->lanes_summed, slot);
    device->unrated = true;
}

void device_replan(struct device *device, struct device_task *task) {
    uint32_t slot = slot_of(device, task);
    device->until_ps[slot] = -1;
    lower(&device->lanes_summed, slot);
    device->unrated = true;
}

void device_hold_sms(struct device *device, struct device_task *task, double sms) {
    uint32_t slot = slot_of(device, task);
    task->sms = device->lanes[slot].sms = sms;
    lower(&device->sms_summed, slot);
}

void device_set_last_wave(struct device *device, struct device_task *task, bool last_wave) {
    device->growing += (uint32_t)task->last_wave - (uint32_t)last_wave;
    task->last_wave = last_wave;
}

double device_sum_sms(struct device *device) {
    bool sliced = device->config.sharing == DEVICE_SHARING_TIMESLICE;
    uint32_t i = sliced ? 0 : device->sms_summed;
    double sum = i > 0 ? device->sms_sums[i - 1] : 0;
    for (; i < device->running_count; i++) {
        if (!sliced || device_client_runs(device, device->running[i]->client))
            sum += device->lanes[i].sms;
        device->sms_sums[i] = sum;
    }
    device->sms_summed = i;
    return sum;
}

const struct device_sums *device_sum_lanes(struct device *device) {
    uint32_t i = device->lanes_summed, count = device->running_count;
    struct device_sums sums = device->sums[i];
    for (; i < count; i++) {
        const struct device_lane *lane = &device->lanes[i];
        sums.units += lane->units;
        dram_mix_add(&sums.memory, &lane->memory, lane->memory.bytes_per_s);
        sums.drawing += lane->memory.bytes_per_s > 0;
        device->sums[i + 1] = sums;
    }
    device->lanes_summed = count;
    return &device->sums[count];
}
