/* What whoever reads the numbers of a scenario should know: said on every way to them. */
#ifndef SCENARIO_WARN_H
#define SCENARIO_WARN_H

#include "experiment/scenario.h"
#include "run/solo.h"

/* Warns of an application whose target is shorter than its median job alone: no policy can keep it.
 */
void scenario_warn_target(const struct scenario *scenario, uint32_t app, struct solo solo,
                          struct ct_diags *diags);

/* Warns of each target that its application cannot keep even alone; it runs a few jobs for that.
 * enum ct_status. */
int scenario_warn_targets(const struct scenario *scenario, struct ct_diags *diags);

/* Warns of latencies that are lower bounds: nobody should take them for those of a system that
 * keeps up. */
void scenario_warn_overload(const struct scenario *scenario, const struct experiment_result *result,
                            struct ct_diags *diags);

#endif
