/*
 * What applications hold and move over time: the samples of one run, averaged over as many bins as
 * a figure can show.
 */
#include "figures/figure.h"
#include "figures/report_curves.h"

#include <string.h>

enum { BINS = 300 };

/* A stored curve as its mean in each bin. */
struct curve {
    double bins[BINS];
};

static double largest(const struct curve *curves, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t bin = 0; bin < BINS; bin++)
            most = fmax(most, curves[i].bins[bin]);
    return most;
}

static void write_curves(FILE *out, const struct curve *curves, size_t count, double end_ps) {
    for (size_t bin = 0; bin < BINS; bin++) {
        fprintf(out, "%.9g", ((double)bin + 0.5) * end_ps / BINS / 1e12);
        for (size_t i = 0; i < count; i++)
            figure_write_number(out, curves[i].bins[bin]);
        putc('\n', out);
    }
}

struct plotted {
    const char *figure, *template, *columns;
    const char *by_app;    /* curve of every application */
    const char *device[3]; /* curves of the device, after those */
    size_t panel_height;   /* of a strip for each application; 0: two panels */
};

enum { TWO_PANELS = 220 }; /* points */

static void plot_run(struct figure *figure, const struct plotted *plotted,
                     const struct result_run *run) {
    size_t apps = run->report.app_count, count = apps;
    double end_ps = run->report.duration_s * (double)CT_PS_PER_S;
    struct ct_arena *arena = &figure->plots->arena;
    struct curve *curves =
        ct_arena_array(arena, apps + CT_COUNT_OF(plotted->device), sizeof *curves);
    const char **labels = ct_arena_array(arena, apps + 1, sizeof *labels);
    if (!curves || !labels) {
        figure_out_of_memory(figure);
        return;
    }
    const char *memory =
        ct_coverage_lacks_demand(&run->report.inputs) ? "memory, known demand" : "memory";
    bool any = false;
    for (size_t i = 0; i < apps; i++) {
        labels[i] = run->report.apps[i].name;
        any |= report_sample_bins(run, plotted->by_app, (int64_t)i, end_ps, curves[i].bins, BINS);
    }
    for (size_t i = 0; i < CT_COUNT_OF(plotted->device) && plotted->device[i]; i++) {
        report_sample_bins(run, plotted->device[i], -1, end_ps, curves[count++].bins, BINS);
    }
    if (!any || !figure_begin(figure, plotted->figure, NULL))
        return;
    fprintf(figure->data, "# %s\n", plotted->columns);
    write_curves(figure->data, curves, count, end_ps);
    struct figure_script script = {.template = plotted->template,
                                   .labels = labels,
                                   .label_count = apps,
                                   .service = run->report.policy,
                                   .memory = memory,
                                   .key_letters = strlen(memory),
                                   .top = largest(curves + apps, count - apps),
                                   .target = NAN,
                                   .least = 0,
                                   .most = run->report.duration_s,
                                   .keys = plotted->panel_height ? 0 : apps,
                                   .panels = plotted->panel_height ? apps : 2,
                                   .panel_height =
                                       plotted->panel_height ? plotted->panel_height : TWO_PANELS};
    figure_end(figure, &script);
}

void report_plots_time(struct figure *figure) {
    static const struct plotted plotted[] = {
        {"usage",
         "usage.gp",
         "time in s, SMs held by each application in %, then GB/s of memory, link in, link out",
         "sm_share",
         {"dram_bandwidth", "pcie_h2d", "pcie_d2h"},
         0},
        {"quota",
         "quota.gp",
         "time in s, part of the SMs that each application may hold, in %",
         "quota",
         {NULL},
         86}};
    bool sampled = false;
    for (size_t i = 0; i < figure->input->run_count && !sampled && figure->status == CT_OK; i++) {
        const struct result_run *shown = figure_run(figure->input, i);
        struct figure of_run = *figure;
        struct result_set set = {0};
        of_run.title = shown->report.workload;
        of_run.gpu = shown->report.gpu;
        of_run.status = result_store_read(figure->input->store, shown->number, RESULT_SAMPLES, &set,
                                          figure->diags);
        sampled = of_run.status == CT_OK && set.runs.items[0].sample_count > 0;
        for (size_t p = 0; p < CT_COUNT_OF(plotted) && sampled; p++)
            plot_run(&of_run, &plotted[p], &set.runs.items[0]);
        result_set_free(&set);
        figure->status = of_run.status;
    }
}
