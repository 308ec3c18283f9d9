/* What each job of an application does, step by step: its recorded tasks as they run on this GPU.
 */
#ifndef SETUP_PLANS_H
#define SETUP_PLANS_H

#include "base/ct_intern.h"
#include "workload/setup_types.h"

/* The plans of all jobs, and how often each is chosen. The application's profiles are made.
 * CT_DATA: memory ran out. */
int setup_plans_make(struct setup *setup, struct setup_app *app, struct ct_intern *names);

/* The job of the trace that a choice stands for. */
uint32_t setup_plans_job(const struct setup_app *app, uint32_t choice);

#endif
