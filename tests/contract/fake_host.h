/*
 * A host without an engine: it scripts clients, jobs, tasks and completions for one policy, and
 * checks what the policy does. Tests of policies only.
 *
 * A test moves the clock, tells what happened, and calls fake_decide, which hands everything of
 * this instant to the policy, applies its verbs and returns. Nothing happens by itself: a task that
 * was issued runs until the test says fake_done. Broken rules are collected in `faults` with the
 * first one as text.
 */
#ifndef FAKE_HOST_H
#define FAKE_HOST_H

#include "abi/ct_policy.h"

enum {
    FAKE_CLIENTS = 64,
    FAKE_JOBS = 4096,
    FAKE_TASKS = 16384,
    FAKE_CALLS = 64,
    FAKE_NOTES = 65536,
    FAKE_SMS = 80
};

struct fake_task {
    struct ct_task task;
    bool pooled, issued, ended;
    double predicted_ps;            /* NAN: no model knows it */
    int64_t issued_at_ps;           /* -1: not yet */
    uint64_t issue_order;           /* 1, 2, 3 ... over the run; 0: not yet */
    const struct ct_task *upcoming; /* what profiling saw behind it; NULL: nothing */
    uint32_t ahead;                 /* that have to end before it begins; a test sets it */
    const char *held;               /* key of the reason said last; NULL: none was */
};

struct fake_call {
    struct ct_call call;
    double predicted_ps; /* of the whole call, NAN: unknown */
    uint32_t feedbacks;
};

struct fake_job {
    struct ct_job job;
    struct ct_client *client;
    bool open;
    double predicted_ps; /* of the whole job, NAN: unknown */
};

struct fake_note {
    int64_t time_ps;
    uint64_t task; /* its number + 1; 0: about the policy */
    const char *key;
    double value;
};

struct fake_host {
    struct ct_host host;
    struct ct_context context;
    const struct ct_policy *policy;
    struct ct_device_info info;
    int64_t now_ps;
    uint32_t why;
    struct ct_client clients[FAKE_CLIENTS];
    bool present[FAKE_CLIENTS];
    uint32_t client_count;
    struct fake_job jobs[FAKE_JOBS];
    uint32_t job_count;
    struct fake_task tasks[FAKE_TASKS];
    uint32_t task_count;
    struct fake_call calls[FAKE_CALLS];
    uint32_t call_count;
    uint32_t
        pool[FAKE_TASKS]; /* tasks in the order of (rank, readiness), while the policy decides */
    uint32_t pool_count;
    int64_t rank_of[FAKE_TASKS];
    uint64_t issues, rejected, charged_ps;
    bool issue_waits[FAKE_TASKS]; /* accepted in this hook, applied after it */
    int64_t partition[FAKE_CLIENTS];
    uint32_t partitions;
    double mem_weight[FAKE_CLIENTS];
    struct ct_counters counters[FAKE_CLIENTS]; /* since the client joined; a test sets them */
    double progress[FAKE_CLIENTS]; /* that predict_progress tells; 0 unless a test sets it, NAN:
                                      unknown */
    double others_accesses[FAKE_CLIENTS]; /* that predict_progress was told last */
    bool failed;                          /* the policy called `fail` */
    const char *failure;
    uint32_t feedbacks, epochs_begun;
    uint32_t reject_one_in; /* hostile: every n-th verb is rejected; 0: none */
    uint64_t verbs;
    uint64_t random;
    struct fake_note notes[FAKE_NOTES];
    uint32_t note_count;
    struct fake_note prints[256];
    uint32_t print_count;
    uint64_t timer_id;
    int64_t timer_ps; /* -1: none */
    uint32_t faults;
    const char *first_fault;
};

/*
 * Starts a run under `policy`: checks its struct, sets its options to their defaults and then `set`
 * ("name=value name= value", or NULL), and calls init. The device is a K40 by the numbers of Baymax
 * section 6.1, with FAKE_SMS SMs. Returns NULL when something is wrong with the policy or memory
 * ran out. Free with fake_close, which calls fini.
 */
struct fake_host *fake_open(const struct ct_policy *policy, const char *set);

/* As fake_open, on this device; NULL: the usual one. */
struct fake_host *fake_open_on(const struct ct_policy *policy, const char *set,
                               const struct ct_device_info *device);

void fake_close(struct fake_host *fake);

/* An application instance joins; qos_ps 0: no target. */
struct ct_client *fake_join(struct fake_host *fake, const char *name, int32_t role, int64_t qos_ps);
void fake_leave(struct fake_host *fake, struct ct_client *client);

/* A job arrives now; `predicted_ps` is the solo duration of the whole job. It is active unless
 * `waits`. */
struct fake_job *fake_begin(struct fake_host *fake, struct ct_client *client, double predicted_ps,
                            bool waits);
void fake_end(struct fake_host *fake, struct fake_job *job);

/* A kernel, or a copy, enters the ready pool now. */
struct fake_task *fake_kernel(struct fake_host *fake, struct fake_job *job, double predicted_ps);
struct fake_task *fake_copy(struct fake_host *fake, struct fake_job *job, int32_t direction,
                            bool pinned, uint64_t bytes, double predicted_ps);
struct fake_task *fake_memset(struct fake_host *fake, struct fake_job *job, double predicted_ps);

/* A library call of so many kernels, and the next of them, which enters the ready pool now; alone
 * its prediction is unknown. */
struct fake_call *fake_call(struct fake_host *fake, uint32_t kernels, double predicted_ps);
struct fake_task *fake_call_kernel(struct fake_host *fake, struct fake_job *job,
                                   struct fake_call *call);

/* An issued task starts, or ends (it need not have started). */
void fake_start(struct fake_host *fake, struct fake_task *task);
void fake_done(struct fake_host *fake, struct fake_task *task);

/* Lets the policy decide about what happened since the last call, with `also` or-ed to the reasons.
 */
void fake_decide(struct fake_host *fake, uint32_t also);

/* Sets the clock; time only goes forward. */
void fake_advance(struct fake_host *fake, int64_t to_ps);

/* The last value noted under this key about this task (NULL: about the policy); NAN: none. */
double fake_noted(const struct fake_host *fake, const struct fake_task *task, const char *key);

/* Calls report and returns the value printed under this key; NAN: none. */
double fake_reported(struct fake_host *fake, const char *key);

#endif
