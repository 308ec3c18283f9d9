/*
 * Functional units: the blocks that share an SM use at most what it has. Cohorts whose SMs leave
 * them different parts are split.
 */
#include "models/device/block.h"

/* Use of an SM's busiest unit by one block at full speed: the whole GPU's use, spread over the
 * blocks held alone. */
static double unit_of_block(const struct device *device, const struct device_task *task) {
    return task->profile->unit_fraction * device->sms / task->at.solo_slots;
}

/* What one block asks of an SM's functional units now, at the speed that its SMs allow: with fewer
 * of its own kind, a block runs faster (roofline). */
static double unit_now(const struct device *device, const struct device_task *task) {
    if (task->at.wave_slots == 0)
        return 0;
    return unit_of_block(device, task) * device_sm_rate(device, task) * task->at.solo_slots /
           task->at.wave_slots;
}

double block_most_alone(const struct device *device, const struct device_task *task) {
    return ceil(task->at.solo_slots / device->sms);
}

double block_unit_alone(const struct device *device, const struct device_task *task) {
    return unit_of_block(device, task) * block_most_alone(device, task);
}

static bool uses_units(const struct device *device, const struct device_task *task) {
    return task->profile && task->profile->unit_fraction > 0 &&
           device_client_runs(device, task->client);
}

/* What each task's blocks use. Returns whether it differs from before. */
static bool ask_of_blocks(struct device *device) {
    bool differs = false;
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        double unit = uses_units(device, task) ? unit_now(device, task) : 0;
        differs = differs || unit != task->at.unit;
        task->at.unit = unit;
    }
    return differs;
}

static double use_of(const struct block_class *class) {
    double use = 0;
    for (uint32_t i = 0; i < class->resident_count; i++) {
        const struct block_resident *r = &class->residents[i];
        if (r->cohort->phase == BLOCK_RUNNING)
            use += r->per_sm * r->cohort->task->at.unit;
    }
    return use;
}

/* Whether every SM gives its residents all that they ask for. Another time slice changes what is
 * asked. */
static bool gives_all(struct device *device, const struct block_view *view) {
    bool enough = true, all = ask_of_blocks(device) || device->partition.map->woken;
    device->partition.map->woken = false;
    for (struct block_class *class = view->classes; class; class = class->next) {
        if (all || !class->use_known)
            class->use = use_of(class);
        class->use_known = true;
        enough = enough && class->use <= 1 && !block_age_counts(device, class);
    }
    return enough;
}

static double limit_on(const struct block_class *class, double alone) {
    double available = device_greater(1, device_lesser(class->use, alone));
    return class->use > available * (1 + 1e-12) ? available / class->use : 1;
}

/* The cohort, or one split off it, whose SMs leave it this part; NOT_SEEN: of no SM as yet. */
static const double NOT_SEEN = -1;

static struct block_cohort *cohort_of_part(struct device *device, struct block_cohort *cohort,
                                           double part) {
    if (cohort->part == NOT_SEEN)
        cohort->part = part;
    while (fabs(cohort->part - part) > BLOCK_IN_STEP && cohort->twin)
        cohort = cohort->twin;
    if (fabs(cohort->part - part) <= BLOCK_IN_STEP)
        return cohort;
    struct block_cohort *twin = block_cohort_new(device);
    *twin = *cohort;
    twin->blocks = twin->above = 0;
    twin->part = part;
    cohort->next = cohort->twin = twin;
    return twin;
}

/* Cohorts whose SMs leave them parts too different are split. */
static void limit_class(struct device *device, struct block_class *class) {
    bool by_age = block_age_counts(device, class);
    if (by_age)
        block_share_by_age(device, class);
    for (uint32_t i = 0; i < class->resident_count; i++) {
        struct block_resident *r = &class->residents[i];
        struct block_cohort *cohort = r->cohort;
        const struct device_blocks *at = &cohort->task->at;
        double part = by_age ? r->part : at->unit > 0 ? limit_on(class, at->unit_alone) : 1;
        double blocks = (double)r->per_sm * class->size;
        r->cohort = cohort_of_part(device, cohort, part);
        r->cohort->above += blocks * (part - r->cohort->part);
        if (r->cohort == cohort)
            continue;
        cohort->blocks -= blocks;
        r->cohort->blocks += blocks;
    }
}

static void limit_task(struct device *device, struct device_task *task, bool free) {
    double sum = 0, blocks = 0;
    if (free && !task->at.squeezed)
        return; /* each gets all, as it began */
    task->at.squeezed = !free;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        double part = free ? 1 : c->part + c->above / c->blocks;
        if (c->contended != part) {
            c->contended = part;
            device_replan(device, task);
        }
        sum += c->blocks * part;
        blocks += c->blocks;
    }
    task->at.contended = blocks > 0 ? sum / blocks : 1;
    task->limit[DEVICE_LOSS_SM_CONTENTION] = task->at.contended;
}

static void begin_parts(const struct device *device, struct device_task *task) {
    if (task->at.unit > 0)
        task->at.unit_alone = block_unit_alone(device, task);
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        c->part = NOT_SEEN;
        c->above = 0;
        c->twin = NULL;
    }
}

void block_limit_units(struct device *device, double units) {
    struct block_view *view = device->partition.map->views;
    (void)units; /* what counts is each SM's */
    if (device->config.sharing == CT_SHARING_TIMESLICE && device->slices.active >= 0)
        view += device->slices.active;
    bool free = gives_all(device, view);
    for (uint32_t i = 0; i < device->running.count && !free; i++)
        begin_parts(device, device->running.tasks[i]);
    for (struct block_class *class = view->classes; class && !free; class = class->next)
        limit_class(device, class);
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        if (task->profile && device_client_runs(device, task->client))
            limit_task(device, task, free);
    }
}
