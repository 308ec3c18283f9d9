/*
 * The block device: a kernel is done when its last block is. A block runs at the rate at which its
 * kernel would run on as many SMs as it holds, over what that takes of each block: fewer blocks of
 * a kernel that is bound by memory leave each other more of it.
 *
 * Blocks of a kernel are equal: each takes the kernel's solo duration over its solo waves, those of
 * the last wave too. What the kernel does alone in a wave, its traffic with it, is its blocks' in
 * equal parts: as many as the last wave has alone are placed last, and do more each where they are
 * fewer.
 */
#include "models/device/block.h"

static bool start(struct device *device, struct ct_arena *arena) {
    const struct gpu *gpu = device->gpu;
    struct block_map *map = ct_arena_alloc(arena, sizeof *map);
    size_t sms = (size_t)gpu->sms;
    if (!map)
        return false;
    device->partition.map = map;
    map->arena = arena;
    map->sms = (uint32_t)sms;
    map->empty = (struct block_sm){.threads = (int32_t)gpu->threads_per_sm,
                                   .slots = (int32_t)gpu->blocks_per_sm,
                                   .registers = (int32_t)gpu->registers_per_sm,
                                   .smem_bytes = (int32_t)gpu->smem_per_sm_bytes,
                                   .freed_ps = -1};
    map->alike = ct_arena_array(arena, (size_t)gpu->blocks_per_sm + 1, sizeof *map->alike);
    map->owner = ct_arena_array(arena, sms, sizeof *map->owner);
    map->next_owner = ct_arena_array(arena, sms, sizeof *map->next_owner);
    map->resident = ct_arena_array(arena, sms, sizeof *map->resident);
    map->finished = ct_arena_array(arena, sms, sizeof *map->finished);
    map->rooms = ct_arena_array(arena, sms, sizeof *map->rooms);
    if (!map->rooms || !map->alike || !map->owner || !map->next_owner || !map->resident ||
        !map->finished)
        return false;
    for (size_t i = 0; i < sms; i++)
        map->owner[i] = map->next_owner[i] = -1;
    return block_class_start(device);
}

/* ---- Dispatch ---- */

/* Caps and shares are numbers of SMs, so what they still allow is seen SM by SM (block_fit). */
static enum device_room room(struct device *device, const struct device_task *task,
                             double own_sms) {
    (void)own_sms;
    if (block_fit(device, task) > 0)
        return DEVICE_ROOM;
    return device->partition.map->limited ? DEVICE_ROOM_OWN_LIMIT : DEVICE_ROOM_NONE;
}

static void begin(const struct device *device, struct device_task *task) {
    struct device_blocks *at = &task->at;
    double slots = floor(task->profile->blocks_per_sm * device->sms);
    double waves = kernel_waves(task->blocks, slots);
    at->solo_slots = fmin(task->blocks, slots);
    at->last_blocks = task->blocks - (waves - 1) * at->solo_slots;
    at->block_ps = task->work_ps / waves;
    at->contended = 1;
    at->hold = INFINITY;
    at->slices_ps = device_slices_ps(device, task->client);
}

/* Alone, fewer slots would slow it so; a curve that was measured knows better. */
static void set_speed(struct device *device, struct device_task *task) {
    struct device_blocks *at = &task->at;
    bool waits = at->pending + at->saved_count > 0;
    at->wave_slots = waits ? task->resident : fmax(at->wave_slots, task->resident);
    device_set_last_wave(device, task, !waits);
    double slots = floor(task->profile->blocks_per_sm * device->sms);
    task->speed = task->profile->curve
                      ? kernel_speed(task->profile, task->blocks, at->wave_slots, slots)
                      : at->wave_slots / at->solo_slots;
    device_replan(device, task);
}

/* Part of its blocks that are neither saved nor being saved or restored. */
void block_set_awake(struct device_task *task) {
    double asleep = task->at.saved_count;
    for (const struct block_cohort *c = task->at.cohorts; c; c = c->next)
        asleep += c->phase == BLOCK_RUNNING ? 0 : c->blocks;
    task->awake = asleep == 0 ? 1 : 1 - asleep / (task->resident + task->at.saved_count);
}

static bool waits_for_copy(const struct block_cohort *cohort) {
    return cohort->phase == BLOCK_RESTORING && cohort->until_ps < 0;
}

/* Blocks that come back onto an SM together are copied in one go. */
static void plan_copies_in(struct device *device, struct device_task *task) {
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next)
        c->part = 0;
    for (const struct block_class *class = block_view_of(device, task)->classes; class;
         class = class->next) {
        double blocks = 0;
        for (uint32_t i = 0; i < class->resident_count; i++)
            if (class->residents[i].cohort->task == task &&
                waits_for_copy(class->residents[i].cohort))
                blocks += class->residents[i].per_sm;
        for (uint32_t i = 0; i < class->resident_count; i++)
            class->residents[i].cohort->part = fmax(class->residents[i].cohort->part, blocks);
    }
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next)
        if (waits_for_copy(c))
            c->until_ps = des_engine_now(device->engine) + block_state_time(device, task, c->part);
}

/* Saved blocks go on first, in the order in which they were saved. Returns how many. */
static double restore(struct device *device, struct device_task *task, double most) {
    double restored = 0;
    while (task->at.saved && restored < most) {
        struct block_cohort *saved = task->at.saved;
        double blocks = fmin(saved->blocks, most - restored);
        saved->phase = BLOCK_RESTORING;
        block_place(device, task, saved, blocks);
        restored += blocks;
        saved->blocks -= blocks;
        if (saved->blocks == 0) {
            task->at.saved = saved->next;
            block_cohort_free(device, saved);
        }
    }
    if (restored > 0)
        plan_copies_in(device, task);
    task->at.saved_count -= restored;
    return restored;
}

void block_take_back(struct device *device, struct device_task *task) {
    task->at.keeps_slots = false;
    if (!task->at.bound)
        return;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        block_roll(device, c);
        task->at.pending += c->ahead * c->blocks;
        c->ahead = 0;
    }
    task->at.bound = false;
    device_replan(device, task);
}

/* Pending blocks, the last ones last. */
static void place_fresh(struct device *device, struct device_task *task, double blocks) {
    struct device_blocks *at = &task->at;
    double last = fmax(0, blocks - fmax(0, at->pending - at->last_blocks));
    double worth = ((blocks - last) / at->solo_slots + last / at->last_blocks) / blocks;
    struct block_cohort fresh = {.worth = worth, .left_ps = at->block_ps, .phase = BLOCK_RUNNING};
    block_place(device, task, &fresh, blocks);
    at->pending -= blocks;
}

/* Places as many blocks as it may. Returns whether it is no obstacle for those behind it. */
static bool grow(struct device *device, struct device_task *task, double own_sms) {
    struct device_blocks *at = &task->at;
    double blocks = fmin(block_fit(device, task), at->pending + at->saved_count);
    bool limited = device->partition.map->limited;
    (void)own_sms;
    if (at->solo_slots == 0)
        begin(device, task);
    if (blocks > 0) {
        device_advance(device, task);
        double fresh = blocks - restore(device, task, blocks);
        if (fresh > 0)
            place_fresh(device, task, fresh);
        block_set_awake(task);
        set_speed(device, task);
    }
    at->keeps_slots =
        task->resident > 0 && !device->partition.map->over_limit && !device->partition.moving;
    if (at->keeps_slots)
        device_replan(device, task);
    return task->last_wave || limited;
}

/* ---- The end of blocks ---- */

/* The blocks leave their SMs: ended, or saved. */
static void leave(struct device *device, struct device_task *task, struct block_cohort *cohort) {
    block_roll(device, cohort);
    if (cohort->phase != BLOCK_SAVING) {
        task->at.done_ps += cohort->blocks * cohort->worth * block_left(device, cohort);
        block_count_finished(device, cohort, 1);
    }
    block_release(device, task, cohort);
    if (cohort->phase == BLOCK_SAVING) {
        block_cohort_append(&task->at.saved, cohort);
        task->at.saved_count += cohort->blocks;
    } else
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
            cohort->first_ps = -1;
            device->partition.map->woken = true;
        }
        link = &cohort->next;
    }
    block_take_back(device, task);
    block_join(device, task);
    block_set_awake(task);
    if (task->at.pending + task->at.saved_count > 0)
        set_speed(device, task);
    device_replan(device, task);
    if (!task->last_wave || task->at.cohorts)
        return false;
    settle_losses(device, task);
    return true;
}

/* ---- SMs held ---- */

static double busy_sms(const struct device *device) {
    const struct block_view *view = device->partition.map->views;
    double sum = 0;
    if (device->config.sharing == CT_SHARING_TIMESLICE) {
        if (device->slices.active < 0 || device->slices.switching)
            return 0;
        view += device->slices.active;
    }
    for (const struct block_class *c = view->classes; c; c = c->next)
        sum += c->size * (c->sm.held < 1 ? c->sm.held : 1);
    return sum;
}

/* Kernels with unlike needs may together hold more blocks than an SM holds of either: it counts as
 * one SM. */
static void account(struct device *device) {
    struct block_map *map = device->partition.map;
    ct_time_ps now = des_engine_now(device->engine);
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.tasks[i]->at.bound)
            for (struct block_cohort *c = device->running.tasks[i]->at.cohorts; c; c = c->next)
                block_roll(device, c);
    device->usage.sm_ps += map->busy_sms * (double)(now - map->busy_since_ps);
    map->busy_since_ps = now;
    if (map->changed || device->config.sharing == CT_SHARING_TIMESLICE)
        map->busy_sms = busy_sms(device);
    map->changed = false;
}

static void settle(struct device *device) {
    device->partition.map->fit_task = NULL; /* caps may have changed */
    for (uint32_t i = 0; i < device->running.count; i++) {
        block_take_back(device, device->running.tasks[i]);
        block_class_merge(device, block_view_of(device, device->running.tasks[i]));
    }
    block_move_settle(device);
}

const struct device_ops block_ops = {
    .places_blocks = true,
    .start = start,
    .room = room,
    .grow = grow,
    .work = block_work,
    .limit_units = block_limit_units,
    .set_draw = block_set_draw,
    .plan = block_plan,
    .due = due,
    .account = account,
    .settle = settle,
    .repartition = block_repartition,
};
