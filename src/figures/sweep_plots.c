#include "base/ct_intern.h"
#include "base/ct_sort.h"
#include "figures/figure.h"
#include "figures/report_plots.h"
#include "results/result_apart.h"

#include <stdlib.h>
#include <string.h>

/* What a panel can be told apart by on one canvas: chosen. */
enum { MOST_PANELS = 12 };

/* A point's run under a policy in a panel. */
struct spot {
    size_t panel, policy;
    double across;
    const struct report *report;
};

struct sweep {
    struct ct_arena *arena;
    const struct result_set *set;
    const struct result_points *points;
    const char **axes;  /* that take more than one value */
    const char **names; /* of the axes, in words */
    bool *numeric;      /* these take numbers alone */
    size_t axis_count;
    size_t main;         /* the axis to the right */
    const char **panels; /* names */
    size_t panel_count;
    const char **policies;
    size_t policy_count;
    bool joined;
    CT_VEC(struct spot) spots;
};

static const char *value_of(const struct result_point *point, const char *key) {
    for (size_t i = 0; i < point->value_count; i++)
        if (strcmp(point->values[i].key, key) == 0)
            return point->values[i].value;
    return NULL;
}

/* NAN: the point has no such number. */
static double number_of(const struct result_point *point, const char *key) {
    const char *text = value_of(point, key);
    char *end = NULL;
    double number = text ? strtod(text, &end) : NAN;
    return text && end != text && !*end ? number : NAN;
}

/* How many values an axis takes, and whether all are numbers. False: no memory. */
static bool count_values(const struct result_points *points, const char *key, size_t *count,
                         bool *numeric) {
    struct ct_intern values = {0};
    bool good = true;
    *numeric = true;
    for (size_t i = 0; i < points->count && good; i++) {
        const char *text = value_of(&points->items[i], key);
        *numeric = *numeric && (!text || !isnan(number_of(&points->items[i], key)));
        good = !text || ct_intern_text(&values, text) != UINT32_MAX;
    }
    *count = values.items.count;
    ct_intern_free(&values);
    return good;
}

static bool list_axes(struct sweep *sweep) {
    size_t most = 0, best = 0, keys = 0;
    for (size_t i = 0; i < sweep->points->count; i++)
        most += sweep->points->items[i].value_count;
    sweep->axes = ct_arena_array(sweep->arena, most + 1, sizeof *sweep->axes);
    sweep->numeric = ct_arena_array(sweep->arena, most + 1, sizeof *sweep->numeric);
    if (!sweep->axes || !sweep->numeric)
        return false;
    for (size_t i = 0; i < sweep->points->count; i++)
        for (size_t v = 0; v < sweep->points->items[i].value_count; v++)
            figure_index(sweep->axes, &keys, sweep->points->items[i].values[v].key);
    for (size_t k = 0; k < keys; k++) {
        size_t values, axis = sweep->axis_count;
        if (!count_values(sweep->points, sweep->axes[k], &values, &sweep->numeric[axis]))
            return false;
        if (values < 2)
            continue;
        sweep->axes[sweep->axis_count++] = sweep->axes[k];
        if (sweep->numeric[axis] && values > best) {
            best = values;
            sweep->main = axis;
        }
    }
    sweep->main = best ? sweep->main : sweep->axis_count;
    return true;
}

/* A report of the sweep; NULL: it has none. */
static const struct report *example_of(const struct sweep *sweep) {
    for (size_t i = 0; i < sweep->points->count; i++)
        for (size_t r = 0; r < sweep->points->items[i].run_count; r++) {
            const struct result_run *run =
                result_set_find(sweep->set, sweep->points->items[i].runs[r]);
            if (run)
                return &run->report;
        }
    return NULL;
}

static bool name_axes(struct sweep *sweep) {
    const struct report *example = example_of(sweep), none = {0};
    sweep->names = ct_arena_array(sweep->arena, sweep->axis_count + 1, sizeof *sweep->names);
    bool ok = sweep->names;
    for (size_t a = 0; a < sweep->axis_count && ok; a++)
        ok = (sweep->names[a] =
                  result_key_words(example ? example : &none, sweep->axes[a], sweep->arena));
    return ok;
}

/* "gpu a100, instances 4": where a point lies on the other axes; NULL when memory ran out. */
static const char *name_panel(struct sweep *sweep, const struct result_point *point) {
    const char *name = "";
    for (size_t a = 0; a < sweep->axis_count && name; a++) {
        const char *value = a == sweep->main ? NULL : value_of(point, sweep->axes[a]);
        if (value)
            name = ct_arena_format(sweep->arena, "%s%s%s %s", name, *name ? ", " : "",
                                   sweep->names[a], value);
    }
    return name;
}

/* The panel of each point, or (as many panels as points, or nearly so) that of each axis. */
static bool list_panels(struct sweep *sweep, size_t *panel_of) {
    size_t count = sweep->points->count;
    sweep->panels = ct_arena_array(sweep->arena, count + sweep->axis_count, sizeof *sweep->panels);
    for (size_t i = 0; i < count && sweep->panels; i++) {
        const char *name = name_panel(sweep, &sweep->points->items[i]);
        if (!name)
            return false;
        panel_of[i] = figure_index(sweep->panels, &sweep->panel_count, name);
    }
    sweep->joined = sweep->panel_count <= MOST_PANELS && 2 * sweep->panel_count <= count;
    if (sweep->joined || !sweep->panels)
        return sweep->panels;
    sweep->panel_count = 0;
    for (size_t a = 0; a < sweep->axis_count; a++)
        if (sweep->numeric[a])
            sweep->panels[sweep->panel_count++] = sweep->names[a];
    return true;
}

/* A run in its panel, or in that of each axis. */
static bool place_run(struct sweep *sweep, const struct result_point *point, size_t panel,
                      struct spot spot) {
    if (sweep->joined) {
        spot.panel = panel;
        spot.across = number_of(point, sweep->axes[sweep->main]);
        return isnan(spot.across) || ct_vec_push(&sweep->spots, spot);
    }
    spot.panel = 0;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        if (!sweep->numeric[a])
            continue;
        spot.across = number_of(point, sweep->axes[a]);
        if (!isnan(spot.across) && !ct_vec_push(&sweep->spots, spot))
            return false;
        spot.panel++;
    }
    return true;
}

static bool place_points(struct sweep *sweep, const size_t *panel_of) {
    size_t most = 1;
    for (size_t i = 0; i < sweep->points->count; i++)
        most += sweep->points->items[i].run_count;
    sweep->policies = ct_arena_array(sweep->arena, most, sizeof *sweep->policies);
    bool ok = sweep->policies;
    for (size_t i = 0; i < sweep->points->count; i++) {
        const struct result_point *point = &sweep->points->items[i];
        for (size_t r = 0; r < point->run_count && ok; r++) {
            const struct result_run *run = result_set_find(sweep->set, point->runs[r]);
            if (!run)
                continue;
            size_t policy = figure_index(sweep->policies, &sweep->policy_count, run->report.policy);
            ok = place_run(sweep, point, panel_of[i],
                           (struct spot){.policy = policy, .report = &run->report});
        }
    }
    return ok;
}

/* By panel, policy and place; among equals the order of the points. */
static int compare_spots(const void *a, const void *b) {
    const struct spot *x = a, *y = b;
    int order = ct_order(x->panel, y->panel);
    order = order ? order : ct_order(x->policy, y->policy);
    order = order ? order : ct_order(x->across, y->across);
    return order ? order : ct_order(x->report, y->report);
}

/* ---- The figures ---- */

static void write_spot(struct figure *figure, const struct sweep *sweep, size_t block,
                       const struct spot *spot, struct plot_value value,
                       struct figure_script *script) {
    if (isnan(value.low) || isnan(value.high))
        value.low = value.high = NAN;
    figure_row(figure, block + 1, spot->across, value.value, value.low, value.high, value.bound,
               sweep->policies[spot->policy], sweep->panels[spot->panel]);
    figure_measure(script, value);
    script->least = fmin(script->least, spot->across);
    script->most = fmax(script->most, spot->across);
}

/* A block for each policy of each panel, "drawn" where it has a number. */
static void write_blocks(struct figure *figure, const struct sweep *sweep,
                         const struct plot_measure *measure, struct figure_script *script) {
    const struct spot *spot = sweep->spots.items, *end = spot + sweep->spots.count;
    for (size_t block = 0; block < sweep->panel_count * sweep->policy_count; block++) {
        bool any = false;
        for (; spot < end && spot->panel * sweep->policy_count + spot->policy == block; spot++) {
            struct plot_value value = plot_value_of(measure, spot->report);
            if (!isfinite(value.value))
                continue;
            write_spot(figure, sweep, block, spot, value, script);
            any = true;
        }
        figure_list(figure, any, block);
    }
}

static void write_figure(struct figure *figure, const struct sweep *sweep,
                         const struct plot_measure *measure) {
    enum { ROW_HEIGHT = 260 };
    struct figure_script script = {.template = "sweep.gp",
                                   .labels = sweep->policies,
                                   .label_count = sweep->policy_count,
                                   .service = measure->axis,
                                   .target = measure->target,
                                   .least = INFINITY,
                                   .most = -INFINITY,
                                   .keys = sweep->policy_count + (measure->target > 0),
                                   .panels = 1,
                                   .panel_height = ROW_HEIGHT,
                                   .across = sweep->joined ? sweep->names[sweep->main] : "",
                                   .panel_labels = sweep->panels,
                                   .panel_label_count = sweep->panel_count,
                                   .joined = sweep->joined};
    figure->policies = sweep->panel_count * sweep->policy_count; /* of the lists of blocks */
    if (!figure_begin(figure, "sweep", measure->name,
                      "series,place,value,low,high,bound,policy,panel"))
        return;
    write_blocks(figure, sweep, measure, &script);
    figure_key_bounds(&script);
    figure_end(figure, &script);
}

static bool is_known(const struct sweep *sweep, const struct plot_measure *measure) {
    for (size_t i = 0; i < sweep->spots.count; i++)
        if (isfinite(plot_value_of(measure, sweep->spots.items[i].report).value))
            return true;
    return false;
}

static void write_figures(struct figure *figure, struct sweep *sweep) {
    ct_vec_sort(&sweep->spots, compare_spots);
    for (size_t i = 0; i < PLOT_MEASURES; i++)
        if (is_known(sweep, &plot_measures[i]))
            write_figure(figure, sweep, &plot_measures[i]);
}

int sweep_plots_write(const struct result_set *set, const struct result_points *points,
                      const char *folder, struct report_plots *plots, struct ct_diags *diags) {
    struct sweep sweep = {.arena = &plots->arena, .set = set, .points = points};
    struct figure figure = {.folder = folder, .plots = plots, .diags = diags};
    size_t *panel_of = ct_arena_array(&plots->arena, points->count + 1, sizeof *panel_of);
    bool ok = panel_of && list_axes(&sweep) && name_axes(&sweep);
    if (ok && sweep.main == sweep.axis_count)
        return CT_OK;
    ok = ok && list_panels(&sweep, panel_of) && place_points(&sweep, panel_of);
    if (ok && sweep.spots.count) {
        const char *name = points->items[0].sweep;
        figure.title = name ? name : sweep.spots.items[0].report->workload;
        figure.gpu = sweep.spots.items[0].report->gpu;
        for (size_t i = 0; i < sweep.axis_count; i++)
            if (strncmp(sweep.axes[i], "gpu", 3) == 0)
                figure.gpu = NULL; /* it is another one in every panel */
    }
    if (ok)
        write_figures(&figure, &sweep);
    else
        figure_out_of_memory(&figure);
    ct_vec_free(&sweep.spots);
    return figure.status;
}
