/*
 * One run: a prepared workload under one policy. Pure and re-entrant: the same parameters give the
 * same result, and any number may run at the same time.
 */
#ifndef SIM_H
#define SIM_H

#include "abi/ct_policy.h"
#include "base/ct_blame.h"
#include "base/ct_diag.h"
#include "base/ct_vec.h"
#include "base/ct_verb.h"
#include "models/device/device.h"
#include "workload/setup.h"

struct policy_watch;
struct predict_bank;
struct themis_network;

/* A job that ended, or that had not when the run did, as it is told to an observer. */
struct sim_job_record {
    uint32_t app, instance;
    uint64_t number;
    uint64_t input_bytes;
    uint32_t batch; /* requests, whose oldest the record is of; 0: without a server */
    ct_time_ps arrival_ps, first_ready_ps, first_issue_ps, end_ps; /* end -1: it did not end */
    ct_time_ps until_ps; /* of one that did not end: the end of the run, if its age is among the
                            latencies or none of its application's jobs has ended, else -1 */
    ct_time_ps blame_ps[CT_BLAME_COUNT]; /* adds up to its latency or age; all 0 without blame */
    const double *delayed_by_ps; /* time lost to each application; NULL without blame; valid during
                                    the call */
    uint32_t app_count;
    ct_time_ps alone_ps; /* what it would have taken alone, with the same arrivals; -1: unknown */
    ct_time_ps solo_ps;  /* of that, from its start on; -1: unknown */
    const ct_time_ps *costs_ps; /* what sharing cost it, CT_BLAME_COUNT by cause, then by
                                   application and of nobody's doing; each adds up to its latency
                                   minus alone_ps; NULL: unknown; valid during the call */
};

struct sim_task_record {
    uint32_t app, instance;
    uint64_t job;
    uint32_t index, stream;
    int32_t kind, direction;
    ct_share share;
    const char *name;
    uint64_t blocks, bytes;
    ct_time_ps launched_ps, ready_ps, issued_ps, queued_ps, head_ps, started_ps, ended_ps;
    double work_ps;
    const struct ct_task *view;             /* what the policy saw; valid during the call */
    const struct device_presence *presence; /* by group of SMs (DEVICE_SM_GROUPS); NULL: the device
                                               knows no places; valid during the call */
    uint32_t sms;                           /* number of SMs of the GPU */
};

struct sim_note {
    const char *key;
    double value;
};

/* A verb that the policy called, or a read that was refused. Numbers run from 1. */
struct sim_decision {
    uint64_t number;
    ct_time_ps time_ps;
    const char *hook;
    enum ct_verb verb;
    enum ct_outcome outcome;
    int64_t app, instance, job, task; /* -1: none */
    const struct sim_note *notes;     /* of a hold: the first one names its reason */
    size_t note_count;
};

/* One point of a curve over time: the mean from then to the next. */
struct sim_sample {
    ct_time_ps time_ps;
    const char *name, *unit; /* literals */
    int64_t app;             /* -1: of the device */
    double value;
};

/* Blocks that came to SMs or left them, and turns of time slices. */
struct sim_block_move {
    uint32_t app, instance;
    uint64_t job;   /* of a slice: unused */
    uint32_t index; /* of the task within its job */
    const struct device_block_move *move;
};

/* Who wants to see everything; each function may be NULL. Called in the order of simulated time. */
struct sim_observer {
    void *context;
    void (*job_ended)(void *context, const struct sim_job_record *job);
    void (*job_unfinished)(void *context, const struct sim_job_record *job); /* after the run */
    void (*task_ended)(void *context, const struct sim_task_record *task);
    void (*decided)(void *context, const struct sim_decision *decision);
    void (*sampled)(void *context, const struct sim_sample *sample);
    void (*blocks_moved)(void *context, const struct sim_block_move *move); /* block fidelity */
    bool places; /* tasks come with the SMs that they were on */
};

/* What the batch applications would have done by the end of a shorter run: `at_ps` is inside the
 * window. Later events are the same with and without. */
struct sim_look {
    ct_time_ps at_ps;
    double batch_work_ps; /* filled in by the run; NAN in block fidelity */
};

/*
 * Where a job lost time, in ps, a row of numbers: its latency, or age; its parts, which add up to
 * that; how long each application delayed it; what it would have taken alone; and what sharing cost
 * it, as costs_ps of a job's record. The last two are NAN where they are unknown.
 */
enum { SIM_ROW_LATENCY, SIM_ROW_PARTS, SIM_ROW_DELAYS = SIM_ROW_PARTS + CT_BLAME_COUNT };

static inline size_t sim_row_alone(uint32_t apps) {
    return SIM_ROW_DELAYS + (size_t)apps;
}

static inline size_t sim_row_length(uint32_t apps) {
    return sim_row_alone(apps) + 1 + CT_BLAME_COUNT + (size_t)apps + 1;
}

#define SIM_ALL_APPS UINT32_MAX

/* Events between two questions whether a run was interrupted. */
enum { SIM_QUESTION_EVERY = 1 << 16 };

struct sim_params {
    const struct setup *setup;
    const struct ct_policy *policy;
    const void *policy_options; /* options_size bytes */
    uint64_t seed, replication;
    uint32_t only_app; /* SIM_ALL_APPS; else one instance of this application, alone (private mode),
                          with the stages before it */
    uint32_t only_instance; /* of only_app: whose random streams it has, and so have its stages */
    bool batch_only;        /* the services are left out of the run */
    ct_share cap;           /* profiling: active threads of every client; 0: all */
    uint64_t jobs_back_to_back; /* > 0: profiling: one job after the other, and the run ends after
                                   so many */
    ct_time_ps warmup_ps, duration_ps;
    int32_t decision_cost; /* enum workload_decision_cost */
    bool blame;
    bool blame_services; /* with blame: only the jobs of services are asked, which is faster */
    struct predict_bank *predictor;        /* the run's own copy; NULL: none */
    const struct themis_network *progress; /* answers predict_progress; NULL: nobody does */
    bool oracle;                           /* predictions are the truth */
    const struct sim_observer *observer;   /* NULL: nobody */
    struct policy_watch *watch;            /* learns when the policy is called; NULL: nobody */
    /* Asked every SIM_QUESTION_EVERY events, with the part of the duration that is simulated; true
     * ends the run; NULL: nobody asks. */
    bool (*interrupted)(void *context, double part);
    void *interrupt_context;
    bool keeps_interrupted; /* the result of an interrupted run is what it did; else its events */
    ct_time_ps dump_at_ps;  /* CT_TIME_NEVER */
    struct sim_look *looks;
    size_t look_count;
    /* What if: the number in the decision log of the one decision to force the other way; 0: none.
     * An issue is refused for that instant, a held task is issued by the policy's `force`, any
     * other verb is refused. The log is numbered only while somebody listens to `decided`. */
    uint64_t what_if;
};

/* Why a server did not take a request, or gave it up. */
enum sim_drop {
    SIM_DROP_QUEUE,
    SIM_DROP_LIMIT,
    SIM_DROP_TIMEOUT,
    /* The tokens of the request would never fit. */
    SIM_DROP_LENGTH,
    SIM_DROP_COUNT
};

/* What is recorded of an application whose server generates tokens. */
struct sim_tokens {
    /* What counted requests that ended took: to the first token; for each one after it, the mean
     * and the longest, of two tokens and more. Those that did not end have a first token, too, or
     * their age, a lower bound: last, in the order of `aged`. */
    CT_VEC(double) first_ps, each_ps, longest_ps;
    uint64_t waiting; /* of first_ps: ages, of those that have no token when the run ends */
    uint64_t produced, recomputes, swaps, recomputed; /* in the window */
    double cache; /* most of its blocks that were used at a time, part of all; largest instance */
};

/* The slowest jobs of an application, more than one in a hundred, in no order. */
struct sim_slowest {
    uint64_t jobs;     /* of which they are: all that ended or whose age is known */
    size_t row_length; /* 0: the run does not say where jobs lost time */
    CT_VEC(double) rows;
};

/* What an application's instances got together. With a server its jobs are requests. */
struct sim_app_result {
    uint64_t jobs; /* counted: arrived after the warm-up and before the end */
    uint64_t late;
    /* By instance, as many as it has counted jobs, then by number: picoseconds; unfinished ones are
     * their age, a lower bound; NAN: unknown. */
    CT_VEC(double) latency_ps;
    CT_VEC(uint64_t) aged; /* where in latency_ps the unfinished ones are */
    /* With open arrivals: those that had not ended when the window did, where in latency_ps, and
     * how old they were then. */
    CT_VEC(uint64_t) cut;
    CT_VEC(double) cut_ps;
    CT_VEC(uint64_t) first_number;  /* by instance: number of its first counted job */
    CT_VEC(uint64_t) instance_jobs; /* by instance: counted jobs */
    CT_VEC(double) service_ps;      /* first issue to end; finished jobs only */
    uint64_t unfinished;
    bool overloaded; /* its backlog grows, or jobs had not ended when the run did */
    bool grows;      /* the former */
    double backlog;  /* jobs in the system at the end of the window */
    double work_ps;  /* solo work done inside the window, all instances */
    CT_VEC(double) instance_work_ps;
    CT_VEC(double) instance_sojourn_ps; /* jobs in the system times time, inside the window */
    uint64_t jobs_ended;                /* inside the window */
    CT_VEC(double) first_run_ps; /* by instance: latency of its first job; NAN: it did not end */
    uint64_t good;               /* counted jobs that ended, not late */
    uint64_t good_ended;         /* of jobs_ended */
    uint64_t undecided;          /* counted jobs that have not ended and are not late yet */
    uint64_t dropped[SIM_DROP_COUNT]; /* counted requests */
    double queue_ps;                  /* sum over counted requests that were run: in the server */
    CT_VEC(uint64_t) batches; /* of size i + 1, of which a request is counted; empty: no server */
    struct sim_tokens tokens;
    struct sim_slowest slowest;
};

struct sim_counter {
    const char *key; /* literal of the policy */
    double value;
};

struct sim_result {
    struct sim_app_result *apps;
    uint32_t app_count;
    ct_time_ps window_ps; /* warm-up to end */
    double sm_utilisation, dram_utilisation, pcie_utilisation[2], batch_busy_fraction;
    double host_utilisation; /* of its cores; NAN: the workload does not say how many there are */
    uint64_t events, kernels, decisions, rejected_verbs, stale_events;
    ct_time_ps longest_charge_ps; /* most that the policy charged in one hook */
    const char *broken_law; /* which conservation law does not hold, in words; NULL: all hold */
    bool littles_law_ok, utilisation_law_ok;
    bool interrupted; /* of the rest only `events` is known then */
    ct_time_ps ended_ps;
    CT_VEC(struct sim_counter) counters;
};

/*
 * Runs to the end. enum ct_status: CT_POLICY_FAULT with a diagnostic that names hook, time and
 * seed; the result is then empty. Free the result with sim_result_free in every case.
 */
int sim_run(const struct sim_params *params, struct sim_result *result, struct ct_diags *diags);
void sim_result_free(struct sim_result *result);

/* sim_result_bytes.c: a result as bytes, to keep it: the same result gives the same bytes on every
 * machine. The layout changes with that of the bytes, which say it first. */
enum { SIM_RESULT_LAYOUT = 14 };

/* malloc'ed; NULL when memory ran out. */
unsigned char *sim_result_encode(const struct sim_result *result, size_t *size);

/* Texts go to the arena. False for bytes that are none, or when memory ran out; free the result
 * with sim_result_free in every case. */
bool sim_result_decode(const unsigned char *bytes, size_t size, struct ct_arena *arena,
                       struct sim_result *result);

/* The mean over the slowest 1 % of the jobs of an application in these runs of so many
 * applications, into sim_row_length numbers; what sharing cost is that of those of whom it is
 * known. NAN: there are none, or one run has so many of them that it did not keep all. False:
 * memory ran out. */
bool sim_slowest_mean(const struct sim_app_result *const *results, size_t count, uint32_t apps,
                      double *mean);

/* The parameters of a run of so many jobs, one after the other, of the one application of a set-up,
 * under `mps`; what may be set beside is 0 or nobody. */
struct sim_params sim_back_to_back(const struct setup *alone, uint64_t seed, uint64_t replication,
                                   uint64_t jobs);

/* Instances of an application that are in a run. */
uint32_t sim_instances(const struct sim_params *params, uint32_t app);

/* Whether a run says where the jobs of an application lost time. */
bool sim_blames(const struct sim_params *params, uint32_t app);

/* What this policy needs and no device, or this GPU, can do, and the MIG profiles that its options
 * (NULL: not asked) name and this GPU lacks, recorded as errors. enum ct_status. */
int sim_check_needs(const struct ct_policy *policy, const void *options, const struct gpu *gpu,
                    struct ct_diags *diags);

#endif
