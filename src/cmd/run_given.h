/* A stored run as it can be made again: what was typed, and whether the inputs are still the same.
 */
#ifndef RUN_GIVEN_H
#define RUN_GIVEN_H

#include "experiment/scenario.h"
#include "results/result_given.h"

/*
 * What made the run, as far as it decides the result; `moved`: where the workload file is now
 * (NULL: where it was); `option`: who asks, for messages. The texts are those of `given`. enum
 * ct_status.
 */
int run_given_request(const struct result_given *given, const char *moved, const char *option,
                      struct scenario_request *again, struct ct_diags *diags);

/* Whether this version with these files makes the run. enum ct_status. */
int run_given_check(const struct scenario *scenario, const struct result_given *given,
                    const struct result_run *run, const char *option, struct ct_diags *diags);

#endif
