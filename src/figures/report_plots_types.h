/* What figures are made of, and the list of those that were written. */
#ifndef REPORT_PLOTS_TYPES_H
#define REPORT_PLOTS_TYPES_H

#include "base/ct_arena.h"
#include "base/ct_vec.h"
#include "results/result_store.h"

/* Names of the figures that were written, without ending. Zero-initialise; free with
 * report_plots_free. */
struct report_plots {
    struct ct_arena arena;
    CT_VEC(const char *) names;
    bool is_held; /* their folder, from the first figure to report_plots_free: a picture has the
                     numbers that its script was written for, whoever else writes there */
    int held;     /* output_folder_hold */
};

/* Numbers of the runs to show together: see result_set_shown. */
struct report_plots_input {
    const struct result_set *set;
    const size_t *runs; /* indices into set->runs, one per policy */
    size_t run_count;
    struct result_store *store; /* jobs are read from it, one run at a time */
};

#endif
