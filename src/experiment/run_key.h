/* The key of a run: a hash of all that decides its result. */
#ifndef RUN_KEY_H
#define RUN_KEY_H

#include "run/sim.h"

/*
 * Two runs with the same key have the same result: program and results_version.h, GPU with every
 * number, applications with their traces' content (alone: of the one that runs), policy with every
 * option, seed, replication, window. `code` tells versions of a user's own policy apart. A
 * predictor follows from the rest. False: memory ran out.
 */
bool run_key_make(const struct sim_params *params, const char *version, struct ct_hash code,
                  struct ct_hash *key);

#endif
