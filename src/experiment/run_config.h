/* The configuration of a run as JSON text: the workload as it was read, every number used. */
#ifndef RUN_CONFIG_H
#define RUN_CONFIG_H

#include "experiment/experiment_types.h"

/* The workload as it is run: with this seed, and the hardware queues that the device has. Shallow.
 */
struct workload run_config_workload(const struct setup *setup, uint64_t seed);

/*
 * {keys of the whole file, "policy": {name and all options}, "gpu": {all
 * keys}, "apps": [all keys of each], "given": what the policy's caller says of what was typed} with
 * defaults filled in; in the arena. NULL: memory ran out.
 */
const char *run_config(const struct experiment *experiment, const struct experiment_policy *policy,
                       struct ct_arena *arena);

#endif
