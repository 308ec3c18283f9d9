#include "ingest/import_builder_internal.h"

#include "base/ct_sort.h"
#include "trace/gpu_names.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

struct import_builder *import_begin(const struct import_options *options, struct ct_diags *diags) {
    struct import_builder *builder = calloc(1, sizeof *builder);
    if (!builder) {
        ct_out_of_memory(diags);
        return NULL;
    }
    builder->options = *options;
    if (!options->gpus)
        builder->options.gpus = &gpu_names_shipped;
    builder->diags = diags;
    return builder;
}

bool import_memory_left(const struct import_builder *builder, bool left) {
    if (!left)
        ct_out_of_memory(builder->diags);
    return left;
}

bool import_add_allocation(struct import_builder *builder,
                           const struct import_allocation *allocation) {
    return import_memory_left(builder, ct_vec_push(&builder->allocations, *allocation));
}

struct import_device *import_device_of(const struct import_builder *builder, int device) {
    for (size_t i = 0; i < builder->devices.count; i++)
        if (builder->devices.items[i].device == device)
            return &builder->devices.items[i];
    return NULL;
}

/* The device of this number, which is added where it is new; NULL: memory ran out (recorded). */
static struct import_device *add_device(struct import_builder *builder, int device) {
    struct import_device *known = import_device_of(builder, device);
    if (known || !import_memory_left(builder, ct_vec_push(&builder->devices,
                                                          (struct import_device){device, {0}, 0})))
        return known;
    return &builder->devices.items[builder->devices.count - 1];
}

bool import_memory_held(struct import_builder *builder, int device, uint64_t bytes) {
    struct import_device *known = add_device(builder, device);
    if (known && bytes > known->held)
        known->held = bytes;
    return known;
}

const char *import_place(const struct import_builder *builder) {
    const struct import_options *o = &builder->options;
    return o->place ? o->place : o->app_name ? o->app_name : "";
}

/* What the store of recordings would call damaged. */
static void check_needs(struct import_builder *builder, const struct import_record *r) {
    uint64_t smem =
        r->static_smem_bytes > r->dynamic_smem_bytes ? r->static_smem_bytes : r->dynamic_smem_bytes;
    if (r->registers_per_thread > TRACE_MOST_REGISTERS)
        ct_error(builder->diags, import_place(builder),
                 "kernel '%s' has %" PRIu64 " registers per thread, of at most %d", r->name,
                 r->registers_per_thread, TRACE_MOST_REGISTERS);
    if (smem > TRACE_MOST_SMEM_BYTES)
        ct_error(builder->diags, import_place(builder),
                 "kernel '%s' has %" PRIu64 " bytes of shared memory, of at most %d", r->name, smem,
                 TRACE_MOST_SMEM_BYTES);
}

/* A file can hold millions of records; the first impossible one of a kind is enough. */
static void check_record(struct import_builder *builder, const struct import_record *r) {
    const char *where = import_place(builder);
    const char *name = r->kind == TRACE_KERNEL ? r->name : trace_kind_names[r->kind];
    if (r->duration_ps < 0)
        ct_error(builder->diags, where, "'%s' has a negative duration", name);
    if (r->kind == TRACE_KERNEL)
        check_needs(builder, r);
    if (r->kind != TRACE_KERNEL || trace_shape_is_possible(r->grid, r->block))
        return;
    if (!r->geometry_known)
        ct_error(builder->diags, where,
                 "kernel '%s' lacks its grid or block: how much of the GPU it takes is unknown",
                 name);
    else
        ct_error(builder->diags, where,
                 "kernel '%s' has %.15g blocks of %.15g threads: at least one block and 1 to %d "
                 "threads are possible",
                 name, (double)r->grid[0] * r->grid[1] * r->grid[2],
                 (double)r->block[0] * r->block[1] * r->block[2], TRACE_MOST_THREADS);
}

static uint32_t intern_stream(struct import_builder *builder, const struct import_record *r) {
    struct import_stream stream = {.context = r->context, .stream = r->stream, .device = r->device};
    return ct_intern_add(&builder->streams, &stream, sizeof stream);
}

static uint32_t intern_call(struct import_builder *builder, const struct import_record *r) {
    struct import_call call = {.id = r->library_call_id,
                               .name = ct_intern_text(&builder->names, r->library_call)};
    return call.name == UINT32_MAX ? UINT32_MAX
                                   : ct_intern_add(&builder->calls, &call, sizeof call);
}

void import_count_work(struct import_builder *builder, ct_time_ps duration_ps) {
    builder->share_of_tasks.read++;
    builder->share_of_gpu_ps.read += (double)duration_ps;
}

static bool is_interrupted(const struct import_builder *builder) {
    enum { RECORDS_BETWEEN = 1024 };
    return builder->options.interrupted && builder->tasks.count % RECORDS_BETWEEN == 0 &&
           builder->options.interrupted(NULL);
}

bool import_add_record(struct import_builder *builder, const struct import_record *r) {
    if (is_interrupted(builder))
        return false;
    check_record(builder, r);
    if (builder->diags->errors)
        return true; /* nothing will be kept: read on for further mistakes only */
    struct import_task task = {
        .start_ps = r->start_ps,
        .duration_ps = r->duration_ps,
        .recorded_ps = r->duration_ps,
        .launch_begin_ps = r->launch_begin_ps,
        .launch_end_ps = r->launch_end_ps == CT_TIME_NEVER ? r->launch_begin_ps : r->launch_end_ps,
        .bytes = r->kind == TRACE_KERNEL ? 0 : r->bytes,
        .process = r->process,
        .launch_process = r->launch_process,
        .launch_thread = r->launch_thread,
        .work = r->work,
        .kernel = r->kind == TRACE_KERNEL ? import_kernel_intern(builder, r) : TRACE_NONE,
        .call = r->library_call ? intern_call(builder, r) : TRACE_NONE,
        .stream = intern_stream(builder, r),
        .order = (uint32_t)builder->tasks.count,
        .branch_of = TRACE_NONE,
        .joins = TRACE_NONE,
        .device = r->device,
        .kind = (uint8_t)r->kind,
        .direction = r->kind == TRACE_COPY ? (uint8_t)r->direction : TRACE_DEVICE_TO_DEVICE,
        .memory = r->kind == TRACE_COPY ? (uint8_t)r->memory : TRACE_MEMORY_UNKNOWN};
    import_count_work(builder, r->duration_ps);
    bool interned = task.stream != UINT32_MAX &&
                    (r->kind != TRACE_KERNEL || task.kernel != UINT32_MAX) &&
                    (!r->library_call || task.call != UINT32_MAX);
    return import_memory_left(builder, interned && builder->tasks.count < UINT32_MAX - 1 &&
                                           ct_vec_push(&builder->tasks, task));
}

bool import_add_sync(struct import_builder *builder, const struct import_sync *sync) {
    return import_memory_left(builder, ct_vec_push(&builder->syncs, *sync));
}

static bool host_waited(const struct import_record *copy, bool asynchronous) {
    if (copy->kind != TRACE_COPY || copy->direction == TRACE_DEVICE_TO_DEVICE)
        return false;
    return !asynchronous ||
           (copy->direction == TRACE_DEVICE_TO_HOST && copy->memory == TRACE_PAGEABLE &&
            copy->launch_end_ps >= copy->start_ps + copy->duration_ps);
}

bool import_add_copy_wait(struct import_builder *builder, const struct import_record *copy,
                          bool asynchronous) {
    struct import_sync sync = {.kind = IMPORT_WAIT_COPY,
                               .device = copy->device,
                               .stream = copy->stream,
                               .process = copy->launch_process,
                               .thread = copy->launch_thread,
                               .begin_ps = copy->launch_begin_ps,
                               .end_ps = copy->launch_end_ps};
    return !host_waited(copy, asynchronous) || import_add_sync(builder, &sync);
}

bool import_add_stream_wait(struct import_builder *builder, const struct import_stream_wait *wait) {
    return import_memory_left(builder, ct_vec_push(&builder->stream_waits, *wait));
}

/* Only the marks that can cut jobs are worth keeping: recordings hold one per operator. */
static bool mark_is_wanted(const struct import_options *options, const struct import_mark *mark) {
    if (options->cut == IMPORT_CUT_MARK || options->cut == IMPORT_CUT_FROM)
        return strcmp(mark->name, options->mark_name) == 0;
    return mark->step && (options->cut == IMPORT_CUT_STEP || options->cut == IMPORT_CUT_AUTO);
}

/* Keeps some names of ranges, to be told where none has the name that was asked for. */
static bool remember_mark(struct import_builder *builder, const char *name) {
    enum { REMEMBERED = 8 };
    size_t i = 0;
    if (!builder->options.mark_name || builder->other_marks.count == REMEMBERED)
        return true;
    while (i < builder->other_marks.count && strcmp(builder->other_marks.items[i], name) != 0)
        i++;
    if (i < builder->other_marks.count)
        return true;
    uint32_t number = ct_intern_text(&builder->names, name);
    return import_memory_left(
        builder, number != UINT32_MAX &&
                     ct_vec_push(&builder->other_marks, ct_intern_get(&builder->names, number)));
}

bool import_add_mark(struct import_builder *builder, const struct import_mark *mark) {
    if (!mark_is_wanted(&builder->options, mark))
        return remember_mark(builder, mark->name);
    struct import_mark kept = *mark;
    uint32_t name = ct_intern_text(&builder->names, mark->name);
    if (name != UINT32_MAX)
        kept.name = ct_intern_get(&builder->names, name);
    return import_memory_left(builder, name != UINT32_MAX && ct_vec_push(&builder->marks, kept));
}

void import_leave_out(struct import_builder *builder, const char *reason) {
    for (size_t i = 0; i < builder->reasons.count; i++) {
        struct import_count *known = &builder->reasons.items[i];
        if (known->reason == reason || strcmp(known->reason, reason) == 0) {
            known->records++;
            return;
        }
    }
    uint32_t name = ct_intern_text(&builder->names, reason);
    import_memory_left(
        builder, name != UINT32_MAX &&
                     ct_vec_push(&builder->reasons,
                                 (struct import_count){ct_intern_get(&builder->names, name), 1}));
}

void import_drop_work(struct import_builder *builder, const char *reason, ct_time_ps duration_ps) {
    builder->share_of_tasks.left_out++;
    builder->share_of_gpu_ps.left_out += (double)duration_ps;
    import_leave_out(builder, reason);
}

void import_leave_out_work(struct import_builder *builder, const char *reason,
                           ct_time_ps duration_ps) {
    import_count_work(builder, duration_ps);
    import_drop_work(builder, reason, duration_ps);
}

bool import_jobs_remain(const struct import_builder *builder, const char *app, size_t jobs) {
    int64_t skipped = builder->options.skip_jobs;
    if (skipped == 0 || (uint64_t)skipped < jobs)
        return true;
    return ct_false_error(builder->diags, app,
                          "'--skip-jobs %" PRId64 "' leaves none of its %zu jobs", skipped, jobs);
}

double import_share_kept(struct import_share share) {
    return share.read > 0 ? floor(1000 * (1 - share.left_out / share.read)) / 10 : 100;
}

void import_gpu(struct import_builder *builder, int device, const struct import_gpu *gpu) {
    struct import_device *known = add_device(builder, device);
    if (!known || known->gpu.title)
        return;
    uint32_t name = ct_intern_text(&builder->names, gpu->title);
    if (!import_memory_left(builder, name != UINT32_MAX))
        return;
    known->gpu = *gpu;
    known->gpu.title = ct_intern_get(&builder->names, name);
}

void import_resolution(struct import_builder *builder, ct_time_ps resolution_ps) {
    builder->resolution_ps = resolution_ps;
}

void import_stacks_recorded(struct import_builder *builder) {
    builder->stacks_recorded = true;
}

bool import_add_metrics(struct import_builder *builder, const char *kernel_name,
                        const uint32_t *grid, const uint32_t *block,
                        const struct import_extent *extent, const struct trace_metrics *metrics) {
    struct import_metrics unit = {.name = ct_intern_text(&builder->names, kernel_name),
                                  .core = import_intern_core(builder, kernel_name),
                                  .shaped = grid && block,
                                  .extent = *extent,
                                  .metrics = *metrics};
    if (unit.shaped) {
        memcpy(unit.grid, grid, sizeof unit.grid);
        memcpy(unit.block, block, sizeof unit.block);
    }
    return import_memory_left(builder, unit.name != UINT32_MAX && unit.core != UINT32_MAX &&
                                           ct_vec_push(&builder->metrics, unit));
}

void import_abandon(struct import_builder *builder) {
    if (!builder)
        return;
    ct_vec_free(&builder->other_marks);
    ct_intern_free(&builder->names);
    ct_intern_free(&builder->kernels);
    ct_intern_free(&builder->streams);
    ct_intern_free(&builder->calls);
    ct_vec_free(&builder->tasks);
    ct_vec_free(&builder->syncs);
    ct_vec_free(&builder->stream_waits);
    ct_vec_free(&builder->marks);
    ct_vec_free(&builder->tracks);
    ct_vec_free(&builder->devices);
    ct_vec_free(&builder->metrics);
    ct_vec_free(&builder->reasons);
    ct_vec_free(&builder->allocations);
    free(builder);
}

int import_compare_starts(const void *a, const void *b) {
    const struct import_task *x = *(struct import_task *const *)a;
    const struct import_task *y = *(struct import_task *const *)b;
    return ct_then(ct_order(x->start_ps, y->start_ps), ct_order(x->order, y->order));
}

int import_compare_ranges(struct import_range x, struct import_range y) {
    return ct_then(ct_order(x.thread, y.thread),
                   ct_then(ct_order(x.begin_ps, y.begin_ps), ct_order(y.end_ps, x.end_ps)));
}
