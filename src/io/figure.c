/* The two files of a figure: its numbers, and a script that draws them. */
#include "figure.h"

#include "ct_text.h"
#include "workload.h"

#include <errno.h>
#include <string.h>

const struct report *figure_report(const struct report_plots_input *input, size_t i) {
    return &input->set->runs.items[input->runs[i]].report;
}

static FILE *open_file(struct figure *figure, const char *ending) {
    snprintf(figure->path, sizeof figure->path, "%s/%s.%s", figure->folder, figure->name, ending);
    FILE *file = fopen(figure->path, "w");
    if (!file)
        ct_error(figure->diags, figure->path, "cannot write it: %s", strerror(errno));
    return file;
}

static int close_file(struct figure *figure, FILE *file) {
    bool failed = ferror(file);
    if (fclose(file) == 0 && !failed)
        return CT_OK;
    ct_error(figure->diags, figure->path, "cannot write it: %s", strerror(errno));
    return CT_DATA;
}

/* "latency-vit" from "latency" and "vit": what is safe in a file name. */
static void name_figure(struct figure *figure, const char *kind, const char *app) {
    size_t used = (size_t)snprintf(figure->name, sizeof figure->name, "%s%s", kind, app ? "-" : "");
    for (; app && *app && used + 1 < sizeof figure->name; app++)
        figure->name[used++] = strchr("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                      "0123456789._-",
                                      *app)
                                   ? *app
                                   : '_';
    figure->name[used] = '\0';
}

bool figure_begin(struct figure *figure, const char *kind, const char *app) {
    name_figure(figure, kind, app);
    figure->data = open_file(figure, "dat");
    return figure->data;
}

void figure_write_number(FILE *out, double number) {
    char text[40];
    if (isfinite(number))
        ct_text_double(text, sizeof text, number);
    fprintf(out, "\t%s", isfinite(number) ? text : "nan");
}

/* Text of a column: a tab or a line end would be another column. */
void figure_write_label(FILE *out, const char *text) {
    for (; text && *text; text++)
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
}

/* A string of gnuplot: in single quotes nothing is special but the quote. */
static void write_quoted(FILE *out, const char *text) {
    putc('\'', out);
    for (; text && *text; text++) {
        if (*text == '\'')
            putc('\'', out);
        putc((unsigned char)*text < 0x20 ? ' ' : *text, out);
    }
    putc('\'', out);
}

static void write_labels(FILE *out, const char *const *labels, size_t count) {
    fprintf(out, "array label[%zu] = [", count ? count : 1);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        write_quoted(out, labels[i]);
    }
    fputs(count ? "]\n" : "'']\n", out);
}

static int append_template(struct figure *figure, FILE *script, const char *name) {
    const char *path = share_find(&figure->plots->arena, "plots", name, NULL);
    FILE *template = path ? fopen(path, "r") : NULL;
    if (!template) {
        ct_error(figure->diags, name, "the plot template is missing from the share folder");
        return CT_DATA;
    }
    char buffer[4096];
    for (size_t got; (got = fread(buffer, 1, sizeof buffer, template)) > 0;)
        fwrite(buffer, 1, got, script);
    fclose(template);
    putc('\n', script);
    return CT_OK;
}

/* Whether the policies' names below the bars would run into each other: a line has room for some 60
 * letters. */
static bool labels_need_room(const struct report_plots_input *input) {
    enum { ROOM = 60 };
    size_t longest = 0;
    for (size_t i = 0; i < input->run_count; i++) {
        size_t length = strlen(figure_report(input, i)->policy) + 2;
        longest = length > longest ? length : longest;
    }
    return longest * input->run_count > ROOM;
}

static void write_setting(FILE *out, const char *name, double number) {
    char text[40];
    ct_text_double(text, sizeof text, isfinite(number) ? number : 0);
    fprintf(out, "%s = %s\n", name, text);
}

static void write_settings(const struct figure *figure, const struct figure_script *script,
                           FILE *out) {
    const struct report *first = figure_report(figure->input, 0);
    fprintf(out, "# gnuplot -c %s.gp [svg|png] draws %s.dat.\nname = '%s'\ndata = '%s.dat'\n",
            figure->name, figure->name, figure->name, figure->name);
    fputs("workload = ", out);
    write_quoted(out, first->workload);
    fputs("\ngpu = ", out);
    write_quoted(out, first->gpu);
    fputs("\nservice = ", out);
    write_quoted(out, script->service);
    fprintf(out, "\nturned = %d\npolicies = %zu\nseries = %zu\nbounds = %d\nintervals = %d\n",
            labels_need_room(figure->input), figure->input->run_count, script->label_count,
            script->bounds, script->intervals);
    write_setting(out, "top", script->top);
    write_setting(out, "target", script->target);
    write_setting(out, "least", script->least);
    write_setting(out, "most", script->most);
    write_labels(out, script->labels, script->label_count);
}

int figure_end(struct figure *figure, const struct figure_script *script) {
    int status = close_file(figure, figure->data);
    FILE *out = status == CT_OK ? open_file(figure, "gp") : NULL;
    if (!out)
        return CT_DATA;
    write_settings(figure, script, out);
    status = append_template(figure, out, "common.gp");
    if (status == CT_OK)
        status = append_template(figure, out, script->template);
    if (close_file(figure, out) != CT_OK || status != CT_OK)
        return CT_DATA;
    const char *name = ct_arena_strdup(&figure->plots->arena, figure->name);
    if (!name || !ct_vec_push(&figure->plots->names, name))
        return ct_out_of_memory(figure->diags);
    return CT_OK;
}

void figure_drop(struct figure *figure) {
    fclose(figure->data);
    snprintf(figure->path, sizeof figure->path, "%s/%s.dat", figure->folder, figure->name);
    remove(figure->path);
}
