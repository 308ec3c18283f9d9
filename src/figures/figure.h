/* A figure as files: NAME.csv with its numbers, and NAME.gp, which draws them: settings and
 * templates of plots/. gnuplot does not read quoted text rightly: series and positions are numbers,
 * text stands behind all numbers of a row, and names that are drawn are settings, too. */
#ifndef FIGURE_H
#define FIGURE_H

#include "base/ct_diag.h"
#include "figures/report_plots_types.h"
#include "format/output_file.h"
#include "format/value.h"

enum { FIGURE_PATH_SIZE = 4096, FIGURE_NAME_SIZE = 160 };

/* One figure on its way into its two files. */
struct figure {
    const struct report_plots_input *input; /* NULL: of no reports */
    const char *title, *gpu; /* of the figure; gpu NULL: it is about no GPU, or about several */
    const char **run_names;  /* of the runs: the policy, with its place where places differ */
    size_t policies, name_letters; /* number of policies; letters of their longest name */
    const char *folder;
    struct report_plots *plots;
    struct ct_diags *diags;
    int status; /* enum ct_status of the figures so far: after a failure none is begun */
    char name[FIGURE_NAME_SIZE], path[FIGURE_PATH_SIZE];
    struct output_file file;
    FILE *data; /* its numbers, from figure_begin to figure_end */
    /* Numbers, from 1, of the policies with data [0] and without [1], as a script takes them. */
    char *listed[2];
    size_t used[2];
};

/* What a number is that hangs on the length of the run, as under overload. */
enum figure_bound { FIGURE_AT_MOST = -1, FIGURE_EXACT, FIGURE_AT_LEAST };

/* What a script is told beside its numbers. */
struct figure_script {
    const char *template;
    const char *const *labels; /* names of the series, for the key */
    size_t label_count;
    const char *const *parts;  /* keys of the series that are parts of a whole; NULL */
    const char *const *places; /* names of the positions; NULL: an axis of numbers */
    size_t place_count;
    const double *slopes, *bases; /* of straight lines, one for each label; NULL: none */
    const char *service;          /* NULL: of no service alone */
    const char *memory;           /* how the key calls its curve; NULL: there is none */
    const char *note;             /* what the title ends with; NULL: nothing */
    double top, target;
    int bounds, uppers;        /* bars that are lower and upper bounds */
    int intervals;             /* bars that have one */
    size_t shaded, shaded_end; /* positions before a grey ground, from 1; 0: none */
    double least, most;        /* latencies, or what else the figure spans */
    /* What the canvas must hold. */
    size_t keys;         /* entries of the key; 0: none */
    size_t key_letters;  /* letters of the longest entry of the key, where no label is as long */
    size_t positions;    /* places on the axis, one name each; 0: an axis of numbers */
    size_t bars;         /* bars at each position */
    size_t name_letters; /* letters of the longest name at a position; 0: that of the policies */
    size_t name_lines;   /* lines that a name at a position takes; 0: one */
    size_t panels;       /* panels, one above the other; 0: the figure is one */
    size_t panel_height; /* points that each panel is high */
    const char *across;  /* label of the axis of numbers; NULL: the script knows */
    const char *const *panel_labels; /* of `panel_label_count` panels; NULL: they have none */
    size_t panel_label_count;
    bool joined;   /* values of a series belong on one line */
    size_t fronts; /* of a trade-off */
};

/* Run of the i-th policy that is shown, and its report. */
const struct result_run *figure_run(const struct report_plots_input *input, size_t i);
const struct report *figure_report(const struct report_plots_input *input, size_t i);

/* Memory ran out: records it. Returns CT_DATA. */
int figure_out_of_memory(struct figure *figure);

/* The index of a name among those so far, behind which a new one is put. */
size_t figure_index(const char **names, size_t *count, const char *name);

/* Opens the data of figure "KIND" or (`app` not NULL) "KIND-APP", whose columns are called so.
 * False after a failure. */
bool figure_begin(struct figure *figure, const char *kind, const char *app, const char *columns);

/* A row of the data; numbers that are not known are empty cells. */
#define figure_row(figure, ...) figure_write_row(figure, VALUES(__VA_ARGS__))
void figure_write_row(struct figure *figure, const struct value *values);

/* Notes whether a policy has data; not needed where all have. */
void figure_list(struct figure *figure, bool has_data, size_t index);

/* Closes the data, writes the script, and notes the figure. Returns its status. */
int figure_end(struct figure *figure, const struct figure_script *script);

/* What colocations.gp draws: groups of bars, one of each label in the key, over names of groups;
 * the axis to the left is called so. */
struct figure_script figure_grouped(const char *const *labels, size_t count,
                                    const char *const *places, const char *axis, double target);

/* Entries of the key that say which bounds there are. */
void figure_key_bounds(struct figure_script *script);

/* For colocations.gp: so many groups, whose bars stay wide enough to be told apart, in rows. */
void figure_group_rows(struct figure_script *script, size_t groups);

/* ---- What whole runs are compared by in figures of many runs: one number of a report each ---- */

/* A number of a run with its 95 % interval (NAN: none). */
struct plot_value {
    double value, low, high;
    enum figure_bound bound;
};

struct plot_measure {
    const char *name, *axis; /* of a figure; of its axis */
    size_t offset; /* of a double in struct report; 0: p99 / target of the service worst off */
    double target; /* NAN: none */
};

enum { PLOT_P99, PLOT_BATCH, PLOT_STP, PLOT_ANTT, PLOT_FAIRNESS, PLOT_MEASURES };
extern const struct plot_measure plot_measures[PLOT_MEASURES];

/* What the progress of an application is. */
enum figure_bound figure_progress_bound(const struct report_app *app);

struct plot_value plot_value_of(const struct plot_measure *measure, const struct report *report);

/* What is to be drawn has this value, too. */
void figure_measure(struct figure_script *script, struct plot_value value);

/* A bar of a series at a position, both from 0. Its columns: series, position, value, low, high,
 * bound, names of series and position. */
void figure_write_bar(struct figure *figure, struct figure_script *script, size_t series,
                      size_t position, struct plot_value bar);

#endif
