/* Distinct kernels: identity, metrics, communication, and the GPUs that recordings come from. */
#include "ingest/import_builder_internal.h"
#include "ingest/kernel_name.h"

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
    struct trace_kernel *k = &kernel.recorded;
    memcpy(k->grid, r->grid, sizeof k->grid);
    memcpy(k->block, r->block, sizeof k->block);
    k->registers_per_thread = (uint32_t)r->registers_per_thread;
    k->static_smem_bytes = (uint32_t)r->static_smem_bytes;
    k->dynamic_smem_bytes = (uint32_t)r->dynamic_smem_bytes;
    k->demand_provenance = CT_ASSUMED;
    k->geometry_provenance = r->geometry_known ? CT_MEASURED : CT_ASSUMED;
    k->metrics = r->metrics;
    kernel.name = ct_intern_text(&builder->names, r->name);
    if (kernel.name == UINT32_MAX)
        return UINT32_MAX;
    return ct_intern_add(&builder->kernels, &kernel, sizeof kernel);
}

uint32_t import_intern_core(struct import_builder *builder, const char *name) {
    char *core = kernel_name_core(name);
    uint32_t number = core ? ct_intern_text(&builder->names, core) : UINT32_MAX;
    free(core);
    return number;
}

bool import_kernels_fill(struct import_builder *builder, struct trace_set *set,
                         struct trace_app *app, const struct ct_intern *numbers) {
    for (uint32_t i = 0; i < numbers->items.count; i++) {
        const uint32_t *number = ct_intern_get(numbers, i);
        const struct import_kernel *kernel = ct_intern_get(&builder->kernels, *number);
        struct trace_kernel into = kernel->recorded;
        into.name = ct_arena_strdup(&set->arena, ct_intern_get(&builder->names, kernel->name));
        if (!into.name)
            return false;
        into.communication = import_name_is_communication(into.name);
        if (!import_metrics_attach(builder, &into) || !ct_vec_push(&app->kernels, into))
            return false;
    }
    return true;
}

int import_kernels_check(const struct import_builder *builder, const struct trace_app *app) {
    for (size_t i = 0; i < app->kernels.count; i++) {
        const struct trace_kernel *kernel = &app->kernels.items[i];
        const char *beyond = trace_kernel_beyond(kernel).words;
        if (!beyond)
            continue;
        return ct_data_error(builder->diags, import_place(builder),
                             "the %s of kernel '%s' is impossible", beyond, kernel->name);
    }
    return CT_OK;
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

bool import_kernels_work(const struct import_group *group, const struct ct_intern *numbers,
                         struct trace_app *app) {
    struct launches *launches = calloc(app->kernels.count + 1, sizeof *launches);
    for (size_t i = 0; launches && i < group->tasks.count; i++) {
        const struct import_task *task = group->tasks.items[i];
        uint32_t number = ct_intern_find(numbers, &task->kernel, sizeof task->kernel);
        if (task->kind == TRACE_KERNEL && number != UINT32_MAX)
            add_launch(&launches[number], task);
    }
    for (size_t i = 0; launches && i < app->kernels.count; i++)
        put_work(&launches[i], &app->kernels.items[i]);
    free(launches);
    return launches != NULL;
}
