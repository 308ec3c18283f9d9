/* From runs to reports: measures of Eyerman and Eeckhout, quantiles, intervals, notices. */
#ifndef REPORT_BUILD_H
#define REPORT_BUILD_H

#include "experiment/report_builder.h"

/* What the longest of a policy's predictions, or of the charges of a run of its (`shared`, may be
 * NULL), costs, if that is more than the workload's median kernel takes and the run charges it;
 * else 0. `lost` becomes true when memory ran out. */
double report_charge_ps(const struct setup *setup, const struct ct_policy *policy,
                        const struct sim_result *shared, bool *lost);

/* Fills a report of one replication, or of several pooled; arrays lie in the arena. enum ct_status.
 */
int report_build(const struct report_input *input, struct ct_arena *arena, struct report *report,
                 struct ct_diags *diags);

#endif
