/*
 * What running tasks lose. The loss of each interval is split by the factors of the rate, in the
 * order of the causes, and each part is charged to those who caused it (docs/model-reference.md,
 * "How a kernel progresses").
 */
#include "models/device/device_internal.h"

bool device_losses_start(struct device *device, struct ct_arena *arena) {
    struct loss_state *losses = &device->losses;
    losses->split_ps = -1;
    losses->weights = ct_arena_array(arena, device_places(device) + 1,
                                     DEVICE_LOSS_COUNT * sizeof *losses->weights);
    return losses->weights;
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

/* Which rows of device->losses.weights are made: the running tasks with weight, in their order,
 * made once per cause in a split. */
struct weights {
    bool made[DEVICE_LOSS_COUNT];
    uint32_t count[DEVICE_LOSS_COUNT];
};

/* The row of a cause: each task's weight with the sum of those before it; behind the last, the sum
 * of all. */
static struct loss_weight *row_of(const struct device *device, enum device_loss cause) {
    return device->losses.weights + (size_t)cause * (device_places(device) + 1);
}

static void weigh(const struct device *device, struct weights *weights, enum device_loss cause) {
    struct loss_weight *row = row_of(device, cause);
    uint32_t count = 0;
    double sum = 0;
    for (uint32_t i = 0; i < device->running.count; i++) {
        const struct device_task *task = device->running.tasks[i];
        double weight = weight_of(device, task, cause);
        if (!(weight > 0))
            continue;
        row[count++] = (struct loss_weight){weight, sum, task->client};
        sum += weight;
    }
    row[count].before = sum;
    weights->made[cause] = true;
    weights->count[cause] = count;
}

/* Charges a loss to all others by weight; false: there is nobody to charge. */
static bool charge_others(const struct device_task *task, const struct loss_weight *row,
                          uint32_t count, double loss_ps) {
    const struct loss_weight *end = row + count, *first = row; /* of its own */
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
    for (const struct loss_weight *other = row; other < first; other++)
        culprit_ps[other->client] += loss_ps * other->weight / sum;
    for (const struct loss_weight *other = first + 1; other < end; other++)
        if (other->client != own)
            culprit_ps[other->client] += loss_ps * other->weight / sum;
    return true;
}

/* Charges a loss to those other clients alone that share the task's memory slice. */
static bool charge_slice(const struct device *device, const struct device_task *task,
                         const struct loss_weight *row, uint32_t count, double loss_ps) {
    double sum = 0;
    for (const struct loss_weight *other = row; other < row + count; other++)
        if (other->client != task->client && device_meet(device, other->client, task->client))
            sum += other->weight;
    if (!(sum > 0))
        return false;
    for (const struct loss_weight *other = row; other < row + count; other++)
        if (other->client != task->client && device_meet(device, other->client, task->client))
            task->culprit_ps[other->client] += loss_ps * other->weight / sum;
    return true;
}

/*
 * Charges a loss to the other applications that run, by weight; to the task's own where there is
 * nobody else, and in a slice of its own, where nobody else has a part in it.
 */
static void charge(const struct device *device, struct weights *weights, struct device_task *task,
                   enum device_loss cause, double loss_ps) {
    bool shares = device->clients[task->client].shares_slice;
    if (!device->config.slices || shares) {
        if (!weights->made[cause])
            weigh(device, weights, cause);
        const struct loss_weight *row = row_of(device, cause);
        uint32_t count = weights->count[cause];
        if (shares ? charge_slice(device, task, row, count, loss_ps)
                   : charge_others(task, row, count, loss_ps))
            return;
    }
    uint32_t culprit = cause == DEVICE_LOSS_PREEMPTION && device->slices.active >= 0
                           ? (uint32_t)device->slices.active
                           : task->client;
    task->culprit_ps[culprit] += loss_ps;
}

void device_charge(const struct device *device, struct device_task *task, enum device_loss cause,
                   double loss_ps) {
    struct weights weights = {{false}, {0}};
    charge(device, &weights, task, cause, loss_ps);
}

/* Takes a cause's part of what remains of an interval. Returns the rest. */
static inline double split_cause(const struct device *device, struct weights *weights,
                                 struct device_task *task, enum device_loss cause,
                                 double remaining) {
    if (task->limit[cause] == 1)
        return remaining;
    double loss = remaining * (1 - task->limit[cause]);
    task->loss_ps[cause] += loss;
    if (task->culprit_ps)
        charge(device, weights, task, cause, loss);
    return remaining - loss;
}

/* Splits the time that a task lost by cause, in the order of the list of causes (ct_blame.h): each
 * takes its part of what those before it left. */
static void split_loss(const struct device *device, struct weights *weights,
                       struct device_task *task, double elapsed_ps) {
    double rest = elapsed_ps;
    for (int cause = 0; cause < DEVICE_LOSS_COUNT; cause++)
        rest = split_cause(device, weights, task, (enum device_loss)cause, rest);
}

/* Splits what was lost since the last split. Touches no progress: with and without blame, times are
 * the same. */
static inline void blame_until_now(const struct device *device, struct weights *weights,
                                   struct device_task *task, ct_time_ps now) {
    if (now > task->blamed_ps && !task->waits && (task->follows || task->rate != 1)) {
        if (device->rates.steady)
            device_limit_by_clock(device, task);
        split_loss(device, weights, task, (double)(now - task->blamed_ps));
    }
    task->blamed_ps = now;
}

void device_blame(const struct device *device, struct device_task *task) {
    struct weights weights = {{false}, {0}};
    blame_until_now(device, &weights, task, des_engine_now(device->engine));
}

/* Once an instant: what begins or changes its rate in the course of it has lost nothing yet. */
void device_split_all(struct device *device) {
    struct weights weights = {{false}, {0}};
    ct_time_ps now = des_engine_now(device->engine);
    if (device->losses.split_ps == now)
        return;
    device->losses.split_ps = now;
    for (uint32_t i = 0; i < device->running.count; i++)
        blame_until_now(device, &weights, device->running.tasks[i], now);
}
