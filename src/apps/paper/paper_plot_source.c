/* Figures of what no mix gives: published beside simulated, and a cluster's spread. */
#include "apps/paper/paper_plot.h"
#include "figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Published beside simulated ---- */

/* A published value: "3150", "46 to 50", or words; high: of a range, else as low. */
struct published {
    double low, high; /* NAN: in words, or nothing */
};

static struct published published_of(const struct paper_row *row) {
    struct published none = {NAN, NAN};
    char *end;
    if (!row->published)
        return none;
    double low = strtod(row->published, &end), high = low;
    if (end == row->published)
        return none;
    if (strncmp(end, " to ", 4) == 0)
        high = strtod(end + 4, &end);
    return *end == '\0' ? (struct published){low, high} : none;
}

static bool same_chart(const struct paper_plot_value *a, const struct paper_plot_value *b) {
    return a->item == b->item && strcmp(a->row->unit, b->row->unit) == 0;
}

static bool is_first(const struct paper_plot_value *values, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (same_chart(&values[k], &values[i]))
            return false;
    return true;
}

/* What the rows of one figure have: published numbers, and ranges of them. */
struct chart_of_rows {
    bool published, ranges;
};

static struct chart_of_rows survey(const struct paper_plot_value *values, size_t count, size_t i) {
    struct chart_of_rows chart = {false, false};
    for (size_t k = i; k < count; k++) {
        struct published published = published_of(values[k].row);
        if (!same_chart(&values[k], &values[i]))
            continue;
        chart.published |= isfinite(published.low);
        chart.ranges |= published.high > published.low;
    }
    return chart;
}

/* Where others have a range ours is one point: a series without any would be left out. */
static void write_row(struct figure *figure, const struct paper_plot_value *value,
                      struct chart_of_rows chart, size_t number, struct figure_script *script) {
    struct published published = published_of(value->row);
    bool range = published.high > published.low;
    double ours = paper_row_shown(value->row, value->value);
    double end = chart.ranges ? ours : NAN;
    if (chart.published)
        figure_write_bar(figure, script, 0, number,
                         (struct plot_value){0.5 * (published.low + published.high),
                                             range ? published.low : NAN,
                                             range ? published.high : NAN, FIGURE_EXACT});
    figure_write_bar(figure, script, chart.published, number,
                     (struct plot_value){ours, end, end, FIGURE_EXACT});
}

/* The rows of an item with the unit of its i-th. */
static int write_chart(struct figure *figure, const struct paper_plot_value *values, size_t count,
                       size_t i) {
    static const char *const labels[] = {"published", "simulated"};
    const struct paper_item *item = values[i].item;
    struct chart_of_rows chart = survey(values, count, i);
    size_t bars = chart.published ? 2 : 1, number = 0;
    const char **places = ct_arena_array(&figure->plots->arena, count, sizeof *places);
    char title[400];
    struct figure_script script =
        figure_grouped(labels + 2 - bars, bars, places,
                       *values[i].row->unit ? values[i].row->unit : "difference", NAN);
    if (!places)
        return figure_out_of_memory(figure);
    snprintf(title, sizeof title, "%s (%s)", item->id, item->where);
    figure->title = title;
    if (!figure_begin(figure, item->id, paper_measures[values[i].row->measure].name,
                      "series,position,value,low,high,bound,of,row"))
        return CT_DATA;
    for (size_t k = i; k < count; k++)
        if (same_chart(&values[k], &values[i])) {
            places[number] = values[k].row->what;
            write_row(figure, &values[k], chart, number++, &script);
        }
    figure_group_rows(&script, number);
    return figure_end(figure, &script);
}

/* ---- How a cluster spreads (Baymax Fig. 14, 15) ---- */

/* Bounds of levels; the last one has no upper bound. */
struct levels {
    const char *name, *axis;
    size_t count;
    double bounds[5];
    const char *labels[5];
};

/* Degradations that the paper names: 2 % and 40 %. */
static const struct levels latency_levels = {
    "p99 over the target of each co-location",
    "% of the co-locations",
    4,
    {1, 1.02, 1.4, INFINITY},
    {"within the target", "up to 1.02 targets", "up to 1.4 targets", "above 1.4 targets"}};
static const struct levels busy_levels = {
    "part of the time with batch work of each GPU",
    "% of the GPUs",
    5,
    {0.2, 0.4, 0.6, 0.8, INFINITY},
    {"up to 20 %", "20 to 40 %", "40 to 60 %", "60 to 80 %", "above 80 %"}};

static double share_of(const double *values, size_t count, const struct levels *levels,
                       size_t level) {
    size_t inside = 0, known = 0;
    double low = level ? levels->bounds[level - 1] : -INFINITY;
    for (size_t i = 0; i < count; i++) {
        known += !isnan(values[i]);
        inside += values[i] > low && values[i] <= levels->bounds[level];
    }
    return known ? 100.0 * (double)inside / (double)known : NAN;
}

enum { RUNS_MOST = 16, LABEL = 120 };

/* Shares of one level, run by run. */
static void write_level(struct figure *figure, const struct levels *levels, size_t level,
                        const struct paper_cluster_run *const *runs, size_t count,
                        struct figure_script *script) {
    bool busy = levels == &busy_levels;
    for (size_t i = 0; i < count; i++) {
        double share = share_of(busy ? runs[i]->busy : runs[i]->over,
                                busy ? runs[i]->busy_count : runs[i]->over_count, levels, level);
        figure_write_bar(figure, script, i, level,
                         (struct plot_value){share, NAN, NAN, FIGURE_EXACT});
    }
}

static bool are_of_one_cluster(const struct paper_cluster_run *const *runs, size_t count) {
    for (size_t i = 1; i < count; i++)
        if (strcmp(runs[i]->row->cluster.file, runs[0]->row->cluster.file) != 0)
            return false;
    return true;
}

/* Policy and placement, and the cluster's file where it is one of several. */
static void name_run(char name[LABEL], const struct paper_row *row, bool one_cluster) {
    const char *file = row->cluster.file;
    snprintf(name, LABEL, "%s, %s%s%.*s", row->policy, row->cluster.placement,
             one_cluster ? "" : ", ", one_cluster ? 0 : (int)strcspn(file, "."), file);
}

static int write_levels(struct figure *figure, const struct paper_item *item,
                        const struct levels *levels, const struct paper_sources *sources) {
    const struct paper_cluster_run *runs[RUNS_MOST];
    size_t count = 0;
    for (const struct paper_cluster_run *run = sources->clusters; run && count < RUNS_MOST;
         run = run->next)
        runs[count++] = run;
    char names[RUNS_MOST][LABEL], title[400];
    const char *labels[RUNS_MOST];
    struct figure_script script = figure_grouped(labels, count, levels->labels, levels->axis, NAN);
    if (count == 0)
        return CT_OK;
    bool one_cluster = are_of_one_cluster(runs, count);
    for (size_t i = 0; i < count; i++) {
        name_run(names[i], runs[i]->row, one_cluster);
        labels[i] = names[i];
    }
    snprintf(title, sizeof title, "%s (%s): %s, %u GPUs", item->id, item->where, levels->name,
             runs[0]->sums.gpus);
    figure->title = title;
    if (!figure_begin(figure, item->id, "levels",
                      "series,position,value,low,high,bound,policy,level"))
        return CT_DATA;
    for (size_t level = 0; level < levels->count; level++)
        write_level(figure, levels, level, runs, count, &script);
    figure_group_rows(&script, levels->count);
    return figure_end(figure, &script);
}

/* ---- All ---- */

int paper_plot_sources(const struct paper_plot_value *values, size_t count,
                       const struct paper_sources *sources, const char *folder,
                       struct report_plots *plots, struct ct_diags *diags) {
    struct figure figure = {.folder = folder, .plots = plots, .diags = diags};
    int status = CT_OK;
    for (size_t i = 0; i < count && status == CT_OK; i++) {
        int32_t measure = values[i].row->measure;
        if (!is_first(values, i))
            continue;
        status = write_chart(&figure, values, count, i);
        bool of_cluster =
            measure >= PAPER_CLUSTER_SEVERE && (i == 0 || values[i - 1].item != values[i].item);
        if (status == CT_OK && of_cluster)
            status = write_levels(&figure, values[i].item,
                                  measure == PAPER_CLUSTER_BUSY ? &busy_levels : &latency_levels,
                                  sources);
    }
    return status;
}
