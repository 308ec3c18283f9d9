#include "apps/paper/paper_plot.h"

#include "base/ct_assert.h"
#include "base/ct_text.h"
#include "figures/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { GROUPS_MOST = 1024, POLICIES_MOST = 16, LABEL = 240 };

/* What a group of bars is the mean of. */
struct group {
    char label[LABEL];
    const char *kinds; /* NULL: all */
    size_t mix;        /* one co-location; SIZE_MAX: all of the kinds */
    uint32_t level;    /* UINT32_MAX: all */
    bool mean;         /* of all co-locations before it */
};

/* One figure: rows of an item with one measure. */
struct chart {
    const struct paper_plot *plot;
    const struct paper_item *item;
    int32_t measure;
    size_t policies[POLICIES_MOST]; /* of the outcome */
    const char *labels[POLICIES_MOST];
    size_t policy_count;
    struct group *groups;
    size_t group_count;
    size_t shaded, shaded_end; /* groups of the second class of co-locations, from 1; 0: none */
    const char *special_kinds; /* those of the shaded ones, or the only ones */
    double *values;            /* room for a draw's mixes and the draws */
};

/* ---- Which policies, which groups ---- */

static bool is_of(const struct chart *c, const struct paper_line *row) {
    return row->item == c->item && row->row->measure == c->measure && !row->row->apps;
}

static void add_policy(struct chart *c, const char *name) {
    size_t before = c->policy_count;
    if (before < POLICIES_MOST && figure_index(c->labels, &c->policy_count, name) == before)
        c->policies[before] =
            ct_text_index(name, c->plot->policies, c->plot->outcome->policy_count);
}

static bool is_shown(const struct chart *c, const char *policy) {
    for (size_t i = 0; i < c->plot->row_count && policy; i++)
        if (is_of(c, &c->plot->rows[i]) && paper_row_names(c->plot->rows[i].row, policy))
            return true;
    return false;
}

/* In the order of all rows of the suite: the same in all its figures, whatever was asked for. */
static void add_policies(struct chart *c) {
    const struct paper *paper = c->plot->paper;
    for (size_t i = 0; i < paper->item_count; i++)
        for (size_t k = 0; k < paper->items[i].row_count; k++) {
            const struct paper_row *row = &paper->items[i].rows[k];
            if (!row->suite || strcmp(row->suite, c->plot->suite->name) != 0)
                continue;
            if (is_shown(c, row->against))
                add_policy(c, row->against);
            if (is_shown(c, row->policy))
                add_policy(c, row->policy);
        }
}

static void add_group(struct chart *c, const char *label, struct group group) {
    if (c->group_count == GROUPS_MOST)
        return;
    snprintf(group.label, sizeof group.label, "%.*s", LABEL - 1, label);
    c->groups[c->group_count++] = group;
}

static bool has_group(const struct chart *c, const char *label) {
    for (size_t g = 0; g < c->group_count; g++)
        if (strcmp(c->groups[g].label, label) == 0)
            return true;
    return false;
}

/* "compute-bound + 3 memory-bound" of CMMM. */
static void name_kinds(const struct paper *paper, const char *kinds, char name[LABEL]) {
    size_t used = 0;
    name[0] = '\0';
    for (size_t run; *kinds; kinds += run) {
        const char *text = NULL;
        run = strspn(kinds, (char[]){*kinds, '\0'});
        for (size_t i = 0; i < paper->kind_count; i++)
            if (paper->kinds[i].letter == *kinds)
                text = paper->kinds[i].name;
        char many[24] = "";
        if (run > 1)
            snprintf(many, sizeof many, "%zu ", run);
        if (used < LABEL)
            used += (size_t)snprintf(name + used, LABEL - used, "%s%s%.*s", used ? " + " : "", many,
                                     text ? (int)strlen(text) : 1, text ? text : kinds);
    }
}

/* Whether a row of the figure is about the mix. */
static bool has_mix(const struct chart *c, const struct paper_mix *mix) {
    for (size_t i = 0; i < c->plot->row_count; i++)
        if (is_of(c, &c->plot->rows[i]) &&
            paper_row_has_mix(c->plot->rows[i].row, c->plot->suite, mix))
            return true;
    return false;
}

/* A service beside many is told by its own name. */
static void name_colocation(const struct paper_suite *suite, const struct paper_mix *mix,
                            char name[PAPER_MIX_NAME]) {
    enum { MANY = 4 };
    if (mix->count > MANY)
        snprintf(name, PAPER_MIX_NAME, "%s + %u others", suite->apps[mix->apps[0]].name,
                 mix->count - 1);
    else
        paper_mix_name(suite, mix, name);
}

/* Adds the co-locations of a class; NULL: of all. */
static void add_class_of_colocations(struct chart *c, const char *kinds) {
    const struct paper_outcome *o = c->plot->outcome;
    for (size_t m = 0; m < o->mix_count; m++) {
        char name[PAPER_MIX_NAME];
        if ((kinds && strcmp(o->mixes[m].kinds, kinds) != 0) || !has_mix(c, &o->mixes[m]))
            continue;
        name_colocation(c->plot->suite, &o->mixes[m], name);
        add_group(c, name, (struct group){.mix = m, .level = UINT32_MAX});
    }
}

/* The second class shaded, as in Baymax' Figure 2. */
static void add_classes_of_colocations(struct chart *c) {
    const struct paper_outcome *o = c->plot->outcome;
    size_t classes = 0;
    ct_assert(o->mixes);
    for (size_t m = 0; m < o->mix_count; m++) {
        bool known = false;
        for (size_t k = 0; k < m && !known; k++)
            known = strcmp(o->mixes[k].kinds, o->mixes[m].kinds) == 0;
        size_t before = c->group_count;
        if (!known)
            add_class_of_colocations(c, o->mixes[m].kinds);
        if (c->group_count == before)
            continue;
        c->special_kinds = ++classes <= 2 ? o->mixes[m].kinds : c->special_kinds;
        if (classes == 2) {
            c->shaded = before + 1;
            c->shaded_end = c->group_count;
        }
    }
}

/* Class by class where the paper has names for classes; the mean of more than two. */
static void add_colocations(struct chart *c) {
    if (c->plot->paper->kind_count)
        add_classes_of_colocations(c);
    else
        add_class_of_colocations(c, NULL);
    if (c->group_count > 2)
        add_group(c, "mean", (struct group){.mix = SIZE_MAX, .level = UINT32_MAX, .mean = true});
}

/* Adds all levels of a row, one after the other, for each class that a row is about. */
static void add_levels(struct chart *c) {
    const struct paper_suite *suite = c->plot->suite;
    for (size_t i = 0; i < c->plot->row_count; i++) {
        const struct paper_row *row = c->plot->rows[i].row;
        for (uint32_t level = 0; is_of(c, &c->plot->rows[i]) && level < suite->level_count;
             level++) {
            char label[2 * LABEL], kinds[LABEL];
            if (!paper_row_has_level(row, suite->levels[level]))
                continue;
            name_kinds(c->plot->paper, row->kinds ? row->kinds : "", kinds);
            snprintf(label, sizeof label, "%s%s%g", kinds, *kinds ? ", " : "",
                     suite->levels[level]);
            if (!has_group(c, label))
                add_group(c, label,
                          (struct group){.kinds = row->kinds, .mix = SIZE_MAX, .level = level});
        }
    }
}

static void add_classes(struct chart *c) {
    const struct paper_outcome *o = c->plot->outcome;
    for (size_t m = 0; m < o->mix_count; m++) {
        char label[LABEL];
        name_kinds(c->plot->paper, o->mixes[m].kinds, label);
        if (!has_group(c, label))
            add_group(
                c, label,
                (struct group){.kinds = o->mixes[m].kinds, .mix = SIZE_MAX, .level = UINT32_MAX});
    }
    if (c->group_count > 1)
        add_group(c, "all", (struct group){.mix = SIZE_MAX, .level = UINT32_MAX});
}

/* ---- Values ---- */

static double of_draw(const struct chart *c, const struct group *group, size_t policy,
                      uint32_t draw) {
    const struct paper_outcome *o = c->plot->outcome;
    size_t count = 0, used;
    for (uint32_t level = 0; level < o->levels; level++)
        for (size_t m = 0; m < o->mix_count; m++) {
            bool level_fits = group->level == UINT32_MAX || group->level == level;
            bool mix_fits =
                group->mean ? has_mix(c, &o->mixes[m]) : group->mix == SIZE_MAX || group->mix == m;
            if (level_fits && mix_fits &&
                (!group->kinds || strcmp(group->kinds, o->mixes[m].kinds) == 0))
                c->values[count++] =
                    paper_values_of(o, draw, level, m, policy)->measures[c->measure];
        }
    return paper_reduce(PAPER_MEAN, c->values, NULL, count, NAN, &used);
}

static struct paper_spread value_of(const struct chart *c, const struct group *group,
                                    size_t policy) {
    const struct paper_outcome *o = c->plot->outcome;
    double *draws = c->values + o->levels * o->mix_count;
    for (uint32_t d = 0; d < o->draws; d++)
        draws[d] = of_draw(c, group, policy, d);
    struct paper_spread spread = paper_spread_of(draws, o->draws);
    if (o->draws < 2)
        spread.low = spread.high = NAN;
    return spread;
}

/* ---- The figure ---- */

static void write_group(struct figure *figure, const struct chart *c, size_t number,
                        struct figure_script *script) {
    for (size_t p = 0; p < c->policy_count; p++) {
        struct paper_spread value = value_of(c, &c->groups[number], c->policies[p]);
        figure_write_bar(figure, script, p, number,
                         (struct plot_value){value.median, value.low, value.high, FIGURE_EXACT});
    }
}

/* What a service runs beside, without the service. */
static void name_rivals(const struct chart *c, char name[LABEL]) {
    char letters[PAPER_MIX_MOST + 1] = "";
    size_t used = 0;
    for (const char *kind = c->special_kinds; *kind; kind++)
        if (*kind != *c->plot->suite->service_kind)
            letters[used++] = *kind;
    name_kinds(c->plot->paper, letters, name);
}

static void write_title(const struct chart *c, char *title, size_t size) {
    const struct paper_suite *suite = c->plot->suite;
    const struct paper_outcome *o = c->plot->outcome;
    char rivals[LABEL] = "";
    size_t mixes = 0;
    bool all = !suite->service_kind && suite->level_count == 0; /* classes show all mixes */
    for (size_t m = 0; m < o->mix_count; m++)
        mixes += all || has_mix(c, &o->mixes[m]);
    if (suite->service_kind && (c->shaded || mixes < o->mix_count))
        name_rivals(c, rivals);
    snprintf(title, size, "%s (%s): %s, %zu %s%s%s%s%s", c->item->id, c->item->where, suite->name,
             mixes, suite->service_kind ? "co-locations" : "mixes",
             suite->level_count ? ", by time alone / time allowed" : "",
             c->shaded ? ", shaded" : "", *rivals ? ": " : "", rivals);
}

static double target_of(const struct chart *c) {
    bool of_target = c->measure == PAPER_P99 || c->measure == PAPER_P99_FROM_KERNEL ||
                     c->measure == PAPER_MEAN_TARGET;
    bool of_high = c->measure == PAPER_HIGH_NP && c->plot->suite->high_target > 0;
    return of_target ? 1 : of_high ? c->plot->suite->high_target : NAN;
}

static int write_figure(struct figure *figure, const struct chart *c) {
    char title[800], name[200];
    const char *places[GROUPS_MOST];
    struct figure_script script = figure_grouped(c->labels, c->policy_count, places,
                                                 paper_measures[c->measure].axis, target_of(c));
    script.keys += 2;
    script.shaded = c->shaded;
    script.shaded_end = c->shaded_end;
    write_title(c, title, sizeof title);
    figure->title = title;
    snprintf(name, sizeof name, "%s-%s", c->plot->suite->name, paper_measures[c->measure].name);
    if (!figure_begin(figure, c->item->id, name,
                      "series,position,value,low,high,bound,policy,mixes"))
        return CT_DATA;
    for (size_t g = 0; g < c->group_count; g++) {
        places[g] = c->groups[g].label;
        write_group(figure, c, g, &script);
    }
    figure_group_rows(&script, c->group_count);
    return figure_end(figure, &script);
}

static int plot_chart(struct figure *figure, struct chart *c) {
    const struct paper_plot *plot = c->plot;
    c->policy_count = c->group_count = c->shaded = c->shaded_end = 0;
    c->special_kinds = "";
    add_policies(c);
    if (plot->suite->service_kind)
        add_colocations(c);
    else if (plot->suite->level_count)
        add_levels(c);
    else
        add_classes(c);
    return c->policy_count && c->group_count > 1 ? write_figure(figure, c) : CT_OK;
}

/* Each item's measures, once. */
static bool is_first(const struct paper_plot *plot, size_t i) {
    for (size_t k = 0; k < i; k++)
        if (plot->rows[k].item == plot->rows[i].item &&
            plot->rows[k].row->measure == plot->rows[i].row->measure)
            return false;
    return true;
}

int paper_plot(const struct paper_plot *plot, const char *folder, struct report_plots *plots,
               struct ct_diags *diags) {
    const struct paper_outcome *o = plot->outcome;
    struct figure figure = {.folder = folder, .plots = plots, .diags = diags};
    struct chart c = {.plot = plot};
    c.groups = ct_arena_array(&plots->arena, GROUPS_MOST, sizeof *c.groups);
    c.values = ct_arena_array(&plots->arena, o->levels * o->mix_count + o->draws, sizeof *c.values);
    if (!c.groups || !c.values)
        return ct_out_of_memory(diags);
    int status = CT_OK;
    for (size_t i = 0; i < plot->row_count && status == CT_OK; i++) {
        if (!is_first(plot, i))
            continue;
        c.item = plot->rows[i].item;
        c.measure = plot->rows[i].row->measure;
        status = plot_chart(&figure, &c);
    }
    return status;
}
