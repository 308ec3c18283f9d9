/*
 * The result store: one SQLite file (application_id, user_version) with the runs, their reports,
 * and on request their jobs, tasks, decisions and counters over time. Reports are rendered from it.
 *
 * A run goes in as one transaction: a killed process, a full disk or a second writer leaves every
 * earlier run readable. Two writers wait for each other (up to 60 s). Errors are CT_DATA with a
 * diagnostic at the path.
 *
 * Tables: run, member (of pooled runs), app, system, blame (per application and cause, mean over
 * the slowest 1 %), blame_matrix (who delayed whom), device, counter (the policy's own report),
 * notice, comparison, difference, job, job_delay (who delayed it), task, decision, decision_kind,
 * decision_note, sample, and four made by the first run that has them: kernels (what they ask of
 * the memory, by class), batch_size (of servers), presence (on groups of SMs) and reason (the
 * policy's sentences). Views for queries by hand: v_p99, v_blame, v_latency, and of the decision
 * log (docs/decision-log.md) v_decisions, v_notes, v_holds, v_quotas, v_partitions, v_clients.
 */
#ifndef RESULT_STORE_H
#define RESULT_STORE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "base/ct_hash.h"
#include "base/ct_vec.h"
#include "base/ct_verb.h"
#include "results/report.h"

/* Columns are found by name: another number of the report, or another part of a job's time, needs
 * no other schema. Programs of schema 3 found them by place. */
#define RESULT_STORE_SCHEMA 4
#define RESULT_STORE_OLDEST 3 /* that is read, and extended when it is written to */

/* A replication number that means: all replications of this policy pooled. */
#define RESULT_POOLED (-1)

/* A time that did not happen (yet). */
#define RESULT_NEVER (-1)

/* Applications are named by their index in the run's report. */
struct result_job {
    uint32_t app, instance;
    uint64_t number;   /* 0, 1, 2 ... within its instance */
    uint32_t requests; /* of a server's batch, whose oldest the times are of; 0: no server, or read
                          from a store */
    ct_time_ps arrival_ps, first_issue_ps, end_ps;
    ct_time_ps until_ps; /* of one that has not ended: when the run did, so that its age, a lower
                            bound, is among the latencies; RESULT_NEVER: it is not */
    const ct_time_ps *blame_ps; /* CT_BLAME_COUNT parts that add up to its latency or age; NULL: not
                                   recorded */
    const ct_time_ps *delayed_by_ps; /* by application of the report; NULL: by nobody, or not
                                        recorded */
    ct_time_ps alone_ps;             /* latency alone, with the same arrivals; negative: unknown */
    ct_time_ps solo_ps;              /* of that, from its start on; negative: unknown */
    const ct_time_ps *costs_ps;      /* what sharing cost it: CT_BLAME_COUNT by cause, then by
                                        application and of nobody's doing; each adds up to its
                                        latency minus alone_ps; NULL: unknown */
};

/* When it ended, or until when it is known not to have; RESULT_NEVER: its latency is unknown. */
static inline ct_time_ps result_job_until(const struct result_job *job) {
    return job->end_ps >= 0 ? job->end_ps : job->until_ps;
}

/* The job that a record of a run belongs to. */
struct result_place {
    uint32_t app, instance;
    uint64_t job; /* its number */
};

/* The place of a job, whose number is its member `number`, or of a record, of whose job it is
 * `job`. */
#define RESULT_PLACE(record, number)                                                               \
    ((struct result_place){(record)->app, (record)->instance, (record)->number})

/* By application, instance, number, as a store keeps jobs: below, at or above 0; for two struct
 * result_job, as qsort and bsearch ask. */
int result_compare_places(struct result_place x, struct result_place y);
int result_compare_jobs(const void *a, const void *b);

struct result_task {
    uint32_t app, instance;
    uint64_t job;
    uint32_t index, stream;  /* within its job; within its instance */
    int32_t kind, direction; /* enum trace_kind, enum trace_direction */
    int32_t share;           /* of the SMs, bound at issue, per mille; 0: not bound */
    const char *name;        /* kernel name; "" or NULL for copies and memsets */
    uint64_t blocks, bytes;
    ct_time_ps ready_ps, issued_ps, queued_ps, started_ps,
        ended_ps; /* queued: head of its device queue */
};

/* Where a kernel's blocks were, in block fidelity: from the first on these SMs to the end of the
 * last. */
struct result_presence {
    uint32_t app, instance;
    uint64_t job;
    uint32_t task;              /* index of the task within its job */
    uint32_t first_sm, last_sm; /* a group of neighbours */
    ct_time_ps began_ps, ended_ps;
};

/* Blocks that came to neighbouring SMs or left them, in block fidelity; or a turn of time slices.
 * Only the run itself knows them: they are stored nowhere. */
struct result_block_move {
    ct_time_ps time_ps;
    size_t order;       /* in which they were told: of the same time */
    const char *change; /* "begin", "end", "next": as many followed; "slice_begin", "slice_end" */
    uint32_t app, instance;
    uint64_t job;               /* of a slice: 0, as are task, SMs and blocks */
    uint32_t task;              /* index of the task within its job */
    uint32_t first_sm, last_sm; /* neighbours */
    int32_t blocks;             /* on each of them */
};

struct result_note {
    const char *key;
    double value;
};

/* One call of a verb that the policy made. */
struct result_decision {
    uint64_t number; /* running, from 1 */
    ct_time_ps time_ps;
    const char *hook;
    enum ct_verb verb;
    enum ct_outcome outcome;
    int64_t app, instance; /* of the client it is about; -1: none */
    int64_t job, task;     /* job's number, task's index in it; -1: none */
    const struct result_note *notes;
    size_t note_count;
};

/* What the policy says of its decisions, in words (struct ct_reason). */
struct result_reason {
    enum ct_verb verb;
    const char *key, *sentence;
};

/* One point of a curve over time: the value from then on. */
struct result_sample {
    ct_time_ps time_ps;
    const char *name; /* "sm_share", "dram_bandwidth", "pcie_h2d", "pcie_d2h", "quota" ... */
    const char *unit; /* "%", "GB/s" */
    int64_t app;      /* -1: of the device */
    double value;
};

/* What the counted jobs of an application took that ended, or with a server the requests but those
 * that were dropped, in ms: from arrival to end, by instance, then by number; where they generate
 * tokens to the first one, and on average for each one after it, in the order in which they ended.
 */
enum result_time { RESULT_LATENCY, RESULT_FIRST_TOKEN, RESULT_EACH_TOKEN, RESULT_TIMES };
struct result_times {
    const double *ms;
    size_t count;
};
struct result_requests {
    struct result_times times[RESULT_TIMES];
    double work_ps; /* on the device, as long as it takes alone, inside the window */
    bool grows;     /* its backlog, or that of a stage before */
};

/* Everything of one run. Arrays may be empty; all pointers belong to the caller (or to the
 * result_set's arena). */
struct result_run {
    int64_t number;      /* of the run in its store, from 1; 0 before it is stored */
    struct ct_hash key;  /* of all inputs, seed and replication included */
    int64_t replication; /* 0, 1 ... or RESULT_POOLED */
    int64_t pool; /* number of a pooled run, stored before, that this one is part of; 0: none */
    const char *purpose; /* NULL: the user's own run; "private" or "profiling": kept for its key, in
                            no report */
    const int64_t
        *members; /* of a pooled run: numbers of replications that were stored before it */
    size_t member_count;
    struct report report;
    const struct result_job *jobs;
    size_t job_count;
    const struct result_requests
        *requests;        /* by application; stored nowhere; NULL: not asked for */
    double batch_only_ps; /* work of batch applications without the services in such a window;
                             stored nowhere; 0: not asked for */
    const struct result_task *tasks;
    size_t task_count;
    const struct result_presence *presences; /* read with the tasks */
    size_t presence_count;
    const struct result_block_move *block_moves; /* stored nowhere */
    size_t block_move_count;
    const struct result_decision *decisions;
    size_t decision_count;
    const struct result_reason *reasons; /* read with the decisions */
    size_t reason_count;
    const struct result_sample *samples;
    size_t sample_count;
};

struct result_store;

enum result_mode {
    /* The file must be there. */
    RESULT_READ,
    /* Made when missing; closed with nothing in it, it goes again. */
    RESULT_WRITE
};

/* NULL after a diagnostic: missing, not a result store, too new, truncated, not writable. */
struct result_store *result_store_open(const char *path, enum result_mode mode,
                                       struct ct_diags *diags);
void result_store_close(struct result_store *store);

/*
 * What is added from begin to end becomes one transaction: all of it, or (a failure on the way, or
 * `keep` false) none. enum ct_status; end is CT_DATA, without another message, after a failure that
 * has undone everything already.
 */
int result_store_begin(struct result_store *store, struct ct_diags *diags);
int result_store_end(struct result_store *store, bool keep, struct ct_diags *diags);

/* Adds a run in one transaction. `number` (may be NULL) gets its number. enum ct_status. */
int result_store_add_run(struct result_store *store, const struct result_run *run, int64_t *number,
                         struct ct_diags *diags);

/* The pooled runs that were compared, in the order of the user's policies, and their differences.
 */
struct result_comparison {
    const int64_t *runs; /* numbers */
    size_t run_count;
    const struct report_difference *differences;
    size_t difference_count;
};

/* Adds a comparison of stored runs in one transaction. enum ct_status. */
int result_store_add_comparison(struct result_store *store,
                                const struct result_comparison *comparison, struct ct_diags *diags);

/* What to read besides the reports. */
enum result_part {
    RESULT_JOBS = 1,
    RESULT_TASKS = 2,
    RESULT_DECISIONS = 4,
    RESULT_SAMPLES = 8,
    /* Recorded only: no store has them. */
    RESULT_BLOCKS = 16
};

/* Zero-initialise; free with result_set_free. */
struct result_set {
    struct ct_arena arena;
    CT_VEC(struct result_run) runs;
    CT_VEC(struct result_comparison) comparisons;
};

/*
 * Reads one run by number, or (0) all runs and comparisons in the order in which they were stored,
 * with the `parts` asked for (enum result_part, or-ed). enum ct_status; a number that is not there
 * is CT_USAGE with the range.
 */
int result_store_read(struct result_store *store, int64_t number, unsigned parts,
                      struct result_set *set, struct ct_diags *diags);
void result_set_free(struct result_set *set);

/* The run of this number; NULL: there is none. */
const struct result_run *result_set_find(const struct result_set *set, int64_t number);

/*
 * The runs that a report of the whole store shows, as indices into `set->runs` (`indices` has room
 * for all): those of the newest comparison, which is then in `comparison`; or (NULL) every run of
 * the user's that no pooled run contains. Returns how many.
 */
size_t result_set_shown(const struct result_set *set, size_t *indices,
                        const struct result_comparison **comparison);

#endif
