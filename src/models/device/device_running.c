/*
 * The tasks that run, in the order of dispatch. What passes go over lies in arrays by position.
 * Sums are kept up to each position: where one task changes, only those from it on are added anew,
 * in the same order, so that they are the same to the last bit as if all were.
 */
#include "models/device/device_internal.h"

#include <string.h>

bool device_running_start(struct running_tasks *running, size_t streams, struct ct_arena *arena) {
    running->tasks = ct_arena_array(arena, streams, sizeof(struct device_task *));
    running->until_ps = ct_arena_array(arena, streams, sizeof *running->until_ps);
    running->memory_until_ps = ct_arena_array(arena, streams, sizeof *running->memory_until_ps);
    running->lanes = ct_arena_array(arena, streams, sizeof *running->lanes);
    running->sms_sums = ct_arena_array(arena, streams, sizeof *running->sms_sums);
    running->sums = ct_arena_array(arena, streams + 1, sizeof *running->sums);
    return running->tasks && running->until_ps && running->memory_until_ps && running->lanes &&
           running->sms_sums && running->sums;
}

static void move_up(void *first, size_t count, size_t size) {
    memmove(first, (char *)first + size, count * size);
}

void device_leave(struct device *device, uint32_t slot) {
    const struct device_task *task = device->running.tasks[slot];
    size_t behind = --device->running.count - slot;
    device->running.growing -= !task->last_wave;
    device->running.drawing -= task->demand_bytes_per_s > 0;
    device->running.losing -= task->loses;
    if (behind > 0) {
        move_up(device->running.tasks + slot, behind, sizeof *device->running.tasks);
        move_up(device->running.until_ps + slot, behind, sizeof *device->running.until_ps);
        if (device->memory.clock.runs)
            move_up(device->running.memory_until_ps + slot, behind,
                    sizeof *device->running.memory_until_ps);
        move_up(device->running.lanes + slot, behind, sizeof *device->running.lanes);
    }
    device_lower(&device->running.sms_summed, slot);
    device_lower(&device->running.lanes_summed, slot);
    device->rates.unrated = true;
}

double device_sum_sms(struct device *device) {
    bool sliced = device->config.sharing == CT_SHARING_TIMESLICE;
    uint32_t i = sliced ? 0 : device->running.sms_summed;
    double sum = i > 0 ? device->running.sms_sums[i - 1] : 0;
    for (; i < device->running.count; i++) {
        if (!sliced || device_client_runs(device, device->running.tasks[i]->client))
            sum += device->running.lanes[i].sms;
        device->running.sms_sums[i] = sum;
    }
    device->running.sms_summed = i;
    return sum;
}

const struct device_sums *device_sum_lanes(struct device *device) {
    uint32_t i = device->running.lanes_summed, count = device->running.count;
    struct device_sums sums = device->running.sums[i];
    for (; i < count; i++) {
        const struct device_lane *lane = &device->running.lanes[i];
        sums.units += lane->units;
        dram_mix_add(&sums.memory, &lane->memory, lane->memory.bytes_per_s);
        sums.drawing += lane->memory.bytes_per_s > 0;
        device->running.sums[i + 1] = sums;
    }
    device->running.lanes_summed = count;
    return &device->running.sums[count];
}
