/* Which `--set` assignments of a cluster change nothing. */
#ifndef CLUSTER_SETTINGS_H
#define CLUSTER_SETTINGS_H

#include "cli/cli_experiment.h"
#include "study/cluster.h"

/*
 * Runs the scenarios (policies the fastest, as the command line has them) over an eighth of the
 * duration from an empty system, and again without each assignment, in all no longer than the
 * command itself. The sentence lies in the arena; NULL: nothing that could be left out was set, or
 * somebody interrupted. enum ct_status.
 */
int cluster_settings_ask(const struct cli_args *args, const struct cluster_params *scenarios,
                         size_t count, size_t policies, struct ct_arena *arena,
                         const char **sentence, struct ct_diags *diags);

#endif
