#include "knowledge.h"

bool knowledge_predict_task(struct run *run, const struct run_task *task, ct_share share,
                            struct ct_prediction *prediction) {
    (void)run; (void)task; (void)share; (void)prediction;
    return false;
}
bool knowledge_predict_job(struct run *run, const struct run_job *job, ct_share share,
                           struct ct_prediction *prediction) {
    (void)run; (void)job; (void)share; (void)prediction;
    return false;
}
bool knowledge_feedback(struct run *run, const struct run_task *task) {
    (void)run; (void)task;
    return false;
}
