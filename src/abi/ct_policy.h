/*
 * The policy interface of cotenant: all that a scheduling policy sees, and nothing else.
 *
 * A policy is one `const struct ct_policy`. Every member but `abi`, `size` and `name` may be left
 * out. It learns of the world through hooks, acts through verbs, and knows only what a runtime
 * system could know: features of a task before it starts, measurements after it ended, predictions
 * from models that were trained on profiling runs.
 *
 * Life of a run:
 *
 *   init
 *   client_join     for every application instance
 *   at every simulated instant at which something happens:
 *     job_begin     a query or a batch iteration arrives
 *     task_launch   the host has launched a task
 *     task_ready    a task can be issued: it is predicted, what it depends on in other streams has
 *                   ended, and all before it in its stream are issued; it waits in the ready pool
 *                   until the policy issues it
 *     task_start    the device begins it
 *     task_done     it ended; its measurement is in the task
 *     job_end
 *     timer, repartition_done
 *     decide(why)   once, after all of the above, if something of `why` happened
 *   client_leave, report, fini
 *
 * Times are simulated picoseconds, shares per mille of the SMs, bandwidths bytes per second.
 *
 * What is not decided yet how it will be asked for has room: members `reserved` are zero in this
 * version, and struct ct_host grows at its end (`size` says how far it goes).
 *
 * A policy without `decide` lets every ready task through at once: where it has a `rank`, those of
 * one instant in its order, after all other hooks of the instant.
 *
 * A verb is checked when it is called and applied when the hook returns, plus the time charged in
 * it. What follows an issued task in its stream is ready at once: its task_ready is called within
 * the next ready_next, or when the hook returns. A bad verb is rejected, counted and logged: it
 * returns false. A policy that leaves ready work on an idle device with nothing pending has
 * stalled, and the run ends as a policy fault.
 *
 * Every pointer to a client, job or task is valid until its `client_leave`, `job_end` or
 * `task_done` hook returns; one to a library call as long as its job.
 *
 * This file may be included by a policy under any licence (see LICENSE, section "policies").
 */
#ifndef CT_POLICY_H
#define CT_POLICY_H

#include "ct_option.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CT_POLICY_ABI 2

/* The name that a shared object must define: `const struct ct_policy *ct_policy_entry(void)`. */
#define CT_POLICY_ENTRY "ct_policy_entry"

enum ct_role { CT_SERVICE, CT_BATCH };
enum ct_task_kind { CT_TASK_KERNEL, CT_TASK_COPY, CT_TASK_MEMSET };
enum ct_copy_direction { CT_COPY_IN, CT_COPY_OUT, CT_COPY_DEVICE };
/* The models that answer a policy's predictions. */
enum ct_predictor {
    /* Per function the better of linear regression and nearest neighbours. */
    CT_PREDICTOR_BEST,
    /* Regression trees. */
    CT_PREDICTOR_TREE,
    /* A network that was trained before the run; nothing is profiled. */
    CT_PREDICTOR_PROGRESS
};
enum ct_task_state {
    CT_TASK_WAITING,
    CT_TASK_READY,
    CT_TASK_ISSUED,
    CT_TASK_RUNNING,
    CT_TASK_ENDED
};

/* How applications share the device under this policy. */
enum ct_sharing {
    /* Whoever comes gets what is left, up to a cap per client (100 % unless set); shares are bound
     * at issue. */
    CT_SHARING_MPS,
    /* One application's kernels at a time, first come first served by kernel. */
    CT_SHARING_EXCLUSIVE,
    /* One application's kernels at a time, in time slices. */
    CT_SHARING_TIMESLICE,
    /* Whole SMs per client, set by `repartition`. */
    CT_SHARING_PARTITION
};

/* What a policy needs of the device; a device without it refuses the run (exit code 2). */
enum ct_need {
    /* `repartition`: SMs of a client's own, also taken from running work. */
    CT_NEED_PARTITION = 1,
    /* `preempt`. */
    CT_NEED_PREEMPTION = 2,
    /* Pending blocks of the higher priority go first. */
    CT_NEED_BLOCK_ORDER = 4,
    /* `set_mem_weight`. */
    CT_NEED_MEMORY_WEIGHT = 8,
    /* `set_slice`: fixed slices of SMs and memory (MIG); only with CT_SHARING_PARTITION. */
    CT_NEED_SLICES = 16
};

/* What a policy knows and does, for the table of `cotenant list policies`. CT_PREDICTS is more: the
 * models behind predict_task, _job, _call and _completion are made for policies that name it
 * alone; without it these are refused. */
enum ct_feature {
    CT_KNOWS_TARGETS = 1,
    CT_PREDICTS = 2,
    CT_REORDERS = 4,
    CT_BINDS_SHARES = 8,
    CT_PARTITIONS = 16,
    CT_PREEMPTS = 32,
    CT_MANAGES_PCIE = 64,
    CT_STEERS_BANDWIDTH = 128,
    CT_NEEDS_NEW_HARDWARE = 256
};

/* Why `decide` is called. */
enum ct_why {
    CT_WHY_TASK_READY = 1,
    CT_WHY_TASK_START = 2,
    CT_WHY_TASK_DONE = 4,
    CT_WHY_JOB_BEGIN = 8,
    CT_WHY_JOB_END = 16,
    CT_WHY_TIMER = 32,
    CT_WHY_REPARTITION = 64
};

/* An application instance. */
struct ct_client {
    uint32_t index;    /* 0 .. clients - 1, in the order of the workload */
    const char *name;  /* of the application; instances share it */
    uint32_t instance; /* 0 .. instances - 1 of the application */
    int32_t role;      /* enum ct_role */
    int32_t priority;  /* larger is more urgent */
    int64_t qos_ps;    /* target of the 99th-percentile latency of its jobs, the least where they
                          have several; 0: none, or not known before a job (its `target_ps`) */
    double np_target;  /* target of normalised progress; 0: none */
    int64_t cap;       /* active-thread share in force, per mille */
    void *scratch;     /* client_size zeroed bytes of the policy's own */
};

/* A query or a batch iteration. */
struct ct_job {
    const struct ct_client *client;
    uint64_t number; /* 0, 1, 2 ... within its client */
    int64_t arrival_ps;
    int64_t first_ready_ps; /* when its first task entered the ready pool; -1: not yet */
    int64_t first_issue_ps; /* when its first kernel was issued; -1: not yet */
    uint64_t input_bytes;
    uint32_t tasks, tasks_ready, tasks_issued,
        tasks_done; /* counts so far; `tasks` is the whole job's */
    bool active; /* taken up by a worker; false: it waits for its own application's earlier query */
    void *scratch;
    int64_t target_ps; /* latency from its arrival that it is to keep; 0: none. The client's qos_ps;
                          or what it is predicted to take alone over np_target; of a step of a
                          server that generates, what is left of the time to the first, or the next,
                          token, 1 at least */
    uint32_t kernels_left; /* that were not issued yet, of the whole job */
};

/* A call into a library: its kernels are one task to a predictor, and to a policy that wants it. */
struct ct_call {
    const char *name; /* of the library's function or the framework's operator */
    uint32_t kernels; /* of the whole call */
    uint32_t kernels_done;
    void *scratch; /* call_size zeroed bytes of the policy's own, for all its kernels together */
};

/* What a prediction says. NAN: unknown. */
struct ct_prediction {
    double duration_ps;
    double bandwidth_bytes_per_s;
    double ipc;
};

struct ct_task {
    const struct ct_client *client;
    const struct ct_job *job;
    uint64_t number;      /* unique in the run, rising with launches */
    uint32_t index;       /* within its job */
    int32_t kind;         /* enum ct_task_kind */
    int32_t state;        /* enum ct_task_state */
    int32_t direction;    /* of a copy, enum ct_copy_direction */
    bool pinned;          /* of a copy */
    uint32_t stream;      /* within its client */
    uint64_t bytes;       /* of a copy or memset */
    const char *function; /* kernel name; "" for copies and memsets */
    uint32_t function_id; /* the same function has the same number in a run */
    /* The library call that a kernel belongs to; NULL: none. */
    const struct ct_call *call;
    uint32_t grid[3], block[3];
    uint32_t registers_per_thread, smem_bytes;
    int64_t ready_ps, issued_ps, started_ps, ended_ps; /* -1: not yet */
    int64_t measured_ps; /* started to ended; 0 before the end. A kernel that was recorded as early
                            is on the device while the one before it in its stream still runs, and
                            waits there: then from that one's end */
    void *scratch;
    uint32_t alike; /* the same number, not 0: the same predictions (of the task, or of its library
                       call where the policy has calls), until feedback is given */
    uint32_t blocks_per_sm; /* of a kernel: how many an SM holds at a time; 0: no kernel, unknown */
    int64_t gap_ps; /* since it is issued: how long it cannot begin on a device that is idle, while
                       its launch is under way, or after the node before it of a CUDA graph */
};

/* How a task may use the device. */
struct ct_grant {
    int64_t share;    /* of the SMs, per mille; binds for the whole run of this task */
    int64_t delay_ps; /* what handing over this task costs: it is applied that much later */
    uint64_t process; /* of its client: the tasks in one hold together no more than the share of
                         the one that begins; 0: the task is in one of its own */
    int64_t reserved; /* 0 */
};

/* Counters of a client since it joined. */
struct ct_counters {
    double instructions, memory_accesses, row_hits; /* thread instructions; accesses of 128 bytes */
    double busy_ps;                                 /* with at least one of its kernels running */
    double sm_ps;                                   /* SMs held, integrated over time */
};

/* The device, as a runtime system can query it. */
struct ct_device_info {
    int64_t sms, threads_per_sm, blocks_per_sm, registers_per_sm, smem_per_sm_bytes;
    double clock_hz, dram_bytes_per_s, pcie_bytes_per_s, pcie_pageable_bytes_per_s,
        pcie_pinned_bytes_per_s;
    uint32_t copy_engines; /* 2: one per direction, 1: shared */
    /* What bandwidth row hits are worth on this GPU, learnt once: a memory-bound kernel alone draws
     * dram_bytes_per_s * (row_hit_slope RBH + row_hit_base) (HSM Eq. 3). */
    double row_hit_slope, row_hit_base;
    int64_t warp_schedulers; /* per SM: each issues 32 thread instructions per cycle at most */
};

/* What an instance of one MIG profile has. */
struct ct_slice {
    const char *name;        /* "3g.40gb" */
    int64_t compute, memory; /* slices; the whole GPU's profile has all */
    int64_t sms;
};

enum ct_move { CT_MOVE_AUTO, CT_MOVE_DRAIN, CT_MOVE_SWITCH };

/* Entries of the decision log: the verbs, and reads, which it has only when they were refused. */
enum ct_verb {
    CT_VERB_HOLD,
    CT_VERB_ISSUE,
    CT_VERB_NOTE,
    CT_VERB_SET_SHARE,
    CT_VERB_REPARTITION,
    CT_VERB_SET_MEM_WEIGHT,
    CT_VERB_SET_SLICE,
    CT_VERB_PREEMPT,
    CT_VERB_TIMER,
    CT_VERB_CHARGE,
    CT_VERB_FEEDBACK,
    CT_VERB_FEEDBACK_CALL,
    CT_VERB_PRINT,
    CT_READ_READY_NEXT,
    CT_READ_JOB_NEXT,
    CT_READ_COUNTERS,
    CT_READ_PREDICT_TASK,
    CT_READ_PREDICT_JOB,
    CT_READ_PREDICT_CALL,
    CT_READ_PREDICT_COMPLETION,
    CT_READ_UPCOMING,
    CT_READ_TASKS_AHEAD,
    /* The number of them. */
    CT_VERBS
};

/*
 * Why a policy decides as it does, in words: what `cotenant explain` says of a task that was held
 * or issued, or of another decision. A run keeps them beside its decisions, so that they are there
 * when the policy is not.
 *
 * A sentence has no capital and no full stop. {KEY} stands for the number of the note KEY, written
 * by the end of its name: _ps as milliseconds, _per_mille as percent, _bytes_per_s as GB/s, client
 * (or _client) as the application that this client belongs to, anything else as it is. {KEY
 * ONE|MANY} counts: "1 copy", "3 copies". What stands in [brackets] is left out unless all its
 * notes are there.
 *
 *   {"held_headroom_ps", "[predicted {held_t_ps}, ]headroom of {held_client} {held_headroom_ps}"}
 */
struct ct_reason {
    const char *key;      /* its name in the log, and of the note that has its number */
    const char *sentence; /* "" for none */
    int32_t verb; /* enum ct_verb, of the decision; CT_VERB_ISSUE: of the issue it is about */
};

/* Notes that mean the same for every policy: `explain` and the views of stored runs read them. */
#define CT_NOTE_CLIENT "client"             /* whose number the next note is: the client's index */
#define CT_NOTE_SMS "sms"                   /* after a client: its SMs by a repartition */
#define CT_NOTE_CAP "cap_per_mille"         /* of a set_share */
#define CT_NOTE_QUOTA "quota_per_mille"     /* share of the SMs of a query's kernels from now on */
#define CT_NOTE_LAG "lag_ps"                /* why a quota changes: below 0, it was ahead */
#define CT_NOTE_HELD_PREDICTION "held_t_ps" /* how long a held task is predicted to take */
#define CT_NOTE_HELD_CLIENT "held_client"   /* for whose sake a task is held */
#define CT_NOTE_ISSUE_PREDICTION "issue_t_ps" /* how long an issued task is predicted to take */

struct ct_context;

/* Verbs and reads. Verbs return whether they were accepted. */
struct ct_host {
    uint32_t abi, size;

    /* Verbs. */

    /* Hands a task of the ready pool to the device, where it cannot be taken back. The grant may
     * bind it to a share of the SMs, 1 to 1000; NULL: all, at once. */
    bool (*issue)(struct ct_context *context, const struct ct_task *task,
                  const struct ct_grant *grant);
    /* Caps a client's active threads, 1 to 1000 per mille of the SMs, or of those of its instance;
     * caps may add up to more than 1000. For blocks that are placed from now on. Rejected under
     * CT_SHARING_PARTITION for a client without an instance: its SMs are its cap. */
    bool (*set_share)(struct ct_context *context, const struct ct_client *client, int64_t share);
    /* Whole SMs to each of the `clients` = client_count() clients, in the order of their index;
     * their sum is at most the device's. Clients that lose SMs in use drain first, or with
     * CT_MOVE_SWITCH (in the fidelity `block` only) are switched out; repartition_done follows.
     * Needs CT_SHARING_PARTITION. */
    bool (*repartition)(struct ct_context *context, const int64_t *sms_of_client, uint32_t clients,
                        int32_t move);
    /* Always rejected: no device can do it yet. */
    bool (*preempt)(struct ct_context *context, const struct ct_task *task);
    /* Weight in the memory controller, above 0: of a memory that runs short the client's requests
     * get so many times as much; 1 until set. Needs CT_NEED_MEMORY_WEIGHT. */
    bool (*set_mem_weight)(struct ct_context *context, const struct ct_client *client,
                           double weight);
    /* Calls the hook `timer` with `id` at this time, now at the earliest. It cannot be taken back.
     */
    bool (*timer)(struct ct_context *context, int64_t at_ps, uint64_t id);
    /* The decision itself takes this long, 0 or more: the verbs of this hook are applied that much
     * later. */
    bool (*charge)(struct ct_context *context, int64_t time_ps);
    /* Says that a ready task is not issued now, and why: `reason` is an index into the policy's
     * table. It changes nothing but the decision log (a task is held by not being issued, said or
     * not), so that once is enough for as long as the reason lasts. Notes about the task that
     * follow at once belong to it; the one with the reason's key is its number. */
    bool (*hold)(struct ct_context *context, const struct ct_task *task, uint32_t reason);
    /* A number for the decision log, about a task or (NULL) about the policy itself; keys are
     * string literals. What is noted about a task just before or after its issue belongs to that.
     */
    void (*note)(struct ct_context *context, const struct ct_task *task, const char *key,
                 double value);
    /* Tells the predictor what a finished task measured. Call it in task_done. */
    bool (*feedback)(struct ct_context *context, const struct ct_task *task);

    /* Reads. */

    int64_t (*now)(struct ct_context *context);
    /* The ready pool in the order of (rank, launch): NULL gives the first, NULL ends it. Safe while
     * issuing: the next of the stream of a task that was issued stands at its own place, so that a
     * walk meets it as if the pool held every launched task. */
    const struct ct_task *(*ready_next)(struct ct_context *context, const struct ct_task *after);
    /* All application instances of the run, those that have left included; NULL: no such index. */
    uint32_t (*client_count)(struct ct_context *context);
    const struct ct_client *(*client)(struct ct_context *context, uint32_t index);
    /* Unfinished jobs of a client in the order of arrival, waiting ones included. */
    const struct ct_job *(*job_next)(struct ct_context *context, const struct ct_client *client,
                                     const struct ct_job *after);
    /* What hardware counted of a client since it joined. */
    void (*counters)(struct ct_context *context, const struct ct_client *client,
                     struct ct_counters *counters);
    void (*device)(struct ct_context *context, struct ct_device_info *info);
    /* False: no model knows this task (or job) at this share. Needs CT_PREDICTS, and for kernels at
     * other shares than 1000 profile_step_pct. */
    bool (*predict_task)(struct ct_context *context, const struct ct_task *task, int64_t share,
                         struct ct_prediction *prediction);
    /* Solo duration of a whole job of this input at this share, from its first task on, host gaps
     * included; at other shares than 1000 it needs profile_step_pct. */
    bool (*predict_job)(struct ct_context *context, const struct ct_job *job, int64_t share,
                        struct ct_prediction *prediction);
    /* Normalised progress of a client that held `sms` SMs in an epoch, from its counters there and
     * from those of all other clients together; under CT_PREDICTOR_PROGRESS. False: unknown. */
    bool (*predict_progress)(struct ct_context *context, const struct ct_client *client,
                             const struct ct_counters *own, const struct ct_counters *others,
                             int64_t sms, double *progress);
    /* From the start of a task to its end by the completion model of C-QoS, if its client held
     * allocation[its index] SMs; copies and memsets need none. False: unknown, or a kernel without
     * an SM. */
    bool (*predict_completion)(struct ct_context *context, const struct ct_task *task,
                               const int64_t *allocation, double *time_ps);
    /* Uniform on [0, 1), from the policy's own random stream. */
    double (*uniform)(struct ct_context *context);
    /* One line of the report or of a dump; only in those hooks. */
    void (*print)(struct ct_context *context, const char *key, double value);
    /* Fails the run as a policy fault with this text. */
    void (*fail)(struct ct_context *context, const char *text);

    /* The task that follows this one in its stream and job, as profiling runs saw it: its features,
     * for the predictions of a task. It is not ready, cannot be issued, has no scratch, and is
     * valid until the next call. NULL: none follows. */
    const struct ct_task *(*upcoming)(struct ct_context *context, const struct ct_task *task);

    /* Like predict_task and feedback, for the library call of a kernel as a whole: the sum of its
     * kernels' durations. False also for a kernel of none; feedback: in the task_done of its
     * last kernel. */
    bool (*predict_call)(struct ct_context *context, const struct ct_task *task, int64_t share,
                         struct ct_prediction *prediction);
    bool (*feedback_call)(struct ct_context *context, const struct ct_task *task);

    /* For a policy whose epochs are its own timers: one begins now. What blocks an SM has finished
     * since then decides between draining and switching it (CT_MOVE_AUTO). */
    bool (*begin_epoch)(struct ct_context *context);

    /* MIG: the profiles of instances, the whole GPU last (false: no more), and the verb that gives
     * a client an instance. It is fixed: rejected for a client that has one, and when the GPU has
     * not enough slices left. Needs CT_NEED_SLICES and CT_SHARING_PARTITION. */
    bool (*slice)(struct ct_context *context, uint32_t index, struct ct_slice *slice);
    bool (*set_slice)(struct ct_context *context, const struct ct_client *client, uint32_t index);

    /* What a task still waits for besides the policy: tasks before it in its stream, and tasks of
     * other streams that it depends on, that have not ended. 0: the device could begin it now. */
    uint32_t (*tasks_ahead)(struct ct_context *context, const struct ct_task *task);

    /* Lets a client without an instance into that of another, which they share under MPS, each up
     * to the cap of set_share, per mille of the instance. It is fixed: rejected for a client that
     * has an instance, with one that has none of its own, and in the fidelity `block`. */
    bool (*share_slice)(struct ct_context *context, const struct ct_client *client,
                        const struct ct_client *with);
};

/* Bytes of what options_valid says. */
#define CT_OPTIONS_FAULT_BYTES 256

/* What every hook gets. */
struct ct_context {
    const struct ct_host *host;
    void *options; /* options_size bytes, filled from the policy's option table */
    void *state;   /* state_size zeroed bytes */
};

struct ct_policy {
    uint32_t abi;  /* CT_POLICY_ABI */
    uint32_t size; /* sizeof(struct ct_policy) */
    const char *name;
    const char *summary; /* one line */
    const char *source;  /* paper and section, or "" */
    uint32_t needs;      /* enum ct_need, or-ed */
    uint32_t features;   /* enum ct_feature, or-ed */
    int32_t sharing;     /* enum ct_sharing */
    int32_t revision;    /* raised when the policy decides otherwise than before: kept runs of an
                            earlier one are not taken for its own */
    const struct ct_option *options; /* ends with a NULL name */
    size_t options_size, state_size, client_size, job_size, task_size;

    bool (*init)(struct ct_context *context); /* false: refuse to run (after `fail` said why) */
    void (*fini)(struct ct_context *context);
    void (*client_join)(struct ct_context *context, const struct ct_client *client);
    void (*client_leave)(struct ct_context *context, const struct ct_client *client);
    void (*job_begin)(struct ct_context *context, const struct ct_job *job);
    void (*job_end)(struct ct_context *context, const struct ct_job *job);
    void (*task_ready)(struct ct_context *context, const struct ct_task *task);
    void (*task_start)(struct ct_context *context, const struct ct_task *task);
    void (*task_done)(struct ct_context *context, const struct ct_task *task);
    int64_t (*rank)(struct ct_context *context,
                    const struct ct_task *task); /* smaller first; asked for all ready tasks before
                                                    each decide, ties in the order of launch */
    void (*decide)(struct ct_context *context, uint32_t why);
    void (*timer)(struct ct_context *context, uint64_t id);
    void (*repartition_done)(struct ct_context *context);
    void (*report)(struct ct_context *context);
    void (*dump)(struct ct_context *context);
    /* What if: issues this ready task, which it has just held, against its own rule, and accounts
     * for it as for any other. Without it, no hold of the policy can be overridden. */
    void (*force)(struct ct_context *context, const struct ct_task *task);

    /* What the prediction of one launched task costs the runtime; 0: nothing. Tasks of equal
     * features wait for one. The run's `decision_cost` says how it counts. */
    int64_t prediction_cost_ps;
    /* What the prediction of one query of a service costs: its first kernel is ready that long
     * after its arrival, or after its batch was formed, at the earliest. */
    int64_t query_prediction_cost_ps;

    /* What predictions are learnt from: profiling runs at all multiples of this share of the SMs
     * that divide 100 % into equal parts; 0: with all SMs only, and what a kernel or a job takes on
     * a part of them is unknown. */
    int32_t profile_step_pct;
    int32_t predictor; /* enum ct_predictor */

    /* Scratch of a library call. > 0: the policy takes a call as one task, and pays for one
     * prediction. */
    size_t call_size;

    /* The host has launched a task, which need not be ready yet. */
    void (*task_launch)(struct ct_context *context, const struct ct_task *task);

    const struct ct_reason *reasons; /* ends with a NULL key; 64 at most */

    /* Whether options that were set make sense together, before anything runs. False: `reason` says
     * what is wrong, CT_OPTIONS_FAULT_BYTES at most. */
    bool (*options_valid)(const void *options, char *reason);

    void (*reserved[7])(void); /* NULL */
};

/* What a policy in a shared object defines: static storage that is valid as long as the object is
 * loaded. */
#if defined(__GNUC__)
__attribute__((visibility("default")))
#endif
const struct ct_policy *
ct_policy_entry(void);

#ifdef __cplusplus
}
#endif

/* For policies: stops the program with the place when an invariant of the policy itself is broken.
 */
#ifndef ct_policy_assert
#ifdef __cplusplus
#include <stdlib.h>
#else
_Noreturn void abort(void); /* policies of the tree do without the rest of stdlib.h */
#endif
#define ct_policy_assert(expression) ((expression) ? (void)0 : abort())
#endif

#endif
