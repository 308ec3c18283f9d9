/*
 * The figures of a sweep: each measure of plot_measures.h over the numeric axis with the most
 * values, a line per policy with its interval as a band, and a panel for each combination of the
 * other axes. Where every point has values of its own, as of random designs, points without lines,
 * and a panel for each numeric axis.
 */
#ifndef SWEEP_PLOTS_H
#define SWEEP_PLOTS_H

#include "figures/report_plots.h"
#include "results/result_sweep.h"

/*
 * Writes "sweep-NAME" of the points, whose runs are in the set, into an existing folder; nothing
 * where no axis has two numbers. enum ct_status as of report_plots_write.
 */
int sweep_plots_write(const struct result_set *set, const struct result_points *points,
                      const char *folder, struct report_plots *plots, struct ct_diags *diags);

#endif
