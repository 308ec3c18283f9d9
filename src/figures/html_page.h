/*
 * Stored results as one page for a browser, in one file that loads nothing: the reports, the
 * comparison, charts, the slowest jobs of each policy, the decision log. Numbers and sentences come
 * from the same functions as those of report, plot and explain; the page arranges and draws them.
 *
 * The page is made of src/figures/page/, which the program holds (html_frame.h), and of the data
 * as JSON in a script element that no browser runs. The same stores give the same bytes.
 */
#ifndef HTML_PAGE_H
#define HTML_PAGE_H

#include "base/ct_diag.h"
#include "figures/html_frame.h"
#include "results/result_store.h"

#include <stdio.h>

enum {
    HTML_BUDGET_MB = 1,
    /* What a legend can tell apart: assumed. */
    HTML_MOST_RUNS = 32,
    /* Runs of all points of a sweep together, some 10 kB each: chosen. */
    HTML_MOST_SWEEP_RUNS = 400
};

struct html_source {
    const char *path; /* for messages alone: the page does not say where a store lies */
    struct result_store *store;
};

struct html_choice {
    uint64_t worst;               /* jobs of each service in each run */
    uint64_t budget_bytes;        /* for jobs, tasks and decisions together; 0: no limit */
    const struct html_live *live; /* NULL: the page cannot run anything again */
};

struct html_summary {
    size_t runs, runs_left_out; /* policies; beyond HTML_MOST_RUNS, or HTML_MOST_SWEEP_RUNS */
    size_t jobs, jobs_cut;      /* told about; without their tasks, for the budget */
    size_t decisions, decisions_left_out;
    uint64_t bytes;
};

/*
 * Shows the runs that a report of each store shows (result_set_shown), or, of one store with a
 * sweep, those of all its points. Jobs, decisions and curves
 * over time are those of the first replication, and of the user's other runs in the same stores.
 * CT_DATA when a store has no finished run or cannot be read, `out` failed, or memory ran out.
 */
int html_page_write(const struct html_source *sources, size_t count,
                    const struct html_choice *choice, FILE *out, struct html_summary *summary,
                    struct ct_diags *diags);

#endif
