/* Which `--set` assignments of a cluster change nothing. */
#ifndef CLUSTER_SETTINGS_H
#define CLUSTER_SETTINGS_H

#include "study/cluster_job.h"

/*
 * Runs the scenarios of a job over an eighth of the duration from an empty system, and again
 * without each assignment, in all no longer than the job itself. The sentence lies in the arena;
 * NULL: nothing that could be left out was set, or somebody interrupted. enum ct_status.
 */
int cluster_settings_ask(const struct cluster_job *job, struct ct_arena *arena,
                         const char **sentence, struct ct_diags *diags);

#endif
