/*
 * The runs of an experiment one by one: what each is given, what its policy's predictor has learnt,
 * results kept of earlier experiments, and the threads that share them out. Which runs there are,
 * and what becomes of their results, is experiment.c's.
 */
#ifndef EXPERIMENT_UNITS_H
#define EXPERIMENT_UNITS_H

#include "experiment/experiment_types.h"
#include "experiment/thread_team.h"
#include "models/predict/predict_themis.h"

#include <pthread.h>

enum experiment_unit_kind {
    /* One instance of an application, without the others. */
    EXPERIMENT_UNIT_ALONE,
    /* All applications under a policy. */
    EXPERIMENT_UNIT_SHARED,
    /* All batch applications, without the services. */
    EXPERIMENT_UNIT_BATCH_ONLY,
    /* All applications under a policy whose decisions cost nothing. */
    EXPERIMENT_UNIT_FREE,
    /* All applications under a policy, to find the end of the warm-up. */
    EXPERIMENT_UNIT_PILOT
};

struct pilot_job {
    uint32_t app, instance;
    uint64_t number;
    ct_time_ps arrival_ps;
    double latency_ps;
};

/* The jobs of one run. Free `jobs`. */
struct pilot {
    CT_VEC(struct pilot_job) jobs;
    bool lost; /* memory ran out */
};

/* The warm-up of a replication, one for all policies, so that they are measured on the same jobs.
 */
struct warmup {
    ct_time_ps end_ps;
    bool settled; /* found before half of every pilot, or given */
};

struct experiment_unit {
    enum experiment_unit_kind kind;
    uint32_t policy, replication, app, instance;
    struct sim_result result;
    struct recorder *recorder; /* NULL: nothing is recorded */
    struct pilot pilot;
    struct ct_diags diags;
    int status;
    bool done;
    bool left_out; /* done without a result */
    /* Under the lock of the runs: its events so far, and, once it is over without a fault, all. */
    double events;
    bool counts;
    bool beyond;                  /* it went beyond most_events, and was ended or is left out */
    struct experiment_runs *runs; /* once it runs */
    double part;                  /* part of the full duration that this run simulates */
};

/* What the runs have in common. */
struct experiment_runs {
    const struct experiment *experiment;
    struct experiment_banks banks; /* where the experiment has none; runs get copies */
    struct themis_network network; /* for the policies that predict progress by it */
    bool opened;                   /* the network is known */
    struct warmup *warmups;        /* when the warm-up of each replication ends */
    struct ct_arena *arena;        /* the memory of the experiment's result */
    struct experiment_unit *units; /* the runs that the threads share out */
    struct thread_queue queue; /* hands out the units; its lock guards what follows and the arena */
    uint32_t done;
    double running; /* sum of the parts of the units that run */
    pthread_mutex_t training;
};

/* Everything lasts until experiment_runs_free, which is to follow in every case; texts of kept
 * results live in the arena. CT_OK, or CT_DATA after "out of memory". */
int experiment_runs_open(struct experiment_runs *runs, const struct experiment *experiment,
                         struct ct_arena *arena, struct ct_diags *diags);
void experiment_runs_free(struct experiment_runs *runs);

/* The bank of a policy, trained where none of these serves it; NULL: it learns nothing of profiling
 * runs. enum ct_status. */
int experiment_banks_find(struct experiment_banks *banks, const struct experiment *experiment,
                          const struct ct_policy *policy, struct predict_bank **bank,
                          struct ct_diags *diags);
void experiment_banks_free(struct experiment_banks *banks);

/* Trains what the policies predict by; with kept results, of which none may need them, banks only
 * when a run does. enum ct_status. */
int experiment_runs_train(struct experiment_runs *runs, struct ct_diags *diags);

/* Opens the network of Themis where the policy predicts by it. enum ct_status. */
int experiment_open_network(struct experiment_runs *runs, const struct ct_policy *policy,
                            struct ct_diags *diags);

/* Whether it predicts by models trained on profiling runs. */
bool experiment_uses_predictions(const struct ct_policy *policy);
bool experiment_has_oracle(const struct experiment *experiment);

/* Whether it is accounted for what delays the jobs: asked for, and of so many applications that a
 * table of who delayed whom still has a reader and room. */
bool experiment_blames(const struct experiment *experiment);

/* All that a run is given but its predictor and its observer. `alone` is filled in for a private
 * run, whose set-up it is; others need none. */
struct sim_params experiment_unit_params(const struct experiment_runs *runs,
                                         const struct experiment_unit *unit, struct setup *alone);

/* Runs them all on the experiment's threads, or takes their kept results; after a failure or an
 * interruption no further one begins. Hands on their diagnostics up to the first failure, whose
 * status it returns. */
int experiment_units_run(struct experiment_runs *runs, struct experiment_unit *units,
                         uint32_t count, struct ct_diags *diags);
void experiment_unit_free(struct experiment_unit *unit);

/* Moves the end to when the last job of this application's warm-up (MSER-5) has arrived, if that is
 * later: the next one is measured. Jobs that arrive after `duration_ps` do not count. False: memory
 * ran out. */
bool pilot_find_warmup(const struct pilot *pilot, uint32_t app, ct_time_ps duration_ps,
                       struct warmup *warmup);

#endif
