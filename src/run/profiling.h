/* Profiling runs: what a runtime system measures off line, application by application, before it
 * schedules. */
#ifndef PROFILING_H
#define PROFILING_H

#include "models/predict/predict_bank.h"
#include "run/sim.h"

/*
 * Runs each application alone on the simulated GPU, over the jobs and sizes that the workload draws
 * (with draws of its own, never those of a run that is scored) and over jobs that were not drawn
 * but hold tasks that no other has, at the SM shares that the policy asks for, and fits the
 * predictors of its choice to what was measured. Ends with CT_INTERRUPTED when `interrupted` (NULL:
 * nobody asks) says so, which is asked as of any run (sim.h). enum ct_status; the bank is the
 * caller's.
 */
int profiling_train(const struct setup *setup, const struct ct_policy *policy, uint64_t seed,
                    bool (*interrupted)(void *context), void *context, struct predict_bank **bank,
                    struct ct_diags *diags);

/* How many tasks of profiling runs it takes, at most, but for jobs that were not drawn. */
double profiling_tasks(const struct setup *setup, const struct ct_policy *policy);

/* Whether one bank serves both policies. */
bool profiling_same(const struct ct_policy *a, const struct ct_policy *b);

#endif
