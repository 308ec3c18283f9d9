/* What an experiment is asked for: policies, settings, kept results, who listens. */
#ifndef EXPERIMENT_TYPES_H
#define EXPERIMENT_TYPES_H

#include "base/ct_diag.h"
#include "base/ct_hash.h"
#include "base/ct_listener.h"
#include "base/ct_vec.h"
#include "run/sim.h"

/* Runs beside a policy's own, each for measures that are unknown without it. The first two are one
 * yardstick for all policies, and left out if every policy does without. */
enum experiment_extra {
    /* Each application alone: solo times and progress. */
    EXPERIMENT_ALONE = 1,
    /* No services: batch throughput. */
    EXPERIMENT_BATCH_ONLY = 2,
    /* Decisions that cost nothing: the notice of what they cost. */
    EXPERIMENT_FREE = 4
};

/* A policy with its options, and the name under which the user asked for it. */
struct experiment_policy {
    const struct ct_policy *policy;
    const void *options;
    const char *label;
    const char *given;   /* JSON: what was typed, for the stored configuration; NULL: nothing */
    struct ct_hash code; /* hash of the content of a user's shared object; 0: a shipped policy */
    unsigned without;    /* enum experiment_extra, or-ed */
    struct policy_watch *watch; /* told of the policy's hooks; NULL: nobody watches */
};

/*
 * Results of runs by their key (run_key.h), kept from one experiment to the next. Called from any
 * thread. `take` gives a kept result as malloc'ed bytes (sim_result_encode), or NULL: then the run
 * is the caller's, others who ask for it wait, and the caller ends that with `give`, with its bytes
 * or, when the run came to nothing, with NULL. enum ct_status.
 */
struct run_cache {
    void *context;
    int (*take)(void *context, struct ct_hash key, unsigned char **bytes, size_t *size,
                struct ct_diags *diags);
    int (*give)(void *context, struct ct_hash key, const unsigned char *bytes, size_t size,
                struct ct_diags *diags);
    bool built_in; /* asked for runs of the program's own policies only */
};

/* What profiling runs of some applications taught: a bank for the policies that learn the same. */
struct experiment_bank {
    const struct ct_policy *policy;
    struct predict_bank *bank;
};

struct experiment_banks {
    CT_VEC(struct experiment_bank);
};

struct experiment {
    const struct setup *setup;
    const struct experiment_policy *policies;
    uint32_t policy_count, replications, threads;
    double precision; /* > 0: replications end when the interval of every service's p99 is so wide
                         on either side, as part of it; `replications` is then the most */
    const struct experiment_policy *baseline; /* the others are compared with it alone; NULL: all
                                                 pairs */
    bool headlines; /* policies are compared by targets and throughput only */
    /* > 0: events that a policy's own runs may have together, in the order of the replications: the
     * first one that goes beyond, and what is after it, is ended or left out, at any number of
     * threads. Runs beside them do not count. */
    double most_events;
    uint64_t seed;
    bool blame, blame_services; /* as in struct sim_params */
    bool first_runs; /* progress is that of first jobs, where they ended: what an application does
                        after it, launched again, counts for the others alone */
    bool unnamed; /* reports are read and forgotten: their runs get no keys and no configuration */
    bool times;   /* every run of a policy tells what each counted job took (struct result_run) */
    unsigned
        record; /* enum result_part, or-ed: what every run of a policy keeps besides its report */
    uint64_t first_replication; /* number of the first one; of a single run that is repeated */
    uint64_t what_if;           /* as in struct sim_params, of the policies' own runs; 0: none */
    /* What the run of the batch applications alone came to in a single replication, if that is
     * known (not 0), which is then not run; else looks at it. */
    double batch_only_ps;
    struct sim_look *looks;
    size_t look_count;
    ct_time_ps dump_at_ps;
    /* Banks of experiments with the same applications, GPU and seed, whose set-ups last, to which
     * this one adds its own; NULL: none. */
    struct experiment_banks *banks;
    const struct run_cache *cache; /* NULL: every run is run; with `record` it is not asked */
    const char *version;
    struct ct_listener listener; /* is told of runs, and parts of them */
};

#endif
