/* What a policy may know: predictions from models that were trained on profiling runs. */
#ifndef KNOWLEDGE_H
#define KNOWLEDGE_H

#include "models/predict/predict_bank.h"
#include "run/run.h"

/* At how many equal parts of the SMs a policy's profiling runs are made; 1: with all alone. */
static inline ct_share knowledge_parts(const struct ct_policy *policy) {
    return policy->profile_step_pct > 0 ? 100 / policy->profile_step_pct : 1;
}

/* The model that a task belongs to, its name, and its features (Baymax Table 1). `call`: of the
 * kernel's whole library call instead, whose features are sums over its kernels. */
struct predict_key knowledge_key(const struct ct_task *task, bool call);
const char *knowledge_name(const struct ct_task *task, bool call);
struct predict_features knowledge_features(const struct ct_task *task, bool call);

/* What a profiler measures of what has ended: bandwidth and IPC are NAN where the recording has no
 * bytes moved in memory, or no instructions. */
struct predict_value knowledge_measured(const struct ct_task *view, bool call);

/* A kernel of a library call has ended: adds it to what was measured of the call. */
void knowledge_call_add(struct run_task *task);
/* Whether the call of this kernel, which ended, has ended too. */
bool knowledge_call_ended(const struct ct_task *task);

/* False: no model knows it. */
bool knowledge_predict(struct run *run, const struct run_task *task, bool call, ct_share share,
                       struct ct_prediction *prediction);
bool knowledge_predict_job(struct run *run, const struct run_job *job, ct_share share,
                           struct ct_prediction *prediction);

/* The number of what the policy asks about the task: about its whole library call, or itself. */
uint32_t knowledge_question(const struct run_task *task);

/* Not 0: tasks of the same number have the same predictions while models stay as they are. */
uint32_t knowledge_alike(const struct run_task *task);

/* Feeds a measurement back to the run's own models. False: there are none. */
bool knowledge_feedback(struct run *run, const struct run_task *task, bool call);

#endif
