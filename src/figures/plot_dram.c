#include "figures/figure.h"
#include "figures/report_plots.h"
#include "workload/dram_file.h"

static void write_points(struct figure *figure, size_t series, const char *memory, const char *of,
                         const struct dram_point *points, size_t count) {
    for (size_t i = 0; i < count; i++)
        figure_row(figure, series, points[i].row_hit_rate, points[i].utilisation, memory, of);
}

/* Two series: without points of the model, those of the curve stand for them. */
static void write_memory(struct figure *figure, const struct dram_file *file, size_t number) {
    if (file->points.count)
        write_points(figure, 2 * number + 1, file->name, "bank-level model", file->points.items,
                     file->points.count);
    else
        write_points(figure, 2 * number + 1, file->name, "curve", file->curve.items,
                     file->curve.count);
    write_points(figure, 2 * number + 2, file->name, "curve", file->curve.items, file->curve.count);
}

static int write_figure(struct figure *figure, const struct dram_file *files, size_t count) {
    const char **labels = ct_arena_array(&figure->plots->arena, count, sizeof *labels);
    double *slopes = ct_arena_array(&figure->plots->arena, count, sizeof *slopes);
    double *bases = ct_arena_array(&figure->plots->arena, count, sizeof *bases);
    struct figure_script script = {.template = "dram.gp",
                                   .labels = labels,
                                   .label_count = count,
                                   .slopes = slopes,
                                   .bases = bases,
                                   .target = NAN,
                                   .keys = count + 2};
    for (size_t i = 0; labels && i < count; i++)
        if (!(labels[i] = ct_arena_format(&figure->plots->arena, "%s: %.3g x + %.3g",
                                          *files[i].name ? files[i].name : "memory",
                                          files[i].line_slope, files[i].line_base)))
            labels = NULL;
    if (!labels || !slopes || !bases)
        return figure_out_of_memory(figure);
    if (!figure_begin(figure, "dram", NULL, "series,row_hit_rate,utilisation,memory,of"))
        return figure->status;
    for (size_t i = 0; i < count; i++) {
        write_memory(figure, &files[i], i);
        slopes[i] = files[i].line_slope;
        bases[i] = files[i].line_base;
    }
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
