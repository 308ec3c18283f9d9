/*
 * A mix whose service is asked a fixed number of queries, however long that takes. Nothing runs
 * beside what the measures of a service and of busy time need: a slow policy simulates hours.
 */
#ifndef PAPER_UNTIL_H
#define PAPER_UNTIL_H

#include "apps/paper/paper_plan.h"
#include "experiment/experiment_types.h"

/*
 * Runs an opened mix, its service first, under each of its policies until `queries` queries of
 * the service have ended; one of open arrivals runs for the workload's time. Measures that compare
 * with runs alone stay unknown. `values` by policy. enum ct_status.
 */
int paper_until(const struct paper_plan *plan, const struct experiment *experiment, uint64_t draw,
                struct paper_values *values, struct ct_diags *diags);

#endif
