/*
 * Inside of the device: what both fidelities share (queues, order of dispatch, rates and losses,
 * time slices, the host link), and what each does in its own way (struct device_ops).
 */
#ifndef DEVICE_INTERNAL_H
#define DEVICE_INTERNAL_H

#include "models/device/device.h"
#include "models/device/dram.h"

#include <math.h>

/* ---- Hardware queues (device_queue.c): what was handed to the device and does not run yet ---- */

struct device_queue {
    struct device_task *first, *last;
    bool promoted; /* its first task is among the heads */
};

/* Tasks of one stream that may hold slots at once: one that works, one that waits for its end. */
enum { DEVICE_STREAM_DEPTH = 2 };

struct device_stream {
    uint32_t count;           /* of its tasks that have begun and not ended */
    struct device_task *last; /* of these; undefined: none */
    des_event early;          /* the next one comes beside it; 0: not planned */
};

/* What clients hold while the first tasks of streams wait (device_waits.c); NULLs: nobody asks.
 */
struct device_waits {
    double *held_ps; /* stream x client: SMs times time, or time where each has the device in turn,
                        when its present task began to wait, or waited for something else last */
    double *due_ps;  /* stream x client: what of that wait before then is due to whom */
    double *now_ps;  /* client: the same, when somebody last looked */
    uint64_t noted;  /* heads up to this order have begun to wait, or never will */
    ct_time_ps looked_ps;
    bool lasts; /* to look again in that instant would show the same, to the last bit */
};

struct device_queues {
    struct device_queue *all;
    uint32_t *of; /* by stream: its queue */
    struct device_stream *streams;
    uint32_t waiting;             /* tasks that hold slots and wait for the one before them */
    struct device_task **heads;   /* first of their queues, in the order of becoming so */
    uint64_t order;               /* tasks that have become heads, ever */
    struct device_task **delayed; /* by stream: it lags, or its launch is held up; NULL: none */
    uint8_t *delayers; /* stream x client: who held up the launch of its present task; NULL: no
                          launch is held up on this GPU, or nobody asks */
    uint32_t head_count, delayed_count;
};

/* ---- The dispatch of block slots (device_dispatch.c) ---- */

struct dispatch_state {
    struct device_task **begun; /* came in this settlement, not yet told to the listener */
    uint32_t begun_count;
    uint64_t number;       /* of the present dispatch, from 1 */
    uint64_t reaches;      /* times so far that a client's reach was asked; device_gpc.c */
    double free_sms;       /* not held by kernels that run, in the course of a dispatch; fluid */
    bool clients_summed;   /* the SMs held by each client, in this dispatch */
    ct_time_ps freed_ps;   /* when a kernel last left SMs, or a wave of it; fluid */
    double freed_per_sm;   /* its blocks on each of them */
    uint32_t last_release; /* client whose kernel last gave SMs back; DEVICE_NOBODY */
};

/* ---- The tasks that run, with sums over them (device_running.c); copies are on the link ---- */

/* What the passes over the running tasks add up: kept side by side, apart from the tasks. */
struct device_lane {
    double sms;                   /* held; fluid */
    double units;                 /* asked of the functional units: device_ops.slots_needed */
    struct dram_explained memory; /* asked of the memory; 0 bytes: nothing */
    double claim;           /* what its part of a memory that runs short grows with; weighted */
    double row_bytes_per_s; /* capacity if all hit rows as often as this task; NAN: not asked yet */
};

/* Sums over the lanes from the first up to and with one of them. */
struct device_sums {
    double units;
    struct dram_mix memory;
    uint32_t drawing; /* tasks that ask for memory */
};

/* All arrays are by position among the running, `count` of them used. */
struct running_tasks {
    struct device_task **tasks; /* kernels, memsets, device copies; in the order of dispatch */
    /* When each ends, or begins its last wave, at its present rate; -1: to be made anew, as all
     * that leads to it. CT_TIME_NEVER, INFINITY: not by this clock. */
    ct_time_ps *until_ps;
    double *memory_until_ps; /* by the memory's clock, while it runs */
    struct device_lane *lanes;
    double *sms_sums;         /* SMs held by the tasks up to and with each */
    struct device_sums *sums; /* the other sums; one more: before all stands that of none */
    uint32_t sms_summed, lanes_summed; /* lanes whose sums hold */
    uint32_t count;
    uint32_t growing; /* with undispatched blocks */
    uint32_t drawing; /* with traffic to and from memory */
    uint32_t losing;  /* that do not run as they would alone */
    uint32_t crowded; /* clients with several of them */
};

/* ---- Rates of progress (device_rates.c), and what they lose (device_losses.c) ---- */

struct rate_state {
    ct_time_ps next_ps; /* when the first running task falls due */
    bool steady;      /* whose rates are to be made anew is known: no other ties between tasks than
                         functional units and memory that run short */
    bool unrated;     /* somebody's rate is to be made anew */
    bool shaken;      /* everybody's rate is to be made anew */
    bool units_short; /* the functional units were, at the last update of rates */
    uint32_t *stale;  /* scratch: positions that have changed since the last update of rates */
};

/* What a culprit of a loss is weighed by. */
struct loss_weight {
    double weight, before; /* its own, and the sum over those before it */
    uint32_t client, slot;
};

/* The running tasks with weight, in their order; behind the last, the sum of all. */
struct loss_row {
    struct loss_weight *weights, *end;
};

struct loss_state {
    ct_time_ps split_ps;   /* when losses were last split */
    struct loss_row *rows; /* by what losses are charged by */
    uint32_t weighed;      /* which rows are made, a bit each */
};

/* ---- The memory that the running tasks share (device_memory.c, device_clock.c) ---- */

/* How much traffic asks for, and what the memory delivers of it, in bytes per second. */
struct memory_shortage {
    bool is;
    double asked, capacity;
};

/*
 * The clock of a memory that runs short: it takes from all traffic the same part, whoever asks for
 * it, so that a change of that part changes the pace of one clock and not every task's rate. It
 * stands still while the memory suffices.
 */
struct memory_clock {
    bool runs;
    double pace;            /* time of its own per time */
    double ps;              /* what it showed at at_ps */
    ct_time_ps at_ps;       /* the last update of rates */
    double next_ps;         /* by itself: when the first of those who follow it falls due */
    ct_time_ps next_due_ps; /* that time by the engine's clock */
};

struct memory_state {
    struct dram dram;
    struct memory_shortage shortage; /* of all traffic, at the last update of rates */
    struct memory_clock clock;
    bool weighted;  /* it is not shared in proportion to what each would draw */
    double *served; /* scratch: the part of each running task's demand that is served */
};

/* ---- Who may use the SMs: time slices (device_slices.c), partitions (fluid.c, block_move.c) ----
 */

struct time_slices {
    int64_t active;      /* client whose slice it is; -1: none yet */
    int64_t before;      /* whose it was before; undefined: nobody's */
    bool switching;      /* to the active one, whose slice has not begun */
    ct_time_ps since_ps; /* when the slice began; undefined: it has not */
    des_event event;
};

struct partition_state {
    int64_t *wanted;       /* SMs of each client after the repartition */
    bool slices_shared;    /* some clients have a slice in common */
    bool moving;           /* some have SMs that others are to have */
    struct block_map *map; /* block: what lies on which SM; NULL: fluid */
};

/* ---- The device ---- */

struct device_client {
    ct_share cap;
    ct_share share;       /* bound at issue to the kernel that it began last; full before any */
    int64_t partition;    /* SMs owned; PARTITION only */
    uint32_t kernels;     /* running */
    uint32_t active;      /* kernels and memsets that run, or whose stream has come to them */
    double memory_weight; /* weight of its requests in the memory controller */
    double memory;        /* part of the bandwidth that is its own; slices only */
    uint32_t slice;       /* the client whose slice it uses: itself, or one that lets it in */
    bool shares_slice;    /* with others, under MPS */
    ct_time_ps busy_since_ps;
    ct_time_ps slice_end_ps;         /* TIMESLICE: of its last one */
    ct_time_ps slices_ps;            /* TIMESLICE: of all that are over */
    struct device_counters counters; /* but sm_ps */
    uint64_t stopped_by;   /* the dispatch in which a kernel of its has to wait for its SMs, and
                              those behind it with it */
    uint32_t last_release; /* client whose kernel last gave SMs of its slice back */
    double sms;            /* held by its running kernels; made anew in a dispatch that asks */
    double reach;          /* SMs that it can have where it is held to GPCs, as it was last asked */
    uint64_t counted;      /* the last of these questions in which it was counted as another */
    /* Sums over its running kernels, made anew at each update of rates. */
    double unit_use, pressure;
    /* By kernels so far, and there: issue slots left, taken, asked for; sm_age.h. */
    double covered_sms, left, taken, asked;
    /* The last of these kernels, and where it lies; NULL: none. */
    const struct device_task *last;
    double last_alone, last_shared;
    double feels, presses; /* its factors of sensitivity S and pressure P (struct contention_app) */
};

/* What keeps the first block of a kernel from being placed. */
enum device_room { DEVICE_ROOM, DEVICE_ROOM_OWN_LIMIT, DEVICE_ROOM_NONE };

struct device_ops {
    bool places_blocks; /* a partition is a set of SMs, not a number of them */
    bool (*start)(struct device *device,
                  struct ct_arena *arena); /* false: no memory; NULL: nothing */
    /* SMs that a kernel may use and nobody holds. Only fluid. */
    double (*free_sms)(const struct device *device, const struct device_task *task);
    /* What keeps the first block of a kernel from being placed, whose own limits still allow
     * `own_sms`. */
    enum device_room (*room)(struct device *device, const struct device_task *task, double own_sms);
    /* Gives a kernel more slots, as far as there is room. Whether it is no obstacle for others. */
    bool (*grow)(struct device *device, struct device_task *task, double own_sms);
    /* Whether blocks of a higher priority wait for its slots; NULL: its blocks end by themselves.
     */
    void (*yield)(struct device *device, struct device_task *task, bool yields);
    /* Progress of a running kernel: solo work done. Only where blocks are placed; else it is done
     * at the rate, by the SMs that it holds. */
    double (*work)(struct device *device, struct device_task *task, double elapsed_ps);
    /* Limits rates by the functional units, of which all running kernels together ask for `units`
     * (1: all of the GPU). */
    void (*limit_units)(struct device *device, double units);
    /* What a kernel that asks for so many units of the whole GPU needs of those where it lies;
     * NULL: that. */
    double (*slots_needed)(const struct device *device, const struct device_task *task,
                           double units);
    /* Sets task->draw, before the memory is shared. Only where blocks are placed. */
    void (*set_draw)(struct device *device, struct device_task *task);
    /* When a running kernel will end at its rate. Only where blocks are placed. */
    ct_time_ps (*plan)(struct device *device, struct device_task *task);
    /* Solo work until its last wave begins, or until it gives way. Only fluid; not asked of a
     * kernel in its last wave that gives way to nobody. */
    double (*work_until_due)(const struct device *device, const struct device_task *task);
    /* The time that was planned for a kernel has come. Whether the kernel has ended. */
    bool (*due)(struct device *device, struct device_task *task);
    /* SMs. */
    void (*account)(struct device *device); /* counts SMs held up to now, and from now on; NULL:
                                               they are counted with each kernel's progress */
    void (*settle)(struct device *device);  /* before the dispatch of this instant; NULL: nothing */
    void (*repartition)(struct device *device, enum ct_move move); /* to device->partition.wanted */
};

extern const struct device_ops fluid_ops, block_ops;

/* Host copies that are on the way. */
struct link_state {
    struct pcie_bus bus;
    uint32_t copies;
    ct_time_ps next_ps; /* when the bus changes by itself */
};

struct device {
    struct des_engine *engine;
    const struct device_ops *ops;
    struct device_config config;
    const struct gpu *gpu;
    struct device_listener listener;
    double sms; /* of the GPU */

    struct device_client *clients;
    double *sm_ps; /* by client: SMs held times time, up to when its kernels were updated */
    struct device_usage usage;
    struct device_queues queues;
    struct device_waits waits;
    struct dispatch_state dispatch;
    struct running_tasks running;
    struct rate_state rates;
    struct loss_state losses;
    struct memory_state memory;
    struct link_state link;
    struct time_slices slices;
    struct partition_state partition;
};

/* device_watch.c: shows every copy on the host link. */
void device_visit_copies(const struct device *device, device_visitor *visit, void *context);

/* device.c: what the device sets of a task that comes to it. */
void device_task_init(const struct device *device, struct device_task *task);

/* Each part makes its own state at the start. False: out of memory. */

/* As many tasks as may hold slots at once. */
static inline size_t device_places(const struct device *device) {
    return (size_t)device->config.streams * DEVICE_STREAM_DEPTH;
}

/* device_queue.c: streams, hardware queues, heads. */
bool device_queues_start(struct device *device, struct ct_arena *arena);
void device_queue_append(struct device *device, struct device_task *task);
/* Puts what was offered to a queue into it, once it is empty. */
void device_queue_refill(struct device *device, uint32_t queue);
/* Brings a task onto the device, of which the listener will hear. */
void device_come(struct device *device, struct device_task *task);
/* Takes this head off its queue: it runs. */
void device_queue_start(struct device *device, uint32_t head);
void device_queue_end(struct device *device, struct device_task *task);
/* Tasks that waited for the one before them, which has ended, begin their work. */
void device_queues_wake(struct device *device);
/* Holds up the launches of new heads, phi for each other client. */
void device_queue_delay(struct device *device);
void device_charge_delay(struct device *device, struct device_task *task);

/*
 * device_running.c: the tasks that run, and sums over them, kept by position: each change lets them
 * hold only up to it. Changes are in this header, because each is a few instructions, several times
 * per kernel.
 */
bool device_running_start(struct running_tasks *running, size_t streams, struct ct_arena *arena);
/* SMs held by all that run now, and what else their lanes add up to. */
double device_sum_sms(struct device *device);
const struct device_sums *device_sum_lanes(struct device *device);
/* Takes the task at a position off the running. */
void device_leave(struct device *device, uint32_t slot);

/* Puts a task behind all others that run. */
static inline void device_run(struct device *device, struct device_task *task) {
    task->slot = device->running.count++;
    device->running.tasks[task->slot] = task;
    device->running.until_ps[task->slot] = -1;
    device->running.memory_until_ps[task->slot] = INFINITY;
    device->running.lanes[task->slot] = (struct device_lane){.row_bytes_per_s = NAN};
    device->running.growing += !task->last_wave;
    device->running.drawing += task->demand_bytes_per_s > 0;
    device->running.losing++;
    task->loses = true; /* at rate 0 */
    device->rates.unrated = true;
}

/* The position of a running task. Others that ended may have let it move up since it was looked for
 * last. */
static inline uint32_t device_slot_of(const struct device *device, struct device_task *task) {
    if (task->slot >= device->running.count)
        task->slot = device->running.count - 1;
    while (device->running.tasks[task->slot] != task)
        task->slot--;
    return task->slot;
}

static inline void device_lower(uint32_t *number, uint32_t most) {
    if (*number > most)
        *number = most;
}

/* A task's SMs, its speed or the part of its blocks that are awake have changed: when it ends is to
 * be planned anew. */
static inline void device_replan(struct device *device, struct device_task *task) {
    uint32_t slot = device_slot_of(device, task);
    device->running.until_ps[slot] = -1;
    device_lower(&device->running.lanes_summed, slot);
    device->rates.unrated = true;
}

/* A running kernel has so many block slots. */
static inline void device_hold_slots(struct device *device, struct device_task *task,
                                     double resident) {
    bool held = task->resident > 0, holds = resident > 0;
    task->resident = resident;
    if (held != holds && device->listener.held)
        device->listener.held(device->listener.context, task, holds);
}

static inline void device_hold_sms(struct device *device, struct device_task *task, double sms) {
    uint32_t slot = device_slot_of(device, task);
    task->sms = device->running.lanes[slot].sms = sms;
    device_lower(&device->running.sms_summed, slot);
}

static inline void device_set_last_wave(struct device *device, struct device_task *task,
                                        bool last_wave) {
    device->running.growing += (uint32_t)task->last_wave - (uint32_t)last_wave;
    task->last_wave = last_wave;
}

/* device_dispatch.c: the order in which kernels get block slots. */
void device_dispatch(struct device *device);
enum { DEVICE_TPC_SMS = 2 };

/* The SMs of a GPC that has lost none; 0: unknown. */
static inline uint32_t device_gpc_sms(const struct device *device) {
    return (uint32_t)device->gpu->gpc_tpcs * DEVICE_TPC_SMS;
}

/* As many of the SMs of a GPC as a client may have whose cap this is: whole TPCs, rounded up. */
static inline uint32_t device_gpc_part(uint32_t sms, ct_share cap) {
    uint64_t tpcs =
        ((uint64_t)sms / DEVICE_TPC_SMS * (uint64_t)cap + CT_SHARE_FULL - 1) / CT_SHARE_FULL;
    return DEVICE_TPC_SMS * (uint32_t)tpcs;
}
/* Whether a client has a cap, and a part of each GPC with it. */
static inline bool device_held_to_gpcs(const struct device *device, uint32_t client) {
    return device->gpu->gpc_tpcs > 0 && device->clients[client].cap < CT_SHARE_FULL &&
           device->config.sharing != CT_SHARING_PARTITION;
}
/* SMs that a client which is held to a part of them can have, all together, beside what the others
 * hold: where blocks have no places. */
double device_gpc_reach(struct device *device, uint32_t client);
/* Whether two tasks hold the share that was bound to them together. */
static inline bool device_in_one_process(const struct device_task *a, const struct device_task *b) {
    return a == b || (a->process > 0 && a->process == b->process && a->client == b->client);
}

/* device_waits.c. After a dispatch: who holds SMs while tasks wait. As one begins: who did while
 * it waited, which is charged at its end. */
bool device_waits_start(struct device *device, struct ct_arena *arena);
void device_waits_note(struct device *device);
/* Settles a wait: the task waits for something else from now on, or begins. */
void device_waits_settle(struct device *device, struct device_task *task, uint32_t last_release);
void device_waits_charge(const struct device *device, const struct device_task *task);
/* What waits still waits for, up to now. */
void device_settle_waits(struct device *device);

/* Whether a cap or a share leaves all SMs of a device that is not partitioned. */
static inline bool device_has_all(const struct device *device, ct_share share) {
    return share == CT_SHARE_FULL && device->config.sharing != CT_SHARING_PARTITION;
}
/* SMs that a task's limits (partition, slice, cap, share bound at issue) allow it, held or not. */
double device_limited_sms(const struct device *device, const struct device_task *task);
static inline double device_allowed_sms(const struct device *device,
                                        const struct device_task *task) {
    if (task->share == CT_SHARE_FULL && device_has_all(device, device->clients[task->client].cap))
        return device->sms;
    return device_limited_sms(device, task);
}
static inline bool device_client_runs(const struct device *device, uint32_t client) {
    return device->config.sharing != CT_SHARING_TIMESLICE ||
           (device->slices.active == (int64_t)client && !device->slices.switching);
}

/* For how long a client has had something on the device. */
static inline double device_busy_ps(const struct device *device, uint32_t client) {
    const struct device_client *c = &device->clients[client];
    ct_time_ps now = des_engine_now(device->engine);
    return c->counters.told.busy_ps + (c->kernels > 0 ? (double)(now - c->busy_since_ps) : 0);
}

/* Whether two clients have a part of the device in common: of one that is sliced, their slice. */
static inline bool device_meet(const struct device *device, uint32_t a, uint32_t b) {
    return !device->config.slices || device->clients[a].slice == device->clients[b].slice;
}

/* A kernel of this client gives SMs back. */
static inline void device_released(struct device *device, uint32_t client) {
    device->dispatch.last_release = client;
    device->clients[device->clients[client].slice].last_release = client;
}

/* Whether older kernels go first on an SM. */
static inline bool device_goes_by_age(const struct device *device) {
    return device->gpu->sm_sharing == GPU_SM_HOPPER;
}

/* Whether a kernel that begins has waited for room, on SMs where that matters. Behind another
 * application's on an exclusive device it has waited for its turn, and all SMs are free. */
static inline bool device_waited_for_room(const struct device *device,
                                          const struct device_task *task) {
    return device_goes_by_age(device) &&
           (device->config.sharing != CT_SHARING_EXCLUSIVE ||
            device->dispatch.last_release == task->client) &&
           task->head_ps < des_engine_now(device->engine);
}

static inline bool device_crosses_link(const struct device_task *task) {
    return task->kind == TRACE_COPY && task->direction != TRACE_DEVICE_TO_DEVICE;
}

/* The smaller and the larger of two numbers, neither of them NAN: shorter than fmin and fmax. */
static inline double device_lesser(double a, double b) {
    return a < b ? a : b;
}
static inline double device_greater(double a, double b) {
    return a > b ? a : b;
}

static inline double device_clock_now(const struct device *device) {
    const struct memory_clock *clock = &device->memory.clock;
    return clock->ps + clock->pace * (double)(des_engine_now(device->engine) - clock->at_ps);
}

/* Solo work of a running task per time. */
static inline double device_rate(const struct device *device, const struct device_task *task) {
    return task->follows ? task->rate * device->memory.clock.pace : task->rate;
}

/* Solo work since a task was last updated. */
static inline double device_work_since(const struct device *device,
                                       const struct device_task *task) {
    if (task->follows)
        return (device_clock_now(device) - task->memory_ps) * task->rate;
    return (double)(des_engine_now(device->engine) - task->updated_ps) * task->rate;
}

/* device_rates.c: progress. */
bool device_rates_start(struct device *device, struct ct_arena *arena);
/* Makes the rates of the running tasks anew, and when the first of them falls due (next_ps); splits
 * losses up to now. */
void device_rates_update(struct device *device);
static inline bool device_rates_hold(const struct device *device) {
    return device->rates.steady && !device->rates.shaken && !device->rates.unrated;
}
void device_progress(struct device *device, struct device_task *task);
/* Brings the work that a task has left up to now. */
static inline void device_advance(struct device *device, struct device_task *task) {
    if (task->updated_ps < des_engine_now(device->engine))
        device_progress(device, task);
}
/* The rate that a task's SMs allow. */
double device_sm_rate(const struct device *device, const struct device_task *task);

/* P and Q of one kernel among those that meet in L2 or DRAM (device_rates.c). */
double device_pressure(const struct device *device, const struct device_task *task);
double device_presence(const struct device *device, const struct device_task *task);

/* device_losses.c: what progress is lost to. */
bool device_losses_start(struct device *device, struct ct_arena *arena);
/* Splits the losses of one running task up to now. */
void device_blame(struct device *device, struct device_task *task);
void device_split_all(struct device *device);
/* Splits the losses of all that run below full rate up to now; before the set of running tasks
 * changes. */
static inline void device_split_losses(struct device *device) {
    if (device->config.blame && device->losses.split_ps != des_engine_now(device->engine))
        device_split_all(device);
}
void device_charge(struct device *device, struct device_task *task, enum device_loss cause,
                   double loss_ps);

/* What its losses leave a task of its rate alone; without `memory` before the memory takes its
 * part.
 */
static inline double device_left_of(const struct device_task *task, bool memory) {
    double left = 1;
/* The order is part of the result. */
#define DEVICE_LEAVE(name, ...)                                                                    \
    if (memory ||                                                                                  \
        (DEVICE_LOSS_##name != DEVICE_LOSS_DRAM && DEVICE_LOSS_##name != DEVICE_LOSS_ROW_BUFFER))  \
        left *= task->limit[DEVICE_LOSS_##name];
    CT_BLAME_ON_DEVICE(DEVICE_LEAVE)
#undef DEVICE_LEAVE
    return left;
}

/* device_memory.c: what a saturated memory leaves everybody. */
bool device_memory_start(struct device *device, struct ct_arena *arena);
/* Enters what the task at a position asks for now. */
void device_ask_memory(struct device *device, uint32_t slot);
/* Limits the rates of all tasks, whose other limits are made. */
void device_limit_memory(struct device *device);
/* On a steady device: sets a task's limits to what the memory has left it since losses were last
 * split. */
void device_limit_by_clock(const struct device *device, struct device_task *task);
/* Finds how short the memory is of what all ask for. */
void device_share_memory(struct device *device);

/* device_clock.c: the memory's clock. */
/* Winds a running clock up to now, before its pace changes. */
void device_clock_wind(struct device *device);
/* Sets the pace by the shortage. Whether the clock has begun or ceased to run. */
bool device_clock_pace(struct device *device);
/* Plans when the first of those who follow the clock falls due. Returns that time. */
ct_time_ps device_clock_plan(struct device *device);
/* The planned time has come: who is due by the memory's clock becomes due by until_ps. */
void device_clock_ring(struct device *device);

/* device_slices.c: one application at a time, in time slices. */
void device_slices_update(struct device *device);
/* How long all slices of a client were so far. */
ct_time_ps device_slices_ps(const struct device *device, uint32_t client);

/* Asks that the device settles once, at the end of this instant. */
static inline void device_touch(struct device *device) {
    des_instant_ask(device->engine, DES_RANK_SETTLE);
}

/* device.c */
static inline void device_account(struct device *device) {
    if (device->ops->account)
        device->ops->account(device);
}
/* Tells the listener, in an event of its own, that the repartition has taken effect. */
void device_tell_moved(struct device *device);

#endif
