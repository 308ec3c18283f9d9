/* Which tasks are the same to a predictor: a runtime system asks about each kind of them once. */
#ifndef SETUP_QUESTIONS_H
#define SETUP_QUESTIONS_H

#include "models/predict/predict_bank.h"
#include "workload/setup_types.h"

/* The model that a step, or a library call, belongs to, its name, and its features in a job of size
 * 1. */
struct predict_key setup_step_key(const struct setup_step *step);
const char *setup_step_name(const struct setup_step *step);
struct predict_key setup_call_key(const struct setup_call *call);
struct predict_features setup_step_features(const struct setup_plan *plan,
                                            const struct setup_step *step);
struct predict_features setup_call_features(const struct setup_plan *plan,
                                            const struct setup_call *call);

/* Gives steps and calls of equal key and features the same number. False: memory ran out. */
bool setup_number_questions(struct setup *setup);

#endif
