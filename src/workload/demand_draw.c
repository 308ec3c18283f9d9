#include "workload/demand_draw.h"

#include <stdlib.h>

/* Where the quantiles of struct demand_cell stand. */
static const double levels[DEMAND_LEVELS] = {0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1};

double demand_quantile_at(const double quantiles[DEMAND_LEVELS], double level) {
    int above = 1;
    while (above < DEMAND_LEVELS - 1 && level > levels[above])
        above++;
    double part = (level - levels[above - 1]) / (levels[above] - levels[above - 1]);
    double below = quantiles[above - 1];
    return below + part * (quantiles[above] - below);
}

static const struct demand_cell *cell_of(const struct demand_file *file,
                                         const struct trace_kernel *kernel, const struct gpu *gpu) {
    return &file->cells[trace_kernel_class(kernel)][kernel_launch_is_full(gpu, kernel)];
}

double demand_draw_of(const struct demand_draw *draw, const struct trace_kernel *kernel,
                      const struct gpu *recorded) {
    return demand_quantile_at(cell_of(draw->file, kernel, recorded)->quantiles,
                              draw->levels[trace_kernel_class(kernel)]);
}

double demand_units_of(const struct demand_file *file, const struct trace_kernel *kernel,
                       const struct gpu *recorded, double level) {
    return fmin(demand_quantile_at(cell_of(file, kernel, recorded)->units, level),
                (double)trace_kernel_blocks(kernel) / (double)recorded->sms);
}

static bool is_unknown(const struct kernel_profile *profile) {
    return profile->demand_provenance == CT_UNKNOWN || profile->units_provenance == CT_CLASS;
}

bool demand_is_unknown(const struct setup *setup) {
    bool unknown = false;
    for (uint32_t a = 0; a < setup->app_count; a++)
        for (size_t k = 0; !setup->apps[a].synthetic && k < setup->apps[a].trace->kernels.count;
             k++)
            unknown |= is_unknown(&setup->apps[a].profiles[k]);
    return unknown;
}

/* Solo time of each kernel of a recording of which something is unknown; adds that of all tasks.
 * NULL: memory ran out. */
static double *unknown_times(const struct setup_app *app, double *all) {
    const struct trace_kernel *first = app->trace->kernels.items;
    double *times = calloc(app->trace->kernels.count + 1, sizeof *times);
    for (uint32_t p = 0; times && p < app->plan_count; p++)
        for (uint32_t i = 0; i < app->plans[p].count; i++) {
            const struct setup_step *step = &app->plans[p].steps[i];
            *all += step->work_ps;
            if (step->profile && is_unknown(step->profile) && !app->synthetic)
                times[step->kernel - first] += step->work_ps;
        }
    return times;
}

/* Width of the band that holds 90 %. */
static double width_of(const double quantiles[DEMAND_LEVELS]) {
    return quantiles[DEMAND_HIGH] - quantiles[DEMAND_LOW];
}

/* Whether a launch is full is asked of the workload's GPU here, which the draw asks of the recorded
 * one: this only ranks the classes. */
static bool add_app(const struct setup *setup, const struct setup_app *app,
                    const struct demand_file *file, struct demand_unknown *unknown, double *all) {
    double *times = unknown_times(app, all);
    for (size_t k = 0; times && k < app->trace->kernels.count; k++) {
        const struct trace_kernel *kernel = &app->trace->kernels.items[k];
        if (!(times[k] > 0))
            continue;
        enum kernel_class class = trace_kernel_class(kernel);
        const struct demand_cell *cell = cell_of(file, kernel, &setup->gpu);
        unknown->time[class] += times[k];
        if (app->profiles[k].demand_provenance == CT_UNKNOWN) {
            unknown->memory += times[k];
            unknown->stake[class] += times[k] * width_of(cell->quantiles);
        }
        if (app->profiles[k].units_provenance == CT_CLASS)
            unknown->stake[class] += times[k] * width_of(cell->units);
    }
    free(times);
    return times;
}

bool demand_unknown_of(const struct setup *setup, const struct demand_file *file,
                       struct demand_unknown *unknown) {
    double all = 0;
    bool done = true;
    *unknown = (struct demand_unknown){.all = 0};
    for (uint32_t a = 0; a < setup->app_count && done; a++)
        done = add_app(setup, &setup->apps[a], file, unknown, &all);
    unknown->memory = all > 0 ? unknown->memory / all : 0;
    for (int class = 0; class < KERNEL_CLASSES && all > 0; class ++) {
        unknown->time[class] /= all;
        unknown->stake[class] /= all;
        unknown->all += unknown->time[class];
    }
    return done;
}
