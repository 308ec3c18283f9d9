#include "figures/figure.h"
#include "figures/report_plots.h"
#include "workload/dram_file.h"

/* The straight lines as arrays that the script evaluates. */
static void write_lines(FILE *out, const struct dram_file *files, size_t count) {
    for (int c = 1; c <= 2; c++) {
        fprintf(out, "#= array line_c%d[%zu] = [", c, count);
        for (size_t i = 0; i < count; i++)
            fprintf(out, "%s%.9g", i ? ", " : "",
                    c == 1 ? files[i].line_slope : files[i].line_base);
        fputs("]\n", out);
    }
}

/* Without points of the model, those of the curve stand for them. */
static void write_memory(FILE *out, const struct dram_file *file) {
    bool measured = file->points.count > 0;
    fprintf(out, "# %s: %s\n", file->name, measured ? "bank-level model" : "curve");
    size_t count = measured ? file->points.count : file->curve.count;
    const struct dram_point *points = measured ? file->points.items : file->curve.items;
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%.9g\t%.9g\n", points[i].row_hit_rate, points[i].utilisation);
    fprintf(out, "\n\n# %s: curve\n", file->name);
    for (size_t i = 0; i < file->curve.count; i++)
        fprintf(out, "%.9g\t%.9g\n", file->curve.items[i].row_hit_rate,
                file->curve.items[i].utilisation);
    fputs("\n\n", out);
}

static int write_figure(struct figure *figure, const struct dram_file *files, size_t count) {
    const char **labels = ct_arena_array(&figure->plots->arena, count, sizeof *labels);
    struct figure_script script = {.template = "dram.gp",
                                   .labels = labels,
                                   .label_count = count,
                                   .target = NAN,
                                   .keys = count + 2};
    for (size_t i = 0; labels && i < count; i++)
        if (!(labels[i] = ct_arena_format(&figure->plots->arena, "%s: %.3g x + %.3g",
                                          *files[i].name ? files[i].name : "memory",
                                          files[i].line_slope, files[i].line_base)))
            labels = NULL;
    if (!labels)
        return figure_out_of_memory(figure);
    if (!figure_begin(figure, "dram", NULL))
        return figure->status;
    fputs("# by memory: row hit rate and utilisation of the bank-level model, then of the curve\n",
          figure->data);
    for (size_t i = 0; i < count; i++)
        write_memory(figure->data, &files[i]);
    write_lines(figure->data, files, count);
    return figure_end(figure, &script);
}

int plot_dram(const char *const *paths, size_t count, const char *folder,
              struct report_plots *plots, struct ct_diags *diags) {
    struct figure figure = {.title = "bank-level model and what was fitted to it",
                            .folder = folder,
                            .plots = plots,
                            .diags = diags};
    struct dram_file *files = ct_arena_array(&plots->arena, count, sizeof *files);
    int status = CT_OK;
    if (!files)
        return ct_out_of_memory(diags);
    for (size_t i = 0; i < count && status == CT_OK; i++)
        status = dram_file_read(paths[i], &files[i], &plots->arena, diags);
    return status == CT_OK ? write_figure(&figure, files, count) : status;
}
