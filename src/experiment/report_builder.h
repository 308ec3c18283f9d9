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
    const char *config; /* run_config.h; NULL: left out */
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

/* What an application did in one of its private runs. Not asked where there was none. */
static inline const struct sim_app_result *report_alone_in(const struct report_runs *run,
                                                           uint32_t app, uint32_t which) {
    const struct sim_result *alone = &run->alone[app].runs[which];
    return &alone->apps[alone->app_count == 1 ? 0 : app]; /* else with the stages before it */
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

#endif
