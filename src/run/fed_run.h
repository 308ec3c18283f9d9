/*
 * A run whose jobs are sent from outside, by somebody who looks at its load first: it is advanced
 * to the instant of an arrival, asked, and sent the job or not. Sent the arrivals that `sim_run`
 * would draw, it has the same result. Its open applications are to have no arrivals of their own.
 */
#ifndef FED_RUN_H
#define FED_RUN_H

#include "run/sim.h"

struct run;

/* What the run's application has to do, and did. */
struct fed_load {
    uint64_t unfinished; /* jobs that have arrived and not ended */
    /* Of what runs for them (a job, a batch, a part of a step), from its first issue to its end: of
     * those that ended, and of one that runs for a job alone. */
    double mean_ps;
};

/* Everything up to the first event, which is not let happen. The parameters, the result and the
 * diagnostics stay the caller's, and outlive it. NULL: no memory. */
struct run *fed_run_open(const struct sim_params *params, struct sim_result *result,
                         struct ct_diags *diags);

/* Lets all happen that comes before arrivals at `at`, which is not before now; CT_TIME_NEVER: until
 * all that counts has ended. False: it has failed, was interrupted, or ended of itself. */
bool fed_run_until(struct run *run, ct_time_ps at);

struct fed_load fed_run_load(const struct run *run, uint32_t app);

/* A job of the application's only instance arrives at the instant that it stands at. `stamp`: its
 * place in what the arrivals' `prompts` and `outputs` tell of each; 0 where they tell nothing. */
void fed_run_send(struct run *run, uint32_t app, size_t stamp);

/* Whether the window is over and all jobs that count have ended. */
bool fed_run_is_done(const struct run *run);

/* What is left behind is in the result. enum ct_status, as of sim_run. */
int fed_run_close(struct run *run);

#endif
