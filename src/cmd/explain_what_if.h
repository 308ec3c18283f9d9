/* A stored run once more, with one decision of its policy forced the other way. */
#ifndef EXPLAIN_WHAT_IF_H
#define EXPLAIN_WHAT_IF_H

#include "cli/cli.h"
#include "explain/explain.h"

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
