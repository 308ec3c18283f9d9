/* The capacity frontier as a figure. */
#ifndef PLAN_PLOT_H
#define PLAN_PLOT_H

#include "study/plan.h"

/* Writes capacity.dat and capacity.gp into a folder, which is made, and draws them. enum ct_status.
 */
int plan_plot(const struct plan *plan, const struct plan_result *result, const char *folder,
              struct ct_diags *diags);

#endif
