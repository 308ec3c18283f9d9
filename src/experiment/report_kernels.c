/* The kernels of an application by what they do, and what they ask of memory and units in a run. */
#include "experiment/report_builder.h"

#include "base/ct_sort.h"
#include "models/device/kernel_profile.h"
#include "trace/kernel_class.h"

/* Kernels of one class, launch, and provenance of demand and units. */
struct group {
    enum kernel_class class;
    bool full;                               /* launches fill the GPU */
    enum ct_provenance source, units_source; /* of the demand, of the use of units */
    double work_ps;                          /* alone on the GPU, of one job of each choice */
    double dram_fraction, unit_fraction;     /* times that work */
};
struct groups {
    CT_VEC(struct group);
};

/* The longest first. */
static int compare_groups(const void *a, const void *b) {
    const struct group *x = a, *y = b;
    const int orders[] = {ct_order(y->work_ps, x->work_ps), ct_order(x->class, y->class),
                          ct_order(x->full, y->full), ct_order(x->source, y->source)};
    for (size_t i = 0; i < CT_COUNT_OF(orders); i++)
        if (orders[i])
            return orders[i];
    return ct_order(x->units_source, y->units_source);
}

/* The group that is like this one, without work when it is new. NULL: memory ran out. */
static struct group *find_group(struct groups *groups, struct group like) {
    for (size_t i = 0; i < groups->count; i++) {
        struct group *group = &groups->items[i];
        if (group->class == like.class && group->full == like.full &&
            group->source == like.source && group->units_source == like.units_source)
            return group;
    }
    return ct_vec_push(groups, like) ? &groups->items[groups->count - 1] : NULL;
}

/* A name is judged once, however often its kernel is launched: that compares it with many patterns.
 */
static bool add_kernel(const struct setup *setup, const struct setup_app *app, size_t k,
                       struct groups *groups) {
    const struct trace_kernel *kernel = &app->trace->kernels.items[k];
    const struct kernel_profile *profile = &app->profiles[k];
    double work_ps = app->kernel_work_ps[k];
    const struct group like = {.class = trace_kernel_class(kernel),
                               .full = kernel_fills_gpu(&setup->gpu, kernel),
                               .source = profile->demand_provenance,
                               .units_source = profile->units_provenance};
    struct group *group = find_group(groups, like);
    if (!group)
        return false;
    group->work_ps += work_ps;
    group->dram_fraction += work_ps * profile->dram_bytes_per_s / (setup->gpu.dram_gb_s * 1e9);
    group->unit_fraction += work_ps * profile->unit_fraction;
    return true;
}

/* Means by time; unknown where their provenance is. */
static struct report_kernels kernels_of(const struct group *group, double whole_ps) {
    bool demand = group->source != CT_UNKNOWN, units = group->units_source != CT_UNKNOWN;
    return (struct report_kernels){
        .class = kernel_class_names[group->class],
        .launch = group->full ? "full" : "partial",
        .source = ct_provenance_names[group->source],
        .units_source = ct_provenance_names[group->units_source],
        .unit_fraction = units ? group->unit_fraction / group->work_ps : NAN,
        .time_fraction = group->work_ps / whole_ps,
        .dram_fraction = demand ? group->dram_fraction / group->work_ps : NAN};
}

void report_set_kernels(struct report_builder *b, uint32_t app, struct report_app *out) {
    const struct setup *setup = b->input->setup;
    const struct setup_app *own = &setup->apps[app];
    struct groups groups = {0};
    double whole_ps = 0;
    for (size_t k = 0; k < own->trace->kernels.count; k++)
        if (own->kernel_work_ps[k] > 0 && !add_kernel(setup, own, k, &groups))
            *b->lost = true;
    ct_vec_sort(&groups, compare_groups);
    for (size_t i = 0; i < groups.count; i++)
        whole_ps += groups.items[i].work_ps;
    struct report_kernels *kernels = ct_arena_array(b->arena, groups.count + 1, sizeof *kernels);
    *b->lost |= !kernels;
    for (size_t i = 0; kernels && i < groups.count; i++)
        kernels[i] = kernels_of(&groups.items[i], whole_ps);
    out->kernels = kernels;
    out->kernels_count = kernels ? groups.count : 0;
    ct_vec_free(&groups);
}
