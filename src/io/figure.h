/* A figure as files: NAME.dat with its numbers, NAME.gp for gnuplot, made of settings and a
 * template of plots/. */
#ifndef FIGURE_H
#define FIGURE_H

#include "report_plots.h"

enum { FIGURE_PATH_SIZE = 4096, FIGURE_NAME_SIZE = 160 };

/* One figure on its way into its two files. */
struct figure {
    const struct report_plots_input *input;
    const char *folder;
    struct report_plots *plots;
    struct ct_diags *diags;
    char name[FIGURE_NAME_SIZE], path[FIGURE_PATH_SIZE];
    FILE *data;
};

/* What a script is told beside its numbers. */
struct figure_script {
    const char *template;
    const char *const *labels;
    size_t label_count;
    const char *service; /* NULL: of no service alone */
    double top, target;
    int bounds;         /* bars that are lower bounds */
    int intervals;      /* bars that have one */
    double least, most; /* latencies */
};

/* Report of the i-th policy that is shown. */
const struct report *figure_report(const struct report_plots_input *input, size_t i);

/* Opens the data of figure "KIND" or (`app` not NULL) "KIND-APP". False after a diagnostic. */
bool figure_begin(struct figure *figure, const char *kind, const char *app);

/* Closes the data, writes the script, and notes the figure. enum ct_status. */
int figure_end(struct figure *figure, const struct figure_script *script);

/* Begun, but there is nothing to show. */
void figure_drop(struct figure *figure);

/* One more column: a number (NAN: "nan"), after a tab; text without tabs and line ends. */
void figure_write_number(FILE *out, double number);
void figure_write_label(FILE *out, const char *text);

/* report_plots_time.c: use and quotas over time, of the first run that was sampled. */
int report_plots_time(struct figure *figure);

#endif
