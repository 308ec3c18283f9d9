/* The figures of a paper's items: bars for each policy, over co-locations, classes of mixes or
 * levels. */
#ifndef PAPER_PLOT_H
#define PAPER_PLOT_H

#include "paper_run.h"
#include "report_plots.h"

/* A row that was run, of an item. */
struct paper_plot_row {
    const struct paper_item *item;
    const struct paper_row *row;
};

struct paper_plot {
    const struct paper_suite *suite;
    const struct paper_outcome *outcome; /* of all rows */
    const char *const *policies;         /* of the outcome */
    const struct paper_plot_row *rows;   /* of the suite; those of an item stand together */
    size_t row_count;
};

/*
 * Writes a figure for each item and measure into an existing folder, "ITEM-SUITE-MEASURE": medians
 * of the draws with their range. Rows of a single co-location have none. enum ct_status as of
 * report_plots_write.
 */
int paper_plot(const struct paper_plot *plot, const char *folder, struct report_plots *plots,
               struct ct_diags *diags);

#endif
