/* The configuration of a run as JSON text, for the result store: the workload, what was changed,
 * every number used. */
#ifndef RUN_CONFIG_H
#define RUN_CONFIG_H

#include "cli_experiment.h"

/*
 * {"workload": name, "seed", "duration_s", "warmup_s", "hw_queues", "policy": {name and all
 * options}, "gpu": {all keys}, "apps": [...], "given": {what result_given.h reads}} with defaults
 * filled in; in the arena. NULL: memory ran out.
 */
const char *run_config(const struct cli_experiment *e, uint32_t policy, struct ct_arena *arena);

#endif
