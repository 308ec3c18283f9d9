/* What was typed to make a run, for its stored configuration. */
#ifndef CLI_GIVEN_H
#define CLI_GIVEN_H

#include "cli_experiment.h"

/* Fills `given` of every policy with what result_given.h reads; in the policies' arena. enum
 * ct_status. */
int cli_given_fill(struct cli_experiment *e, struct ct_diags *diags);

#endif
