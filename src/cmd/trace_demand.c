#include "cmd/trace_judge.h"

#include "models/device/kernel_profile.h"
#include "trace/kernel_class.h"
#include "workload/demand.h"

#include <stdio.h>
#include <stdlib.h>

/* What is known of a kernel. */
struct known {
    enum kernel_class class;
    bool full;
    double dram, low, high; /* shares of peak; low and high NAN where dram is known */
    enum ct_provenance source;
    double units; /* of the busiest */
    enum ct_provenance units_source;
};

static const char *launch_name(bool full) {
    return full ? "full" : "partial";
}

static const char *source_name(enum ct_provenance source) {
    return source == CT_UNKNOWN || source == CT_CLASS ? "class" : ct_provenance_names[source];
}

static struct known know(const struct trace_kernel *kernel, const struct gpu *gpu,
                         const struct demand_file *file) {
    struct known k = {.class = trace_kernel_class(kernel),
                      .full = kernel_fills_gpu(gpu, kernel),
                      .dram = kernel->metrics.dram_fraction,
                      .low = NAN,
                      .high = NAN,
                      .source = kernel->demand_provenance};
    k.units = kernel_units(gpu, kernel, demand_units_of(file, kernel, gpu, 0.5), &k.units_source);
    if (!isnan(kernel->metrics.dram_bytes_per_s))
        k.dram = fmin(1, kernel->metrics.dram_bytes_per_s / (gpu->dram_gb_s * 1e9));
    if (isnan(k.dram)) {
        const double *quantiles = file->cells[k.class][k.full].quantiles;
        k.dram = quantiles[DEMAND_MEDIAN];
        k.low = quantiles[DEMAND_LOW];
        k.high = quantiles[DEMAND_HIGH];
        k.source = CT_UNKNOWN;
    }
    return k;
}

struct kernel_time *trace_kernel_times(const struct trace_app *app) {
    struct kernel_time *times = calloc(app->kernels.count + 1, sizeof *times);
    for (size_t i = 0; times && i < app->kernels.count; i++)
        times[i].kernel = i;
    for (size_t i = 0; times && i < app->tasks.count; i++) {
        const struct trace_task *task = &app->tasks.items[i];
        if (task->kind != TRACE_KERNEL)
            continue;
        struct kernel_time *time = &times[task->kernel];
        time->launches++;
        time->total_ps = ct_time_later(time->total_ps, task->duration_ps);
    }
    return times;
}

int trace_compare_times(const void *a, const void *b) {
    const struct kernel_time *x = a, *y = b;
    if (x->total_ps != y->total_ps)
        return x->total_ps > y->total_ps ? -1 : 1;
    return x->kernel < y->kernel ? -1 : x->kernel > y->kernel;
}

enum { SHOWN_LETTERS = 44 };

void trace_demand_kernels(const struct trace_judged *j, size_t most) {
    qsort(j->times, j->app->kernels.count, sizeof *j->times, trace_compare_times);
    for (size_t i = 0; i < j->app->kernels.count && i < most; i++) {
        const struct trace_kernel *kernel = &j->app->kernels.items[j->times[i].kernel];
        struct known k = know(kernel, j->gpu, j->file);
        table_row(j->table, j->app->name, kernel_class_names[k.class], launch_name(k.full),
                  100 * (double)j->times[i].total_ps / (double)j->totals.kernel_ps, k.dram, k.low,
                  k.high, k.dram, k.low, k.high,
                  kernel->flops_per_s > 0 ? kernel->flops_per_s / 1e12 : NAN, k.units,
                  source_name(k.units_source), source_name(k.source),
                  table_words(j->table, "%.*s", SHOWN_LETTERS, kernel_brief_name(kernel->name)),
                  kernel->name);
    }
}

/* ---- Classes ---- */

/* Each class of kernels twice: launches that fill the GPU, and those that do not. */
enum { GROUPS = 2 * KERNEL_CLASSES };

/* Classes of less of the time are not listed: what rounds to 0 %. */
static const double LEAST_SHARE = 0.005;

/* What is known of the kernels of a class, by time. */
struct group {
    double time, unknown;
    double bytes; /* time times the share of peak, of those that are known */
    double units; /* time times the use of units */
    bool of[CT_PROVENANCE_COUNT], units_of[CT_PROVENANCE_COUNT];
};

static const char *verdict_of(const bool of[CT_PROVENANCE_COUNT], const char *several) {
    const char *verdict = NULL;
    for (int p = 0; p < CT_PROVENANCE_COUNT; p++)
        if (of[p])
            verdict = verdict ? several : ct_provenance_names[p];
    return verdict ? verdict : "unknown";
}

static void judge_class(const struct trace_judged *j, size_t index, const struct group *group) {
    size_t class = index / 2;
    bool full = index % 2;
    const struct demand_cell *cell = &j->file->cells[class][full];
    char known[80] = "", unknown[160] = "";
    double rest = group->time - group->unknown;
    if (rest > 0)
        snprintf(known, sizeof known, ", %.2f of the peak DRAM bandwidth%s", group->bytes / rest,
                 group->unknown > 0 ? " where known" : "");
    if (group->unknown > 0)
        snprintf(unknown, sizeof unknown,
                 ", %sunknown: by its class %.2f of the peak DRAM bandwidth, 90 %% band %.2f to "
                 "%.2f",
                 rest > 0 ? "else " : "", cell->quantiles[DEMAND_MEDIAN],
                 cell->quantiles[DEMAND_LOW], cell->quantiles[DEMAND_HIGH]);
    trace_row(j, "demand", verdict_of(group->of, "partly"),
              "%s, %s launches: %.0f %% of the kernel time%s%s; %.2f of the units, %s",
              kernel_class_names[class], launch_name(full),
              100 * group->time / (double)j->totals.kernel_ps, known, unknown,
              group->units / group->time, verdict_of(group->units_of, "from several"));
}

void trace_demand_check(const struct trace_judged *j) {
    struct group groups[GROUPS] = {0};
    struct kernel_time order[GROUPS]; /* of groups */
    double total = (double)j->totals.kernel_ps;
    for (size_t i = 0; i < j->app->kernels.count; i++) {
        struct known k = know(&j->app->kernels.items[i], j->gpu, j->file);
        struct group *group = &groups[2 * (size_t)k.class + k.full];
        double time = (double)j->times[i].total_ps;
        group->time += time;
        group->of[k.source] = true;
        group->units += time * k.units;
        group->units_of[k.units_source] = true;
        if (k.source == CT_UNKNOWN)
            group->unknown += time;
        else
            group->bytes += time * k.dram;
    }
    for (size_t i = 0; i < GROUPS; i++)
        order[i] = (struct kernel_time){.kernel = i, .total_ps = (ct_time_ps)groups[i].time};
    qsort(order, GROUPS, sizeof *order, trace_compare_times);
    for (size_t i = 0; i < GROUPS && groups[order[i].kernel].time >= LEAST_SHARE * total; i++)
        if (total > 0)
            judge_class(j, order[i].kernel, &groups[order[i].kernel]);
}
