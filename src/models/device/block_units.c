/*
 * Functional units: the blocks that share an SM use at most what it has. Cohorts whose SMs leave
 * them different parts are split.
 */
#include "block.h"

/* Use of an SM's busiest unit by one block at full speed: the whole GPU's use, spread over the
 * blocks held alone. */
static double unit_of_block(const struct device *device, const struct device_task *task) {
    return task->profile->unit_fraction * device->sms / task->at.solo_slots;
}

/* The same at the speed that its SMs allow: with fewer of its own kind, a block runs faster
 * (roofline). */
static double unit_now(const struct device *device, const struct device_task *task) {
    if (task->at.wave_slots == 0)
        return 0;
    return unit_of_block(device, task) * device_sm_rate(device, task) * task->at.solo_slots /
           task->at.wave_slots;
}

/* What the recording shows that an SM gives to this kernel alone. */
static double unit_alone(const struct device *device, const struct device_task *task) {
    return unit_of_block(device, task) * ceil(task->at.solo_slots / device->sms);
}

static bool uses_units(const struct device *device, const struct device_task *task) {
    return task->profile && task->profile->unit_fraction > 0 &&
           device_client_runs(device, task->client);
}

/* At most what any SM is asked for: most often it is within what all have. */
static double most_asked(const struct device *device) {
    double sum = 0;
    for (uint32_t i = 0; i < device->running_count; i++) {
        const struct device_task *task = device->running[i];
        uint32_t most = 0;
        if (!uses_units(device, task))
            continue;
        for (const struct block_cohort *c = task->at.cohorts; c; c = c->next)
            most += c->per_sm; /* of several cohorts, on the same SM at worst */
        sum += fmin(most, task->profile->blocks_per_sm) * unit_now(device, task);
    }
    return sum;
}

static void sum_use(const struct device *device) {
    double *use = device->map->use;
    for (uint32_t i = 0; i < device->map->sms; i++)
        use[i] = 0;
    for (uint32_t t = 0; t < device->running_count; t++) {
        const struct device_task *task = device->running[t];
        if (!uses_units(device, task))
            continue;
        double unit = unit_now(device, task);
        for (const struct block_cohort *c = task->at.cohorts; c; c = c->next)
            for (uint32_t i = 0; c->phase == BLOCK_RUNNING && i < c->sm_count; i++)
                use[c->sms[i]] += c->per_sm * unit;
    }
}

static double limit_on(const struct block_map *map, uint32_t sm, double alone) {
    double use = map->use[sm], available = fmax(1, fmin(use, alone));
    return use > available * (1 + 1e-12) ? available / use : 1;
}

static void set_contended(struct device *device, struct device_task *task,
                          struct block_cohort *cohort, double part) {
    if (cohort->contended == part)
        return;
    device_advance(device, task);
    cohort->contended = part;
    task->until_ps = -1;
}

/* Sets the part that the units leave a cohort; SMs that leave another part go into a cohort of
 * their own, next. */
static void limit_cohort(struct device *device, struct device_task *task,
                         struct block_cohort *cohort, double alone) {
    const struct block_map *map = device->map;
    double limit = limit_on(map, cohort->sms[0], alone);
    uint32_t kept = 1;
    struct block_cohort *other = NULL;
    set_contended(device, task, cohort, limit);
    for (uint32_t i = 1; i < cohort->sm_count; i++) {
        if (limit_on(map, cohort->sms[i], alone) == limit) {
            cohort->sms[kept++] = cohort->sms[i];
            continue;
        }
        if (!other) {
            other = block_cohort_new(device);
            *other = *cohort;
            other->sm_count = 0; /* its part is set when it is come to */
            cohort->next = other;
        }
        other->sms[other->sm_count++] = cohort->sms[i];
    }
    cohort->sm_count = kept;
}

static void limit_task(struct device *device, struct device_task *task, bool free) {
    double alone = free ? 0 : unit_alone(device, task), sum = 0, blocks = 0;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (free)
            set_contended(device, task, c, 1);
        else
            limit_cohort(device, task, c, alone);
        sum += block_count(c) * c->contended;
        blocks += block_count(c);
    }
    task->at.contended = blocks > 0 ? sum / blocks : 1;
    task->limit[DEVICE_LOSS_SM_CONTENTION] = task->at.contended;
}

void block_limit_units(struct device *device, double units) {
    (void)units; /* what counts is each SM's */
    bool free = most_asked(device) <= 1;
    if (!free)
        sum_use(device);
    for (uint32_t i = 0; i < device->running_count; i++) {
        struct device_task *task = device->running[i];
        if (task->profile && device_client_runs(device, task->client))
            limit_task(device, task, free || task->profile->unit_fraction == 0);
    }
}
