/*
 * The figures of a comparison as files: for each a CSV with its numbers, a row for each point, and
 * a .gp script for gnuplot that needs nothing but the CSV beside it.
 *
 * Figures: "p99" (p99 / target), "batch" (batch throughput; without services "stp", "antt" and
 * "fairness" instead), "progress", "tradeoff" (STP against late jobs), of a run whose curves were
 * stored "usage" (SMs, memory and link over time) and "quota" (what each application may hold), and
 * for each service "latency-NAME" (distribution; when jobs were stored) and "blame-NAME" (when
 * blame was recorded).
 */
#ifndef REPORT_PLOTS_H
#define REPORT_PLOTS_H

#include "figures/report_plots_types.h"
#include "results/result_sweep.h"

/*
 * Writes the figures that the runs have data for into an existing folder. enum ct_status: CT_DATA
 * when a file cannot be written, a template is missing, or memory ran out.
 */
int report_plots_write(const struct report_plots_input *input, const char *folder,
                       struct report_plots *plots, struct ct_diags *diags);
void report_plots_free(struct report_plots *plots);

/*
 * sweep_plots.c: the figures of a sweep, "sweep-NAME": each measure of figure.h over the
 * numeric axis with the most values, a line per policy with its interval as a band, and a panel for
 * each combination of the other axes. Where every point has values of its own, as of random
 * designs, points without lines, and a panel for each numeric axis; nothing where no axis has two
 * numbers. The runs of the points are in the set.
 */
int sweep_plots_write(const struct result_set *set, const struct result_points *points,
                      const char *folder, struct report_plots *plots, struct ct_diags *diags);

/* One open store with everything that was read of it. */
struct plot_source {
    const char *path;
    struct result_store *store;
    struct result_set set; /* its runs */
};

/*
 * plot_colocations.c: figures over many co-locations (a workload with its settings on a GPU, at a
 * point of a sweep): a group of bars each, a bar per policy, as the papers show their pairs:
 * "colocations-p99" (p99 / target of the worst service), "colocations-batch" (batch throughput),
 * "colocations-stp"; nothing of less than two. Of runs of the same policy on the same co-location
 * the newest one counts.
 */
int plot_colocations(const struct plot_source *sources, size_t count, const char *folder,
                     struct report_plots *plots, struct ct_diags *diags);

/* plot_dram.c: the figure "dram": utilisation against row hit rate of fitted memories
 * (`cotenant dram fit`). enum ct_status, also as of dram_file_read. */
int plot_dram(const char *const *paths, size_t count, const char *folder,
              struct report_plots *plots, struct ct_diags *diags);

#endif
