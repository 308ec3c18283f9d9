/* Distinct kernels: identity, metrics, communication, and the GPUs that recordings come from. */
#include "ingest/import_builder_internal.h"

#include <stdlib.h>
#include <string.h>

/* NCCL, RCCL and hand-written collectives wait for other GPUs inside the kernel. */
bool import_name_is_communication(const char *name) {
    static const char *const marks[] = {
        "nccl",      "AllReduce",     "all_reduce",     "allreduce", "AllGather",  "all_gather",
        "allgather", "ReduceScatter", "reduce_scatter", "AllToAll",  "all_to_all", "alltoall"};
    for (size_t i = 0; i < CT_COUNT_OF(marks); i++)
        if (strstr(name, marks[i]))
            return true;
    return false;
}

uint32_t import_kernel_intern(struct import_builder *builder, const struct import_record *r) {
    struct import_kernel kernel;
    memset(&kernel, 0, sizeof kernel); /* padding too: the bytes are the identity */
    kernel.metrics = r->metrics;
    kernel.name = ct_intern_text(&builder->names, r->name);
    memcpy(kernel.grid, r->grid, sizeof kernel.grid);
    memcpy(kernel.block, r->block, sizeof kernel.block);
    kernel.registers_per_thread = r->registers_per_thread;
    kernel.static_smem_bytes = r->static_smem_bytes;
    kernel.dynamic_smem_bytes = r->dynamic_smem_bytes;
    kernel.geometry_known = r->geometry_known;
    kernel.demand_provenance = r->demand_provenance;
    if (kernel.name == UINT32_MAX)
        return UINT32_MAX;
    return ct_intern_add(&builder->kernels, &kernel, sizeof kernel);
}

static void take(double *known, double number) {
    if (!isnan(number))
        *known = number;
}

static void merge_metrics(struct trace_metrics *into, const struct trace_metrics *from) {
    take(&into->dram_bytes_per_s, from->dram_bytes_per_s);
    take(&into->dram_fraction, from->dram_fraction);
    take(&into->dram_read_share, from->dram_read_share);
    take(&into->row_hit_rate, from->row_hit_rate);
    take(&into->l2_fraction, from->l2_fraction);
    take(&into->issue_slot_fraction, from->issue_slot_fraction);
    take(&into->unit_fraction, from->unit_fraction);
    take(&into->fp32_fraction, from->fp32_fraction);
    take(&into->fp64_fraction, from->fp64_fraction);
    take(&into->sm_activity, from->sm_activity);
    take(&into->achieved_occupancy, from->achieved_occupancy);
    take(&into->instructions, from->instructions);
}

static bool metrics_fit(const struct import_metrics *unit, const struct import_kernel *kernel) {
    return unit->name == kernel->name &&
           (!unit->shaped || (memcmp(unit->grid, kernel->grid, sizeof unit->grid) == 0 &&
                              memcmp(unit->block, kernel->block, sizeof unit->block) == 0));
}

/* Metrics with a shape are more exact than those without: they come last and win. */
static void attach_metrics(struct import_builder *builder, const struct import_kernel *kernel,
                           struct trace_kernel *into) {
    for (int shaped = 0; shaped <= 1; shaped++)
        for (size_t i = 0; i < builder->metrics.count; i++) {
            struct import_metrics *unit = &builder->metrics.items[i];
            if (unit->shaped != (shaped == 1) || !metrics_fit(unit, kernel))
                continue;
            merge_metrics(&into->metrics, &unit->metrics);
            unit->used = true;
            if (!isnan(unit->metrics.dram_bytes_per_s) || !isnan(unit->metrics.dram_fraction))
                into->demand_provenance = CT_MEASURED;
        }
}

static struct trace_kernel describe(const struct import_kernel *kernel, const char *name) {
    bool demand_known =
        !isnan(kernel->metrics.dram_bytes_per_s) || !isnan(kernel->metrics.dram_fraction);
    return (struct trace_kernel){
        .name = name,
        .grid = {kernel->grid[0], kernel->grid[1], kernel->grid[2]},
        .block = {kernel->block[0], kernel->block[1], kernel->block[2]},
        .registers_per_thread = kernel->registers_per_thread,
        .static_smem_bytes = kernel->static_smem_bytes,
        .dynamic_smem_bytes = kernel->dynamic_smem_bytes,
        .communication = import_name_is_communication(name),
        .demand_provenance = demand_known ? (uint8_t)kernel->demand_provenance : CT_ASSUMED,
        .geometry_provenance = kernel->geometry_known ? CT_MEASURED : CT_ASSUMED,
        .metrics = kernel->metrics};
}

bool import_kernels_fill(struct import_builder *builder, struct trace_set *set,
                         struct trace_app *app, const uint32_t *numbers, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const struct import_kernel *kernel = ct_intern_get(&builder->kernels, numbers[i]);
        const char *name =
            ct_arena_strdup(&set->arena, ct_intern_get(&builder->names, kernel->name));
        if (!name)
            return false;
        struct trace_kernel into = describe(kernel, name);
        attach_metrics(builder, kernel, &into);
        if (!ct_vec_push(&app->kernels, into))
            return false;
    }
    return true;
}

/* The work of all launches of a kernel for which it is known, and how long these took. */
struct launches {
    struct import_work work;
    double seconds;
};

static void add_launch(struct launches *all, const struct import_task *task) {
    if (task->work.read_bytes + task->work.written_bytes <= 0)
        return;
    all->work.read_bytes += task->work.read_bytes;
    all->work.written_bytes += task->work.written_bytes;
    all->work.operations += task->work.operations;
    all->seconds += ct_time_s(task->duration_ps);
}

static void put_work(const struct launches *all, struct trace_kernel *kernel) {
    struct trace_metrics *m = &kernel->metrics;
    double bytes = all->work.read_bytes + all->work.written_bytes;
    if (all->seconds <= 0)
        return;
    kernel->flops_per_s = all->work.operations / all->seconds;
    if (!isnan(m->dram_bytes_per_s) || !isnan(m->dram_fraction))
        return;
    m->dram_bytes_per_s = bytes / all->seconds;
    m->dram_read_share = all->work.read_bytes / bytes;
    kernel->demand_provenance = CT_SHAPES;
}

bool import_kernels_work(const struct import_group *group, const uint32_t *numbers,
                         struct trace_app *app) {
    struct launches *launches = calloc(app->kernels.count + 1, sizeof *launches);
    for (size_t i = 0; launches && i < group->tasks.count; i++) {
        const struct import_task *task = group->tasks.items[i];
        if (task->kind == TRACE_KERNEL && numbers[task->kernel] != TRACE_NONE)
            add_launch(&launches[numbers[task->kernel]], task);
    }
    for (size_t i = 0; launches && i < app->kernels.count; i++)
        put_work(&launches[i], &app->kernels.items[i]);
    free(launches);
    return launches != NULL;
}
