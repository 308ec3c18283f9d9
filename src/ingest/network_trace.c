/*
 * The launch shapes are assumed, as no library says its own: a product is cut into tiles of 64 x 64
 * results, one per block of 256 threads, which so holds 16 results a thread and, of both factors,
 * slabs of 64 x 16 in shared memory; other layers have one result a thread.
 */
#include "ingest/network_trace.h"

#include <stdio.h>

enum {
    TILE = 64,
    SLAB = 16,
    THREADS = 256,
    PRODUCT_REGISTERS = 64,
    OTHER_REGISTERS = 32,
    PRODUCT_SMEM_BYTES = 2 * TILE * SLAB * (int)sizeof(float)
};

/* Longer than any query, shorter than what picoseconds hold. */
#define MOST_SECONDS 3600.0

struct making {
    const struct network_file *file;
    const struct network_roofline *roofline;
    struct trace_set *set;
    struct trace_app *app;
    ct_time_ps now_ps;
    const char *place;
    struct ct_diags *diags;
};

static bool add_task(struct making *m, struct trace_task task, double seconds) {
    double end_s = ct_time_s(m->now_ps) + seconds;
    if (!(end_s <= MOST_SECONDS))
        return ct_false_error(m->diags, m->place, "a query would take more than %.0f s",
                              MOST_SECONDS);
    task.duration_ps = ct_time_of_s(seconds);
    task.duration_ps += task.duration_ps == 0;
    task.start_ps = m->now_ps;
    task.waited_for = TRACE_NONE;
    task.flags = TRACE_DURATION_ASSUMED | TRACE_HOST_GAP_ASSUMED;
    m->now_ps += task.duration_ps;
    return ct_vec_push(&m->app->tasks, task) || ct_out_of_memory(m->diags) == CT_OK;
}

static bool add_copy(struct making *m, enum trace_direction direction, double elements) {
    double bytes = elements * (double)m->file->element_bytes;
    struct trace_task task = {.kind = TRACE_COPY,
                              .direction = (uint8_t)direction,
                              .memory = TRACE_PAGEABLE,
                              .kernel = TRACE_NONE,
                              .bytes = (uint64_t)bytes};
    return add_task(m, task, m->roofline->copy_latency_s + bytes / m->roofline->copy_bytes_per_s);
}

/* ---- kernels ---- */

static double bytes_of(const struct making *m, const struct network_layer *layer) {
    return (layer->in_elements + layer->out_elements + layer->weight_reads) *
           (double)m->file->element_bytes;
}

static double seconds_of(const struct making *m, const struct network_layer *layer) {
    const struct network_roofline *r = m->roofline;
    return fmax(layer->operations / (r->flops_per_s * r->compute_efficiency),
                bytes_of(m, layer) / (r->dram_bytes_per_s * r->memory_efficiency));
}

static double blocks_of(const struct network_layer *layer) {
    if (layer->macs == 0)
        return ceil(layer->out_elements / THREADS);
    return layer->matrices * ceil(layer->rows / TILE) * ceil(layer->columns / TILE);
}

static bool add_kernel(struct making *m, const struct network_layer *layer, double seconds) {
    bool product = layer->macs > 0;
    double blocks = blocks_of(layer);
    if (blocks > INT32_MAX)
        return ct_false_error(m->diags, m->place,
                              "layer '%s' has more blocks than a grid holds: %.0f", layer->name,
                              blocks);
    struct trace_kernel kernel = {.name = ct_arena_strdup(&m->set->arena, layer->name),
                                  .grid = {(uint32_t)blocks, 1, 1},
                                  .block = {THREADS, 1, 1},
                                  .registers_per_thread =
                                      product ? PRODUCT_REGISTERS : OTHER_REGISTERS,
                                  .static_smem_bytes = product ? PRODUCT_SMEM_BYTES : 0,
                                  .demand_provenance = CT_DERIVED,
                                  .geometry_provenance = CT_ASSUMED,
                                  .metrics = trace_metrics_unknown()};
    kernel.metrics.dram_bytes_per_s = bytes_of(m, layer) / seconds;
    kernel.metrics.dram_read_share =
        (layer->in_elements + layer->weight_reads) /
        (layer->in_elements + layer->weight_reads + layer->out_elements);
    kernel.metrics.unit_fraction = layer->operations / (m->roofline->flops_per_s * seconds);
    return (kernel.name && ct_vec_push(&m->app->kernels, kernel)) ||
           ct_out_of_memory(m->diags) == CT_OK;
}

static bool add_layer(struct making *m, const struct network_layer *layer) {
    double seconds = seconds_of(m, layer);
    if (!layer->again && !add_kernel(m, layer, seconds))
        return false;
    const char *call = m->app->kernels.items[m->app->kernels.count - 1].name;
    if (!ct_vec_push(&m->app->library_calls, call))
        return ct_out_of_memory(m->diags) == CT_OK;
    struct trace_task task = {.kind = TRACE_KERNEL,
                              .kernel = (uint32_t)(m->app->kernels.count - 1),
                              .library_call = (uint32_t)m->app->library_calls.count};
    return add_task(m, task, seconds);
}

/* ---- the application ---- */

static bool add_tasks(struct making *m) {
    const struct network_file *file = m->file;
    bool done = add_copy(m, TRACE_HOST_TO_DEVICE, file->in_elements);
    for (size_t i = 0; i < file->layers.count && done; i++)
        done = add_layer(m, &file->layers.items[i]);
    return done && add_copy(m, TRACE_DEVICE_TO_HOST,
                            file->layers.items[file->layers.count - 1].out_elements);
}

static bool describe(struct making *m) {
    char text[600];
    const struct network_roofline *r = m->roofline;
    snprintf(text, sizeof text,
             "network, batch %lld, roofline at %g of peak FLOP/s and %g of peak "
             "bandwidth: %s",
             (long long)m->file->batch, r->compute_efficiency, r->memory_efficiency,
             m->file->source);
    m->app->gpu = ct_arena_strdup(&m->set->arena, r->gpu);
    m->app->source = ct_arena_strdup(&m->set->arena, text);
    m->app->licence = ct_arena_strdup(&m->set->arena, m->file->licence);
    m->app->stream_count = 1;
    m->app->resolution_ps = 1;
    struct trace_note note = {TRACE_NOTE_UNIT, kernel_unit_names[m->file->unit]};
    return (m->app->gpu && m->app->source && m->app->licence &&
            ct_vec_push(&m->app->notes, note)) ||
           ct_out_of_memory(m->diags) == CT_OK;
}

int network_trace(const struct network_file *file, const struct network_roofline *roofline,
                  const char *name, const char *place, struct trace_set *set,
                  struct ct_diags *diags) {
    struct making m = {
        .file = file, .roofline = roofline, .set = set, .place = place, .diags = diags};
    m.app = trace_set_add(set, name ? name : file->name);
    if (!m.app)
        return ct_out_of_memory(diags);
    if (!describe(&m) || !add_tasks(&m))
        return CT_DATA;
    struct trace_job job = {.name = "query",
                            .task_count = (uint32_t)m.app->tasks.count,
                            .input_bytes = m.app->tasks.items[0].bytes,
                            .recorded_ps = m.now_ps};
    return ct_vec_push(&m.app->jobs, job) ? CT_OK : ct_out_of_memory(diags);
}
