/*
 * When blocks end. A cohort keeps its progress as of when its rate changed last, and what follows
 * from that: looking at it at other times changes nothing. Ends are rounded down, so that blocks of
 * many waves do not drift behind the kernel's solo time; the last ones are held to it.
 */
#include "models/device/block.h"

static const double PS_ROUNDING = 1e-3; /* of an interval computed as a double */
static const double LONGEST_WAIT_PS =
    4e18; /* beyond the range of the clock, with any time that is now */

double block_left(const struct device *device, const struct block_cohort *cohort) {
    return cohort->left_ps -
           (double)(des_engine_now(device->engine) - cohort->since_ps) * cohort->rate;
}

void block_count_finished(struct device *device, const struct block_cohort *cohort,
                          uint32_t waves) {
    struct block_map *map = device->partition.map;
    const struct device_task *task = cohort->task;
    device->clients[task->client].counters.blocks_finished += waves * (uint64_t)cohort->blocks;
    if (device->config.sharing != CT_SHARING_PARTITION)
        return;
    for (const struct block_class *c = map->views->classes; c; c = c->next)
        for (uint32_t i = 0; i < c->resident_count; i++)
            for (uint32_t sm = c->residents[i].cohort == cohort ? block_next(map, c, 0) : map->sms;
                 sm < map->sms; sm = block_next(map, c, sm + 1))
                map->finished[sm] += (uint64_t)waves * (uint64_t)c->residents[i].per_sm;
}

/* Tells the listener of blocks that ended where the next ones began at once. */
static void tell_next(const struct device *device, const struct block_cohort *cohort,
                      ct_time_ps ended) {
    struct device_block_move move = {.change = DEVICE_BLOCKS_NEXT};
    const struct block_class *c;
    for (c = device->listener.blocks_moved ? block_view_of(device, cohort->task)->classes : NULL; c;
         c = c->next) {
        const struct block_resident *resident = block_resident_of(c, cohort);
        move.blocks = resident ? resident->per_sm : 0;
        for (ct_time_ps i = 0; resident && i < ended; i++) {
            move.time_ps = cohort->first_ps + i * cohort->step_ps;
            block_tell(device, cohort->task, c, move);
        }
    }
}

void block_roll(struct device *device, struct block_cohort *cohort) {
    ct_time_ps now = des_engine_now(device->engine);
    if (cohort->ahead == 0 || now < cohort->first_ps)
        return;
    ct_time_ps ended = 1 + (now - cohort->first_ps) / cohort->step_ps;
    if (ended > cohort->ahead)
        ended = cohort->ahead;
    block_count_finished(device, cohort, (uint32_t)ended);
    tell_next(device, cohort, ended);
    double step = cohort->task->at.block_ps - (double)cohort->step_ps * cohort->rate;
    double first = cohort->left_ps - (double)(cohort->first_ps - cohort->since_ps) * cohort->rate;
    cohort->task->at.done_ps += /* what rounding cut off */
        cohort->blocks * cohort->worth * (first + (double)(ended - 1) * step);
    cohort->ahead -= (uint32_t)ended;
    cohort->since_ps = cohort->first_ps + (ended - 1) * cohort->step_ps;
    cohort->first_ps += ended * cohort->step_ps;
    cohort->left_ps = cohort->task->at.block_ps;
}

double block_work(struct device *device, struct device_task *task, double elapsed_ps) {
    double before = task->at.counted_ps;
    (void)device;
    task->at.done_ps += elapsed_ps * task->at.flow;
    task->at.counted_ps = task->at.done_ps;
    return task->at.counted_ps - before;
}

/* Speed of a block that the units of its SM leave everything, over the kernel's rate. */
static double block_speed(const struct device_task *task) {
    const struct device_blocks *at = &task->at;
    double own = at->contended * task->awake * at->wave_slots;
    return own > 0 ? at->solo_slots / own : 0;
}

/* Since the kernel began, but for others' time slices. */
static ct_time_ps time_of(const struct device *device, const struct device_task *task) {
    if (device->config.sharing == CT_SHARING_TIMESLICE)
        return device_slices_ps(device, task->client) - task->at.slices_ps;
    return des_engine_now(device->engine) - task->started_ps;
}

/* No kernel is faster than alone: once all its blocks are placed, they are held to that. What a
 * block may do per time. */
static double most_per_time(const struct device *device, const struct device_task *task) {
    double longest = 0, alone = task->work_ps - (double)time_of(device, task);
    if (!task->last_wave || alone <= 0)
        return INFINITY;
    for (const struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (c->phase != BLOCK_RUNNING)
            return INFINITY;
        longest = fmax(longest, block_left(device, c) / c->contended);
    }
    return longest > 0 ? longest / alone : INFINITY;
}

/* How far its blocks are held back is decided at its own events, so that those of others, or of
 * nobody, do not change it. */
void block_set_draw(struct device *device, struct device_task *task) {
    struct device_blocks *at = &task->at;
    if (device->running.until_ps[device_slot_of(device, task)] < 0)
        at->hold = most_per_time(device, task);
    double rate = device_left_of(task, false) * block_speed(task);
    double held = rate > at->hold ? at->hold / rate : 1, draw = 0;
    for (const struct block_cohort *c = at->cohorts; c; c = c->next)
        if (c->phase == BLOCK_RUNNING)
            draw += c->blocks * c->worth * c->contended;
    task->draw = draw * block_speed(task) * held;
    if (held != at->held)
        device_replan(device, task);
    at->held = held;
}

/* A plan that still holds is kept: looking at the device does not move its events. */
static void set_rate(struct device *device, struct block_cohort *cohort, double rate) {
    ct_time_ps now = des_engine_now(device->engine);
    const struct device_task *task = cohort->task;
    if (cohort->first_ps >= 0 && cohort->rate == rate)
        return;
    double left = block_left(device, cohort), wait = left > 0 ? left / rate : 0;
    double step = task->at.block_ps / rate;
    cohort->left_ps = left;
    cohort->since_ps = now;
    cohort->rate = rate;
    cohort->first_ps = CT_TIME_NEVER;
    if (!(rate > 0 && wait < LONGEST_WAIT_PS && step < LONGEST_WAIT_PS))
        return;
    cohort->first_ps = now + (ct_time_ps)(wait + (task->last_wave ? 0.5 : PS_ROUNDING));
    cohort->step_ps = (ct_time_ps)(step + PS_ROUNDING);
    if (cohort->step_ps < 1)
        cohort->step_ps = 1;
}

/* How many more blocks each slot of a cohort takes if all slots take blocks up to this time from
 * now. */
static double more_blocks(const struct device *device, const struct block_cohort *cohort,
                          double until_ps) {
    double from = (double)(cohort->first_ps - des_engine_now(device->engine));
    return (until_ps - from) / (double)cohort->step_ps + 1;
}

/*
 * Binds pending blocks to the slots that the kernel holds: as they would take them one by one, up
 * to a time at which some are still pending, for the begin of the last wave is an event that lets
 * others in, and so are all that do more than the others.
 */
static void bind(const struct device *device, struct device_task *task) {
    double slots_per_ps = 0, at_once = 0;
    double kept = task->at.last_blocks < task->at.solo_slots ? task->at.last_blocks : 1;
    if (!task->at.keeps_slots || task->last_wave || task->awake < 1)
        return;
    for (const struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (c->first_ps == CT_TIME_NEVER)
            return;
        slots_per_ps += c->blocks / (double)c->step_ps;
        at_once += c->blocks * more_blocks(device, c, 0);
    }
    double until = (task->at.pending - kept + 0.5 - at_once) / slots_per_ps;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        double more = floor(more_blocks(device, c, until));
        if (more < 1)
            continue;
        c->ahead += (uint32_t)more;
        task->at.pending -= more * c->blocks;
        task->at.bound = true;
    }
}

/* Work per time; what is done up to now was done at the former one. */
static void set_flow(struct device *device, struct device_task *task, double flow) {
    if (flow == task->at.flow)
        return;
    device_advance(device, task);
    task->at.flow = flow;
}

ct_time_ps block_plan(struct device *device, struct device_task *task) {
    double rate = task->rate * block_speed(task) * task->at.held, flow = 0;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (c->phase == BLOCK_RUNNING)
            set_rate(device, c, rate * c->contended);
        flow += c->blocks * c->worth * c->rate;
    }
    bind(device, task);
    set_flow(device, task, flow);
    ct_time_ps until = CT_TIME_NEVER;
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next) {
        if (c->phase == BLOCK_RUNNING)
            c->until_ps = c->ahead > 0 ? c->first_ps + c->ahead * c->step_ps : c->first_ps;
        until = c->until_ps < until ? c->until_ps : until;
    }
    return until;
}

/* Whether two cohorts go on alike, so that they can be one; `part` of each holds what it has left.
 */
static bool in_step(const struct block_cohort *a, const struct block_cohort *b) {
    return fabs(a->part - b->part) <= BLOCK_IN_STEP * a->task->at.block_ps &&
           fabs(a->contended - b->contended) <= BLOCK_IN_STEP && a->phase == BLOCK_RUNNING &&
           b->phase == BLOCK_RUNNING;
}

/* The worth of both together, such that what they have left to do stays the same. */
static double joint_worth(const struct block_cohort *a, const struct block_cohort *b) {
    double left_a = a->blocks * a->part, left_b = b->blocks * b->part;
    return (left_a * a->worth + left_b * b->worth) / (left_a + left_b);
}

void block_join(struct device *device, struct device_task *task) {
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next)
        c->part = block_left(device, c);
    for (struct block_cohort *c = task->at.cohorts; c; c = c->next)
        for (struct block_cohort **link = &c->next, *other; (other = *link) != NULL;) {
            if (!in_step(c, other)) {
                link = &other->next;
                continue;
            }
            double part = other->blocks / (c->blocks + other->blocks);
            if (c->worth != other->worth)
                c->worth = joint_worth(c, other);
            c->part = c->left_ps = c->part + part * (other->part - c->part);
            c->contended += part * (other->contended - c->contended);
            c->since_ps = des_engine_now(device->engine);
            c->first_ps = -1;
            *link = other->next;
            block_merge(device, c, other);
        }
}
