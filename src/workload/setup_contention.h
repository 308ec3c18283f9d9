/* What `calibrate` found of single applications, for those of a workload. */
#ifndef SETUP_CONTENTION_H
#define SETUP_CONTENTION_H

#include "models/device/contention.h"
#include "workload/setup_types.h"

/* The factors of an application, found by its name in the workload, else by that of its trace; 1
 * where it was not calibrated. */
struct contention_app setup_contention_of(const struct setup *setup, const struct setup_app *app);

/* How many applications of the workload were calibrated. */
uint32_t setup_contention_count(const struct setup *setup);

#endif
