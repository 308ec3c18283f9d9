#include "workload/setup_kernels.h"

#include "models/demand/kernel_launch.h"

#include <stdlib.h>

static int compare_groups(const void *a, const void *b) {
    const struct setup_kernels *x = a, *y = b;
    if (x->work_ps != y->work_ps)
        return x->work_ps > y->work_ps ? -1 : 1;
    if (x->class != y->class)
        return x->class < y->class ? -1 : 1;
    if (x->full != y->full)
        return x->full ? 1 : -1;
    if (x->source != y->source)
        return x->source < y->source ? -1 : 1;
    return (x->units_source > y->units_source) - (x->units_source < y->units_source);
}

static void add_kernel(const struct setup *setup, const struct trace_kernel *kernel,
                       const struct kernel_profile *profile, double work_ps,
                       struct setup_kernels *groups) {
    enum kernel_class class = kernel_class_of(kernel->name);
    bool full = kernel_launch_is_full(&setup->gpu, kernel);
    enum ct_provenance source = profile->demand_provenance, units = profile->units_provenance;
    size_t launch = (size_t) class * 2 + full;
    struct setup_kernels *group =
        &groups[(launch * CT_PROVENANCE_COUNT + (size_t)source) * CT_PROVENANCE_COUNT +
                (size_t)units];
    group->class = class;
    group->full = full;
    group->source = source;
    group->units_source = units;
    group->work_ps += work_ps;
    group->dram_fraction += work_ps * profile->dram_bytes_per_s / (setup->gpu.dram_gb_s * 1e9);
    group->unit_fraction += work_ps * profile->unit_fraction;
}

/* The work of each kernel of the recording, over one job of each choice. NULL: memory ran out. */
static double *work_by_kernel(const struct setup_app *app, struct ct_arena *arena) {
    double *work_ps = ct_arena_array(arena, app->trace->kernels.count + 1, sizeof *work_ps);
    for (uint32_t p = 0; work_ps && p < app->plan_count; p++)
        for (uint32_t i = 0; i < app->plans[p].count; i++) {
            const struct setup_step *step = &app->plans[p].steps[i];
            if (step->profile)
                work_ps[step->profile - app->profiles] += step->work_ps;
        }
    return work_ps;
}

/* A name is judged once, however often its kernel is launched: that compares it with many patterns.
 */
bool setup_kernels(const struct setup *setup, const struct setup_app *app, struct ct_arena *arena,
                   struct setup_kernels groups[SETUP_KERNELS_MOST], size_t *found) {
    size_t count = 0;
    const double *work_ps = work_by_kernel(app, arena);
    *found = 0;
    if (!work_ps)
        return false;
    for (size_t i = 0; i < SETUP_KERNELS_MOST; i++)
        groups[i] = (struct setup_kernels){0};
    for (size_t k = 0; k < app->trace->kernels.count; k++)
        if (work_ps[k] > 0)
            add_kernel(setup, &app->trace->kernels.items[k], &app->profiles[k], work_ps[k], groups);
    for (size_t i = 0; i < SETUP_KERNELS_MOST; i++) {
        struct setup_kernels group = groups[i];
        group.dram_fraction =
            group.source == CT_UNKNOWN ? NAN : group.dram_fraction / group.work_ps;
        group.unit_fraction =
            group.units_source == CT_UNKNOWN ? NAN : group.unit_fraction / group.work_ps;
        if (group.work_ps > 0)
            groups[count++] = group;
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    *found = count;
    return true;
}
