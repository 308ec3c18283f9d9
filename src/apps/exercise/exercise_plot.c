/* The picture of an exercise, by gnuplot. */
#include "apps/exercise/exercise_print.h"
#include "cli/cli_results.h"
#include "figures/figure.h"
#include "figures/report_plots.h"

#include <string.h>

static int write_figure(struct figure *figure, const struct exercise_problem *p,
                        const char **lanes) {
    struct figure_script script = {
        .template = "exercise.gp", .labels = lanes, .service = p->axis, .target = p->timeline};
    if (!figure_begin(figure, "exercise", p->exercise->name, "lane,from,to,waits,label,name"))
        return CT_DATA;
    for (size_t i = 0; i < p->bars.count; i++) {
        const struct exercise_bar *bar = &p->bars.items[i];
        figure_row(figure, figure_index(lanes, &script.label_count, bar->lane) + 1, bar->from,
                   bar->to, strcmp(bar->label, "waits") == 0, bar->label, bar->lane);
        script.most = fmax(script.most, bar->to);
    }
    return figure_end(figure, &script);
}

int exercise_plot(const struct exercise_problem *p, const char *folder, struct ct_diags *diags) {
    struct report_plots plots = {0};
    char seed[40];
    struct figure figure = {.title = p->exercise->title,
                            .gpu = seed,
                            .policies = 1,
                            .folder = folder,
                            .plots = &plots,
                            .diags = diags};
    if (cli_make_folder(folder, diags) != CT_OK)
        return CT_DATA;
    snprintf(seed, sizeof seed, "seed %llu", (unsigned long long)p->seed);
    const char **lanes = calloc(p->bars.count + 1, sizeof *lanes);
    int status = lanes ? write_figure(&figure, p, lanes) : ct_out_of_memory(diags);
    if (status == CT_OK)
        status = cli_draw_figures(&plots, folder, CLI_SVG, diags);
    free(lanes);
    report_plots_free(&plots);
    return status;
}
