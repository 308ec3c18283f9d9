/* Figures drawn by gnuplot. */
#ifndef CLI_DRAW_H
#define CLI_DRAW_H

#include "figures/report_plots.h"

enum cli_picture { CLI_SVG, CLI_PNG, CLI_SVG_AND_PNG };
extern const char *const cli_pictures[]; /* their names, NULL last */

/* Draws figures whose data and scripts lie in the folder. enum ct_status: CT_DATA without gnuplot.
 */
int cli_draw_figures(const struct report_plots *plots, const char *folder, enum cli_picture picture,
                     struct ct_diags *diags);

#endif
