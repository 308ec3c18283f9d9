/* Which of the sweeps in a store is meant: for commands that show all points of one. */
#ifndef CLI_SWEEP_H
#define CLI_SWEEP_H

#include "cli/cli.h"
#include "results/result_sweep.h"

#define CLI_SWEEP_OPTION                                                                           \
    { "sweep", 0, "NAME", "the points of this sweep, where the store has several (the newest)" }

/* Chooses the sweep that is asked for in the store at `path`, and says which ones there are where
 * nobody has asked. enum ct_status. */
int cli_choose_sweep(const struct cli_args *args, struct result_store *store, const char *path,
                     struct ct_diags *diags);

#endif
