/*
 * The clock of a memory that runs short. Traffic shares the memory in proportion to what it asks
 * for, so that all of it is slowed alike: a start or an end changes the pace of this clock, and
 * nobody's rate or end by it (the virtual time of generalised processor sharing: Parekh and
 * Gallager, IEEE/ACM Transactions on Networking 1(3), 1993).
 */
#include "models/device/device_internal.h"

#include <math.h>

/* 1.1 s, by itself: so that rounding stays below a picosecond however little the memory leaves, at
 * the price of one pass over the followers. */
static const double LONGEST_PS = 0x1p40;

/* Sets the memory's clock back to 0, and with it what all who follow it have read from it. */
static void rewind_clock(struct device *device) {
    struct memory_clock *clock = &device->memory.clock;
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        if (!task->follows)
            continue;
        device_advance(device, task);
        task->memory_ps = 0;
        device->running.memory_until_ps[i] -= clock->ps;
    }
    clock->ps = 0;
}

void device_clock_wind(struct device *device) {
    struct memory_clock *clock = &device->memory.clock;
    clock->ps = device_clock_now(device);
    clock->at_ps = des_engine_now(device->engine);
    if (clock->ps > LONGEST_PS)
        rewind_clock(device);
}

/* Nobody follows it yet. */
static void start_clock(struct device *device) {
    device->memory.clock.ps = 0;
    device->memory.clock.at_ps = des_engine_now(device->engine);
    for (uint32_t i = 0; i < device->running.count; i++)
        device->running.memory_until_ps[i] = INFINITY;
}

bool device_clock_pace(struct device *device) {
    struct memory_clock *clock = &device->memory.clock;
    const bool ran = clock->runs;
    clock->runs = device->rates.steady && device->memory.shortage.is;
    clock->pace =
        clock->runs ? device->memory.shortage.capacity / device->memory.shortage.asked : 0;
    clock->next_due_ps = CT_TIME_NEVER;
    if (clock->runs && !ran)
        start_clock(device);
    return clock->runs != ran;
}

/* The least of some numbers; INFINITY: of none. In two chains, since each comparison waits for the
 * one before it in its chain. */
static double least(const double *values, uint32_t count) {
    double even = INFINITY, odd = count % 2 ? values[count - 1] : INFINITY;
    for (uint32_t i = 0; i + 1 < count; i += 2) {
        even = device_lesser(values[i], even);
        odd = device_lesser(values[i + 1], odd);
    }
    return device_lesser(even, odd);
}

ct_time_ps device_clock_plan(struct device *device) {
    struct memory_clock *clock = &device->memory.clock;
    clock->next_ps = least(device->running.memory_until_ps, device->running.count);
    clock->next_due_ps = CT_TIME_NEVER;
    if (clock->pace > 0)
        clock->next_due_ps = ct_time_later(
            clock->at_ps,
            ct_time_round(device_greater(0, (clock->next_ps - clock->ps) / clock->pace)));
    return clock->next_due_ps;
}

/* The first one, and whoever else is due in the same picosecond, rounded. */
void device_clock_ring(struct device *device) {
    const struct memory_clock *clock = &device->memory.clock;
    double until_ps = device_greater(clock->next_ps, device_clock_now(device) + clock->pace / 2);
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.memory_until_ps[i] <= until_ps)
            device->running.until_ps[i] = clock->next_due_ps;
}
