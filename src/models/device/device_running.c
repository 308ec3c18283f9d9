/*
 * The tasks that run, in the order of dispatch. What passes go over lies in arrays by position.
 * Sums are kept up to each position: where one task changes, only those from it on are added anew,
 * in the same order, so that they are the same to the last bit as if all were.
 */
#include "models/device/device_internal.h"

#include <string.h>

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
        if (device->clock.runs)
            move_up(device->memory_until_ps + slot, behind, sizeof *device->memory_until_ps);
        move_up(device->lanes + slot, behind, sizeof *device->lanes);
    }
    device_lower(&device->sms_summed, slot);
    device_lower(&device->lanes_summed, slot);
    device->unrated = true;
}

double device_sum_sms(struct device *device) {
    bool sliced = device->config.sharing == CT_SHARING_TIMESLICE;
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
