#include "workload/setup_kernels.h"

#include "base/ct_vec.h"
#include "models/demand/kernel_launch.h"

struct groups {
    CT_VEC(struct setup_kernels);
};

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

/* The group that is like this one, without work when it is new. NULL: memory ran out. */
static struct setup_kernels *find_group(struct groups *groups, struct setup_kernels like) {
    for (size_t i = 0; i < groups->count; i++) {
        struct setup_kernels *group = &groups->items[i];
        if (group->class == like.class && group->full == like.full &&
            group->source == like.source && group->units_source == like.units_source)
            return group;
    }
    return ct_vec_push(groups, like) ? &groups->items[groups->count - 1] : NULL;
}

static bool add_kernel(const struct setup *setup, const struct trace_kernel *kernel,
                       const struct kernel_profile *profile, double work_ps,
                       struct groups *groups) {
    const struct setup_kernels like = {.class = trace_kernel_class(kernel),
                                       .full = kernel_launch_is_full(&setup->gpu, kernel),
                                       .source = profile->demand_provenance,
                                       .units_source = profile->units_provenance};
    struct setup_kernels *group = find_group(groups, like);
    if (!group)
        return false;
    group->work_ps += work_ps;
    group->dram_fraction += work_ps * profile->dram_bytes_per_s / (setup->gpu.dram_gb_s * 1e9);
    group->unit_fraction += work_ps * profile->unit_fraction;
    return true;
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

static void divide_by_work(struct setup_kernels *group) {
    group->dram_fraction =
        group->source == CT_UNKNOWN ? NAN : group->dram_fraction / group->work_ps;
    group->unit_fraction =
        group->units_source == CT_UNKNOWN ? NAN : group->unit_fraction / group->work_ps;
}

/* A name is judged once, however often its kernel is launched: that compares it with many patterns.
 */
bool setup_kernels(const struct setup *setup, const struct setup_app *app, struct ct_arena *arena,
                   const struct setup_kernels **kernels, size_t *count) {
    struct groups groups = {0};
    const double *work_ps = work_by_kernel(app, arena);
    bool made = work_ps;
    for (size_t k = 0; made && k < app->trace->kernels.count; k++)
        if (work_ps[k] > 0)
            made = add_kernel(setup, &app->trace->kernels.items[k], &app->profiles[k], work_ps[k],
                              &groups);
    struct setup_kernels *found = ct_arena_array(arena, groups.count + 1, sizeof *found);
    made = made && found;
    *count = made ? groups.count : 0;
    for (size_t i = 0; i < *count; i++) {
        divide_by_work(&groups.items[i]);
        found[i] = groups.items[i];
    }
    if (made)
        qsort(found, *count, sizeof *found, compare_groups);
    *kernels = found;
    ct_vec_free(&groups);
    return made;
}
