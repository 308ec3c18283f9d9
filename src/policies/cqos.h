/*
 * C-QoS and the systems that it is compared with (Long et al., IEEE Access 2020): what the files of
 * the family share.
 *
 *   cqos.c         hooks and options of os-sched, spart-qos, combined, coop and cqos
 *   cqos_scene.c   the moment of a decision: applications, their kernels, the link
 *   cqos_value.c   Eq. 8 to 12: what a decision is worth
 *   cqos_worth.h   the same of one app
 *   cqos_search.c  Algorithms 1 and 2: the decisions that there are, and the choice among them
 *   cqos_ways.c    the partitions that Algorithm 2 lists
 *   cqos_level.c   the comparison's rules: headroom at the level of the operating system, one SM a
 *                  period at the level of the device
 *
 * An application is an application instance, here an "app" with the oldest of its jobs; SMs belong
 * to apps. A scene holds all that a decision looks at, and the functions of cqos_value.c and
 * cqos_search.c look at nothing else.
 */
#ifndef CQOS_H
#define CQOS_H

#include "abi/ct_policy.h"

enum {
    /* Application instances of a run, and SMs of a device; more fail the run. */
    CQOS_APPS_MOST = 256,
    CQOS_SMS_MOST = 1024,
    /* Copy engines: one per direction, or the first for both. */
    CQOS_ENGINES = 2,
    /* Kernels whose predicted times are kept. */
    CQOS_KEPT = 512,
    /* n of Algorithm 2: "less than 5" (section VII-F). */
    CQOS_GROUPS = 4,
    /* Blocks, threads, registers, shared memory (Eq. 1). */
    CQOS_RESOURCES = 4
};

/* The five events that begin a scheduling period (section VI-B). */
enum cqos_trigger {
    CQOS_ARRIVAL,
    CQOS_COPY_IN,
    CQOS_KERNEL,
    CQOS_COPY_OUT,
    CQOS_TERMINATION,
    CQOS_TRIGGERS
};

#define CQOS_NOBODY UINT32_MAX

/* ---- the scene ---- */

struct cqos_device {
    int64_t sms;
    double per_sm[CQOS_RESOURCES]; /* R: blocks, threads, registers, bytes of shared memory */
    double pcie_bytes_per_s;       /* BW */
    uint32_t engines;
};

/* A kernel on the device or ready for it. */
struct cqos_kernel {
    bool there;
    double blocks, blocks_per_sm; /* gdim; R_tb x occ */
    double use[CQOS_RESOURCES];   /* of one block, as parts of what one SM has */
    int64_t need;                 /* SMs that hold all its blocks, or all SMs */
    /* By SMs held: of the whole kernel (Eq. 4; [0] is not used), and what it takes of the device's
     * four resources, each as a part of it, summed (Eq. 9). */
    const double *time_ps, *use_sum;
    double block_ps;  /* of one wave: what draining an SM takes */
    double left;      /* the part that is not done */
    double waited_ps; /* since it was ready */
};

/* A copy on the link or ready for it. */
struct cqos_copy {
    bool there, running;
    bool passed_over;           /* as in struct cqos_task */
    const struct ct_task *task; /* NULL: looked ahead */
    double left_ps, waited_ps;
    double bandwidth; /* bw / BW while it runs */
};

/* What an app's job will have taken, but for its kernel. 0: nothing. */
struct cqos_prospect {
    double kernel_waited_ps;           /* its wait so far */
    double copy_ps[CQOS_ENGINES];      /* until the copy has ended (Eq. 7) */
    double copy_term_ps[CQOS_ENGINES]; /* from ready to then */
    double link_ps;                    /* until the link is free for the next copy */
    double bandwidth;                  /* of Eq. 10 */
};

/* What an app adds to Eq. 11 while ways to take SMs are profiled (cqos_ways.c), by the SMs that it
 * has; [0]: under the way that was last looked at. */
struct cqos_worth {
    struct cqos_prospect prospect, free; /* free: its next copy waits for nobody */
    int64_t least;                       /* known from here to what it has now */
    double quality[CQOS_SMS_MOST + 1], used[CQOS_SMS_MOST + 1]; /* Q, Eq. 8, and U, Eq. 9 */
    double value[CQOS_SMS_MOST + 1];                            /* O, Eq. 11, of these two */
    double sums[CQOS_SMS_MOST + 2]; /* of the values, from so many SMs to what it has now */
    /* While the app has no SM and waits for those of a kernel on so many: when its own kernel ends
     * then, and Q. */
    double waiting_ps[CQOS_SMS_MOST + 1], waiting_quality[CQOS_SMS_MOST + 1];
};

/* An application with an unfinished job; in a scene the oldest job is first. Times of Eq. 8 are
 * sums over the job's tasks. */
struct cqos_app {
    uint32_t client;
    int64_t sms;
    double target_ps;            /* d_i - t_i0; 0: unknown */
    double tasks;                /* |K_i| */
    double elapsed_ps, spent_ps; /* since t_i0; in tasks that ended */
    double rest_ps;              /* of tasks not yet ready, alone */
    const double *slowdown;      /* of these, by SMs held; [0]: none now, 1 */
    struct cqos_worth *worth;
    const struct ct_task *issued;  /* the kernel, if it is on the device; else NULL */
    const struct cqos_loan *loans; /* by client: what it took of theirs; NULL: nothing */
    struct cqos_kernel kernel;
    struct cqos_copy copies[CQOS_ENGINES];
    struct cqos_kernel next_kernel; /* as profiled, after the copy at `next_engine` */
    uint32_t next_engine;           /* CQOS_NOBODY: after the kernel */
    struct cqos_copy next_copy;     /* after the kernel, as profiled, on `next_copy_engine` */
    uint32_t next_copy_engine;
    bool copy_follows;     /* some time after the kernel, as profiled, on `next_copy_engine` */
    double before_copy_ps; /* of the tasks between them, alone */
};

struct cqos_scene {
    struct cqos_device device;
    double busy_ps[CQOS_ENGINES]; /* until the running copy has ended; 0: idle */
    uint32_t count;
    struct cqos_app apps[CQOS_APPS_MOST];
};

/* ---- decisions ---- */

/* Which SMs belong to whom. The kernel of `taker` got those that changed (section VI-B); nobody:
 * all are held. */
struct cqos_partition {
    uint32_t taker;              /* index of an app, or CQOS_NOBODY */
    int16_t sms[CQOS_APPS_MOST]; /* by app */
};

/* One entry of dlist: a partition, and the copy that an idle engine is given. */
struct cqos_decision {
    const struct cqos_partition *partition;
    uint32_t copier, engine; /* index of the app whose copy runs next; CQOS_NOBODY: none */
    bool rests;              /* copies are ready, and the link is left idle until something ends */
};

/* The second term of Eq. 9. As printed U falls with every SM that is taken, although the text wants
 * more blocks dispatched; as a size it falls with every SM that changes. */
enum cqos_change { CQOS_CHANGE_NONE, CQOS_CHANGE_ABSOLUTE, CQOS_CHANGE_PRINTED };

/* Which entries of dlist leave an idle link idle although a copy is ready: those with any
 * partition; those of Algorithm 2 alone, which give SMs to a kernel; or none ("will be launched",
 * section VI-A). */
enum cqos_idle_link { CQOS_IDLE_LINK_ANY, CQOS_IDLE_LINK_CHANGED, CQOS_IDLE_LINK_NEVER };

struct cqos_weights {
    double qos, use; /* a and b of Eq. 11 */
    bool per_cost;   /* divide by Eq. 10, as printed */
    enum cqos_change change;
    /* A potential only for decisions after which a copy's kernel or a kernel's copy is ready, as
     * printed; else for all, so that all are compared over the same periods (Eq. 12). */
    bool only_ready;
    /* Eq. 6 for every kernel that loses SMs, not only for those left with none. */
    bool every_victim;
};

/* cqos_value.c. */

/* The dominant share of a kernel on so many SMs: the part of the whole device's that it takes of
 * the resource of which it takes most. */
double cqos_dominant_share(const struct cqos_device *device, const struct cqos_kernel *kernel,
                           int64_t sms);

/* Sum over the four resources of r / R, of the whole device. */
double cqos_use_sum(const struct cqos_device *device, const struct cqos_kernel *kernel,
                    int64_t sms);

/* Predicted latency of the app's job under a decision, from its arrival (Eq. 2 to 7). */
double cqos_latency(const struct cqos_scene *scene, const struct cqos_weights *weights,
                    const struct cqos_decision *decision, uint32_t app);

/* Eq. 11 and 12: the value of the next scheduling period, of all apps. */
double cqos_value(const struct cqos_scene *scene, const struct cqos_weights *weights,
                  const struct cqos_decision *decision);

/* What it counts of an app, whatever its kernel takes. */
struct cqos_prospect cqos_prospect_of(const struct cqos_scene *scene,
                                      const struct cqos_decision *decision, uint32_t app);
/* The second term of U, Eq. 9. */
double cqos_steadiness(const struct cqos_scene *scene, const struct cqos_weights *weights,
                       const struct cqos_partition *partition);

/* To 30 bits: values that are equal but for the rounding of their sums, which differs with the
 * order of what is added, are equal, and the order of dlist decides. Dekker's splitting of a
 * double. */
static inline double cqos_rounded(double value) {
    double times = value * ((1 << 23) + 1);
    return times - (times - value);
}

/* t_r of what is left, on so many SMs. */
static inline double cqos_running_ps(const struct cqos_kernel *kernel, int64_t sms) {
    return kernel->left * kernel->time_ps[sms];
}

/* The value of the period after the next, that begins with the first end of a copy or kernel under
 * the decision (lines 8 to 10 of both algorithms): kernels preempted by one that has ended have
 * their SMs back, and those that wait have idle ones. 0: nothing runs. Changes the scene and
 * restores it. */
double cqos_potential(struct cqos_scene *scene, const struct cqos_weights *weights,
                      const struct cqos_decision *decision);

/* SMs that belong to nobody under a partition. */
int64_t cqos_idle_under(const struct cqos_scene *scene, const struct cqos_partition *partition);

/* Idle SMs to the kernels that have none, who waited longest first, as many as its blocks need:
 * what is ready where there is room is launched (section VI-A). `more`: to those that lack some,
 * too, as a device without partitions does with what is left over. */
void cqos_launch(const struct cqos_scene *scene, struct cqos_partition *partition, bool more);

/* What the search works on, and its answer. */
struct cqos_search {
    struct cqos_weights weights;
    double epsilon;
    bool look_ahead, drawn; /* drawn: this period's decision was left to chance, or not */
    int64_t profiles;       /* possibilities of a group at most */
    enum cqos_idle_link idle_link;
    double (*uniform)(struct ct_context *context);
    struct ct_context *context;

    struct cqos_decision decision;
    double value; /* with the potential */
    uint64_t candidates;
    bool random;

    uint32_t partition_count;
    struct cqos_partition partitions[1 + CQOS_GROUPS * CQOS_APPS_MOST];
};

/* cqos_ways.c. */

/* Which SMs a decision may give away: none, all, or (and then it must) idle ones; without copies.
 */
enum cqos_reach { CQOS_REACH_NONE, CQOS_REACH_ALL, CQOS_REACH_IDLE };

/* Algorithm 2: adds partitions that give more SMs to a kernel, of one app after the other. */
void cqos_ways_begin(struct cqos_scene *scene, const struct cqos_weights *weights);
void cqos_ways_add(struct cqos_scene *scene, struct cqos_search *search, uint32_t taker,
                   enum cqos_reach reach);

/* cqos_search.c. */

/*
 * Algorithms 1 and 2: picks a decision for the scene, with a copy for `engine` if that is idle and
 * a copy is ready. False: there is nothing to decide.
 */
bool cqos_search(struct cqos_scene *scene, struct cqos_search *search, uint32_t engine,
                 enum cqos_reach reach);

/* The partition that a scene has now, and a copy of one of the scene's. */
struct cqos_partition cqos_partition_now(const struct cqos_scene *scene);
void cqos_partition_copy(const struct cqos_scene *scene, const struct cqos_partition *from,
                         struct cqos_partition *to);

/* SMs that belong to nobody; whether there are some beside a ready kernel without an SM. */
int64_t cqos_idle_sms(const struct cqos_scene *scene);
bool cqos_kernel_waits(const struct cqos_scene *scene);

/* ---- the run ---- */

/* What a goal is of: each execution, or all that an application has had (t_i0 of Eq. 8 is when "the
 * first kernel of application i" was submitted). */
enum { CQOS_GOAL_EXECUTION, CQOS_GOAL_APPLICATION };
/* What j counts in Eq. 8 to 10: kernels and copies, or kernels, each with its copies. */
enum { CQOS_TERMS_TASKS, CQOS_TERMS_KERNELS };
/* Whose headroom holds a task: that of applications with less of it, or of all that have a task on
 * the device ("the other running kernels", section VII-C). */
enum { CQOS_HELD_BY_URGENT, CQOS_HELD_BY_RUNNING };

struct cqos_options {
    double level, epsilon, qos_weight, use_weight, cost_ms;
    int64_t profiles;
    int32_t value, change, victims, look_ahead, idle_link, kernels, goal, terms, sms, held_by,
        copies;
};

/* Scratch of a task. */
struct cqos_task {
    const struct ct_task *task;
    struct cqos_task *next;  /* of the app's issued kernels, in the order of issue */
    double solo_ps;          /* predicted; 0: unknown */
    double left;             /* part of a kernel that is not done, by Eq. 4 */
    int64_t updated_ps;      /* when `left` was true */
    int64_t ready_ps;        /* when the task before it in its stream had ended */
    bool ready, issued, let; /* let: by the level of the operating system in this period */
    int32_t held;            /* of gate_hold */
    bool passed_over;        /* the link was kept for another copy, which has had it since */
};

/* Scratch of a job. */
struct cqos_job {
    double self_ps;   /* predicted alone; 0: unknown */
    double target_ps; /* 0: unknown */
    double ready_ps;  /* of it, tasks that have become ready */
    double issued_ps; /* of it, tasks that were issued */
    double spent_ps;  /* from ready to ended, of tasks that have ended */
    double terms;     /* |K_i| of Eq. 8; 0: not counted yet */
    bool submitted;   /* a task of it has been ready */
};

/* Sums over the executions of an application that have ended. */
struct cqos_past {
    double target_ps, elapsed_ps, spent_ps, terms;
};

/* One kernel: predicted times by SMs, and what it uses. */
struct cqos_times {
    uint64_t task;  /* its number + 1; of one looked ahead, that of the task before it */
    uint32_t alike; /* of struct ct_task; 0: unknown, or unlike any */
    double ps[CQOS_SMS_MOST + 1], use_sum[CQOS_SMS_MOST + 1];
    struct cqos_kernel kernel; /* all of it to do */
};

/* What a kernel that was preempted lost to one client. */
struct cqos_loan {
    const struct ct_task *kernel; /* NULL: nothing */
    int64_t sms;
};

/* The next host copy of a job, as profiled. */
struct cqos_chain {
    uint64_t job; /* its number + 1 */
    uint32_t stream, index, engine;
    bool there;
    double until_ps; /* of what is ready before it, alone: as struct cqos_job's ready_ps */
};

/* Scratch of a client. */
struct cqos_client {
    struct cqos_chain chain;
    struct cqos_past past; /* stays empty where each execution has a goal of its own */
    bool joined;
    bool default_target;                        /* a job of it has had one */
    int64_t sms;                                /* that its kernels may use now */
    struct cqos_task *kernels;                  /* issued and not ended */
    const struct ct_task *copies[CQOS_ENGINES]; /* on the link, or in its queue: the first */
    const struct ct_task *ready_kernel, *ready_copies[CQOS_ENGINES]; /* while deciding */
    struct cqos_times times, next_times; /* of its kernel, and of the one after its copy */
    /* How much longer a whole job takes than on all SMs, by SMs; the number of that job + 1. */
    double slowdown[CQOS_SMS_MOST + 1];
    uint64_t slowdown_job;
    struct cqos_worth worth;
    struct cqos_loan loans[CQOS_APPS_MOST]; /* by client: what its kernel took of theirs */
};

struct cqos_state {
    struct cqos_scene scene;
    uint32_t engine_copies[CQOS_ENGINES]; /* issued and not ended */
    double queued_ps;                     /* T_q of Baymax: all kernels that are, predicted */
    int64_t allocation[CQOS_APPS_MOST];   /* by client; zeros between two questions */
    bool rested[CQOS_ENGINES];            /* the link was left idle since its last copy */
    bool triggered;                       /* an event since the last decision, or a verb of it was
                                             rejected */
    int64_t free_ps;                      /* when the decision that is being worked out is done */
    uint64_t decisions, random, candidates, unknown, default_targets, os_periods;
    uint64_t counted[CQOS_TRIGGERS];   /* events */
    struct cqos_times kept[CQOS_KEPT]; /* those last predicted, by what is alike */
    struct cqos_search search;
};

/* cqos_scene.c. */

void cqos_device_read(struct ct_context *context, struct cqos_device *device);
uint32_t cqos_engine(const struct cqos_device *device, int32_t direction);

/* Since t_i0, when the first task of a job was submitted (Eq. 8): a job that waits for an earlier
 * one of its own application loses no time. With the executions that the goal is of. */
double cqos_elapsed_ps(struct ct_context *context, const struct ct_job *job);

/* |K_i| of the job of this task, its first: of the first stream, as profiled. */
double cqos_terms(struct ct_context *context, const struct ct_task *first);

/* d_i - t_i0: the job's, with the executions that the goal is of. 0: unknown. */
double cqos_target_ps(const struct ct_job *job);

/* Eq. 3, 4 and 7 of a kernel on the SMs that its client has, ps. 0: unknown. */
double cqos_kernel_completion(struct ct_context *context, const struct ct_task *task);

/* Fills the scene of the state from what is ready, issued and predicted now. */
void cqos_scene_make(struct ct_context *context);

/* cqos_level.c. */

/* Whether a task may pass by the headroom of the other applications; else which headroom it does
 * not fit. */
bool cqos_gate_passes(struct ct_context *context, const struct ct_task *task, int64_t *headroom_ps);

/* Smaller is more urgent: the headroom of the task's application. */
int64_t cqos_gate_rank(struct ct_context *context, const struct ct_task *task);

/* One period of Spart: idle SMs by dominant-resource fairness, and one SM from the app with most
 * slack to the one furthest below its target. */
void cqos_spart_period(const struct cqos_scene *scene, struct cqos_partition *partition);

/* Dominant shares made as equal as whole SMs can be, of all kernels anew (sections IV, VII-C). */
void cqos_fair_period(const struct cqos_scene *scene, struct cqos_partition *partition);

/* Whether copies outweigh kernels among the tasks that are ready or being processed (section
 * VII-C). */
bool cqos_transfers_dominate(const struct cqos_scene *scene);

static inline double cqos_at_least_zero(double value) {
    return value > 0 ? value : 0;
}

#endif
