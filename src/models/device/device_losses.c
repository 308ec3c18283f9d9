/*
 * What running tasks lose. The loss of each interval is split by the factors of the rate, in the
 * order of the causes, and each part is charged to those who caused it (docs/model-reference.md,
 * "How a kernel progresses").
 */
#include "models/device/device_internal.h"

/* What losses are charged by: the causes, of which two have a part that is due to others. */
enum { BY_PRESSURE = DEVICE_LOSS_COUNT, BY_PRESENCE, ROWS };

bool device_losses_start(struct device *device, struct ct_arena *arena) {
    struct loss_state *losses = &device->losses;
    size_t length = device_places(device) + 1;
    struct loss_weight *weights = ct_arena_array(arena, length, ROWS * sizeof *weights);
    losses->split_ps = -1;
    losses->rows = ct_arena_array(arena, ROWS, sizeof *losses->rows);
    for (size_t by = 0; weights && losses->rows && by < ROWS; by++)
        losses->rows[by].weights = weights + by * length;
    return weights && losses->rows;
}

static double traffic(const struct device *device, const struct device_task *task) {
    return task->demand_bytes_per_s * device_rate(device, task) * task->draw;
}

static double row_misses(const struct device *device, uint32_t slot) {
    const struct device_task *task = device->running.tasks[slot];
    double hits = device->running.lanes[slot].memory.row_hit_rate;
    return task->demand_bytes_per_s > 0 ? traffic(device, task) * (1 - hits + task->hits_lost) : 0;
}

/* The presence of several kernels of an application counts once. */
static double presence(const struct device *device, uint32_t slot) {
    const struct device_task *task = device->running.tasks[slot];
    for (uint32_t i = 0; i < slot; i++) {
        const struct device_task *before = device->running.tasks[i];
        if (before->client == task->client && device_presence(device, before) > 0)
            return 0;
    }
    return device_presence(device, task);
}

/* What a culprit of a loss is weighed by. */
static double weight_of(const struct device *device, uint32_t slot, int by) {
    const struct device_task *task = device->running.tasks[slot];
    switch (by) {
    case DEVICE_LOSS_SM_SHARE: /* frozen, it lies in memory */
        return device_client_runs(device, task->client) ? task->sms : 0;
    case DEVICE_LOSS_DRAM:
        return traffic(device, task);
    case DEVICE_LOSS_ROW_BUFFER:
        return row_misses(device, slot);
    case DEVICE_LOSS_SM_CONTENTION:
        return task->profile ? task->profile->unit_fraction * device_rate(device, task) : 0;
    case DEVICE_LOSS_PREEMPTION: /* by a time slice or by a move of SMs */
        return device->config.sharing == CT_SHARING_TIMESLICE
                   ? device->slices.active == (int64_t)task->client
                   : task->sms;
    case BY_PRESSURE:
        return device_pressure(device, task);
    case BY_PRESENCE:
        return presence(device, slot);
    default: /* of copies, whose link has charged them */
        return 0;
    }
}

static inline struct loss_row *weigh_by(struct device *device, int by) {
    struct loss_row *row = &device->losses.rows[by];
    struct loss_weight *next = row->weights;
    const uint32_t running = device->running.count;
    double sum = 0;
    for (uint32_t i = 0; i < running; i++) {
        double weight = weight_of(device, i, by);
        if (!(weight > 0))
            continue;
        next->weight = weight;
        next->before = sum;
        next->client = device->running.tasks[i]->client;
        next->slot = i;
        next++;
        sum += weight;
    }
    next->before = sum;
    row->end = next;
    return row;
}

/* The weights, which are made once in a split. Most losses are of SMs: a pass of their own. */
static const struct loss_row *weigh(struct device *device, int by) {
    if (device->losses.weighed & 1u << by)
        return &device->losses.rows[by];
    device->losses.weighed |= 1u << by;
    return by == DEVICE_LOSS_SM_SHARE ? weigh_by(device, DEVICE_LOSS_SM_SHARE)
                                      : weigh_by(device, by);
}

/* Who runs, or how, is not what it was when losses were last weighed. */
static inline void forget_weights(struct device *device) {
    device->losses.weighed = 0;
}

/* Whether a task's losses are due to other kernels of its own application, too: what is shared by
 * kernels, whose they are. Contention is among applications, and nobody preempts himself. */
static bool counts_own(int by) {
    return by == DEVICE_LOSS_SM_SHARE || by == DEVICE_LOSS_DRAM || by == DEVICE_LOSS_ROW_BUFFER ||
           by == DEVICE_LOSS_SM_CONTENTION;
}

static inline bool is_other(const struct loss_weight *other, const struct device_task *task,
                            bool own) {
    return own ? other->slot != task->slot : other->client != task->client;
}

/* Charges a loss to all others by weight; false: there is nobody to charge. */
static bool charge_others(const struct device_task *task, const struct loss_row *row, bool own,
                          double loss_ps) {
    const struct loss_weight *end = row->end, *first = row->weights; /* that is none */
    double *const restrict culprit_ps = task->culprit_ps;
    while (first < end && is_other(first, task, own))
        first++;
    double sum = first->before;
    for (const struct loss_weight *other = first + 1; other < end; other++)
        if (is_other(other, task, own))
            sum += other->weight;
    if (!(sum > 0))
        return false;
    for (const struct loss_weight *other = row->weights; other < first; other++)
        culprit_ps[other->client] += loss_ps * other->weight / sum;
    for (const struct loss_weight *other = first + 1; other < end; other++)
        if (is_other(other, task, own))
            culprit_ps[other->client] += loss_ps * other->weight / sum;
    return true;
}

/* Charges a loss to those others alone that share the task's memory slice. */
static bool charge_slice(const struct device *device, const struct device_task *task,
                         const struct loss_row *row, bool own, double loss_ps) {
    double sum = 0;
    for (const struct loss_weight *other = row->weights; other < row->end; other++)
        if (is_other(other, task, own) && device_meet(device, other->client, task->client))
            sum += other->weight;
    if (!(sum > 0))
        return false;
    for (const struct loss_weight *other = row->weights; other < row->end; other++)
        if (is_other(other, task, own) && device_meet(device, other->client, task->client))
            task->culprit_ps[other->client] += loss_ps * other->weight / sum;
    return true;
}

/* Who has the device instead; the switch into its own turn is due to who had it before. */
static uint32_t who_preempts(const struct device *device, const struct device_task *task) {
    const struct time_slices *slices = &device->slices;
    if (slices->active < 0)
        return task->client;
    bool own = slices->active == (int64_t)task->client;
    return (uint32_t)(own && slices->switching ? slices->before : slices->active);
}

/*
 * Charges a loss to the other kernels that run, by weight; to the task's own application where
 * there are none, in a slice of its own, where nobody else has a part in it, and for the units of
 * its own partition.
 */
static void charge(struct device *device, struct device_task *task, int by, double loss_ps) {
    device_slot_of(device, task); /* brings it up to date */
    const bool slices = device->config.slices,
               shares = slices && device->clients[task->client].shares_slice,
               apart = !slices && by == DEVICE_LOSS_SM_CONTENTION &&
                       device->config.sharing == CT_SHARING_PARTITION;
    if (!slices && !apart && charge_others(task, weigh(device, by), counts_own(by), loss_ps))
        return;
    if (shares && charge_slice(device, task, weigh(device, by), counts_own(by), loss_ps))
        return;
    uint32_t culprit = by == DEVICE_LOSS_PREEMPTION ? who_preempts(device, task) : task->client;
    task->culprit_ps[culprit] += loss_ps;
}

void device_charge(struct device *device, struct device_task *task, enum device_loss cause,
                   double loss_ps) {
    forget_weights(device);
    charge(device, task, cause, loss_ps);
}

/* Below saturation it is the others' pressure that costs bandwidth, and inside the SMs what others
 * do not use up is lost to their presence. */
static inline void charge_cause(struct device *device, struct device_task *task,
                                enum device_loss cause, double remaining, double loss_ps) {
    if (cause == DEVICE_LOSS_DRAM && task->pressed) {
        charge(device, task, BY_PRESSURE, loss_ps);
        return;
    }
    if (cause == DEVICE_LOSS_SM_CONTENTION && task->by_presence < 1) {
        double to_units = remaining * (1 - task->limit[cause] / task->by_presence);
        charge(device, task, BY_PRESENCE, loss_ps - to_units);
        loss_ps = to_units;
    }
    if (loss_ps > 0)
        charge(device, task, (int)cause, loss_ps);
}

/* Takes a cause's part of what remains of an interval. Returns the rest. */
static inline double split_cause(struct device *device, struct device_task *task,
                                 enum device_loss cause, double remaining) {
    if (task->limit[cause] == 1)
        return remaining;
    double loss = remaining * (1 - task->limit[cause]);
    task->loss_ps[cause] += loss;
    if (task->culprit_ps)
        charge_cause(device, task, cause, remaining, loss);
    return remaining - loss;
}

/* Splits the time that a task lost by cause, in the order of the list of causes (ct_blame.h): each
 * takes its part of what those before it left. */
static void split_loss(struct device *device, struct device_task *task, double elapsed_ps) {
    double rest = elapsed_ps;
#define SPLIT(name, ...) rest = split_cause(device, task, DEVICE_LOSS_##name, rest);
    CT_BLAME_ON_DEVICE(SPLIT)
}

/* Splits what a task that loses has lost since the last split. Touches no progress: with and
 * without blame, times are the same. */
static inline void blame_until_now(struct device *device, struct device_task *task,
                                   ct_time_ps now) {
    if (now > task->blamed_ps && !task->waits) {
        if (device->rates.steady)
            device_limit_by_clock(device, task);
        split_loss(device, task, (double)(now - task->blamed_ps));
    }
    task->blamed_ps = now;
}

void device_blame(struct device *device, struct device_task *task) {
    forget_weights(device);
    blame_until_now(device, task, des_engine_now(device->engine));
}

/* Once an instant: what begins or changes its rate in the course of it has lost nothing yet. */
void device_split_all(struct device *device) {
    ct_time_ps now = des_engine_now(device->engine);
    device->losses.split_ps = now;
    forget_weights(device);
    for (uint32_t i = 0, left = device->running.losing; left > 0; i++) {
        struct device_task *task = device->running.tasks[i];
        if (!task->loses)
            continue;
        left--;
        blame_until_now(device, task, now);
    }
}
