/*
 * Partitions of whole SMs. An SM that must change hands takes no more blocks of its owner; it moves
 * when its resident blocks have ended (draining), or when their registers and shared memory have
 * been copied out over the SM's share of the memory's bandwidth (context switch); they go on where
 * their owner has room, after the copy back.
 */
#include "block.h"

#include "ct_assert.h"

#include <string.h>

void device_begin_epoch(struct device *device) {
    device->ops->account(device); /* what has ended up to now */
    if (device->map)
        memset(device->map->finished, 0, device->map->sms * sizeof *device->map->finished);
}

ct_time_ps block_state_time(const struct device *device, const struct device_task *task,
                            double blocks) {
    double bytes =
        blocks * (double)(4 * task->profile->need.registers + task->profile->need.smem_bytes);
    return ct_time_round(bytes / (device->gpu->dram_gb_s * 1e9 / device->sms) *
                         (double)CT_PS_PER_S);
}

/* ---- One SM ---- */

static int64_t position_in(const struct block_cohort *cohort, uint32_t sm) {
    for (uint32_t i = 0; i < cohort->sm_count; i++)
        if (cohort->sms[i] == sm)
            return i;
    return -1;
}

/* Most blocks that this SM can hold of the kernels that are resident on it. */
static double capacity_of(const struct device *device, uint32_t sm) {
    double most = 0;
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        for (const struct block_cohort *c = task->at.cohorts; c; c = c->next)
            if (position_in(c, sm) >= 0)
                most = fmax(most, task->profile->blocks_per_sm);
    }
    return most;
}

/* Takes the blocks of a task on this SM out of their cohorts, standing still. Returns the time to
 * copy them out. */
static ct_time_ps freeze(struct device *device, struct device_task *task, uint32_t sm) {
    ct_time_ps time = 0;
    device_advance(device, task);
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        int64_t position = c->phase == BLOCK_SAVING ? -1 : position_in(c, sm);
        if (position < 0)
            continue;
        if (c->sm_count > 1)
            c = block_split(device, c, (uint32_t)position);
        c->phase = BLOCK_SAVING;
        c->rate = 0;
        c->until_ps = -1;
        time += block_state_time(device, task, c->per_sm);
    }
    return time;
}

static bool waits_to_be_saved(const struct block_cohort *cohort) {
    return cohort->phase == BLOCK_SAVING && cohort->until_ps < 0;
}

/* All that lies on the SM is copied out in one go. */
static void switch_out(struct device *device, uint32_t sm) {
    ct_time_ps until = des_engine_now(device->engine);
    for (uint32_t i = 0; i < device->running_count; i++)
        if (device->running[i]->at.cohorts)
            until += freeze(device, device->running[i], sm);
    for (uint32_t i = 0; i < device->running_count; i++) {
        struct device_task *task = device->running[i];
        for (struct block_cohort *c = task->at.cohorts; c; c = c->next)
            if (waits_to_be_saved(c)) {
                c->until_ps = until;
                task->until_ps = -1;
            }
        block_set_awake(task);
    }
}

/* ---- Who gets which ---- */

static int64_t count_next(const struct block_map *map, int32_t client) {
    int64_t count = 0;
    for (uint32_t i = 0; i < map->sms; i++)
        count += map->next_owner[i] == client;
    return count;
}

/* What giving up this SM costs: nothing if it has not come yet, else its resident blocks. */
static int32_t cost_of(const struct block_map *map, uint32_t sm) {
    return map->next_owner[sm] != map->owner[sm] ? -1 : map->views[sm].resident;
}

/* The client gives up the SM that costs least, the highest number first. */
static void give_one(struct block_map *map, int32_t client) {
    int64_t best = -1;
    for (uint32_t i = 0; i < map->sms; i++)
        if (map->next_owner[i] == client &&
            (best < 0 || cost_of(map, i) <= cost_of(map, (uint32_t)best)))
            best = i;
    map->next_owner[best] = -1;
}

/* The client gets a free SM: one that is still its own, else the emptiest, the lowest number first.
 */
static void get_one(struct block_map *map, int32_t client) {
    int64_t best = -1, least = INT64_MAX;
    for (uint32_t i = 0; i < map->sms; i++) {
        int64_t cost = map->owner[i] == client ? -1 : map->views[i].resident;
        if (map->next_owner[i] < 0 && cost < least) {
            best = i;
            least = cost;
        }
    }
    ct_assert(best >= 0);
    map->next_owner[best] = client;
}

static void assign(struct device *device) {
    struct block_map *map = device->map;
    for (uint32_t c = 0; c < device->config.clients; c++)
        for (int64_t more = count_next(map, (int32_t)c) - device->wanted[c]; more > 0; more--)
            give_one(map, (int32_t)c);
    for (uint32_t c = 0; c < device->config.clients; c++)
        for (int64_t fewer = device->wanted[c] - count_next(map, (int32_t)c); fewer > 0; fewer--)
            get_one(map, (int32_t)c);
}

/* HSM section 4.2: blocks that end often are waited for. */
static bool must_switch(const struct device *device, uint32_t sm, enum device_move move) {
    if (move != DEVICE_MOVE_AUTO)
        return move == DEVICE_MOVE_SWITCH;
    return (double)device->map->finished[sm] <= capacity_of(device, sm);
}

static void on_moved(void *context, uint64_t argument) {
    (void)argument;
    device_tell_moved(context);
}

void block_move_settle(struct device *device) {
    struct block_map *map = device->map;
    uint32_t left = 0;
    if (!map->moving)
        return;
    for (uint32_t i = 0; i < map->sms; i++) {
        if (map->owner[i] == map->next_owner[i])
            continue;
        if (map->views[i].resident > 0) {
            left++;
            continue;
        }
        if (map->owner[i] >= 0)
            device->clients[map->owner[i]].partition--;
        map->owner[i] = map->next_owner[i];
        if (map->owner[i] >= 0)
            device->clients[map->owner[i]].partition++;
        map->fit_task = NULL;
    }
    if (left > 0)
        return;
    map->moving = false;
    des_event event = des_event_schedule(device->engine, des_engine_now(device->engine),
                                         DES_RANK_REPARTITION, on_moved, device, 0);
    ct_assert(event);
}

void block_repartition(struct device *device, enum device_move move) {
    struct block_map *map = device->map;
    device_split_losses(device);
    for (uint32_t i = 0; i < device->running_count; i++)
        block_take_back(device, device->running[i]);
    assign(device);
    for (uint32_t i = 0; i < map->sms; i++)
        if (map->owner[i] != map->next_owner[i] && map->views[i].resident > 0 &&
            must_switch(device, i, move))
            switch_out(device, i);
    map->fit_task = NULL;
    map->moving = true;
    block_move_settle(device);
    device_touch(device);
}

/* ---- The map, for policies ---- */

struct device_sm block_sm_state(const struct device *device, uint32_t sm) {
    const struct block_map *map = device->map;
    size_t client = device->config.sharing == DEVICE_SHARING_TIMESLICE && device->active > 0
                        ? (size_t)device->active
                        : 0;
    const struct block_sm *view = &map->views[client * map->sms + sm];
    return (struct device_sm){.owner = map->owner[sm],
                              .resident_blocks = view->resident,
                              .free_threads = view->threads,
                              .free_registers = view->registers,
                              .free_smem_bytes = view->smem_bytes};
}
