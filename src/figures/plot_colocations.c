#include "figures/figure.h"
#include "figures/report_curves.h"
#include "figures/report_plots.h"

#include <stdlib.h>
#include <string.h>

/* One run: where it belongs. */
struct entry {
    const struct report *report;
    const char *point;         /* of a sweep; "" */
    struct result_given given; /* what made it; empty where the store does not say */
    size_t colocation, policy; /* indices */
};

struct colocations {
    struct ct_arena *arena;
    struct entry *entries;
    size_t entry_count;
    const struct entry **groups; /* the first entry of each co-location */
    size_t group_count;
    struct report_places places; /* of the groups */
    const char **labels;         /* of the groups, and of their mean */
    const char **policies;       /* in the order in which they appear */
    size_t policy_count;
};

static bool is_same(const struct entry *a, const struct entry *b) {
    const char *x = a->given.inputs, *y = b->given.inputs;
    return report_same_place(a->report, b->report) && strcmp(a->point, b->point) == 0 &&
           strcmp(x ? x : "", y ? y : "") == 0;
}

static void place(struct colocations *c, struct entry *entry) {
    while (entry->colocation < c->group_count && !is_same(c->groups[entry->colocation], entry))
        entry->colocation++;
    if (entry->colocation == c->group_count) {
        c->groups[c->group_count++] = entry;
        report_places_add(&c->places, entry->report);
    }
    entry->policy = figure_index(c->policies, &c->policy_count, entry->report->policy);
}

/* Every run of the user's that no pooled run contains. */
static int collect(struct colocations *c, const struct plot_source *source,
                   struct ct_diags *diags) {
    int status = CT_OK;
    for (size_t i = 0; i < source->set.runs.count && status == CT_OK; i++) {
        const struct result_run *run = &source->set.runs.items[i];
        if (run->pool || run->purpose)
            continue;
        struct entry *entry = &c->entries[c->entry_count];
        *entry = (struct entry){.report = &run->report};
        status = result_point_label(source->store, run, c->arena, &entry->point, diags);
        if (status == CT_OK && entry->point) {
            result_given_read(run, c->arena, &entry->given);
            place(c, entry);
            c->entry_count++;
        }
    }
    return status;
}

/* Whether the GPU is an axis: the point says which it is. */
static bool says_gpu(const char *point) {
    const char *gpu = strstr(point, "gpu ");
    return gpu && (gpu == point || (gpu >= point + 2 && gpu[-1] == ' ' && gpu[-2] == ','));
}

/* "mix on v100, rate 20": of a workload, a GPU and a point. NULL: no memory. */
static const char *name_place(const struct colocations *c, const struct entry *entry) {
    struct report_places places = c->places;
    if (says_gpu(entry->point))
        places.gpu = entry->report->gpu;
    const char *place = report_place_name(&places, entry->report, c->arena);
    return place ? ct_arena_format(c->arena, "%s%s%s", place, *place && *entry->point ? ", " : "",
                                   entry->point)
                 : NULL;
}

static bool name_groups(struct colocations *c) {
    struct result_named *named = ct_arena_array(c->arena, c->group_count, sizeof *named);
    for (size_t i = 0; i < c->group_count && named; i++) {
        named[i] = (struct result_named){c->groups[i]->report, name_place(c, c->groups[i]),
                                         c->groups[i]->given};
        if (!named[i].name)
            return false;
    }
    return named && report_names_apart(named, c->group_count, c->arena, c->labels);
}

/* ---- Values ---- */

/* The newest run counts. */
static struct plot_value value_at(const struct colocations *c, const struct plot_measure *measure,
                                  size_t group, size_t policy) {
    for (size_t i = c->entry_count; i-- > 0;)
        if (c->entries[i].colocation == group && c->entries[i].policy == policy)
            return plot_value_of(measure, c->entries[i].report);
    return (struct plot_value){NAN, NAN, NAN, FIGURE_EXACT};
}

/* ---- The figure ---- */

/* Sums that become the mean; NAN where a value is missing or only a bound. */
static void write_group(struct figure *figure, const struct colocations *c,
                        const struct plot_measure *measure, size_t group, double *sums,
                        struct figure_script *script) {
    for (size_t p = 0; p < c->policy_count; p++) {
        struct plot_value value = value_at(c, measure, group, p);
        figure_write_bar(figure, script, p, group, value);
        sums[p] += value.bound ? NAN : value.value;
    }
}

/* The place behind the groups is called "mean". */
static bool write_mean(struct figure *figure, const struct colocations *c, const double *sums,
                       struct figure_script *script) {
    bool any = false;
    for (size_t p = 0; p < c->policy_count; p++)
        any |= isfinite(sums[p]);
    for (size_t p = 0; p < c->policy_count && any; p++)
        figure_write_bar(
            figure, script, p, c->group_count,
            (struct plot_value){sums[p] / (double)c->group_count, NAN, NAN, FIGURE_EXACT});
    return any;
}

static bool is_known(const struct colocations *c, const struct plot_measure *measure) {
    for (size_t i = 0; i < c->entry_count; i++)
        if (isfinite(plot_value_of(measure, c->entries[i].report).value))
            return true;
    return false;
}

static const char *title_of(const struct colocations *c) {
    const struct report_places *places = &c->places;
    return ct_arena_format(c->arena, "%s%s%zu co-locations%s%s",
                           places->workload ? places->workload : "", places->workload ? ", " : "",
                           c->group_count, places->gpu ? " on " : "",
                           places->gpu ? places->gpu : "");
}

static void write_figure(struct figure *figure, const struct colocations *c,
                         const struct plot_measure *measure) {
    double *sums = ct_arena_array(c->arena, c->policy_count, sizeof *sums);
    struct figure_script script =
        figure_grouped(c->policies, c->policy_count, c->labels, measure->axis, measure->target);
    figure->title = title_of(c);
    if (!sums || !figure->title)
        figure_out_of_memory(figure);
    if (!figure_begin(figure, "colocations", measure->name,
                      "series,position,value,low,high,bound,policy,co_location"))
        return;
    for (size_t g = 0; g < c->group_count; g++)
        write_group(figure, c, measure, g, sums, &script);
    bool mean = write_mean(figure, c, sums, &script);
    figure_group_rows(&script, c->group_count + mean);
    script.keys += measure->target > 0;
    figure_key_bounds(&script);
    figure_end(figure, &script);
}

static int write_figures(struct figure *figure, struct colocations *c) {
    if (c->group_count < 2)
        return CT_OK;
    if (!name_groups(c))
        return figure_out_of_memory(figure);
    c->labels[c->group_count] = "mean";
    for (size_t i = 0; i < PLOT_MEASURES; i++)
        if (is_known(c, &plot_measures[i]))
            write_figure(figure, c, &plot_measures[i]);
    return figure->status;
}

int plot_colocations(const struct plot_source *sources, size_t count, const char *folder,
                     struct report_plots *plots, struct ct_diags *diags) {
    struct figure figure = {.folder = folder, .plots = plots, .diags = diags};
    struct colocations c = {.arena = &plots->arena};
    size_t most = 1;
    for (size_t i = 0; i < count; i++)
        most += sources[i].set.runs.count;
    c.entries = ct_arena_array(c.arena, most, sizeof *c.entries);
    c.groups = ct_arena_array(c.arena, most, sizeof *c.groups);
    c.labels = ct_arena_array(c.arena, most, sizeof *c.labels);
    c.policies = ct_arena_array(c.arena, most, sizeof *c.policies);
    if (!c.entries || !c.groups || !c.labels || !c.policies)
        return ct_out_of_memory(diags);
    int status = CT_OK;
    for (size_t i = 0; i < count && status == CT_OK; i++)
        status = collect(&c, &sources[i], diags);
    return status == CT_OK ? write_figures(&figure, &c) : status;
}
