/* What a report is made of, and what its parts share while it is made. */
#ifndef REPORT_BUILDER_H
#define REPORT_BUILDER_H

#include "des/des_batch.h"
#include "results/report.h"
#include "run/sim.h"

/* The private runs of an application: one for each instance, or one that stands for all. */
struct report_alone {
    const struct sim_result *runs;
    uint32_t count;
};

/* One replication under one policy, and what it is measured against. */
struct report_runs {
    double warmup_s;
    bool settled; /* the end of the warm-up was found, or given */
    const struct sim_result *shared;
    const struct report_alone *alone; /* by application; NULL in all runs: no such comparison */
    double batch_only_ps; /* work of the batch applications without the services; 0: not known */
    ct_time_ps batch_only_window_ps;         /* in which they did it */
    const struct sim_result *free_of_charge; /* `shared` with decisions that cost nothing; NULL */
};

struct report_input {
    const struct setup *setup;
    const struct ct_policy *policy;
    const char *label, *version;
    const char *config; /* run_key.h; NULL: left out */
    uint64_t seed;
    bool oracle;
    bool unblamed; /* what delayed the jobs was asked for, and is too much (experiment_blames) */
    const struct report_runs *runs; /* one per replication */
    uint32_t run_count;
    bool first_runs;  /* as in struct experiment */
    double precision; /* how close the interval of the p99 is to be, as a part of the p99 on either
                         side; 0: not asked */
};

struct report_builder {
    const struct report_input *input;
    struct ct_arena *arena;
    struct report *report;
    struct ct_diags *diags;
    const char **notices;
    size_t notice_count, notice_capacity;
    bool *lost; /* memory ran out: what it was for is not known, and the report is not made */
};

/* What an application did in a run. */
static inline const struct sim_app_result *report_app_in(const struct report_runs *run,
                                                         uint32_t app) {
    return &run->shared->apps[app];
}

/* What an application did in a run, which may be one of its private runs. */
static inline const struct sim_app_result *report_app_of(const struct sim_result *run,
                                                         uint32_t app) {
    return &run->apps[run->app_count == 1 ? 0 : app]; /* else with the stages before it */
}

/* What an application did in one of its private runs. Not asked where there was none. */
static inline const struct sim_app_result *report_alone_in(const struct report_runs *run,
                                                           uint32_t app, uint32_t which) {
    return report_app_of(&run->alone[app].runs[which], app);
}

static inline bool report_has_alone(const struct report_builder *b) {
    return b->input->runs[0].alone;
}

/* Times of jobs or requests of all replications, one replication after the other, in ms. */
struct report_times {
    CT_VEC(double);
    struct {
        CT_VEC(size_t);
    } lengths; /* of each replication that has any */
};

/* Adds those of a replication that are known. */
void report_times_add(const struct report_builder *b, struct report_times *times, const double *ps,
                      size_t count);
struct des_batch_series report_times_series(const struct report_times *times);
void report_times_free(struct report_times *times);

/* Adds a notice, as printf. */
__attribute__((format(printf, 2, 3))) void report_notice(struct report_builder *b,
                                                         const char *format, ...);

/* ---- report_build.c: measures of Eyerman and Eeckhout, quantiles, intervals, notices ---- */

/* What the longest of a policy's predictions, or of the charges of a run of its (`shared`, may be
 * NULL), costs, if that is more than the workload's median kernel takes and the run charges it;
 * else 0. `lost` becomes true when memory ran out. */
double report_charge_ps(const struct setup *setup, const struct ct_policy *policy,
                        const struct sim_result *shared, bool *lost);

/* Fills a report of one replication, or of several pooled; arrays lie in the arena. enum ct_status.
 */
int report_build(const struct report_input *input, struct ct_arena *arena, struct report *report,
                 struct ct_diags *diags);

/* Whether an application is overloaded in a run, or a stage before it: what waits there is late
 * here, too. */
bool report_is_overloaded(const struct report_builder *b, const struct sim_result *run,
                          uint32_t app);

/* Whether its backlog grows in a shared run, or that of a stage before. */
bool report_backlog_grows(const struct setup *setup, const struct sim_result *run, uint32_t app);

/* report_kernels.c: the kernels of an application in groups, the longest first. */
void report_set_kernels(struct report_builder *b, uint32_t app, struct report_app *out);

/* ---- report_progress.c: what sharing the GPU leaves applications of their progress, and what the
 * system gets done; it holds runs against private ones ---- */

/* Normalised progress of an application: the mean over its instances that had something to do; NAN:
 * unknown. */
double report_progress(const struct report_builder *b, uint32_t app);

/* Solo work that the batch applications got done. */
double report_batch_work(const struct setup *setup, const struct sim_result *result);

/* When those of the applications are in the report: STP, ANTT, fairness, goals, throughput of batch
 * work and turnaround. */
void report_set_progress(struct report_builder *b, struct report_system *system);

/* ---- report_server.c: an application's server (docs/servers.md) ---- */

/* Whether a target is kept by a p99, and by what was dropped (docs/servers.md, "What is counted");
 * enum report_truth. `within` is what a p99 within the target says, which a lower bound does not
 * tell. Asked when what the server did is set. */
int64_t report_verdict(const struct report_app *app, double p99_ms, double target_ms,
                       int64_t within);

/* Batches, drops, goodput and queue of an application, where it has a server. */
void report_set_server(struct report_builder *b, uint32_t app, struct report_app *out);

#endif
