/* Results for people: which sweep of a store is meant, reports in colour, figures by gnuplot. */
#ifndef CLI_RESULTS_H
#define CLI_RESULTS_H

#include "cli/cli.h"
#include "figures/report_plots.h"
#include "results/report.h"
#include "results/result_sweep.h"

#define CLI_SWEEP_OPTION                                                                           \
    { "sweep", 0, "NAME", "the points of this sweep, where the store has several (the newest)" }

/* Chooses the sweep that is asked for in the store at `path`, and says which ones there are where
 * nobody has asked. enum ct_status. */
int cli_choose_sweep(const struct cli_args *args, struct result_store *store, const char *path,
                     struct ct_diags *diags);

/* report_write, or report_write_comparison if the reports are compared, to standard output, with
 * colours for what must not be overlooked where a text goes to a terminal that takes them. enum
 * ct_status. */
int cli_paint_reports(enum report_format format, const struct report_comparison *reports,
                      bool compared);

enum cli_picture { CLI_SVG, CLI_PNG, CLI_SVG_AND_PNG };
extern const char *const cli_pictures[]; /* their names, NULL last */

/* Draws figures whose data and scripts lie in the folder. enum ct_status: CT_DATA without gnuplot.
 */
int cli_draw_figures(const struct report_plots *plots, const char *folder, enum cli_picture picture,
                     struct ct_diags *diags);

#endif
