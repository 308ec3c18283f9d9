/*
 * Partitions of whole SMs. An SM that must change hands takes no more blocks of its owner; it moves
 * when its resident blocks have ended (draining), or when their registers and shared memory have
 * been copied out over the SM's share of the memory's bandwidth (context switch); they go on where
 * their owner has room, after the copy back.
 */
#include "models/device/block.h"

#include "base/ct_assert.h"

#include <string.h>

void device_begin_epoch(struct device *device) {
    device_account(device); /* what has ended up to now */
    if (device->partition.map)
        memset(device->partition.map->finished, 0,
               device->partition.map->sms * sizeof *device->partition.map->finished);
}

ct_time_ps block_state_time(const struct device *device, const struct device_task *task,
                            double blocks) {
    double bytes =
        blocks * (double)(4 * task->profile->need.registers + task->profile->need.smem_bytes);
    return ct_time_round(bytes / (device->gpu->dram_gb_s * 1e9 / device->sms) *
                         (double)CT_PS_PER_S);
}

/* ---- One SM ---- */

/* Most blocks that these SMs can hold of the kernels that are resident on them. */
static double capacity_of(const struct block_class *class) {
    double most = 0;
    for (uint32_t i = 0; i < class->resident_count; i++)
        most = fmax(most, class->residents[i].cohort->task->profile->blocks_per_sm);
    return most;
}

/* The blocks on these SMs stand still, in a cohort of their own. */
static void freeze(struct device *device, const struct block_class *class,
                   struct block_resident *resident) {
    struct block_cohort *all = resident->cohort, *part = all;
    double blocks = (double)resident->per_sm * class->size;
    device_advance(device, all->task);
    if (blocks < all->blocks) {
        part = block_cohort_new(device);
        *part = *all;
        part->blocks = blocks;
        all->blocks -= blocks;
        all->next = resident->cohort = part;
    }
    part->left_ps = block_left(device, part);
    part->since_ps = des_engine_now(device->engine);
    part->rate = 0;
    part->phase = BLOCK_SAVING;
    device_replan(device, all->task);
}

/* All that lies on an SM is copied out in one go. */
static void switch_out(struct device *device, struct block_class *class) {
    ct_time_ps until = des_engine_now(device->engine);
    uint32_t count = class->resident_count;
    for (uint32_t i = 0; i < count; i++) {
        const struct block_resident *r = &class->residents[i];
        if (r->cohort->phase != BLOCK_SAVING)
            until += block_state_time(device, r->cohort->task, r->per_sm);
    }
    for (uint32_t i = 0; i < count; i++) {
        struct block_resident *r = &class->residents[i];
        if (r->cohort->phase == BLOCK_SAVING)
            continue;
        freeze(device, class, r);
        r->cohort->until_ps = until;
        block_set_awake(r->cohort->task);
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
    return map->next_owner[sm] != map->owner[sm] ? -1 : map->resident[sm];
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
        int64_t cost = map->owner[i] == client ? -1 : map->resident[i];
        if (map->next_owner[i] < 0 && cost < least) {
            best = i;
            least = cost;
        }
    }
    ct_assert(best >= 0);
    map->next_owner[best] = client;
}

static void assign(struct device *device) {
    struct block_map *map = device->partition.map;
    for (uint32_t c = 0; c < device->config.clients; c++)
        for (int64_t more = count_next(map, (int32_t)c) - device->partition.wanted[c]; more > 0;
             more--)
            give_one(map, (int32_t)c);
    for (uint32_t c = 0; c < device->config.clients; c++)
        for (int64_t fewer = device->partition.wanted[c] - count_next(map, (int32_t)c); fewer > 0;
             fewer--)
            get_one(map, (int32_t)c);
}

/* HSM section 4.2: blocks that end often are waited for. */
static bool must_switch(const struct device *device, const struct block_class *class, uint32_t sm,
                        enum ct_move move) {
    if (move != CT_MOVE_AUTO)
        return move == CT_MOVE_SWITCH;
    return (double)device->partition.map->finished[sm] <= capacity_of(class);
}

/* Switches those of these SMs that do not drain. */
static void switch_some(struct device *device, struct block_class *class, enum ct_move move) {
    struct block_map *map = device->partition.map;
    uint32_t count = 0;
    memset(map->chosen, 0, map->words * sizeof *map->chosen);
    for (uint32_t i = block_next(map, class, 0); i < map->sms; i = block_next(map, class, i + 1))
        if (must_switch(device, class, i, move)) {
            block_set_add(map->chosen, i);
            count++;
        }
    struct block_class *part = block_class_split(device, class, map->chosen);
    if (count > 0)
        switch_out(device, part ? part : class);
}

/* Classes are of one owner, now and next; the phase of their blocks may change, too. */
static void split_by_owner(struct device *device) {
    struct block_map *map = device->partition.map;
    for (struct block_class *class = map->views->classes; class; class = class->next) {
        uint32_t first = block_next(map, class, 0);
        memset(map->chosen, 0, map->words * sizeof *map->chosen);
        for (uint32_t i = first; i < map->sms; i++)
            if (map->next_owner[i] != map->next_owner[first])
                block_set_add(map->chosen, i);
        block_class_split(device, class, map->chosen);
        class->next_owner = map->next_owner[first];
        block_class_touch(class);
    }
}

static void move(struct device *device, struct block_class *class) {
    struct block_map *map = device->partition.map;
    if (class->owner >= 0)
        device->clients[class->owner].partition -= class->size;
    if (class->next_owner >= 0)
        device->clients[class->next_owner].partition += class->size;
    class->owner = class->next_owner;
    block_class_touch(class);
    for (uint32_t i = block_next(map, class, 0); i < map->sms; i = block_next(map, class, i + 1))
        map->owner[i] = class->owner;
    map->views->changed = true;
    map->fit_task = NULL;
}

void block_move_settle(struct device *device) {
    struct block_map *map = device->partition.map;
    bool left = false;
    if (!device->partition.moving)
        return;
    for (struct block_class *class = map->views->classes; class; class = class->next) {
        if (class->owner == class->next_owner)
            continue;
        if (class->sm.resident > 0)
            left = true;
        else
            move(device, class);
    }
    if (left)
        return;
    device->partition.moving = false;
    device_tell_moved(device);
}

void block_repartition(struct device *device, enum ct_move move) {
    struct block_map *map = device->partition.map;
    struct block_class *next;
    device_split_losses(device);
    for (uint32_t i = 0; i < device->running.count; i++)
        block_take_back(device, device->running.tasks[i]);
    for (const struct block_class *c = map->views->classes; c; c = c->next)
        for (uint32_t i = block_next(map, c, 0); i < map->sms; i = block_next(map, c, i + 1))
            map->resident[i] = c->sm.resident;
    assign(device);
    split_by_owner(device);
    for (struct block_class *class = map->views->classes; class; class = next) {
        next = class->next;
        if (class->owner != class->next_owner && class->sm.resident > 0)
            switch_some(device, class, move);
    }
    map->views->changed = true;
    map->fit_task = NULL;
    device->partition.moving = true;
    block_move_settle(device);
    device_touch(device);
}
