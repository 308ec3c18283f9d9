/* What was measured of some launches, onto the kernels that it fits. */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"

#include <stddef.h>
#include <string.h>

enum {
    METRICS = sizeof(struct trace_metrics) / sizeof(double),
    INSTRUCTIONS = offsetof(struct trace_metrics, instructions) / sizeof(double)
};

union numbers {
    struct trace_metrics named;
    double at[METRICS];
};

/* What a mean is weighed by: the first of these that is known of all that it is made of. */
enum weight { BY_TIME, BY_CYCLES, BY_LAUNCHES, WEIGHTS };

struct mean {
    double sums[WEIGHTS], weights[WEIGHTS]; /* NAN: not known of some */
};

/* Units that fit a kernel equally well. */
struct fitting {
    struct mean means[METRICS];
    bool any;
};

static void add_unit(struct fitting *fitting, struct import_metrics *unit) {
    const union numbers from = {unit->metrics};
    const double weights[WEIGHTS] = {unit->extent.ps, unit->extent.cycles, unit->extent.launches};
    for (int i = 0; i < METRICS; i++)
        for (int w = 0; w < WEIGHTS && !isnan(from.at[i]); w++) {
            fitting->means[i].sums[w] += weights[w] * from.at[i];
            fitting->means[i].weights[w] += weights[w];
        }
    fitting->any = unit->used = true;
}

static double mean_of(const struct mean *mean, enum weight first) {
    for (int w = (int)first; w < WEIGHTS; w++)
        if (mean->weights[w] > 0)
            return mean->sums[w] / mean->weights[w];
    return NAN;
}

static bool has_demand(const struct trace_metrics *m) {
    return !isnan(m->dram_bytes_per_s) || !isnan(m->dram_fraction);
}

/* Rates are weighed by time: bandwidth is all bytes over all time. Instructions are those of a
 * launch. What was measured stands for all that was known of the demand otherwise. */
static void attach(const struct fitting *fitting, struct trace_kernel *kernel) {
    union numbers measured, known;
    for (int i = 0; i < METRICS; i++)
        measured.at[i] = mean_of(&fitting->means[i], i == INSTRUCTIONS ? BY_LAUNCHES : BY_TIME);
    bool demand = has_demand(&measured.named);
    known.named = kernel->metrics;
    if (demand && kernel->demand_provenance != CT_MEASURED)
        known.named.dram_bytes_per_s = known.named.dram_fraction = known.named.dram_read_share =
            NAN;
    if (demand)
        kernel->demand_provenance = CT_MEASURED;
    for (int i = 0; i < METRICS; i++)
        if (!isnan(measured.at[i]))
            known.at[i] = measured.at[i];
    kernel->metrics = known.named;
}

static bool same_shape(const struct import_metrics *unit, const struct trace_kernel *kernel) {
    return unit->shaped && memcmp(unit->grid, kernel->grid, sizeof unit->grid) == 0 &&
           memcmp(unit->block, kernel->block, sizeof unit->block) == 0;
}

/* Finds the metrics that bear the kernel's own name, with its shape or without any. Returns whether
 * any bear the name. */
static bool find_by_name(struct import_builder *builder, uint32_t name,
                         const struct trace_kernel *kernel, struct fitting *shaped,
                         struct fitting *shapeless) {
    bool named = false;
    for (size_t i = 0; i < builder->metrics.count; i++) {
        struct import_metrics *unit = &builder->metrics.items[i];
        if (unit->name != name)
            continue;
        named = true;
        if (!unit->shaped)
            add_unit(shapeless, unit);
        else if (same_shape(unit, kernel))
            add_unit(shaped, unit);
    }
    return named;
}

static void find_by_core(struct import_builder *builder, uint32_t core,
                         const struct trace_kernel *kernel, struct fitting *shaped) {
    for (size_t i = 0; i < builder->metrics.count; i++) {
        struct import_metrics *unit = &builder->metrics.items[i];
        if (unit->core != core || !same_shape(unit, kernel))
            continue;
        add_unit(shaped, unit);
        unit->alike = true;
    }
}

/* Metrics with a shape are more exact than those without: they come last and win. */
bool import_metrics_attach(struct import_builder *builder, struct trace_kernel *kernel) {
    if (builder->metrics.count == 0)
        return true;
    struct fitting shaped = {0}, shapeless = {0};
    uint32_t name = ct_intern_text(&builder->names, kernel->name);
    uint32_t core = import_intern_core(builder, kernel->name);
    if (name == UINT32_MAX || core == UINT32_MAX)
        return false;
    if (!find_by_name(builder, name, kernel, &shaped, &shapeless))
        find_by_core(builder, core, kernel, &shaped);
    attach(&shapeless, kernel);
    attach(&shaped, kernel);
    builder->metrics_kernels += shaped.any || shapeless.any;
    return true;
}

/* None of them is below 0: what is not known comes first. */
static int compare_numbers(const double *a, const double *b, size_t count) {
    for (size_t i = 0; i < count; i++) {
        double x = isnan(a[i]) ? -1 : a[i], y = isnan(b[i]) ? -1 : b[i];
        if (x < y || x > y)
            return x < y ? -1 : 1;
    }
    return 0;
}

static int compare_contents(const void *a, const void *b) {
    const struct import_metrics *x = a, *y = b;
    const union numbers of_x = {x->metrics}, of_y = {y->metrics};
    const double x_extent[] = {x->extent.launches, x->extent.ps, x->extent.cycles};
    const double y_extent[] = {y->extent.launches, y->extent.ps, y->extent.cycles};
    int order = compare_numbers(x_extent, y_extent, CT_COUNT_OF(x_extent));
    return order ? order : compare_numbers(of_x.at, of_y.at, METRICS);
}

void import_metrics_settle(struct import_builder *builder) {
    ct_vec_sort(&builder->metrics, compare_contents);
}
