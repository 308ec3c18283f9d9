/* The two files of a figure: its numbers, and a script that draws them. */
#include "figures/figure.h"

#include "base/ct_text.h"
#include "format/csv_text.h"
#include "results/report_bounds.h"
#include "workload/workload.h"

#include <errno.h>
#include <string.h>

const struct result_run *figure_run(const struct report_plots_input *input, size_t i) {
    return &input->set->runs.items[input->runs[i]];
}

const struct report *figure_report(const struct report_plots_input *input, size_t i) {
    return &figure_run(input, i)->report;
}

int figure_out_of_memory(struct figure *figure) {
    return figure->status = ct_out_of_memory(figure->diags);
}

size_t figure_index(const char **names, size_t *count, const char *name) {
    size_t i = ct_text_index(name, names, *count);
    if (i == *count)
        names[(*count)++] = name;
    return i;
}

static FILE *open_file(struct figure *figure, const char *ending) {
    snprintf(figure->path, sizeof figure->path, "%s/%s.%s", figure->folder, figure->name, ending);
    if (!output_file_open(&figure->file, figure->path, figure->diags))
        figure->status = CT_DATA;
    return figure->file.file;
}

/* "latency-vit" from "latency" and "vit". What is not safe in a file name is "=2f", its bytes: no
 * two applications share a file, as no name has a '='. */
static void name_figure(struct figure *figure, const char *kind, const char *app) {
    /* Most bytes that a character of the name becomes. */
    enum { MOST = 3 };
    size_t used = (size_t)snprintf(figure->name, sizeof figure->name, "%s%s", kind, app ? "-" : "");
    for (; app && *app && used + MOST < sizeof figure->name; app++) {
        bool safe =
            strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-", *app);
        used += (size_t)snprintf(figure->name + used, sizeof figure->name - used,
                                 safe ? "%c" : "=%02x", (unsigned char)*app);
    }
}

enum { LONGEST_NUMBER = 21 };

bool figure_begin(struct figure *figure, const char *kind, const char *app, const char *columns) {
    if (figure->status != CT_OK)
        return false;
    if (!figure->plots->is_held) {
        figure->plots->held = output_folder_hold(figure->folder);
        figure->plots->is_held = true;
    }
    name_figure(figure, kind, app);
    for (int i = 0; i < 2; i++) {
        figure->used[i] = 0;
        figure->listed[i] =
            ct_arena_alloc(&figure->plots->arena, figure->policies * LONGEST_NUMBER + 1);
        if (!figure->listed[i])
            return figure_out_of_memory(figure) == CT_OK;
    }
    figure->data = open_file(figure, "csv");
    if (figure->data)
        fprintf(figure->data, "%s\n", columns);
    return figure->data;
}

void figure_write_row(struct figure *figure, const struct value *values) {
    csv_write_values(figure->data, values);
    putc('\n', figure->data);
}

/* A string of gnuplot: in single quotes nothing is special but the quote, which stands in double
 * ones of its own. (Doubled, as in other places of gnuplot, it ends the string in arrays.) */
static void write_quoted(FILE *out, const char *text) {
    putc('\'', out);
    for (; text && *text; text++) {
        if (*text == '\'')
            fputs("'.\"'\".'", out);
        else
            putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    putc('\'', out);
}

static void write_labels(FILE *out, const char *name, const char *const *labels, size_t count) {
    fprintf(out, "array %s[%zu] = [", name, count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        write_quoted(out, labels[i]);
    }
    fputs(count ? "]\n" : "'']\n", out);
}

static void write_numbers(FILE *out, const char *name, const double *numbers, size_t count) {
    fprintf(out, "array %s[%zu] = [", name, count);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%.9g", i ? ", " : "", numbers[i]);
    fputs("]\n", out);
}

static int append_template(struct figure *figure, FILE *script, const char *name) {
    const char *path = share_find(&figure->plots->arena, NULL, "plots", name, NULL);
    if (!path)
        return ct_data_error(figure->diags, name,
                             "the plot template is missing from the share folder");
    FILE *template = fopen(path, "r");
    if (!template)
        return ct_file_error(figure->diags, path, "open it", errno);
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, template)) > 0;)
        fwrite(buffer, 1, got, script);
    fclose(template);
    putc('\n', script);
    return CT_OK;
}

static void write_text_setting(FILE *out, const char *name, const char *text) {
    fprintf(out, "%s = ", name);
    write_quoted(out, text);
    putc('\n', out);
}

static void write_setting(FILE *out, const char *name, double number) {
    char text[40];
    ct_text_double(text, sizeof text, isfinite(number) ? number : 0);
    fprintf(out, "%s = %s\n", name, text);
}

static void write_room(const struct figure *figure, const struct figure_script *script, FILE *out) {
    size_t widest = script->key_letters;
    for (size_t i = 0; i < script->label_count; i++)
        widest = strlen(script->labels[i]) > widest ? strlen(script->labels[i]) : widest;
    write_setting(out, "keys", (double)script->keys);
    write_setting(out, "widest", (double)widest);
    write_setting(out, "positions", (double)script->positions);
    write_setting(out, "bars", (double)script->bars);
    write_setting(out, "names",
                  (double)(script->name_letters ? script->name_letters : figure->name_letters));
    write_setting(out, "name_lines", (double)(script->name_lines ? script->name_lines : 1));
    write_setting(out, "panels", (double)script->panels);
    write_setting(out, "panel_height", (double)script->panel_height);
}

static void write_settings(const struct figure *figure, const struct figure_script *script,
                           FILE *out) {
    write_text_setting(out, "workload", figure->title);
    write_text_setting(out, "gpu", figure->gpu);
    write_text_setting(out, "service", script->service);
    if (script->memory)
        write_text_setting(out, "memory", script->memory);
    if (script->note)
        write_text_setting(out, "note", script->note);
    write_setting(out, "policies", (double)figure->policies);
    write_setting(out, "series", (double)script->label_count);
    write_setting(out, "bounds", script->bounds);
    write_setting(out, "uppers", script->uppers);
    write_setting(out, "intervals", script->intervals);
    write_setting(out, "top", script->top);
    write_setting(out, "target", script->target);
    write_setting(out, "least", script->least);
    write_setting(out, "most", script->most);
    write_setting(out, "fronts", (double)script->fronts);
    if (script->shaded) {
        write_setting(out, "shaded", (double)script->shaded);
        write_setting(out, "shaded_end", (double)script->shaded_end);
    }
    write_room(figure, script, out);
    write_text_setting(out, "drawn", figure->listed[0]);
    write_text_setting(out, "idle", figure->listed[1]);
    write_labels(out, "label", script->labels, script->label_count);
    if (script->parts)
        write_labels(out, "part", script->parts, script->label_count);
    if (script->places)
        write_labels(out, "place", script->places, script->place_count);
    if (script->slopes) {
        write_numbers(out, "slope", script->slopes, script->label_count);
        write_numbers(out, "base", script->bases, script->label_count);
    }
    if (script->panel_labels) {
        write_text_setting(out, "across", script->across);
        write_setting(out, "joined", script->joined);
        write_labels(out, "panel", script->panel_labels, script->panel_label_count);
    }
}

void figure_list(struct figure *figure, bool has_data, size_t index) {
    int i = has_data ? 0 : 1;
    size_t room = figure->policies * LONGEST_NUMBER + 1 - figure->used[i];
    figure->used[i] +=
        (size_t)snprintf(figure->listed[i] + figure->used[i], room, "%zu ", index + 1);
}

int figure_end(struct figure *figure, const struct figure_script *script) {
    figure->status = output_file_close(&figure->file, CT_OK, figure->diags);
    FILE *out = figure->status == CT_OK ? open_file(figure, "gp") : NULL;
    if (!out)
        return figure->status;
    fprintf(out, "# gnuplot -c %s.gp [svg|png] draws %s.csv, which lies beside it.\nname = '%s'\n",
            figure->name, figure->name, figure->name);
    write_settings(figure, script, out);
    int status = append_template(figure, out, "common.gp");
    if (status == CT_OK)
        status = append_template(figure, out, script->template);
    figure->status = output_file_close(&figure->file, status, figure->diags);
    const char *name = ct_arena_strdup(&figure->plots->arena, figure->name);
    if (figure->status == CT_OK && (!name || !ct_vec_push(&figure->plots->names, name)))
        figure_out_of_memory(figure);
    return figure->status;
}

struct figure_script figure_grouped(const char *const *labels, size_t count,
                                    const char *const *places, const char *axis, double target) {
    return (struct figure_script){.template = "colocations.gp",
                                  .labels = labels,
                                  .label_count = count,
                                  .places = places,
                                  .service = axis,
                                  .target = target,
                                  .bars = count,
                                  .keys = count};
}

void figure_key_bounds(struct figure_script *script) {
    script->keys += (size_t)(script->bounds > 0) + (script->uppers > 0);
    if (script->bounds || script->uppers)
        script->key_letters = sizeof "overloaded: at least" - 1;
}

/* Where the script breaks the name of a co-location. */
enum { LONGEST_LINE = 34 };

void figure_group_rows(struct figure_script *script, size_t groups) {
    enum { MOST_BARS = 110, ROW_HEIGHT = 300 };
    for (size_t i = 0; i < groups; i++) {
        size_t length = strlen(script->places[i]);
        /* a line may end early, at a space: one more than it takes at best */
        size_t lines = length <= LONGEST_LINE ? 1 : length / LONGEST_LINE + 2;
        length = length < LONGEST_LINE ? length : LONGEST_LINE;
        script->name_lines = lines > script->name_lines ? lines : script->name_lines;
        script->name_letters = length > script->name_letters ? length : script->name_letters;
    }
    script->place_count = groups;
    size_t per_row = MOST_BARS / script->bars;
    per_row = per_row ? per_row : 1;
    size_t rows = (groups + per_row - 1) / per_row;
    script->panels = rows;
    script->panel_height = ROW_HEIGHT;
    script->positions = (groups + rows - 1) / rows;
    script->most = (double)groups;
}

/* ---- Measures of whole runs ---- */

/* As what the report marks it: "<", ">" or "". */
static enum figure_bound bound_of(const char *mark) {
    return *mark == '>' ? FIGURE_AT_LEAST : *mark == '<' ? FIGURE_AT_MOST : FIGURE_EXACT;
}

enum figure_bound figure_progress_bound(const struct report_app *app) {
    return bound_of(report_bound_of_progress(app));
}

static enum figure_bound system_bound(size_t measure, const struct report *report) {
    const struct report_bounds bounds = report_bounds_of(report);
    return bound_of(measure == PLOT_STP        ? bounds.stp
                    : measure == PLOT_ANTT     ? bounds.antt
                    : measure == PLOT_FAIRNESS ? bounds.fairness
                                               : "");
}

struct plot_value plot_value_of(const struct plot_measure *measure, const struct report *report) {
    struct plot_value value = {NAN, NAN, NAN, FIGURE_EXACT};
    if (measure->offset) {
        value.value = *(const double *)(const void *)((const char *)report + measure->offset);
        if (isfinite(value.value))
            value.bound = system_bound((size_t)(measure - plot_measures), report);
        return value;
    }
    for (size_t i = 0; i < report->app_count; i++) {
        const struct report_app *app = &report->apps[i];
        bool bound = app->overloaded == REPORT_YES;
        if (isnan(app->p99_over_qos) || app->p99_over_qos <= value.value)
            continue;
        value = (struct plot_value){app->p99_over_qos, bound ? NAN : app->p99_over_qos_low,
                                    bound ? NAN : app->p99_over_qos_high,
                                    bound ? FIGURE_AT_LEAST : FIGURE_EXACT};
    }
    return value;
}

void figure_measure(struct figure_script *script, struct plot_value value) {
    script->top = fmax(script->top, fmax(value.value, value.high));
    script->bounds += value.bound == FIGURE_AT_LEAST;
    script->uppers += value.bound == FIGURE_AT_MOST;
    script->intervals += isfinite(value.high);
}

void figure_write_bar(struct figure *figure, struct figure_script *script, size_t series,
                      size_t position, struct plot_value bar) {
    figure_row(figure, series + 1, position + 1, bar.value, bar.low, bar.high, bar.bound,
               script->labels[series], script->places[position]);
    figure_measure(script, bar);
}

#define SYSTEM(member) offsetof(struct report, system.member)
const struct plot_measure plot_measures[PLOT_MEASURES] = {
    {"p99", "p99 / target of the worst service", 0, 1},
    {"batch", "batch throughput / without services", SYSTEM(batch_throughput_normalised), NAN},
    {"stp", "system throughput (STP)", SYSTEM(stp), NAN},
    {"antt", "mean slowdown (ANTT)", SYSTEM(antt), NAN},
    {"fairness", "fairness: least / largest progress", SYSTEM(fairness), NAN}};
