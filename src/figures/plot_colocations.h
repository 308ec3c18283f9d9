/*
 * Figures over many co-locations (a workload with its settings on a GPU, at a point of a sweep): a
 * group of bars each, a bar per policy, as the papers show their pairs: "colocations-p99" (p99 /
 * target of the worst service), "colocations-batch" (batch throughput), "colocations-stp".
 */
#ifndef PLOT_COLOCATIONS_H
#define PLOT_COLOCATIONS_H

#include "figures/report_plots.h"

/* One open store with everything that was read of it. */
struct plot_source {
    const struct result_set *set;
    struct result_store *store;
};

/*
 * Writes the figures into an existing folder, when there are at least two co-locations; of runs of
 * the same policy on the same co-location the newest one counts. enum ct_status as of
 * report_plots_write.
 */
int plot_colocations(const struct plot_source *sources, size_t count, const char *folder,
                     struct report_plots *plots, struct ct_diags *diags);

#endif
