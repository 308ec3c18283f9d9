/* A figure as files: NAME.dat with its numbers and settings, NAME.gp for gnuplot, made of templates
 * of plots/, which draw the same data on their own: 'gnuplot -c plots/KIND.gp NAME.dat'. */
#ifndef FIGURE_H
#define FIGURE_H

#include "base/ct_diag.h"
#include "figures/report_plots_types.h"
#include "format/output_file.h"

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
#define FIGURE_BOUND_WORDS "1 if a lower bound, -1 if an upper one" /* of its column */

/* What a script is told beside its numbers. */
struct figure_script {
    const char *template;
    const char *const *labels; /* names of the series, for the key */
    size_t label_count;
    const char *const *parts; /* keys of the series that are parts of a whole; NULL */
    const char *service;      /* NULL: of no service alone */
    const char *memory;       /* how the key calls its curve; NULL: there is none */
    const char *note;         /* what the title ends with; NULL: nothing */
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
    bool joined; /* values of a series belong on one line */
};

/* Run of the i-th policy that is shown, and its report. */
const struct result_run *figure_run(const struct report_plots_input *input, size_t i);
const struct report *figure_report(const struct report_plots_input *input, size_t i);

/* Memory ran out: records it. Returns CT_DATA. */
int figure_out_of_memory(struct figure *figure);

/* The index of a name among those so far, behind which a new one is put. */
size_t figure_index(const char **names, size_t *count, const char *name);

/* Opens the data of figure "KIND" or (`app` not NULL) "KIND-APP". False after a failure. */
bool figure_begin(struct figure *figure, const char *kind, const char *app);

/* Notes whether a policy has data; not needed where all have. */
void figure_list(struct figure *figure, bool has_data, size_t index);

/* Closes the data, writes the script, and notes the figure. Returns its status. */
int figure_end(struct figure *figure, const struct figure_script *script);

/* What colocations.gp draws: groups of bars, one of each label in the key, over an axis. */
struct figure_script figure_grouped(const char *const *labels, size_t count, const char *axis,
                                    double target);

/* Entries of the key that say which bounds there are. */
void figure_key_bounds(struct figure_script *script);

/* For colocations.gp: a name below a group of bars, and groups spread over rows, so that bars stay
 * wide enough to be told apart; `bars` is set. */
void figure_group_name(struct figure_script *script, const char *name);
void figure_group_rows(struct figure_script *script, size_t groups);

/* A bar in four columns: its value, an interval or NAN, and what bound it is. */
void figure_write_bar(FILE *out, struct figure_script *script, double value, double low,
                      double high, enum figure_bound bound);

/* The position of a row, from 1, and its label. */
void figure_begin_row(FILE *out, size_t position, const char *label);

/* One more column: a number (NAN: "nan"), after a tab; text without tabs and line ends. */
void figure_write_number(FILE *out, double number);
void figure_write_label(FILE *out, const char *text);

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

#endif
