/*
 * The block device: a kernel is done when its last block is. A block runs at the rate at which its
 * kernel would run on as many SMs as it holds, over what that takes of each block: fewer blocks of
 * a kernel that is bound by memory leave each other more of it.
 *
 * Blocks of a kernel are equal: each takes the kernel's solo duration over its solo waves, those of
 * the last wave too.
 */
#include "block.h"

static const double SLOT_ROUNDING = 1e-9; /* block slots that floating-point sums may be off by */
static const double PS_ROUNDING = 1e-3;   /* of an interval computed as a double */

static const double WAVE_ROUNDING = 1e-9; /* of waves computed as a double */
static const double LONGEST_WAIT_PS =
    4e18; /* beyond the range of the clock, with any time that is now */

static bool start(struct device *device, struct ct_arena *arena) {
    const struct gpu *gpu = device->gpu;
    struct block_map *map = ct_arena_alloc(arena, sizeof *map);
    size_t sms = (size_t)gpu->sms;
    size_t views =
        device->config.sharing == DEVICE_SHARING_TIMESLICE ? device->config.clients * sms : sms;
    if (!map)
        return false;
    device->map = map;
    map->arena = arena;
    map->sms = (uint32_t)sms;
    map->empty = (struct block_sm){(int32_t)gpu->threads_per_sm,
                                   (int32_t)gpu->blocks_per_sm,
                                   (int32_t)gpu->registers_per_sm,
                                   (int32_t)gpu->smem_per_sm_bytes,
                                   0,
                                   0};
    map->views = ct_arena_array(arena, views, sizeof *map->views);
    map->fit = ct_arena_array(arena, sms, sizeof *map->fit);
    map->alike = ct_arena_array(arena, (size_t)gpu->blocks_per_sm + 1, sizeof *map->alike);
    map->use = ct_arena_array(arena, sms, sizeof *map->use);
    map->owner = ct_arena_array(arena, sms, sizeof *map->owner);
    map->next_owner = ct_arena_array(arena, sms, sizeof *map->next_owner);
    map->finished = ct_arena_array(arena, sms, sizeof *map->finished);
    if (!map->views || !map->fit || !map->alike || !map->use || !map->owner || !map->next_owner ||
        !map->finished)
        return false;
    for (size_t i = 0; i < views; i++)
        map->views[i] = map->empty;
    for (size_t i = 0; i < sms; i++)
        map->owner[i] = map->next_owner[i] = -1;
    return true;
}

/* ---- Dispatch ---- */

static enum device_room room(struct device *device, const struct device_task *task,
                             double own_sms) {
    if (own_sms * task->profile->blocks_per_sm + SLOT_ROUNDING < 1)
        return DEVICE_ROOM_OWN_LIMIT;
    return block_fit(device, task) > 0 ? DEVICE_ROOM : DEVICE_ROOM_NONE;
}

static void begin(const struct device *device, struct device_task *task) {
    struct device_blocks *at = &task->at;
    double slots = floor(task->profile->blocks_per_sm * device->sms);
    at->solo_slots = fmin(task->blocks, slots);
    at->block_ps = task->work_ps / kernel_waves(task->blocks, slots);
    at->contended = 1;
}

/* Alone, fewer slots would slow it so; a curve that was measured knows better. */
static void set_speed(const struct device *device, struct device_task *task) {
    struct device_blocks *at = &task->at;
    bool waits = at->pending + at->saved_count > 0;
    at->wave_slots = waits ? task->resident : fmax(at->wave_slots, task->resident);
    task->last_wave = !waits;
    double slots = floor(task->profile->blocks_per_sm * device->sms);
    task->speed = task->profile->curve
                      ? kernel_speed(task->profile, task->blocks, at->wave_slots, slots)
                      : at->wave_slots / at->solo_slots;
    task->until_ps = -1;
}

/* Part of its blocks that are neither saved nor being saved or restored. */
void block_set_awake(struct device_task *task) {
    double asleep = task->at.saved_count;
    for (const struct block_cohort *c = task->at.cohorts; c; c = c->next)
        asleep += c->phase == BLOCK_RUNNING ? 0 : block_count(c);
    task->awake = asleep == 0 ? 1 : 1 - asleep / (task->resident + task->at.saved_count);
}

static bool waits_for_copy(const struct block_cohort *cohort) {
    return cohort->phase == BLOCK_RESTORING && cohort->until_ps < 0;
}

/* Blocks that come back onto an SM together are copied in one go. */
static void plan_copies_in(struct device *device, struct device_task *task) {
    double *blocks = device->map->use;
    for (uint32_t i = 0; i < device->map->sms; i++)
        blocks[i] = 0;
    for (const struct block_cohort *c = task->at.cohorts; c; c = c->next)
        for (uint32_t i = 0; waits_for_copy(c) && i < c->sm_count; i++)
            blocks[c->sms[i]] += c->per_sm;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        double most = 0;
        if (!waits_for_copy(c))
            continue;
        for (uint32_t i = 0; i < c->sm_count; i++)
            most = fmax(most, blocks[c->sms[i]]);
        c->until_ps = des_engine_now(device->engine) + block_state_time(device, task, most);
    }
}

/* Saved blocks go on first, in the order in which they were saved. Returns how many. */
static double restore(struct device *device, struct device_task *task, double most) {
    double restored = 0;
    while (task->at.saved && restored < most) {
        struct block_cohort *saved = task->at.saved;
        double blocks = fmin(saved->per_sm, most - restored);
        block_place(device, task, blocks, saved->left_ps, BLOCK_RESTORING);
        restored += blocks;
        saved->per_sm -= (uint32_t)blocks;
        if (saved->per_sm == 0) {
            task->at.saved = saved->next;
            block_cohort_free(device, saved);
        }
    }
    if (restored > 0)
        plan_copies_in(device, task);
    task->at.saved_count -= restored;
    return restored;
}

static void count_finished(struct device *device, const struct device_task *task,
                           struct block_cohort *cohort, uint32_t waves) {
    for (uint32_t i = 0; i < cohort->sm_count; i++)
        device->map->finished[cohort->sms[i]] += (uint64_t)waves * cohort->per_sm;
    device->clients[task->client].counters.blocks_finished += waves * (uint64_t)block_count(cohort);
    cohort->waves -= waves;
    cohort->planned -= waves;
}

/* Solo time to the end of the last block that is bound to each slot. */
static double left_of(const struct device_task *task, const struct block_cohort *cohort) {
    return cohort->left_ps + cohort->ahead * task->at.block_ps;
}

/* Blocks that have ended up to now on slots that go on. Touches no progress. */
static void count_waves(struct device *device, const struct device_task *task,
                        struct block_cohort *cohort) {
    if (cohort->waves == 1)
        return;
    double since = (double)(des_engine_now(device->engine) - task->updated_ps);
    double left = left_of(task, cohort) - since * cohort->rate;
    double unfinished = fmax(1, ceil(left / task->at.block_ps - WAVE_ROUNDING));
    if (unfinished < cohort->waves)
        count_finished(device, task, cohort, cohort->waves - (uint32_t)unfinished);
}

void block_take_back(struct device *device, struct device_task *task) {
    task->at.keeps_slots = false;
    if (!task->at.bound)
        return;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        count_waves(device, task, c);
        task->at.pending += (c->waves - 1) * block_count(c);
        c->ahead -= c->waves - 1;
        c->waves = 1;
    }
    task->at.bound = false;
    task->until_ps = -1;
}

/* Slots of blocks that progress alike take the same number of blocks; else half of that, and the
 * rest later. */
static bool progress_is_alike(const struct device_task *task) {
    for (const struct block_cohort *c = task->at.cohorts; c; c = c->next)
        if (c->contended != task->at.cohorts->contended)
            return false;
    return true;
}

/*
 * Binds pending blocks to the slots that the kernel holds. Some stay pending: the begin of the last
 * wave is an event, for it lets others in.
 */
static void bind(struct device_task *task) {
    double waves = ceil(task->at.pending / task->resident) - 1;
    if (!task->at.keeps_slots || task->last_wave || task->awake < 1)
        return;
    if (!progress_is_alike(task))
        waves = floor(waves / 2);
    if (waves < 1)
        return;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        c->waves += (uint32_t)waves;
        c->ahead += (uint32_t)waves;
    }
    task->at.pending -= waves * task->resident;
    task->at.bound = true;
}

/* Places as many blocks as it may. Returns whether it is no obstacle for those behind it. */
static bool grow(struct device *device, struct device_task *task, double own_sms) {
    struct device_blocks *at = &task->at;
    double own = floor(own_sms * task->profile->blocks_per_sm + SLOT_ROUNDING),
           free = block_fit(device, task);
    double blocks = fmin(fmin(own, free), at->pending + at->saved_count), before = task->sms;
    if (at->solo_slots == 0)
        begin(device, task);
    if (blocks > 0) {
        device_advance(device, task);
        double fresh = blocks - restore(device, task, blocks);
        if (fresh > 0)
            block_place(device, task, fresh, at->block_ps, BLOCK_RUNNING);
        at->pending -= fresh;
        device->clients[task->client].sms += task->sms - before;
        block_set_awake(task);
        set_speed(device, task);
    }
    at->keeps_slots = own >= 0 && task->resident > 0 && !device->map->moving;
    if (at->keeps_slots)
        task->until_ps = -1;
    return task->last_wave || own < free;
}

/* ---- Progress ---- */

/* Solo time in which the kernel would have done as much. */
static double solo_time(const struct device_task *task) {
    const struct device_blocks *at = &task->at;
    double waves = kernel_waves(task->blocks, at->solo_slots), full = (waves - 1) * at->solo_slots;
    if (at->done <= full)
        return at->done / at->solo_slots * at->block_ps;
    return (waves - 1 + (at->done - full) / (task->blocks - full)) * at->block_ps;
}

static double work(struct device *device, struct device_task *task, double elapsed_ps) {
    double before = solo_time(task);
    (void)device;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (c->rate == 0)
            continue;
        c->left_ps -= elapsed_ps * c->rate;
        task->at.done += block_count(c) * elapsed_ps * c->rate / task->at.block_ps;
    }
    return solo_time(task) - before;
}

/* Rate of a block that the units of its SM leave everything. */
static double block_rate(const struct device_task *task) {
    const struct device_blocks *at = &task->at;
    double own = at->contended * task->awake * at->wave_slots;
    return own > 0 ? task->rate / own * at->solo_slots : 0;
}

/* No kernel is faster than alone: once all its blocks are placed, they are held to that. */
static double hold_back(const struct device_task *task, double rate) {
    double longest = 0, alone = (double)(task->started_ps - task->updated_ps) + task->work_ps;
    if (!task->last_wave || rate <= 0)
        return 1;
    for (const struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (c->phase != BLOCK_RUNNING)
            return 1;
        longest = fmax(longest, left_of(task, c) / (rate * c->contended));
    }
    return longest < alone ? longest / alone : 1;
}

/* A plan that still holds is kept: looking at the device does not move its events. */
static void plan_cohort(const struct device_task *task, struct block_cohort *cohort, double rate,
                        double rounding) {
    if (cohort->planned == cohort->waves && cohort->rate == rate)
        return;
    double wait = fmax(0, left_of(task, cohort) / rate + rounding);
    cohort->rate = rate;
    cohort->planned = cohort->waves;
    cohort->until_ps =
        rate > 0 && wait < LONGEST_WAIT_PS ? task->updated_ps + (ct_time_ps)wait : CT_TIME_NEVER;
}

static void plan(struct device *device, struct device_task *task) {
    double rate = block_rate(task);
    (void)device;
    rate *= hold_back(task, rate);
    bind(task);
    /* Rounded down, blocks of many waves do not drift behind the kernel's solo time; the last ones
     * are held to it. */
    double rounding = task->last_wave ? 0.5 : PS_ROUNDING;
    task->until_ps = CT_TIME_NEVER;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (c->phase == BLOCK_RUNNING)
            plan_cohort(task, c, rate * c->contended, rounding);
        task->until_ps = c->until_ps < task->until_ps ? c->until_ps : task->until_ps;
    }
}

/* ---- The end of blocks ---- */

static void save(struct device_task *task, struct block_cohort *cohort) {
    struct block_cohort **last = &task->at.saved;
    while (*last)
        last = &(*last)->next;
    cohort->next = NULL;
    cohort->left_ps = left_of(task, cohort);
    *last = cohort;
    task->at.saved_count += block_count(cohort);
}

/* The blocks leave their SMs: ended, or saved. */
static void leave(struct device *device, struct device_task *task, struct block_cohort *cohort) {
    block_release(device, task, cohort);
    if (cohort->phase == BLOCK_SAVING) {
        save(task, cohort);
        return;
    }
    task->at.done += block_count(cohort) * left_of(task, cohort) / task->at.block_ps;
    count_finished(device, task, cohort, cohort->waves);
    block_cohort_free(device, cohort);
}

/*
 * Rates say what was lost while blocks ran; what the kernel took beyond that are waves that fewer
 * SMs cost it. Where work was rated slower than it turned out (a last wave filled up by others'
 * leaving), all parts shrink alike. Whoever caused the rated part caused the rest.
 */
static void settle_losses(struct device *device, struct device_task *task) {
    double lost = (double)(des_engine_now(device->engine) - task->started_ps) - task->work_ps,
           rated = 0;
    if (!device->config.blame)
        return;
    lost = fmax(0, lost);
    for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++)
        rated += task->loss_ps[cause];
    if (lost >= rated)
        task->loss_ps[DEVICE_LOSS_SM_SHARE] += lost - rated;
    for (int cause = 0; cause < DEVICE_LOSS_COUNT && lost < rated; cause++)
        task->loss_ps[cause] *= lost / rated;
    if (!task->culprit_ps)
        return;
    if (rated <= 0)
        device_charge(device, task, DEVICE_LOSS_SM_SHARE, lost);
    for (uint32_t i = 0; i < device->config.clients && rated > 0; i++)
        task->culprit_ps[i] *= lost / rated;
}

static bool due(struct device *device, struct device_task *task) {
    ct_time_ps now = des_engine_now(device->engine);
    struct block_cohort **link = &task->at.cohorts;
    for (struct block_cohort *cohort; (cohort = *link) != NULL;) {
        if (cohort->until_ps <= now && cohort->phase != BLOCK_RESTORING) {
            *link = cohort->next;
            leave(device, task, cohort);
            continue;
        }
        if (cohort->until_ps <= now) {
            cohort->phase = BLOCK_RUNNING;
            cohort->planned = 0;
        }
        link = &cohort->next;
    }
    block_set_awake(task);
    if (task->at.pending + task->at.saved_count > 0)
        set_speed(device, task);
    task->until_ps = -1;
    if (!task->last_wave || task->at.cohorts)
        return false;
    settle_losses(device, task);
    return true;
}

/* ---- SMs held ---- */

static double busy_sms(const struct device *device) {
    const struct block_map *map = device->map;
    const struct block_sm *view = map->views;
    double sum = 0;
    if (device->config.sharing == DEVICE_SHARING_TIMESLICE) {
        if (device->active < 0 || device->switching)
            return 0;
        view += (size_t)device->active * map->sms;
    }
    for (uint32_t i = 0; i < map->sms; i++)
        sum += fmin(1, view[i].held);
    return sum;
}

/* Kernels with unlike needs may together hold more blocks than an SM holds of either: it counts as
 * one SM. */
static void account(struct device *device) {
    struct block_map *map = device->map;
    ct_time_ps now = des_engine_now(device->engine);
    for (uint32_t i = 0; i < device->running_count; i++)
        for (struct block_cohort *c = device->running[i]->at.cohorts; c; c = c->next)
            count_waves(device, device->running[i], c);
    device->usage.sm_ps += map->busy_sms * (double)(now - map->busy_since_ps);
    map->busy_since_ps = now;
    if (map->changed || device->config.sharing == DEVICE_SHARING_TIMESLICE)
        map->busy_sms = busy_sms(device);
    map->changed = false;
}

static void settle(struct device *device) {
    for (uint32_t i = 0; i < device->running_count; i++)
        block_take_back(device, device->running[i]);
    block_move_settle(device);
}

const struct device_ops block_ops = {
    .places_blocks = true,
    .start = start,
    .room = room,
    .grow = grow,
    .work = work,
    .limit_units = block_limit_units,
    .plan = plan,
    .due = due,
    .account = account,
    .settle = settle,
    .repartition = block_repartition,
    .sm = block_sm_state,
};
