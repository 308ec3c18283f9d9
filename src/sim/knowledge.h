/* What a policy may know: predictions from models that were trained on profiling runs. */
#ifndef KNOWLEDGE_H
#define KNOWLEDGE_H

#include "run.h"

/* False: no model knows it. */
bool knowledge_predict_task(struct run *run, const struct run_task *task, ct_share share,
                            struct ct_prediction *prediction);
bool knowledge_predict_job(struct run *run, const struct run_job *job, ct_share share,
                           struct ct_prediction *prediction);
bool knowledge_feedback(struct run *run, const struct run_task *task);

#endif
