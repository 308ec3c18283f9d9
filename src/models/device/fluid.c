/*
 * The fluid device: every running kernel has a progress rate, which changes only at events. A
 * kernel of more than one wave claims all that it may have until its last wave begins, then only
 * the last wave's blocks.
 */
#include "models/device/fluid.h"

/* ---- Block slots ---- */

static void hold(struct device *device, struct device_task *task, double resident) {
    device_hold_slots(device, task, resident);
    task->spread = device_lesser(task->spread, resident);
    device_hold_sms(device, task, resident / task->profile->blocks_per_sm);
}

/* Sets how fast a kernel runs that holds `resident` of `all` block slots; the begin of its last
 * wave, or its end, moves. */
static void set_speed(struct device *device, struct device_task *task, double resident,
                      double all) {
    task->wave = resident;
    task->speed = kernel_speed(task->profile, task->blocks, resident, all);
    task->part_rate = kernel_rate_on_part(task->profile, task->blocks, all,
                                          device_allowed_sms(device, task), device->sms);
    task->part_rate = device_lesser(task->part_rate, fluid_rate_there(device, task));
    device_replan(device, task);
}

/* The last of so many waves of `resident` slots each. */
static void enter_last_wave(struct device *device, struct device_task *task, double resident,
                            double waves) {
    double blocks = task->blocks - (waves - 1) * resident;
    device_set_last_wave(device, task, true);
    task->yields = false;
    hold(device, task, device_lesser(resident, device_greater(1, blocks)));
}

/* Work of one wave, which is what is left when the last one begins, at the present block slots. */
static double last_wave_work(const struct device_task *task) {
    return task->work_ps / kernel_waves(task->blocks, task->resident);
}

/* Waves at the present block slots since its blocks began. */
static double waves_ended(const struct device_task *task) {
    return (task->step_ps - task->left_ps) / last_wave_work(task);
}

/* Before a kernel gets more slots, so that it has so many waves: its blocks stay as far as they
 * are. */
static void keep_step(struct device_task *task, double waves) {
    double ended = task->resident > 0 ? waves_ended(task) : 0;
    double part = device_greater(0, ended - floor(ended + DEVICE_SLOT_ROUNDING));
    task->step_ps = task->left_ps + part * task->work_ps / waves;
}

static enum device_room room(struct device *device, const struct device_task *task,
                             double own_sms) {
    double free_sms = fluid_free_sms(device, task);
    if (device_slots(device_lesser(own_sms, free_sms), task->profile->blocks_per_sm) >= 1)
        return DEVICE_ROOM;
    return own_sms < free_sms ? DEVICE_ROOM_OWN_LIMIT : DEVICE_ROOM_NONE;
}

/*
 * Gives a kernel with undispatched blocks as many more slots as it may have. Returns whether it is
 * no obstacle for those behind it: all its blocks are placed, or its own limit holds it back.
 */
static bool grow(struct device *device, struct device_task *task, double own_sms) {
    double per_sm = task->profile->blocks_per_sm, free_sms = fluid_free_sms(device, task);
    double all = fluid_all_slots(device, task);
    double wanted = device_lesser(task->blocks, all) - task->resident;
    double extra = device_lesser(wanted, device_slots(device_lesser(own_sms, free_sms), per_sm));
    if (extra > 0) {
        double before = task->sms, resident = task->resident + extra;
        double waves = kernel_waves(task->blocks, resident);
        device_advance(device, task);
        keep_step(task, waves);
        fluid_spread(device, task, extra, free_sms);
        set_speed(device, task, resident, all);
        if (task->left_ps <= task->work_ps / waves * (1 + 1e-12))
            enter_last_wave(device, task, resident, waves);
        else
            hold(device, task, resident);
        device->clients[task->client].sms += task->sms - before;
        device->dispatch.free_sms -= task->sms - before;
    }
    return task->last_wave || own_sms < free_sms || (extra >= wanted && wanted > 0);
}

/* ---- Slots pass on at block boundaries: to higher priorities, and with SMs that drain ---- */

static bool is_to_lose_sms(const struct device *device, const struct device_task *task) {
    return device->config.sharing == CT_SHARING_PARTITION &&
           device->clients[task->client].partition > device->partition.wanted[task->client];
}

static void yield(struct device *device, struct device_task *task, bool yields) {
    yields |= is_to_lose_sms(device, task);
    if (task->yields == yields)
        return;
    device_advance(device, task);
    task->yields = yields;
    device_replan(device, task);
}

/* Work left when the blocks that run now end. At a boundary they have ended, unless they begin now;
 * those of SMs that drain have begun, and drain for a block's time. */
static double work_after_blocks(const struct device *device, const struct device_task *task) {
    double ended = waves_ended(task), waves = floor(ended + DEVICE_SLOT_ROUNDING);
    bool boundary = waves > 0 && ended <= waves + DEVICE_SLOT_ROUNDING;
    if (!boundary || is_to_lose_sms(device, task))
        waves++;
    return device_greater(0, task->step_ps - waves * last_wave_work(task));
}

/* Every slot is given back; what the higher priorities, or the SMs that its client keeps, leave it
 * is taken again in the same instant. */
static void give_way(struct device *device, struct device_task *task) {
    device_released(device, task->client);
    fluid_note_freed(device, task);
    hold(device, task, 0);
    task->speed = 0;
    task->yields = false;
    device_replan(device, task);
}

/* ---- Progress ---- */

/* Kernels that share SMs share their functional units: the sum of their use is at most what these
 * SMs have. */
static double unit_limit(const struct device *device, const struct device_task *task, double own,
                         double units) {
    double available = 1, use = units;
    if (device->config.sharing == CT_SHARING_PARTITION) {
        const struct device_client *client = &device->clients[task->client];
        available = (double)client->partition / device->sms;
        use = device->clients[client->slice].unit_use;
    }
    available = device_greater(available, own); /* alone, it uses what it was recorded to use */
    return use > available * (1 + 1e-12) ? available / use : 1;
}

static void limit_units(struct device *device, double units) {
    if (units <= 1 && device->config.sharing != CT_SHARING_PARTITION)
        return; /* nobody is short of them */
    if (device_goes_by_age(device)) {
        fluid_limit_by_age(device);
        return;
    }
    for (uint32_t i = 0; i < device->running.count; i++) {
        struct device_task *task = device->running.tasks[i];
        double own = device->running.lanes[i].units;
        if (task->profile && device_client_runs(device, task->client))
            task->limit[DEVICE_LOSS_SM_CONTENTION] =
                task->profile->unit_fraction == 0 ? 1 : unit_limit(device, task, own, units);
    }
}

static double work_until_due(const struct device *device, const struct device_task *task) {
    if (task->last_wave)
        return task->left_ps;
    double then =
        task->yields && task->resident > 0 ? work_after_blocks(device, task) : last_wave_work(task);
    return task->left_ps - then;
}

static bool due(struct device *device, struct device_task *task) {
    if (task->last_wave) {
        device->clients[task->client].counters.blocks_finished += (uint64_t)task->blocks;
        fluid_note_freed(device, task);
        return true;
    }
    if (task->yields) {
        give_way(device, task);
        return false;
    }
    device_released(device, task->client);
    fluid_note_freed(device, task);
    enter_last_wave(device, task, task->resident, kernel_waves(task->blocks, task->resident));
    device_replan(device, task);
    return false;
}

/* ---- Partitions ---- */

/* SMs on which blocks lie that began before their client was to have fewer: one on each at least,
 * since a block goes where there are fewest. */
static int64_t draining_sms(const struct device *device, uint32_t client) {
    double blocks = 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *task = device->running.tasks[i];
        blocks += task->client == client && task->yields ? task->resident : 0;
    }
    return (int64_t)device_lesser((double)device->clients[client].partition, blocks);
}

/* SMs that have drained leave clients that are to have fewer. Returns how many nobody has. */
static int64_t take_free(struct device *device) {
    int64_t left = (int64_t)device->sms;
    for (uint32_t i = 0; i < device->config.clients; i++) {
        struct device_client *client = &device->clients[i];
        int64_t wanted = device->partition.wanted[i];
        if (client->partition > wanted) {
            int64_t draining = draining_sms(device, i);
            client->partition = draining > wanted ? draining : wanted;
        }
        left -= client->slice == i ? client->partition : 0;
    }
    return left;
}

/* Hands over the SMs that are free. Whether all have what they are to have. */
static bool hand_over(struct device *device) {
    bool done = true;
    int64_t left = take_free(device);
    for (uint32_t i = 0; i < device->config.clients; i++) {
        struct device_client *client = &device->clients[i];
        int64_t more = device->partition.wanted[i] - client->partition;
        if (client->slice == i && more > 0) {
            more = more < left ? more : left;
            left -= more;
        }
        client->partition += more > 0 ? more : 0;
        done &= client->partition == device->partition.wanted[i];
    }
    return done;
}

static void settle(struct device *device) {
    if (!device->partition.moving || !hand_over(device))
        return;
    device->partition.moving = false;
    device_tell_moved(device);
}

/* An SM drains: it begins no more blocks of its owner, and changes hands when those that run have
 * ended. */
static void repartition(struct device *device, enum ct_move move) {
    (void)move;
    for (uint32_t i = 0; i < device->running.count; i++)
        if (device->running.tasks[i]->profile)
            yield(device, device->running.tasks[i], false);
    device->partition.moving = true;
    settle(device);
    device_touch(device);
}

const struct device_ops fluid_ops = {
    .free_sms = fluid_free_sms,
    .room = room,
    .grow = grow,
    .yield = yield,
    .limit_units = limit_units,
    .slots_needed = fluid_slots_needed,
    .work_until_due = work_until_due,
    .due = due,
    .settle = settle,
    .repartition = repartition,
};
