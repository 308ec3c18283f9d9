/*
 * What running tasks lose. The loss of each interval is split by the factors of the rate, in the
 * order of the causes, and each part is charged to those who caused it (docs/model-reference.md,
 * "How a kernel progresses").
 */
#include "models/device/device_internal.h"

bool device_losses_start(struct device *device, struct ct_arena *arena) {
    struct loss_state *losses = &device->losses;
    size_t length = device_places(device) + 1;
    struct loss_weight *weights =
        ct_arena_array(arena, length, DEVICE_LOSS_COUNT * sizeof *weights);
    losses->split_ps = -1;
    losses->rows = ct_arena_array(arena, DEVICE_LOSS_COUNT, sizeof *losses->rows);
    for (size_t cause = 0; weights && losses->rows && cause < DEVICE_LOSS_COUNT; cause++)
        losses->rows[cause].weights = weights + cause * length;
    return weights && losses->rows;
}

/* What a culprit of a loss is weighed by. */
static double weight_of(const struct device *device, const struct device_task *task,
                        enum device_loss cause) {
    switch (cause) {
    case DEVICE_LOSS_SM_SHARE:
        return task->sms;
    case DEVICE_LOSS_DRAM:
    case DEVICE_LOSS_ROW_BUFFER:
        return task->demand_bytes_per_s * device_rate(device, task) * task->draw;
    case DEVICE_LOSS_SM_CONTENTION:
        return task->profile ? task->profile->unit_fraction * device_rate(device, task) : 0;
    case DEVICE_LOSS_PREEMPTION: /* by a time slice or by a move of SMs */
        return device->config.sharing == CT_SHARING_TIMESLICE
                   ? device->slices.active == (int64_t)task->client
                   : task->sms;
    case DEVICE_LOSS_PCIE_WAIT: /* of copies, whose link has charged them */
    case DEVICE_LOSS_PCIE_SHARE:
    case DEVICE_LOSS_COUNT:
        break;
    }
    return 0;
}

static inline struct loss_row *weigh_by(struct device *device, enum device_loss cause) {
    struct loss_row *row = &device->losses.rows[cause];
    struct loss_weight *next = row->weights;
    const uint32_t running = device->running.count;
    double sum = 0;
    for (uint32_t i = 0; i < running; i++) {
        const struct device_task *task = device->running.tasks[i];
        double weight = weight_of(device, task, cause);
        if (!(weight > 0))
            continue;
        next->weight = weight;
        next->before = sum;
        next->client = task->client;
        next++;
        sum += weight;
    }
    next->before = sum;
    row->end = next;
    return row;
}

/* The weights of a cause, which are made once in a split. Most losses are of SMs: a pass of their
 * own. */
static const struct loss_row *weigh(struct device *device, enum device_loss cause) {
    if (device->losses.weighed & 1u << cause)
        return &device->losses.rows[cause];
    device->losses.weighed |= 1u << cause;
    return cause == DEVICE_LOSS_SM_SHARE ? weigh_by(device, DEVICE_LOSS_SM_SHARE)
                                         : weigh_by(device, cause);
}

/* Who runs, or how, is not what it was when losses were last weighed. */
static inline void forget_weights(struct device *device) {
    device->losses.weighed = 0;
}

/* Charges a loss to all others by weight; false: there is nobody to charge. */
static bool charge_others(const struct device_task *task, const struct loss_row *row,
                          double loss_ps) {
    const struct loss_weight *end = row->end, *first = row->weights; /* of its own */
    const uint32_t own = task->client;
    double *const restrict culprit_ps = task->culprit_ps;
    while (first < end && first->client != own)
        first++;
    double sum = first->before;
    for (const struct loss_weight *other = first + 1; other < end; other++)
        if (other->client != own)
            sum += other->weight;
    if (!(sum > 0))
        return false;
    for (const struct loss_weight *other = row->weights; other < first; other++)
        culprit_ps[other->client] += loss_ps * other->weight / sum;
    for (const struct loss_weight *other = first + 1; other < end; other++)
        if (other->client != own)
            culprit_ps[other->client] += loss_ps * other->weight / sum;
    return true;
}

/* Charges a loss to those other clients alone that share the task's memory slice. */
static bool charge_slice(const struct device *device, const struct device_task *task,
                         const struct loss_row *row, double loss_ps) {
    double sum = 0;
    for (const struct loss_weight *other = row->weights; other < row->end; other++)
        if (other->client != task->client && device_meet(device, other->client, task->client))
            sum += other->weight;
    if (!(sum > 0))
        return false;
    for (const struct loss_weight *other = row->weights; other < row->end; other++)
        if (other->client != task->client && device_meet(device, other->client, task->client))
            task->culprit_ps[other->client] += loss_ps * other->weight / sum;
    return true;
}

/*
 * Charges a loss to the other applications that run, by weight; to the task's own where there is
 * nobody else, and in a slice of its own, where nobody else has a part in it.
 */
static void charge(struct device *device, struct device_task *task, enum device_loss cause,
                   double loss_ps) {
    const bool slices = device->config.slices,
               shares = slices && device->clients[task->client].shares_slice;
    if (!slices && charge_others(task, weigh(device, cause), loss_ps))
        return;
    if (shares && charge_slice(device, task, weigh(device, cause), loss_ps))
        return;
    uint32_t culprit = cause == DEVICE_LOSS_PREEMPTION && device->slices.active >= 0
                           ? (uint32_t)device->slices.active
                           : task->client;
    task->culprit_ps[culprit] += loss_ps;
}

void device_charge(struct device *device, struct device_task *task, enum device_loss cause,
                   double loss_ps) {
    forget_weights(device);
    charge(device, task, cause, loss_ps);
}

/* Takes a cause's part of what remains of an interval. Returns the rest. */
static inline double split_cause(struct device *device, struct device_task *task,
                                 enum device_loss cause, double remaining) {
    if (task->limit[cause] == 1)
        return remaining;
    double loss = remaining * (1 - task->limit[cause]);
    task->loss_ps[cause] += loss;
    if (task->culprit_ps)
        charge(device, task, cause, loss);
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
