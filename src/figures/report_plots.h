/*
 * The figures of a comparison as files: for each a .dat with its numbers (tab-separated, a comment
 * says what the columns are) and a .gp script for gnuplot that needs nothing but the .dat beside
 * it.
 *
 * Figures: "p99" (p99 / target), "batch" (batch throughput; without services "stp", "antt" and
 * "fairness" instead), "progress", "tradeoff" (STP against late jobs), of a run whose curves were
 * stored "usage" (SMs, memory and link over time) and "quota" (what each application may hold), and
 * for each service "latency-NAME" (distribution; when jobs were stored) and "blame-NAME" (when
 * blame was recorded).
 */
#ifndef REPORT_PLOTS_H
#define REPORT_PLOTS_H

#include "base/ct_diag.h"
#include "results/result_store.h"

/* Names of the figures that were written, without ending. Zero-initialise; free with
 * report_plots_free. */
struct report_plots {
    struct ct_arena arena;
    struct {
        CT_VEC(const char *);
    } names;
};

/* Numbers of the runs to show together: see result_set_shown. */
struct report_plots_input {
    const struct result_set *set;
    const size_t *runs; /* indices into set->runs, one per policy */
    size_t run_count;
    struct result_store *store; /* jobs are read from it, one run at a time */
};

/*
 * Writes the figures that the runs have data for into an existing folder. enum ct_status: CT_DATA
 * when a file cannot be written, a template is missing, or memory ran out.
 */
int report_plots_write(const struct report_plots_input *input, const char *folder,
                       struct report_plots *plots, struct ct_diags *diags);
void report_plots_free(struct report_plots *plots);

#endif
