/* What a report is made of. */
#ifndef REPORT_INPUT_H
#define REPORT_INPUT_H

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

#endif
