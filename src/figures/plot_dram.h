/* The figure "dram": utilisation against row hit rate of fitted memories (`cotenant dram fit`). */
#ifndef PLOT_DRAM_H
#define PLOT_DRAM_H

#include "figures/report_plots.h"

/* Writes it for the files into an existing folder. enum ct_status, also as of dram_file_read. */
int plot_dram(const char *const *paths, size_t count, const char *folder,
              struct report_plots *plots, struct ct_diags *diags);

#endif
