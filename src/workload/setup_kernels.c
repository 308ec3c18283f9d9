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
    return (x->source > y->source) - (x->source < y->source);
}

static void add_step(const struct setup *setup, const struct setup_step *step,
                     struct setup_kernels *groups) {
    enum kernel_class class = kernel_class_of(step->kernel->name);
    bool full = kernel_launch_is_full(&setup->gpu, step->kernel);
    enum ct_provenance source = step->profile->demand_provenance;
    struct setup_kernels *group =
        &groups[((size_t) class * 2 + full) * CT_PROVENANCE_COUNT + (size_t)source];
    group->class = class;
    group->full = full;
    group->source = source;
    group->work_ps += step->work_ps;
    group->dram_fraction +=
        step->work_ps * step->profile->dram_bytes_per_s / (setup->gpu.dram_gb_s * 1e9);
}

size_t setup_kernels(const struct setup *setup, const struct setup_app *app,
                     struct setup_kernels groups[SETUP_KERNELS_MOST]) {
    size_t count = 0;
    for (size_t i = 0; i < SETUP_KERNELS_MOST; i++)
        groups[i] = (struct setup_kernels){0};
    for (uint32_t p = 0; p < app->plan_count; p++)
        for (uint32_t i = 0; i < app->plans[p].count; i++)
            if (app->plans[p].steps[i].profile)
                add_step(setup, &app->plans[p].steps[i], groups);
    for (size_t i = 0; i < SETUP_KERNELS_MOST; i++) {
        struct setup_kernels group = groups[i];
        group.dram_fraction =
            group.source == CT_UNKNOWN ? NAN : group.dram_fraction / group.work_ps;
        if (group.work_ps > 0)
            groups[count++] = group;
    }
    qsort(groups, count, sizeof *groups, compare_groups);
    return count;
}
