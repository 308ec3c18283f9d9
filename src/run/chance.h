/* What chance decides of an application: where nothing is, its instances do the same when alone. */
#ifndef CHANCE_H
#define CHANCE_H

#include "workload/setup.h"

/* Whether the durations of its kernels are drawn; whether what a job takes is. */
bool chance_in_durations(const struct setup_app *app);
bool chance_in_sizes(const struct setup_app *app);

/* Whether its first jobs come at a random phase of a job, as `start` says. */
bool chance_in_phase(const struct workload_app *spec);

/* Whether two of its instances, each alone with the stages before it, may differ. */
bool chance_in_instances(const struct setup *setup, uint32_t app);

#endif
