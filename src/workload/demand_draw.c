#include "workload/demand_draw.h"

#include <stdlib.h>

/* Where the quantiles of struct demand_cell stand. */
static const double levels[DEMAND_LEVELS] = {0, 0.05, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 1};

double demand_cell_at(const struct demand_cell *cell, double level) {
    int above = 1;
    while (above < DEMAND_LEVELS - 1 && level > levels[above])
        above++;
    double part = (level - levels[above - 1]) / (levels[above] - levels[above - 1]);
    double below = cell->quantiles[above - 1];
    return below + part * (cell->quantiles[above] - below);
}

double demand_draw_of(const struct demand_draw *draw, const struct trace_kernel *kernel,
                      const struct gpu *recorded) {
    enum kernel_class class = kernel_class_of(kernel->name);
    bool full = kernel_launch_is_full(recorded, kernel);
    return demand_cell_at(&draw->file->cells[class][full], draw->levels[class]);
}

bool demand_is_unknown(const struct setup *setup) {
    bool unknown = false;
    for (uint32_t a = 0; a < setup->app_count; a++)
        for (size_t k = 0; !setup->apps[a].synthetic && k < setup->apps[a].trace->kernels.count;
             k++)
            unknown |= setup->apps[a].profiles[k].demand_provenance == CT_UNKNOWN;
    return unknown;
}

/* Solo time of each kernel of a recording whose demand is unknown; adds that of all tasks. NULL:
 * memory ran out. */
static double *unknown_times(const struct setup_app *app, double *all) {
    const struct trace_kernel *first = app->trace->kernels.items;
    double *times = calloc(app->trace->kernels.count + 1, sizeof *times);
    for (uint32_t p = 0; times && p < app->plan_count; p++)
        for (uint32_t i = 0; i < app->plans[p].count; i++) {
            const struct setup_step *step = &app->plans[p].steps[i];
            *all += step->work_ps;
            if (step->profile && step->profile->demand_provenance == CT_UNKNOWN && !app->synthetic)
                times[step->kernel - first] += step->work_ps;
        }
    return times;
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
        enum kernel_class class = kernel_class_of(kernel->name);
        const double *quantiles =
            file->cells[class][kernel_launch_is_full(&setup->gpu, kernel)].quantiles;
        unknown->time[class] += times[k];
        unknown->stake[class] += times[k] * (quantiles[DEMAND_HIGH] - quantiles[DEMAND_LOW]);
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
    for (int class = 0; class < KERNEL_CLASSES && all > 0; class ++) {
        unknown->time[class] /= all;
        unknown->stake[class] /= all;
        unknown->all += unknown->time[class];
    }
    return done;
}
