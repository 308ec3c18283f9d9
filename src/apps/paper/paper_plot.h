/* The figures of a paper's items: bars for each policy, over co-locations, classes of mixes or
 * levels; of what no mix gives, published beside simulated. */
#ifndef PAPER_PLOT_H
#define PAPER_PLOT_H

#include "apps/paper/paper_run.h"
#include "apps/paper/paper_source.h"
#include "figures/report_plots.h"

struct paper_plot {
    const struct paper *paper;
    const struct paper_suite *suite;
    const struct paper_outcome *outcome; /* of all rows */
    const char *const *policies;         /* of the outcome */
    const struct paper_line *rows;       /* of the suite; those of an item stand together */
    size_t row_count;
};

/*
 * Writes a figure for each item and measure into an existing folder, "ITEM-SUITE-MEASURE": medians
 * of the draws with their range. Rows of a single co-location have none. enum ct_status as of
 * report_plots_write.
 */
int paper_plot(const struct paper_plot *plot, const char *folder, struct report_plots *plots,
               struct ct_diags *diags);

/* A row whose value no mix gives. */
struct paper_plot_value {
    const struct paper_item *item;
    const struct paper_row *row;
    double value;
};

/*
 * Plots rows whose values no mix gives, those of an item together: a figure for each item and unit,
 * "ITEM-MEASURE", and of a cluster's items one of how its co-locations or GPUs spread,
 * "ITEM-levels"; `sources` are those that gave the values.
 */
int paper_plot_sources(const struct paper_plot_value *values, size_t count,
                       const struct paper_sources *sources, const char *folder,
                       struct report_plots *plots, struct ct_diags *diags);

#endif
