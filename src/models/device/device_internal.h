/*
 * Inside of the device: what both fidelities share (queues, order of dispatch, rates and losses,
 * time slices, the host link), and what each does in its own way (struct device_ops).
 */
#ifndef DEVICE_INTERNAL_H
#define DEVICE_INTERNAL_H

#include "models/device/device.h"
#include "models/device/dram.h"

struct device_queue {
    struct device_task *first, *last;
    bool promoted; /* its first task is among the heads */
};

struct device_client {
    ct_share cap;
    int64_t partition;    /* SMs owned; PARTITION only */
    uint32_t kernels;     /* running */
    uint32_t active;      /* kernels and memsets that run, or whose stream has come to them */
    double memory_weight; /* in the memory controller */
    double memory;        /* part of the bandwidth that is its own; slices only */
    ct_time_ps busy_since_ps;
    ct_time_ps slice_end_ps; /* TIMESLICE: of its last one */
    struct device_counters counters;
    uint64_t stopped_by; /* the dispatch in which a kernel of its has to wait for its SMs, and
                            those behind it with it */
    double sms;          /* held by its running kernels; made anew in a dispatch that asks */
    double unit_use,
        pressure;          /* sums over its running kernels; made anew at each update of rates */
    double feels, presses; /* of struct contention_app: factors of S and of P */
};

/* What keeps the first block of a kernel from being placed. */
enum device_room { DEVICE_ROOM, DEVICE_ROOM_OWN_LIMIT, DEVICE_ROOM_NONE };

struct device_ops {
    bool places_blocks; /* a partition is a set of SMs, not a number of them */
    bool (*start)(struct device *device, struct ct_arena *arena); /* false: out of memory */
    /* Dispatch of a kernel whose own limits still allow `own_sms`. */
    enum device_room (*room)(struct device *device, const struct device_task *task, double own_sms);
    bool (*grow)(struct device *device, struct device_task *task,
                 double own_sms); /* is it no obstacle for others? */
    /* Whether blocks of a higher priority wait for its slots; NULL: its blocks end by themselves.
     */
    void (*yield)(struct device *device, struct device_task *task, bool yields);
    /* Progress of a running kernel: solo work done. Only where blocks are placed; else it is done
     * at the rate, by the SMs that it holds. */
    double (*work)(struct device *device, struct device_task *task, double elapsed_ps);
    void (*limit_units)(struct device *device,
                        double units); /* `units`: asked of the whole GPU's */
    /* Sets task->draw, before the memory is shared. Only where blocks are placed. */
    void (*set_draw)(struct device *device, struct device_task *task);
    /* Its end at its rate. Only where blocks are placed. */
    ct_time_ps (*plan)(struct device *device, struct device_task *task);
    /* Solo work until its last wave begins, or until it gives way. Only fluid; not asked of a
     * kernel in its last wave that gives way to nobody. */
    double (*work_until_due)(const struct device *device, const struct device_task *task);
    bool (*due)(struct device *device,
                struct device_task *task); /* that time has come; has the kernel ended? */
    /* SMs. */
    void (*account)(struct device *device); /* counts SMs held up to now, and from now on; NULL:
                                               they are counted with each kernel's progress */
    void (*settle)(struct device *device);  /* before the dispatch of this instant; NULL: nothing */
    void (*repartition)(struct device *device, enum ct_move move); /* to device->wanted */
    struct device_sm (*sm)(const struct device *device, uint32_t sm);
};

/*
 * The clock of a memory that runs short: it takes from all traffic the same part, whoever asks for
 * it, so that a change of that part changes the pace of one clock and not every task's rate. It
 * stands still while the memory suffices.
 */
struct device_memory_clock {
    bool runs;
    double pace;            /* time of its own per time */
    double ps;              /* what it showed at: */
    ct_time_ps at_ps;       /* the last update of rates */
    double next_ps;         /* by itself: the first to fall due of those who follow it, */
    ct_time_ps next_due_ps; /* and when that is */
};

/* What the passes over the running tasks add up: kept side by side, apart from the tasks. */
struct device_lane {
    double sms;                   /* held; fluid */
    double units;                 /* asked of the whole GPU's functional units */
    struct dram_explained memory; /* asked of the memory; 0 bytes: nothing */
    double claim;           /* what its part of a memory that runs short grows with; weighted */
    double row_bytes_per_s; /* capacity if all hit rows as often as this task; NAN: not asked yet */
};

/* Of all lanes up to and with one of them. */
struct device_sums {
    double units;
    struct dram_mix memory;
    uint32_t drawing; /* tasks that ask for memory */
};

/* What a culprit of a loss is weighed by. */
struct device_weight {
    double weight, before;
    uint32_t client;
};

extern const struct device_ops fluid_ops, block_ops;

struct device {
    struct des_engine *engine;
    const struct device_ops *ops;
    struct device_config config;
    const struct gpu *gpu;
    struct device_listener listener;
    double sms, free_sms; /* all; not held by kernels that run, in the course of a dispatch */

    struct device_queue *queues;
    uint32_t queue_count;
    bool *stream_busy;
    struct device_task **heads;   /* in the order of becoming head */
    struct device_task **running; /* kernels, memsets, device copies; in the order of dispatch */
    struct device_task **begun;   /* started in this settlement, not yet told */
    /* By position among the running. */
    /* End, or begin of the last wave, at the present rate; -1: to be made anew, as all that leads
     * to it. CT_TIME_NEVER, INFINITY: not by this clock. */
    ct_time_ps *until_ps;
    double *memory_until_ps; /* by the memory's clock, while it runs */
    struct device_lane *lanes;
    double *sms_sums;         /* of the lanes up to and with each, */
    struct device_sums *sums; /* and the others; before all stands that of none */
    uint32_t *stale; /* scratch: positions that have changed since the last update of rates */
    double *served;  /* scratch: the part of each demand that is served */
    struct device_weight *weights; /* scratch: cause x running, of culprits */
    struct device_task **delayed;  /* by stream: its launch is held up; NULL: none */
    uint8_t *delayers; /* stream x client: who held up the launch of its present task; NULL: no
                          launch is held up on this GPU, or nobody asks */
    uint32_t head_count, running_count, begun_count, delayed_count;
    uint32_t growing;                  /* running tasks with undispatched blocks */
    uint32_t drawing;                  /* running tasks with traffic to and from memory */
    uint32_t sms_summed, lanes_summed; /* lanes whose sums hold */
    bool steady;      /* whose rates are to be made anew is known: no other ties between tasks than
                         functional units and memory that run short */
    bool unrated;     /* somebody's rate is to be made anew */
    bool shaken;      /* everybody's is */
    bool weighted;    /* the memory is not shared in proportion to what each would draw */
    bool units_short; /* at the last update of rates */
    struct device_shortage {
        bool is;
        double asked, capacity;
    } memory; /* of all traffic, at the last update of rates */
    struct device_memory_clock clock;
    uint64_t head_order, dispatches;
    bool clients_summed; /* their SMs, in this dispatch */

    struct device_client *clients;
    struct device_usage usage;
    ct_time_ps split_ps;        /* when losses were last split */
    ct_time_ps next_ps, bus_ps; /* when a running task falls due, and when the host link changes */
    uint32_t last_release;      /* client whose kernel last gave SMs back */

    struct pcie_bus bus;
    uint32_t copies; /* on the bus */
    struct dram dram;

    /* Time slices. */
    int64_t active; /* client; -1: none yet */
    bool switching;
    des_event slice_event;

    /* Repartition. */
    int64_t *wanted;
    bool draining;         /* fluid: until resident blocks have ended */
    struct block_map *map; /* block: what lies on which SM */
};

/* device.c: what the device sets of a task that comes to it. */
void device_task_init(const struct device *device, struct device_task *task);

/* device_queue.c: streams, hardware queues, heads. */
void device_queue_append(struct device *device, struct device_task *task);
void device_queue_refill(struct device *device,
                         uint32_t queue); /* with what was offered to it, once it is empty */
void device_queue_start(struct device *device,
                        uint32_t head); /* takes this head off its queue: it runs */
void device_queue_end(struct device *device, struct device_task *task);
void device_queue_delay(
    struct device *device); /* launches of new heads, phi for each other client */
void device_charge_delay(struct device *device, struct device_task *task);

/* device_running.c: sums over the tasks that run; their changes are in device_running.h. */
double device_sum_sms(struct device *device); /* of all that run now */
const struct device_sums *device_sum_lanes(struct device *device);

/* device_dispatch.c: the order in which kernels get block slots. */
void device_dispatch(struct device *device);
static inline bool device_client_runs(const struct device *device, uint32_t client) {
    return device->config.sharing != CT_SHARING_TIMESLICE ||
           (device->active == (int64_t)client && !device->switching);
}

static inline bool device_crosses_link(const struct device_task *task) {
    return task->kind == TRACE_COPY && task->direction != TRACE_DEVICE_TO_DEVICE;
}

/* As fmin and fmax, of numbers. */
static inline double device_lesser(double a, double b) {
    return a < b ? a : b;
}
static inline double device_greater(double a, double b) {
    return a > b ? a : b;
}

static inline double device_clock_now(const struct device *device) {
    const struct device_memory_clock *clock = &device->clock;
    return clock->ps + clock->pace * (double)(des_engine_now(device->engine) - clock->at_ps);
}

/* Solo work per time. */
static inline double device_rate(const struct device *device, const struct device_task *task) {
    return task->follows ? task->rate * device->clock.pace : task->rate;
}

/* Solo work since a task was last updated. */
static inline double device_work_since(const struct device *device,
                                       const struct device_task *task) {
    if (task->follows)
        return (device_clock_now(device) - task->memory_ps) * task->rate;
    return (double)(des_engine_now(device->engine) - task->updated_ps) * task->rate;
}

/* device_rates.c: progress, and what it is lost to. */
/* And next_ps; losses are split up to now. */
void device_rates_update(struct device *device);
static inline bool device_rates_hold(const struct device *device) {
    return device->steady && !device->shaken && !device->unrated;
}
void device_progress(struct device *device, struct device_task *task);
/* Brings the work left up to now. */
static inline void device_advance(struct device *device, struct device_task *task) {
    if (task->updated_ps < des_engine_now(device->engine))
        device_progress(device, task);
}
void device_split_all(struct device *device);
/* Of all that run below full rate, before the set changes. */
static inline void device_split_losses(struct device *device) {
    if (device->config.blame)
        device_split_all(device);
}
void device_charge(const struct device *device, struct device_task *task, enum device_loss cause,
                   double loss_ps);
double device_sm_rate(const struct device *device,
                      const struct device_task *task); /* that its SMs allow */

/* device_memory.c: what a saturated memory leaves everybody. */
void device_ask_memory(struct device *device, uint32_t slot); /* enters what a task asks for now */
void device_limit_memory(struct device *device); /* of all, whose other limits are made */
/* Of a steady device: what the memory has left a task since losses were last split. */
void device_limit_by_clock(const struct device *device, struct device_task *task);
/* Finds how short the memory is of what all ask for. */
void device_share_memory(struct device *device);

/* device_clock.c: the memory's clock. */
void device_clock_wind(struct device *device); /* it runs: up to now, before its pace changes */
bool device_clock_pace(struct device *device); /* by the shortage; has it begun or ceased to run? */
/* Plans when the first of those who follow it falls due. Returns that time. */
ct_time_ps device_clock_plan(struct device *device);
/* It is that time: who is due by it is due by until_ps. */
void device_clock_ring(struct device *device);

/* device_slices.c: one application at a time, in time slices. */
void device_slices_update(struct device *device);

/* Settles once, at the end of this instant. */
static inline void device_touch(struct device *device) {
    des_instant_ask(device->engine, DES_RANK_SETTLE);
}

/* device.c */
static inline void device_account(struct device *device) {
    if (device->ops->account)
        device->ops->account(device);
}
void device_tell_moved(struct device *device); /* the repartition has taken effect */

#endif
