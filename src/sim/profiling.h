/* Profiling runs: what a runtime system measures off line, application by application, before it schedules. */
#ifndef PROFILING_H
#define PROFILING_H

#include "predict_bank.h"
#include "sim.h"

/*
 * Runs each application alone on the simulated GPU, over the jobs and sizes that the workload draws (with draws of
 * its own, never those of a run that is scored), and fits the predictors to what was measured. enum ct_status; the
 * bank is the caller's.
 */
int profiling_train(const struct setup *setup, uint64_t seed, struct predict_bank **bank, struct ct_diags *diags);

#endif
