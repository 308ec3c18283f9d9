/* A stored run as it can be made again: what was typed, whether the inputs are still the same, and
 * with one decision of its policy forced the other way. */
#ifndef RUN_AGAIN_H
#define RUN_AGAIN_H

#include "cli/cli.h"
#include "experiment/scenario.h"
#include "explain/explain.h"
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

/*
 * `run` has its jobs and decisions. An issue is refused for that instant (the policy may decide
 * anew at the next one), what was held is issued, a cap, partition, rank or slice is not set. What
 * came before must come out as it is stored. `job` (NULL: none) is one whose latency is asked for.
 * Prints the answer in a form of enum report_format; enum ct_status.
 */
int explain_what_if(const struct cli_args *args, const struct result_run *run, uint64_t decision,
                    const struct explain_choice *job, int format, struct ct_diags *diags);

/* Whether the policy made decisions that were not stored: an error at the option then. */
bool explain_lacks_decisions(const struct result_run *run, const char *option,
                             struct ct_diags *diags);

#endif
