/* The key of a run, a hash of all that decides its result; and its configuration as JSON text: the
 * workload as it was read, every number used. */
#ifndef RUN_KEY_H
#define RUN_KEY_H

#include "experiment/experiment_types.h"

/*
 * Two runs with the same key have the same result: program, results_version.h and GSL, GPU with
 * every number, applications with their traces' content (alone: of the one that runs), policy with
 * every option, seed, replication, window. `code` tells versions of a user's own policy apart. A
 * predictor follows from the rest. False: memory ran out.
 */
bool run_key_make(const struct sim_params *params, const char *version, struct ct_hash code,
                  struct ct_hash *key);

/*
 * {keys of the whole file, "policy": {name and all options}, "gpu": {all
 * keys}, "apps": [all keys of each], "given": what the policy's caller says of what was typed} with
 * defaults filled in; in the arena. NULL: memory ran out.
 */
const char *run_config(const struct experiment *experiment, const struct experiment_policy *policy,
                       struct ct_arena *arena);

#endif
