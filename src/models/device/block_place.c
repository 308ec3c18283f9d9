/* What lies on which SM: room, placement, release. Threads, block slots, registers and shared
 * memory all must fit. */
#include "block.h"

#include <string.h>

/* ---- Room ---- */

static int32_t least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

static int32_t parts(int32_t all, int64_t each) {
    return each > 0 ? all / (int32_t)each : INT32_MAX;
}

static int32_t fit_on(const struct block_sm *sm, const struct kernel_profile *profile) {
    int32_t fit = least(sm->slots, (int32_t)profile->blocks_per_sm);
    if (fit == 0 || sm->resident == 0)
        return fit;
    fit = least(fit, parts(sm->threads, profile->need.threads));
    fit = least(fit, parts(sm->registers, profile->need.registers));
    return least(fit, parts(sm->smem_bytes, profile->need.smem_bytes));
}

static bool may_use(const struct device *device, const struct device_task *task,
                    const struct block_class *class) {
    return device->config.sharing != DEVICE_SHARING_PARTITION ||
           (class->owner == (int32_t)task->client && class->next_owner == class->owner);
}

double block_fit(struct device *device, const struct device_task *task) {
    struct block_map *map = device->map;
    uint64_t sum = 0;
    if (map->fit_task == task)
        return map->fit_sum;
    for (struct block_class *c = block_view_of(device, task)->classes; c; c = c->next) {
        c->fit = may_use(device, task, c) ? fit_on(&c->sm, task->profile) : 0;
        sum += (uint64_t)c->fit * c->size;
    }
    map->fit_task = task;
    map->fit_sum = (double)sum;
    return map->fit_sum;
}

/* ---- Placement ---- */

/* Of the SMs that have room for `level` blocks or more, the `count` ones with the lowest numbers.
 */
static void choose_lowest(struct block_map *map, const struct block_view *view, int32_t level,
                          uint32_t count) {
    for (uint32_t i = 0; i < map->words; i++) {
        uint64_t all = 0, chosen = 0;
        for (const struct block_class *c = view->classes; count > 0 && c; c = c->next)
            all |= c->fit >= level ? c->sms[i] : 0;
        for (; all && count > 0; count--) {
            chosen |= all & (~all + 1);
            all &= all - 1;
        }
        map->chosen[i] = chosen;
    }
}

static bool meets(const struct block_map *map, const struct block_class *class) {
    for (uint32_t i = 0; i < map->words; i++)
        if (class->sms[i] & map->chosen[i])
            return true;
    return false;
}

/*
 * Block by block onto the SM with the most room for more of them, the lowest number first: in the
 * end no SM has room for more than `level` blocks, and some of those that have are the last ones to
 * have got one. Turns the room of each SM into the blocks that it gets.
 */
static void share_out(struct device *device, struct block_view *view, uint64_t blocks,
                      int32_t most) {
    struct block_map *map = device->map;
    uint64_t above = 0, got = 0;
    int32_t level = most;
    memset(map->alike, 0, (size_t)(most + 1) * sizeof *map->alike);
    for (const struct block_class *c = view->classes; c; c = c->next)
        map->alike[c->fit] += c->size;
    while (level > 0 && got + above + map->alike[level] <= blocks) {
        above += map->alike[level--];
        got += above;
    }
    uint32_t rest = (uint32_t)(blocks - got); /* SMs with room for `level` that get one of these */
    if (rest > 0)
        choose_lowest(map, view, level, rest);
    for (struct block_class *c = view->classes; c; c = c->next) {
        bool eligible = rest > 0 && c->fit >= level;
        struct block_class *more = eligible ? block_class_split(device, c, map->chosen) : NULL;
        bool whole = eligible && !more && meets(map, c);
        c->fit = (c->fit > level ? c->fit - level : 0) + whole;
        if (more) {
            more->fit = c->fit + 1;
            c = more;
        }
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
    *last = cohort;
}

static void set_resident(struct device *device, struct device_task *task, double resident) {
    task->resident = resident;
    task->sms = resident / task->profile->blocks_per_sm;
    task->until_ps = -1;
    device->map->fit_task = NULL;
    device->map->changed = true;
    block_view_of(device, task)->changed = true;
}

void block_place(struct device *device, struct device_task *task, double blocks, double left_ps,
                 enum block_phase phase) {
    struct block_view *view = block_view_of(device, task);
    struct block_cohort *cohort = block_cohort_new(device);
    *cohort = (struct block_cohort){.task = task,
                                    .blocks = blocks,
                                    .left_ps = left_ps,
                                    .contended = 1,
                                    .since_ps = des_engine_now(device->engine),
                                    .first_ps = -1,
                                    .until_ps = -1,
                                    .phase = (uint8_t)phase};
    append(task, cohort);
    block_fit(device, task);
    share_out(device, view, (uint64_t)blocks, (int32_t)task->profile->blocks_per_sm);
    for (struct block_class *c = view->classes; c; c = c->next)
        if (c->fit > 0) {
            c->residents[c->resident_count++] = (struct block_resident){cohort, c->fit};
            take_room(&c->sm, task->profile, c->fit);
        }
    set_resident(device, task, task->resident + blocks);
}

static void remove_resident(struct block_class *class, struct block_resident *resident) {
    struct block_resident *end = class->residents + class->resident_count--;
    memmove(resident, resident + 1, (size_t)(end - resident - 1) * sizeof *resident);
}

void block_release(struct device *device, struct device_task *task,
                   const struct block_cohort *cohort) {
    for (struct block_class *c = block_view_of(device, task)->classes; c; c = c->next) {
        struct block_resident *resident = block_resident_of(c, cohort);
        if (!resident)
            continue;
        take_room(&c->sm, task->profile, -resident->per_sm);
        if (c->sm.resident == 0)
            c->sm.held = 0; /* no rounding is carried on */
        remove_resident(c, resident);
    }
    set_resident(device, task, task->resident - cohort->blocks);
    device->last_release = task->client;
}

void block_join_next(struct device *device, struct block_cohort *cohort) {
    struct block_cohort *joins = cohort->next;
    struct block_view *view = block_view_of(device, cohort->task);
    for (struct block_class *c = view->classes; c; c = c->next) {
        struct block_resident *to = block_resident_of(c, cohort),
                              *from = block_resident_of(c, joins);
        if (from && to) {
            to->per_sm += from->per_sm;
            remove_resident(c, from);
        } else if (from)
            from->cohort = cohort;
    }
    cohort->blocks += joins->blocks;
    cohort->next = joins->next;
    block_cohort_free(device, joins);
    view->changed = true;
}
