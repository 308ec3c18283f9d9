/* What lies on which SM: room, placement, release. Threads, block slots, registers and shared
 * memory all must fit. */
#include "block.h"

#include "ct_assert.h"

#include <string.h>

struct block_sm *block_view(const struct device *device, const struct device_task *task) {
    bool sliced = device->config.sharing == DEVICE_SHARING_TIMESLICE;
    return device->map->views + (sliced ? (size_t)task->client * device->map->sms : 0);
}

double block_count(const struct block_cohort *cohort) {
    return (double)cohort->per_sm * cohort->sm_count;
}

struct block_cohort *block_cohort_new(struct device *device) {
    struct block_map *map = device->map;
    struct block_cohort *cohort = map->unused;
    if (cohort)
        map->unused = cohort->next;
    else
        cohort = ct_arena_alloc(map->arena, sizeof *cohort + map->sms * sizeof cohort->sms[0]);
    ct_assert(cohort);
    return cohort;
}

void block_cohort_free(struct device *device, struct block_cohort *cohort) {
    cohort->next = device->map->unused;
    device->map->unused = cohort;
}

/* ---- Room ---- */

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t parts(int32_t all, int64_t each) {
    return each > 0 ? all / (int32_t)each : INT32_MAX;
}

static uint16_t fit_on(const struct block_sm *sm, const struct kernel_profile *profile) {
    int32_t fit = least(sm->slots, (int32_t)profile->blocks_per_sm);
    if (fit == 0 || sm->resident == 0)
        return (uint16_t)fit;
    fit = least(fit, parts(sm->threads, profile->need.threads));
    fit = least(fit, parts(sm->registers, profile->need.registers));
    return (uint16_t)least(fit, parts(sm->smem_bytes, profile->need.smem_bytes));
}

static bool same_room(const struct block_sm *a, const struct block_sm *b) {
    return a->threads == b->threads && a->slots == b->slots && a->registers == b->registers &&
           a->smem_bytes == b->smem_bytes;
}

static bool may_use(const struct device *device, const struct device_task *task, uint32_t sm) {
    const struct block_map *map = device->map;
    return device->config.sharing != DEVICE_SHARING_PARTITION ||
           (map->owner[sm] == (int32_t)task->client && map->next_owner[sm] == map->owner[sm]);
}

double block_fit(struct device *device, const struct device_task *task) {
    struct block_map *map = device->map;
    const struct block_sm *view = block_view(device, task), *before = NULL;
    uint32_t sum = 0;
    uint16_t fit = 0;
    if (map->fit_task == task)
        return map->fit_sum;
    for (uint32_t i = 0; i < map->sms; i++) {
        if (!before || !same_room(before, &view[i]))
            fit = fit_on(&view[i], task->profile);
        before = &view[i];
        map->fit[i] = may_use(device, task, i) ? fit : 0;
        sum += map->fit[i];
    }
    map->fit_task = task;
    map->fit_sum = sum;
    return sum;
}

/* ---- Placement ---- */

/*
 * Block by block onto the SM with the most room for more of them, the lowest number first: in the
 * end no SM has room for more than `level` blocks, and some of those that have are the last ones to
 * have got one. Turns the room of each SM into the blocks that it gets.
 */
static void share_out(struct block_map *map, uint32_t blocks, uint32_t most) {
    uint32_t above = 0, level = most, got = 0;
    memset(map->alike, 0, (most + 1) * sizeof *map->alike);
    for (uint32_t i = 0; i < map->sms; i++)
        map->alike[map->fit[i]]++;
    while (level > 0 && got + above + map->alike[level] <= blocks) {
        above += map->alike[level--];
        got += above;
    }
    uint32_t rest = blocks - got; /* SMs that have room for `level` more get one of these each */
    memset(map->alike, 0, (most + 1) * sizeof *map->alike);
    for (uint32_t i = 0; i < map->sms; i++) {
        uint16_t take = map->fit[i] > level ? (uint16_t)(map->fit[i] - level) : 0;
        if (rest > 0 && map->fit[i] >= level) {
            take++;
            rest--;
        }
        map->fit[i] = take;
        map->alike[take]++;
    }
}

static void take_room(struct block_sm *sm, const struct kernel_profile *profile, int32_t blocks) {
    sm->threads -= blocks * (int32_t)profile->need.threads;
    sm->slots -= blocks;
    sm->registers -= blocks * (int32_t)profile->need.registers;
    sm->smem_bytes -= blocks * (int32_t)profile->need.smem_bytes;
    sm->resident += blocks;
    sm->held += (double)blocks / profile->blocks_per_sm;
}

static void append(struct device_task *task, struct block_cohort *cohort) {
    struct block_cohort **last = &task->at.cohorts;
    while (*last)
        last = &(*last)->next;
    cohort->next = NULL;
    *last = cohort;
}

/* The SMs that get `per_sm` blocks each. */
static void place_cohort(struct device *device, struct device_task *task, uint16_t per_sm,
                         const struct block_cohort *form) {
    struct block_map *map = device->map;
    struct block_sm *view = block_view(device, task);
    struct block_cohort *cohort = block_cohort_new(device);
    *cohort = *form;
    cohort->per_sm = per_sm;
    cohort->sm_count = 0;
    for (uint32_t i = 0; i < map->sms; i++)
        if (map->fit[i] == per_sm) {
            cohort->sms[cohort->sm_count++] = (uint16_t)i;
            take_room(&view[i], task->profile, per_sm);
        }
    append(task, cohort);
}

void block_place(struct device *device, struct device_task *task, double blocks, double left_ps,
                 enum block_phase phase) {
    struct block_map *map = device->map;
    const struct block_cohort form = {
        .left_ps = left_ps, .contended = 1, .waves = 1, .until_ps = -1, .phase = (uint8_t)phase};
    uint32_t most = (uint32_t)task->profile->blocks_per_sm;
    block_fit(device, task);
    share_out(map, (uint32_t)blocks, most);
    for (uint32_t per_sm = most; per_sm > 0; per_sm--)
        if (map->alike[per_sm] > 0)
            place_cohort(device, task, (uint16_t)per_sm, &form);
    task->resident += blocks;
    task->sms = task->resident / task->profile->blocks_per_sm;
    task->until_ps = -1;
    map->fit_task = NULL;
    map->changed = true;
}

void block_release(struct device *device, struct device_task *task,
                   const struct block_cohort *cohort) {
    struct block_map *map = device->map;
    struct block_sm *view = block_view(device, task);
    for (uint32_t i = 0; i < cohort->sm_count; i++) {
        struct block_sm *sm = &view[cohort->sms[i]];
        take_room(sm, task->profile, -(int32_t)cohort->per_sm);
        if (sm->resident == 0)
            sm->held = 0; /* no rounding is carried on */
    }
    task->resident -= block_count(cohort);
    task->sms = task->resident / task->profile->blocks_per_sm;
    task->until_ps = -1;
    device->last_release = task->client;
    map->fit_task = NULL;
    map->changed = true;
}

struct block_cohort *block_split(struct device *device, struct block_cohort *cohort,
                                 uint32_t position) {
    struct block_cohort *part = block_cohort_new(device);
    *part = *cohort;
    part->sm_count = 1;
    part->sms[0] = cohort->sms[position];
    cohort->sm_count--;
    memmove(&cohort->sms[position], &cohort->sms[position + 1],
            (cohort->sm_count - position) * sizeof cohort->sms[0]);
    cohort->next = part;
    return part;
}
