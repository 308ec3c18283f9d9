/* A workload file as plain records: who shares the GPU, with which jobs, arriving how. */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include "abi/ct_policy.h"
#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_hash.h"
#include "models/device/device.h"
#include "trace/trace.h"

enum workload_process {
    WORKLOAD_POISSON,
    /* Gaps uniform on [0, 2 / rate]. */
    WORKLOAD_UNIFORM,
    WORKLOAD_DETERMINISTIC,
    /* Gaps with coefficient of variation `cv`. */
    WORKLOAD_GAMMA,
    /* Two states: rate and burst rate, exponential sojourns. */
    WORKLOAD_MMPP,
    /* Poisson whose rate follows a day's shape. */
    WORKLOAD_DIURNAL,
    /* Recorded time stamps, wrapped, starting at an offset drawn by seed. */
    WORKLOAD_TRACE,
    /* Clients and think time; the default of batch applications. */
    WORKLOAD_CLOSED,
    WORKLOAD_ONCE,
    /* Requests that other applications have done. */
    WORKLOAD_STAGE
};

enum workload_distribution {
    WORKLOAD_FIXED,
    WORKLOAD_EXPONENTIAL,
    /* Two phases, balanced means. */
    WORKLOAD_HYPEREXPONENTIAL,
    WORKLOAD_LOGNORMAL
};

/* When the first job of a closed loop comes: at a random phase of a job, in the first part of the
 * run, or with the run. */
enum workload_start { WORKLOAD_START_PHASE, WORKLOAD_START_AT_ONCE };

/* A positive random number. */
struct workload_draw {
    int32_t kind; /* enum workload_distribution */
    double mean, cv;
};

/* Whether every draw is this number. */
static inline bool workload_draw_is(const struct workload_draw *draw, double number) {
    return draw->kind == WORKLOAD_FIXED && draw->mean == number;
}

/* An array of whole numbers or of texts. */
struct workload_array {
    int64_t *numbers;
    const char **texts;
    size_t count;
};

struct workload_arrivals {
    int32_t process;   /* enum workload_process */
    double rate_per_s; /* jobs per second of open processes; of trace: 0 keeps the recorded rate */
    int64_t split;     /* open processes: the stream is split at random among so many servers */
    double cv;         /* gamma */
    double burst_rate_per_s, burst_s, quiet_s; /* mmpp: mean lengths of burst and quiet */
    double period_s, amplitude; /* diurnal: rate (1 + amplitude sin(2 pi t / period)) */
    const ct_time_ps *stamps;   /* trace: rising, from 0 */
    size_t stamp_count;
    ct_time_ps span_ps; /* trace: from the first stamp to the last */
    bool replayed;      /* trace: the stamps are the arrivals themselves; no drawn start, no wrap */
    const char *path, *found; /* trace: the file as it was named, and where it is */
    const char *column;
    const char *prompt_column, *output_column; /* trace: of what a server generates; NULL: none */
    const int64_t *prompts, *outputs;          /* by stamp; NULL: none */
    int64_t clients;                           /* closed */
    int32_t start;                             /* closed: enum workload_start */
    struct workload_draw delay_ms, think_ms;
    struct workload_array after; /* stage: names of the applications that feed it */
    uint32_t *feeders;           /* stage: their numbers */
    bool *before; /* stage: by application, whether its requests come through it; NULL: no stage */
};

struct workload_job_choice {
    const char *job; /* name in the trace, or NULL for all jobs in turn weighted alike */
    double weight;
    uint32_t index;
};

enum workload_stop { WORKLOAD_STOP_DURATION, WORKLOAD_STOP_FIRST_RUN };
/* Each worker of an instance has the recorded streams for itself, or all share them. */
enum workload_streams { WORKLOAD_STREAMS_OWN, WORKLOAD_STREAMS_SHARED };
/* When a task is launched: as recorded, or when all before it have ended. */
enum workload_launches { WORKLOAD_LAUNCHES_RECORDED, WORKLOAD_LAUNCHES_ONE_BY_ONE };
enum workload_copies { WORKLOAD_COPIES_EACH, WORKLOAD_COPIES_ONCE, WORKLOAD_COPIES_NONE };
enum workload_memory { WORKLOAD_MEMORY_RECORDED, WORKLOAD_MEMORY_PAGEABLE, WORKLOAD_MEMORY_PINNED };

/* An application without a recording: `kernels` equal kernels, one after the other, copies before
 * and after. */
struct workload_synthetic {
    int64_t kernels, blocks, threads, registers_per_thread, smem_bytes;
    struct workload_draw duration_ms;          /* of each kernel, drawn for each job */
    struct workload_array bytes_in, bytes_out; /* of each copy; no zeros */
    int64_t copies_around; /* kernels between the copies in and those out; 0: all of the job */
    double dram_fraction, unit_fraction, row_hit_rate; /* NAN: unknown */
    double compute_fraction, instructions;             /* NAN: unknown */
};

/* What the user says of the kernels whose names match; of what was recorded it takes the place. */
struct workload_kernels {
    const char *match;                                 /* ct_text_matches of the name */
    double dram_fraction, unit_fraction, row_hit_rate; /* NAN: nothing is said */
    double compute_fraction, instructions, l2_fraction;
};

/* What becomes of a request that waited for longer than its timeout. */
enum workload_timeout_action { WORKLOAD_TIMEOUT_REJECT, WORKLOAD_TIMEOUT_DELAY };

/* A level of priority of a server's requests. */
struct workload_level {
    double weight;          /* how often a request is of this level, beside the others */
    int64_t max_queue;      /* requests; 0: no limit */
    double timeout_ms;      /* 0: none */
    int32_t timeout_action; /* enum workload_timeout_action */
};

/* Jobs of the application's trace that are batches of one size. */
struct workload_batch_jobs {
    uint32_t first, count;
    bool interpolated;
};

/* What becomes of a sequence whose blocks are needed. */
enum workload_preemption { WORKLOAD_PREEMPT_RECOMPUTE, WORKLOAD_PREEMPT_SWAP };

/* A recorded step of a model that generates tokens, or batches of one size. */
struct workload_step {
    int64_t size;       /* of prompts: tokens; else sequences, or requests */
    int64_t context;    /* tokens that each of these has in the cache; of prompts: 0 */
    const char *source; /* "file.db#app" as it was named */
    const char *job;    /* NULL: every job of the trace */
    /* What the application's trace has of this step. */
    uint32_t first, jobs; /* of the application's trace */
    double kernel_ps;     /* of a job, mean */
};

/* Recorded steps by size, then by context. */
struct workload_steps {
    struct workload_step *items;
    size_t count;
};

/* Tokens are generated step by step, by all requests together. */
struct workload_continuous {
    int64_t max_sequences, max_tokens; /* of a step */
    bool chunked; /* prompts are cut to what a step still holds, beside those that go on */
    int64_t block_tokens, cache_blocks;
    int64_t block_bytes; /* 0: unknown */
    int64_t swap_blocks; /* 0: no limit */
    double watermark;    /* part of the cache that a new sequence leaves free */
    int32_t preemption;  /* enum workload_preemption */
    struct workload_draw prompt_tokens, output_tokens; /* mean 0: the arrivals' file says */
    double ttft_ms, tpot_ms;                           /* targets; 0: none */
    struct workload_steps prefill, decode;
    uint32_t swap_job;     /* of the application's trace: a block goes out; the next: it comes in */
    double held_out_error; /* largest relative error of a recorded step that the others tell of;
                              NAN: too few */
};

/* Whole blocks that a new sequence leaves free: none where the part is less than one. */
static inline uint64_t workload_watermark_blocks(const struct workload_continuous *c) {
    return (uint64_t)(c->watermark * (double)c->cache_blocks);
}

/* Requests wait in front of an application and are run in batches. */
struct workload_server {
    int64_t max_batch;
    struct workload_array preferred; /* rising; empty: max_batch alone */
    double queue_delay_ms;
    int64_t max_requests; /* waiting and running; 0: no limit */
    int64_t max_queue;    /* these three: of levels that do not say */
    double timeout_ms;
    int32_t timeout_action;
    struct workload_level *levels; /* the most urgent first; one where none is given */
    size_t level_count;
    struct workload_steps batches;    /* empty: a batch takes what a job does, whatever its size */
    struct workload_batch_jobs *jobs; /* of size i + 1, max_batch of them; NULL without batches */
    double held_out_error; /* largest relative error of a recorded size that the others tell of;
                              NAN: fewer than three */
    struct workload_continuous *continuous; /* NULL: batches are formed of whole requests */
};

/* Requests of its largest batch. */
static inline int64_t workload_server_most(const struct workload_server *server) {
    return server->continuous ? server->continuous->max_sequences : server->max_batch;
}

struct workload_app {
    const char *name;
    int32_t role; /* enum ct_role */
    int64_t instances, priority, workers, iterations;
    double qos_ms;     /* 0: none */
    double np_target;  /* 0: none */
    double memory_gib; /* of an instance; 0: as recorded */
    double duration_scale, host_scale;
    double stall_ms; /* of a host that waits for a task, until its next launch: at least */
    struct workload_draw size;
    int32_t copies, copy_memory;
    int32_t stop;                     /* enum workload_stop */
    int32_t launches;                 /* enum workload_launches */
    int32_t worker_streams;           /* enum workload_streams */
    int64_t host_threads;             /* cores that a host gap keeps busy */
    const char *source;               /* "file.db#app" as it was named; NULL: synthetic */
    const char *trace_path;           /* where the trace store was found */
    const struct trace_app *trace;    /* owned by the workload's trace set */
    struct workload_job_choice *jobs; /* empty: every job of the trace, alike */
    size_t job_count;
    struct workload_kernels *kernels; /* a later one holds where two match */
    size_t kernels_count;
    const struct demand_draw *draw; /* of a recording's unknown demands (demand.h); NULL, as
                                       in every file: they are none */
    struct workload_synthetic synthetic;
    struct workload_arrivals arrivals;
    struct workload_server *server; /* NULL: every arrival is a job of its own */
};

/* A key and its value as text, and the JSON path where it stood: resolved later against an option
 * table. */
struct workload_setting {
    const char *key, *value, *where;
    bool assigned; /* by `--set`: it holds for whichever policy runs */
};
struct workload_settings {
    CT_VEC(struct workload_setting);
};

/* The last value of a key; NULL: it is not among them. */
const char *workload_setting_find(const struct workload_settings *settings, const char *key);

enum workload_decision_cost {
    WORKLOAD_COST_DEFAULT,
    WORKLOAD_COST_OVERLAPPED,
    WORKLOAD_COST_SERIAL,
    WORKLOAD_COST_NONE
};

/* The processor cores on which the launch threads of all applications run. */
struct workload_host {
    int64_t cores; /* 0: as many as they want */
    bool pinned;   /* each program has cores of its own, or shares one where these are too few */
};

/* A recording that is in memory: several applications may replay the same one. */
struct workload_loaded {
    const char *path;
    const struct trace_app *app;
    bool alone; /* known to be the only one of its store */
};

struct workload {
    struct ct_arena arena;
    struct trace_set traces;
    const char *path, *schema, *name;
    const char *gpu, *gpu_where; /* preset name, and where it stands: "mix.json: gpu" */
    struct workload_settings gpu_settings;
    const char *policy, *policy_where; /* NULL: not given */
    struct workload_settings policy_settings;
    double duration_s, warmup_s;
    double duration_cycles; /* 0: duration_s holds, also after it was made of these */
    int32_t warmup_by;      /* enum workload_warmup */
    int64_t seed;
    struct workload_host host;
    int64_t hw_queues;                /* 0: the preset's */
    int32_t decision_cost, predictor; /* predictor: enum workload_predictor */
    int32_t fidelity;                 /* enum device_fidelity */
    CT_VEC(struct workload_app) apps;
    CT_VEC(struct workload_loaded) loaded; /* its recordings, those taken from another one, too */
};

/* How the end of the warm-up is known: given, or found by MSER-5 but not before the given one. */
enum workload_warmup { WORKLOAD_WARMUP_TIME, WORKLOAD_WARMUP_MSER5 };
enum workload_predictor { WORKLOAD_PREDICTOR_TRAINED, WORKLOAD_PREDICTOR_ORACLE };
extern const char *const workload_fidelities[]; /* names of enum device_fidelity, then NULL */

/* What a workload is read from. */
struct workload_source {
    const char *path; /* of the file; of a document in memory: its name, beside which files lie */
    const char *text; /* the document; NULL: the file */
    /* What `--set` was given: "apps.bfs.instances=8", "gpu.sms=40", "margin=0.2" for the policy. */
    const char *const *assignments;
    size_t assignment_count;
    /* One that was read before, and outlives this one: recordings that it has are taken from there.
     * NULL: none. */
    const struct workload *known;
};

/*
 * Reads a workload and the traces and stamps that it names, applies the assignments, and checks
 * everything; all mistakes are collected. enum ct_status.
 */
int workload_read(const struct workload_source *source, struct workload *workload,
                  struct ct_diags *diags);
void workload_free(struct workload *workload);

/*
 * Identities are made of the workload as it is in memory when they are asked for, whoever changed
 * it and however; none is kept, but that of the content of traces, which are read and never
 * changed. Each adds to the hash. False: memory ran out.
 */
/* All that can change a result, traces included. */
bool workload_hash(struct ct_hash *hash, const struct workload *workload);
/* An application, with what is in the files that it names. */
bool workload_hash_app(struct ct_hash *hash, const struct workload_app *app);
/* The keys of the whole file but `gpu`, `policy` and `apps`. */
bool workload_hash_run(struct ct_hash *hash, const struct workload *workload);
/* Makes those of the traces that its applications have, so that no key has to. */
void workload_hash_traces(struct workload *workload);

/* Reads a flat JSON object (a GPU preset) into settings; strings in the arena. "sources" is left
 * out; each name in the array "assumed" becomes a setting "assumed" of that value. enum ct_status.
 */
int settings_read(const char *path, struct ct_arena *arena, struct workload_settings *settings,
                  struct ct_diags *diags);

/* Reads where the numbers of a preset come from: the members of its object "sources" as settings.
 * enum ct_status. */
int settings_read_sources(const char *path, struct ct_arena *arena,
                          struct workload_settings *sources, struct ct_diags *diags);

/* All that the user says of kernels of this name: a match of NULL says that nothing is. */
struct workload_kernels workload_app_kernels(const struct workload_app *app, const char *name);

/* Whether the trace or the made-up application copies anything at all. */
bool workload_app_copies(const struct workload_app *app);

/*
 * Finds a file of a folder ("gpus", "demand", "themis", "traces", "workloads"): the name as a path
 * beside the file `beside` (may be NULL), in COTENANT_TRACE_PATH (traces), in the share folder, in
 * ../traces of `beside` (traces). The share folder is COTENANT_SHARE, then ../share/cotenant of the
 * program, which a build has, too. ".json" of presets and workloads may be left out. At each of
 * these places what `files` (may be NULL) serves counts as a file. NULL: not found, or memory ran
 * out.
 */
const char *share_find(struct ct_arena *arena, const struct ct_files *files, const char *folder,
                       const char *name, const char *beside);

/* The names of all such files with this ending in the share folder (without it), sorted, each once;
 * `names` in the arena. enum ct_status. */
int share_list(struct ct_arena *arena, const char *folder, const char *ending,
               const char *const **names, size_t *count);

#endif
