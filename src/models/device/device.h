/*
 * The GPU that applications share: hardware queues, SMs, memory and the host link. Ground truth of
 * a run.
 *
 * The caller owns every task and hands it over with device_submit; the device tells when it starts
 * and when it ends. Tasks of one stream run in order: one may come onto the device before the one
 * before it has ended, but works only from then on. All times are the engine's. The formulas are
 * in docs/model-reference.md.
 */
#ifndef DEVICE_H
#define DEVICE_H

#include "abi/ct_policy.h"
#include "base/ct_arena.h"
#include "base/ct_blame.h"
#include "des/des_engine.h"
#include "models/device/gpu.h"
#include "models/device/kernel_profile.h"
#include "models/device/pcie.h"

enum device_fidelity {
    /* Every running kernel has a progress rate. */
    DEVICE_FLUID,
    /* Thread blocks are placed on SMs, in cohorts of equal ones. */
    DEVICE_BLOCK
};

/* Where the time of a task on the device goes, beyond its solo work: DEVICE_LOSS_SM_SHARE ... by
 * the rows of ct_blame.h. */
#define DEVICE_LOSS_ENUMERATOR(name, ...) DEVICE_LOSS_##name,
enum device_loss { CT_BLAME_ON_DEVICE(DEVICE_LOSS_ENUMERATOR) DEVICE_LOSS_COUNT };

#define DEVICE_NOBODY UINT32_MAX
#define DEVICE_SLOT_ROUNDING 1e-9 /* block slots that floating-point sums may be off by */

enum device_task_state {
    DEVICE_TASK_QUEUED,
    DEVICE_TASK_HEAD,
    DEVICE_TASK_RUNNING,
    DEVICE_TASK_ENDED
};

/* Watchers see the SMs in at most so many groups of neighbours, all but the last of the same size.
 */
enum { DEVICE_SM_GROUPS = 8 };

/* From when to when a kernel had blocks on a group of SMs, first to last; -1: none so far. */
struct device_presence {
    ct_time_ps began_ps, ended_ps;
};

struct device_task {
    /* Set by the caller before device_submit. */
    const struct kernel_profile *profile; /* kernels; NULL: a copy or memset */
    uint32_t client, stream;              /* stream: unique on the device */
    uint8_t kind, direction;              /* enum trace_kind, trace_direction */
    bool pinned;
    ct_share share; /* bound at issue; CT_SHARE_FULL: whatever the client's cap leaves */
    /* After the end of the one before it in its stream, or after it came to its stream if that is
     * later, it stands still so long. Below 0: a kernel that comes onto the device when the kernel
     * before it, of the same job, has so long to go alone, and waits there for its end. */
    ct_time_ps lag_ps;
    const void *job; /* whose it is: only its address counts */
    double blocks;   /* thread blocks of this launch */
    double work_ps;  /* solo duration; of a host copy, what the link takes for it alone */
    uint64_t bytes;

    /* The device's own; first what each change of rates needs. */
    bool last_wave;        /* no undispatched block left */
    bool yields;           /* fluid: its slots pass on when the blocks that run now have ended */
    bool launching;        /* set by the caller: its launch may not have come before arrives_ps */
    bool launched;         /* whether other applications hold up its launch was asked */
    bool own_limit;        /* what it waits for is its own limit */
    bool pressed;          /* what it lacks of the memory is what contention costs */
    bool waits;            /* it holds its slots till the one before it in its stream has ended */
    bool follows;          /* its rate is per time of the memory's clock; else of the engine's */
    bool loses;            /* it does not run as it would alone: follows, or its rate is not 1 */
    double sms, resident;  /* block slots held, in SMs, and their number */
    double left_ps, rate;  /* solo work left when last updated; solo work done per time since */
    ct_time_ps updated_ps; /* up to when progress is counted */
    ct_time_ps blamed_ps;  /* up to when losses are, of a task that has some */
    double memory_ps;      /* updated_ps by the memory's clock; who follows it */
    double limit[DEVICE_LOSS_COUNT]; /* factors of the rate by cause */
    double demand_bytes_per_s;
    double step_ps; /* fluid: solo work that was left when its blocks began, which go in step */
    double wave;    /* fluid: slots that it held when it last got some */
    /* Fluid, where kernels meet by the SMs on which they lie: their number; alone; and the part of
     * an SM's issue slots that it uses there alone. */
    double spread, alone_sms, alone_slots;
    double most_blocks, block_slots; /* alone on an SM there, at most; the slots that each uses */
    double awake;                    /* part of its blocks that are not being saved or restored */
    double draw;        /* progress of its blocks that run, over its rate; 1 in fluid */
    double speed;       /* how fast its SMs let it run: part of its speed with all SMs */
    double part_rate;   /* the most that its rate can be on the part of the SMs that its limits
                           allowed it when it last got slots; fluid only */
    double by_presence; /* what the presence of others leaves it, a factor of its rate */
    double hits_lost;   /* part of its row hit rate that others' requests cost it */
    uint32_t slot;      /* position among the running: there, or before */
    uint64_t order;     /* rank in which it became head of its queue, among all that did */
    struct device_task *next;

    /* Set by the caller, too; apart from what each change of rates needs. */
    uint64_t process; /* of the client: its kernels hold their share together; 0: this one alone */
    ct_time_ps arrives_ps; /* when its launch has come to the device: it begins no sooner */

    /* Set by the device. */
    ct_time_ps queued_ps, head_ps, ended_ps;
    ct_time_ps came_ps;    /* it began, or came early, with slots or not */
    ct_time_ps started_ps; /* its work began: later only where it came early */
    ct_time_ps delayed_ps; /* just before head_ps: its launch was held up by other applications' */
    /* How long it waits for SMs, where somebody asks for blame: since when for what it waits for
     * now (-1: it has not waited), and how long before that. */
    ct_time_ps wait_since_ps, waited_ps;
    double loss_ps[DEVICE_LOSS_COUNT]; /* sums to (ended - started) - work, up to rounding */
    double *culprit_ps; /* what it lost, launch delay and wait for SMs included, by the client to
                           blame; added to where the caller gives an array; NULL: not wanted */
    struct device_presence *presence; /* block fidelity, by group of SMs; given by the caller, set
                                         to -1; NULL: not wanted */
    uint8_t state;

    /* The device's own. */
    struct pcie_copy copy;
    struct device_blocks {             /* block fidelity */
        struct block_cohort *cohorts;  /* on SMs, in the order of placement */
        struct block_cohort *saved;    /* taken off their SMs by a context switch */
        double pending, saved_count;   /* blocks that were never placed; blocks saved */
        double solo_slots, wave_slots; /* in a full wave: of it alone; in the last one so far */
        double last_blocks;            /* blocks that its last wave has when it runs alone */
        double block_ps;               /* duration of one of its blocks, alone */
        double done_ps, flow;          /* solo time of the work done so far; more of it per time */
        double counted_ps;             /* part of done_ps that the task's progress has counted */
        ct_time_ps slices_ps;          /* time that its client had of slices before it began */
        double hold;                   /* most that a block may do per time; INFINITY: no limit */
        double held;                   /* part of their speed that this leaves its blocks */
        double unit;                   /* use of an SM's units by one block */
        double unit_alone;             /* scratch: by as many as an SM holds of it alone */
        bool keeps_slots;              /* slots that its blocks leave go to its pending blocks */
        bool bound;                    /* slots have blocks bound to them in advance */
        bool squeezed;                 /* units leave some of its blocks less than they ask for */
        double contended;              /* mean part that functional units leave its blocks */
    } at;
};

enum device_block_change {
    DEVICE_BLOCKS_BEGIN,
    DEVICE_BLOCKS_END,
    /* As many blocks of the same kernel began where these ended. */
    DEVICE_BLOCKS_NEXT,
    /* A time slice ends: a client's blocks stand still until its next one begins. */
    DEVICE_SLICE_END,
    DEVICE_SLICE_BEGIN
};

/* What came to SMs, or left them. */
struct device_block_move {
    enum device_block_change change;
    ct_time_ps time_ps;             /* of DEVICE_BLOCKS_NEXT it may be past */
    const struct device_task *task; /* whose blocks; NULL: of a slice */
    uint32_t client, sms;           /* whose; SMs of the GPU */
    const uint64_t *set;            /* these SMs, a bit each from the lowest; NULL: of a slice */
    int32_t blocks;                 /* on each of them */
};

/* What the device tells its one client: `started` of a task when it comes. Called inside the
 * device: submit from here (but for `next`), but do not free. */
struct device_listener {
    void *context;
    void (*started)(void *context, struct device_task *task);
    void (*ended)(void *context, struct device_task *task);
    /* A kernel's first blocks are placed, or it has given back all slots while others wait for
     * some, or has some again. Of kernels that end nobody is told so. To look at, alone, as
     * blocks_moved. NULL: nobody asks. */
    void (*held)(void *context, struct device_task *task, bool holds);
    void (*repartitioned)(void *context);
    /* Time slices: a client has the GPU from now on, or no longer. NULL:
     * nobody asks. */
    void (*slice_changed)(void *context, uint32_t client, bool has_it);
    /* The next of the tasks that were offered to this hardware queue, taken from the caller; NULL:
     * there is none. Only of callers that offer. */
    struct device_task *(*next)(void *context, uint32_t queue);
    /* Block fidelity; NULL: nobody asks. To look at, alone: nothing of the device may be called. */
    void (*blocks_moved)(void *context, const struct device_block_move *move);
};

struct device_config {
    const struct gpu *gpu;
    enum device_fidelity fidelity;
    enum ct_sharing sharing;
    uint32_t clients, streams;
    uint32_t hw_queues;       /* streams share them in turn when there are more */
    const uint32_t *contexts; /* of each client, whose streams follow those of the client before it:
                                 how many, which share hw_queues of its own; NULL: all clients
                                 share them */
    bool blame;               /* keep losses by cause and culprit */
    bool waits_for_memory;    /* some kernels do: latency_fraction, and the GPU's latency grows */
    const struct contention_app *contention; /* factors of each client; NULL: all 1 */
    const int32_t *priorities; /* priority of each client: pending blocks of the highest go first;
                                  NULL: in the order of the queue heads */
    bool slices; /* PARTITION: memory, too, is split by client (MIG), see device_set_slice */
};

/* Integrals since the start of the run, for utilisation and epochs. */
struct device_usage {
    double sm_ps; /* SMs held times time */
    double dram_bytes;
    double pcie_bytes[2]; /* of ended copies: to the device, and from it */
};

struct device_counters {
    struct ct_counters told; /* to policies */
    uint64_t blocks_finished, kernels_finished;
};

struct device;

/* Everything lives in the arena, which outlives the device. NULL: out of memory. */
struct device *device_new(struct des_engine *engine, const struct device_config *config,
                          const struct device_listener *listener, struct ct_arena *arena);

/* Puts a task at the end of its stream's hardware queue. */
void device_submit(struct device *device, struct device_task *task);

/* Announces one more task of a stream, as device_submit does, without the task: it need not be made
 * before its hardware queue comes to it, when the listener's `next` is asked for it. Who offers to
 * a queue submits nothing to it. */
void device_offer(struct device *device, uint32_t stream);

/* The hardware queue of a stream, from 0 and below the number of streams; several streams' where
 * there are fewer queues. */
uint32_t device_queue_of(const struct device *device, uint32_t stream);

/* Cap of active threads of a client, per mille (CUDA_MPS_ACTIVE_THREAD_PERCENTAGE); binds blocks
 * placed from now on. */
void device_set_cap(struct device *device, uint32_t client, ct_share cap);

/* Weight of a client in the memory controller, above 0: of a memory that runs short its requests
 * get so many times as much. 1 until set. */
void device_set_memory_weight(struct device *device, uint32_t client, double weight);

/* Gives a client SMs and a part (0 to 1) of the memory's bandwidth that nobody else uses, and no
 * more of either (MIG). Needs the configuration's `slices`. */
void device_set_slice(struct device *device, uint32_t client, int64_t sms, double memory);

/* Lets a client into the slice of another, which they share as a GPU of that size under MPS, each
 * up to its cap. Fluid only. */
void device_share_slice(struct device *device, uint32_t client, uint32_t with);

/*
 * SMs of each client under CT_SHARING_PARTITION. Fluid: clients that lose SMs drain, the change
 * takes effect when the resident blocks of their running kernels have ended (one block each), at
 * once when nobody loses SMs in use. Block: every SM changes hands by itself; the listener hears of
 * it after the last. CT_MOVE_DRAIN: its resident blocks end first; CT_MOVE_SWITCH: they are saved,
 * and go on where their client has room; CT_MOVE_AUTO drains where an SM finished more blocks in
 * the epoch than it can hold, else it switches (HSM 4.2).
 */
void device_repartition(struct device *device, const int64_t *sms, enum ct_move move);

/* Blocks that an SM finished are counted anew: what the automatic choice between draining and
 * switching looks at. */
void device_begin_epoch(struct device *device);

bool device_is_idle(const struct device *device);
struct device_usage device_usage(struct device *device);
struct device_counters device_client_counters(struct device *device, uint32_t client);

/* SMs held times time, and bytes of its kernels from and to memory, since the start of the run; the
 * part of the SMs that it may hold now. */
struct device_watch {
    double sm_ps, dram_bytes, quota;
};

/*
 * For watchers: integrals up to now that bring nothing up to date, so that watching changes no
 * rounding. Memory bytes of the device include copies within it. Links: one per direction, or one
 * for both.
 */
struct device_watch device_watch_client(const struct device *device, uint32_t client);
double device_watch_dram_bytes(const struct device *device);
double device_watch_pcie_bytes(const struct device *device, uint32_t link);
/* Bytes copied to the device, and from it; those of copies under way included. */
void device_watch_copied_bytes(const struct device *device, double bytes[2]);
uint32_t device_watch_pcie_links(const struct device *device);

/* How many SMs each group of neighbours has on a GPU with `sms` SMs; the last group may have fewer.
 */
uint32_t device_sm_group_size(uint32_t sms);

/* Splits what running tasks lose up to now, and charges what they and others waited for: once, at
 * the end of a run, where somebody asks for it. */
void device_settle_losses(struct device *device);

/* Shows every task that runs now, or is on the host link, with its solo work done so far. */
typedef void device_visitor(void *context, const struct device_task *task, double work_done_ps);
void device_visit_running(struct device *device, device_visitor *visit, void *context);

/* As device_visit_running, for watchers: nothing is brought up to date, so that watching changes no
 * rounding. Fluid fidelity only. */
void device_watch_running(const struct device *device, device_visitor *visit, void *context);

/* How many of so many SMs a cap or a share stands for: a quantity in fluid; in block whole ones, to
 * the nearest. At least one. */
static inline double device_share_sms(enum device_fidelity fidelity, double sms, ct_share share) {
    double part = share == CT_SHARE_FULL ? sms : sms * share / CT_SHARE_FULL;
    part = fidelity == DEVICE_BLOCK ? floor(part + 0.5) : part;
    return part > 1 ? part : 1;
}

/* Whole block slots of a quantity of SMs, which sums in floating point may have left just below. */
static inline double device_slots(double sms, double blocks_per_sm) {
    return floor(sms * blocks_per_sm + DEVICE_SLOT_ROUNDING);
}

/* Solo duration of a host copy on this GPU. */
double device_copy_work_ps(const struct gpu *gpu, uint64_t bytes, bool pinned);

#endif
