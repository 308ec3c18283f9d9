/*
 * Which kernels meet on an SM, where sm_sharing is `hopper`, and what the issue slots there leave
 * each (sm_age.h). The fluid device has no places: a kernel lies on as many SMs as it has blocks,
 * and on those first that nobody is on; one that waited for room lies packed where that appeared.
 * What block_fill.c, block_place.c and block_age.c do block by block is told from these numbers.
 */
#include "models/device/fluid.h"
#include "models/device/occupancy.h"
#include "models/device/sm_age.h"

/* Whether it has blocks on SMs now, that run. */
static bool is_there(const struct device *device, const struct device_task *task) {
    return task->profile && task->resident > 0 && device_client_runs(device, task->client);
}

/* ---- Where a kernel lies ---- */

/* An SM is divided into L1 and shared memory till it is empty: who wants more shared memory than
 * that has no room there. */
static bool is_barred_by(const struct device_task *task, const struct device_task *other) {
    int64_t division = other->profile->smem_division;
    return division < task->profile->smem_division && division > 0;
}

/* SMs on which a kernel has no room, whatever is free there. */
static double barred_sms(const struct device *device, const struct device_task *task) {
    double barred = 0;
    if (task->profile->smem_division <= OCCUPANCY_LEAST_DIVISION)
        return 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *other = device->running.tasks[i];
        if (other->profile && is_barred_by(task, other) && is_there(device, other))
            barred += other->spread;
    }
    return barred;
}

double fluid_free_sms(const struct device *device, const struct device_task *task) {
    double free_sms = device->dispatch.free_sms;
    if (!device_goes_by_age(device) || device->config.sharing == CT_SHARING_PARTITION)
        return free_sms;
    double sms = device->sms - barred_sms(device, task);
    if (sms == device->sms)
        return free_sms;
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *other = device->running.tasks[i];
        if (is_there(device, other) && !is_barred_by(task, other))
            sms -= other->sms;
    }
    return device_lesser(free_sms, device_greater(0, sms));
}

static double blocks_alone(const struct device *device, const struct device_task *task) {
    return device_lesser(task->blocks, fluid_all_slots(device, task));
}

/* How it lies alone. Use by class may be more than all of these SMs. */
static void lie_alone(const struct device *device, struct device_task *task) {
    double blocks = blocks_alone(device, task);
    task->alone_sms = device_lesser(device->sms, blocks);
    task->alone_slots =
        device_lesser(1, task->profile->unit_fraction * device->sms / task->alone_sms);
    task->most_blocks = ceil(blocks / device->sms);
    task->block_slots = sm_age_slots_of_block(task->alone_slots, task->most_blocks);
}

/* Whether a task has waited for room that appears now, and does not fill it. */
static bool has_waited(const struct device *device, const struct device_task *task, double extra,
                       double free_sms) {
    return device_waited_for_room(device, task) &&
           device->dispatch.freed_ps == des_engine_now(device->engine) &&
           extra + 1 <= free_sms * task->profile->blocks_per_sm;
}

void fluid_note_freed(struct device *device, const struct device_task *task) {
    device->dispatch.freed_ps = des_engine_now(device->engine);
    device->dispatch.freed_per_sm = task->resident / device_greater(1, task->spread);
}

/* SMs that so many blocks fill up, of which each gets what one block that ends there leaves. */
static double filled_sms(const struct device *device, const struct device_task *task,
                         double blocks) {
    double ended = device_greater(1, device->dispatch.freed_per_sm);
    return device_greater(1, blocks / ceil(task->profile->blocks_per_sm / ended));
}

void fluid_spread(const struct device *device, struct device_task *task, double extra,
                  double free_sms) {
    if (!device_goes_by_age(device))
        return;
    if (task->resident == 0)
        lie_alone(device, task);
    bool fills = has_waited(device, task, extra, free_sms);
    double sms = fills ? task->spread + filled_sms(device, task, extra) : task->resident + extra;
    double most = device_allowed_sms(device, task);
    if (device_held_to_gpcs(device, task->client))
        most = device_lesser(most, device->clients[task->client].reach);
    task->spread = device_lesser(device_greater(sms, task->spread), device_greater(1, most));
}

/* ---- What it needs of the issue slots there, and gets ---- */

double fluid_rate_there(const struct device *device, const struct device_task *task) {
    if (!device_goes_by_age(device) || task->spread >= task->alone_sms ||
        task->blocks >= fluid_all_slots(device, task))
        return 1; /* who fills all slots alone is as close there; waves tell */
    /* A kernel ends with the SM on which most of its blocks lie. */
    double slots = ceil(task->blocks / task->alone_sms) / ceil(task->blocks / task->spread);
    return slots < task->alone_slots ? slots / task->alone_slots : 1;
}

/* The slots that a task uses of each SM on which it lies, at full speed. */
static double slots_used(const struct device_task *task) {
    return task->alone_slots * task->alone_sms / task->spread * task->resident / task->wave;
}

double fluid_slots_needed(const struct device *device, const struct device_task *task,
                          double units) {
    if (!device_goes_by_age(device) || !is_there(device, task))
        return units;
    double use = units / task->profile->unit_fraction * slots_used(task);
    double threads = task->resident / task->spread * (double)task->profile->need.threads;
    return sm_age_needed(use, threads);
}

/* SMs of a pool: those of all, or of a partition. */
static double sms_of_pool(const struct device *device, const struct device_client *pool) {
    return device->config.sharing == CT_SHARING_PARTITION ? (double)pool->partition : device->sms;
}

static struct device_client *pool_of(const struct device *device, const struct device_task *task) {
    bool parts = device->config.sharing == CT_SHARING_PARTITION;
    return &device->clients[parts ? device->clients[task->client].slice : 0];
}

/* Leaves the next one of its pool what the last one does not use, where it lies: on `alone` SMs
 * nobody else, and on `shared` others before it. */
static void leave_rest(struct device_client *pool) {
    const struct device_task *task = pool->last;
    double slots = task->block_slots, alone = pool->last_alone, shared = pool->last_shared;
    double blocks = device_lesser(task->most_blocks, task->resident / task->spread);
    double rest = sm_age_left(1, slots, blocks);
    double left =
        alone * rest + shared * (pool->left * rest) + (pool->covered_sms - shared) * pool->left;
    double asked = pool->asked * pool->covered_sms + blocks * task->spread * slots;
    pool->covered_sms += alone;
    pool->left = left / pool->covered_sms;
    pool->asked = asked / pool->covered_sms;
}

/* The part of its speed that a kernel keeps. The last wave ends with the blocks that get least; the
 * waves before it go on wherever a slot is free, at their mean. */
static double limit_of(const struct device_task *task, double behind, double shared) {
    return task->last_wave ? behind : 1 - shared / task->spread * (1 - behind);
}

/* What the kernel at `from` takes beyond what was left, those of its pool before it lack, each in
 * proportion. Slots of SMs. */
static void pay_back(struct device *device, uint32_t from, const struct device_client *pool,
                     double beyond) {
    for (uint32_t i = 0; i < from && beyond > 0; i++) {
        struct device_task *task = device->running.tasks[i];
        bool takes = is_there(device, task) && task->profile->unit_fraction > 0;
        if (takes && pool_of(device, task) == pool)
            task->limit[DEVICE_LOSS_SM_CONTENTION] *= 1 - device_lesser(1, beyond / pool->taken);
    }
}

static void begin_pools(struct device *device) {
    bool parts = device->config.sharing == CT_SHARING_PARTITION;
    for (uint32_t i = 0; i < (parts ? device->config.clients : 1); i++) {
        device->clients[i].covered_sms = 0;
        device->clients[i].left = 1;
        device->clients[i].taken = device->clients[i].asked = 0;
        device->clients[i].last = NULL;
    }
}

/* How fast a kernel goes on `alone` SMs and on `shared` ones behind others. */
static void limit_one(struct device *device, uint32_t index, struct device_client *pool,
                      double alone, double shared) {
    struct device_task *task = device->running.tasks[index];
    double needed = device->running.lanes[index].units;
    double behind =
        shared > 0 ? sm_age_part(needed, pool->left, pool->asked, task->profile->dependent) : 1;
    double slots = device_lesser(slots_used(task) * device_sm_rate(device, task), 1);
    if (task->profile->unit_fraction > 0)
        task->limit[DEVICE_LOSS_SM_CONTENTION] = limit_of(task, behind, shared);
    pay_back(device, index, pool, shared * (behind * slots - pool->left));
    pool->taken =
        device_lesser(pool->covered_sms + alone, pool->taken + (alone + shared * behind) * slots);
}

void fluid_limit_by_age(struct device *device) {
    begin_pools(device);
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        if (!is_there(device, task))
            continue;
        struct device_client *pool = pool_of(device, task);
        double all = sms_of_pool(device, pool), sms = device_lesser(all, task->spread);
        if (!(sms > 0))
            continue;
        if (pool->last)
            leave_rest(pool);
        double alone = device_lesser(sms, all - pool->covered_sms), shared = sms - alone;
        limit_one(device, i, pool, alone, shared);
        pool->last = task;
        pool->last_alone = alone;
        pool->last_shared = shared;
    }
}
