/* The last step of an import: an application for what each process did on each device, and the
 * account of what was kept. */
#include "base/ct_sort.h"
#include "ingest/import_builder_internal.h"
#include "trace/trace_overlap.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ---- what becomes an application of its own: the work of one process on one device ---- */

struct part {
    int device;
    uint64_t process;         /* 0: the recording tells of none */
    size_t number, of_device; /* which of its device's processes it is, of how many */
};

/* By device, then process. Zero-initialise; free with ct_vec_free. */
struct parts {
    CT_VEC(struct part);
};

static int compare_parts(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    int order = ct_order(x->device, y->device);
    return order ? order : ct_order(x->process, y->process);
}

static struct part part_of(const struct import_task *task) {
    return (struct part){.device = task->device, .process = task->process};
}

/* The place of a part among the parts; their count when it is none of them. */
static size_t place_of(const struct parts *parts, struct part part) {
    size_t i = 0;
    while (i < parts->count && compare_parts(&parts->items[i], &part) != 0)
        i++;
    return i;
}

/* Finds the parts that ran a kernel. False: memory ran out. */
static bool find_all(const struct import_builder *b, struct parts *parts) {
    for (size_t i = 0; i < b->tasks.count; i++) {
        const struct import_task *task = &b->tasks.items[i];
        if (task->kind == TRACE_KERNEL && place_of(parts, part_of(task)) == parts->count &&
            !ct_vec_push(parts, part_of(task)))
            return false;
    }
    ct_vec_sort(parts, compare_parts);
    return true;
}

static bool has_device(const struct parts *parts, int device) {
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].device == device)
            return true;
    return false;
}

/* Leaves only the parts of one device. */
static void keep_device(struct parts *parts, int device) {
    size_t kept = 0;
    for (size_t i = 0; i < parts->count; i++)
        if (parts->items[i].device == device)
            parts->items[kept++] = parts->items[i];
    parts->count = kept;
}

static void drop_others(struct import_builder *b, const struct parts *parts) {
    for (size_t i = 0; i < b->tasks.count; i++) {
        const struct import_task *task = &b->tasks.items[i];
        if (place_of(parts, part_of(task)) == parts->count)
            import_drop_work(b,
                             has_device(parts, task->device) ? IMPORT_NO_KERNELS : "another device",
                             task->recorded_ps);
    }
}

/* Numbers the processes of each device, and says where there are several. */
static void number_processes(const struct import_builder *b, struct parts *parts) {
    struct part *all = parts->items;
    for (size_t i = 0, end; i < parts->count; i = end) {
        for (end = i; end < parts->count && all[end].device == all[i].device; end++)
            all[end].number = end - i;
        for (size_t k = i; k < end; k++)
            all[k].of_device = end - i;
        if (end - i > 1)
            ct_notice(b->diags, import_place(b),
                      "%zu processes ran kernels on GPU %d: each is an application of its own",
                      end - i, all[i].device);
    }
}

/* All that ran a kernel on a device that is wanted; the tasks of others are left out. enum
 * ct_status. */
static int find_parts(struct import_builder *builder, struct parts *parts) {
    const char *where = import_place(builder);
    int device = builder->options.device;
    if (!find_all(builder, parts))
        return ct_out_of_memory(builder->diags);
    if (parts->count == 0)
        return ct_data_error(builder->diags, where, "the recording holds no kernel");
    if (device >= 0 && !has_device(parts, device))
        return ct_usage_error(builder->diags, where,
                              "device %d ran no kernel; the recording has devices %d to %d", device,
                              parts->items[0].device, parts->items[parts->count - 1].device);
    if (device >= 0)
        keep_device(parts, device);
    drop_others(builder, parts);
    number_processes(builder, parts);
    return CT_OK;
}

/* "app", "app-dev1" of several devices, "app-proc0" and "app-dev1-proc0" of several processes of
 * one, which count from 0. */
static void name_part(const struct parts *parts, const struct part *part, const char *app,
                      char *name, size_t size) {
    int used = snprintf(name, size, "%.255s", app);
    if (part->of_device < parts->count)
        used += snprintf(name + used, size - (size_t)used, "-dev%d", part->device);
    if (part->of_device > 1)
        snprintf(name + used, size - (size_t)used, "-proc%zu", part->number);
}

/* ---- with what the device was busy beside a task ---- */

/*
 * Whatever it was: also with what is left out, other
 * jobs', and communication. A launch that found it busy says nothing of how long launches take, and
 * kernels that shared it took longer than alone.
 */
static bool settle_busy(struct import_builder *builder, int device) {
    CT_VEC(struct import_task *) by_start = {0};
    bool done = true;
    for (size_t i = 0; i < builder->tasks.count && done; i++)
        if (builder->tasks.items[i].device == device)
            done = ct_vec_push(&by_start, &builder->tasks.items[i]);
    ct_vec_sort(&by_start, import_compare_starts);
    ct_time_ps busy_until = -CT_TIME_NEVER;
    for (size_t i = 0; i < by_start.count && done; i++) {
        struct import_task *task = by_start.items[i];
        task->busy_before_ps = busy_until;
        if (busy_until < import_task_end(task))
            busy_until = import_task_end(task);
    }
    ct_vec_free(&by_start);
    return import_memory_left(builder, done);
}

/* Says how much of the group's kernel time was recorded while other kernels ran, of any stream or
 * process. False: memory ran out (recorded). */
static bool report_busy(const struct import_builder *builder, const struct import_group *group,
                        const char *name) {
    struct trace_spans spans = {0};
    bool done = true;
    for (size_t i = 0; i < builder->tasks.count && done; i++) {
        const struct import_task *task = &builder->tasks.items[i];
        struct trace_span span = {task->start_ps, import_task_end(task),
                                  import_group_has(group, task)};
        if (task->kind == TRACE_KERNEL && task->device == group->device)
            done = ct_vec_push(&spans, span);
    }
    double part = done ? trace_spans_overlap(&spans) : NAN;
    ct_vec_free(&spans);
    if (part >= TRACE_OVERLAP_TOLD)
        ct_notice(builder->diags, import_place(builder),
                  "%.0f %% of the kernel time of '%s' was recorded while other kernels ran on its "
                  "GPU: what they cost each other is in their durations, and is added again where "
                  "they share the GPU in a run",
                  100 * part, name);
    return import_memory_left(builder, !isnan(part));
}

/* ---- how much of the GPU's memory it took: the most of what it held at a time ---- */

static int compare_places(const void *left, const void *right) {
    const struct import_allocation *a = left, *b = right;
    int order = ct_order(a->process, b->process);
    order = order ? order : ct_order(a->address, b->address);
    order = order ? order : ct_order(a->time_ps, b->time_ps);
    return order ? order : (a->bytes > 0) - (b->bytes > 0); /* what is freed makes room first */
}

static int compare_times(const void *left, const void *right) {
    const struct import_allocation *a = left, *b = right;
    int order = ct_order(a->time_ps, b->time_ps);
    return order ? order : ct_order(a->bytes, b->bytes);
}

/*
 * What each event changes: a free gives back what was allocated at its address, and nothing where
 * that was before the recording; an allocation where one stands says that its free was lost.
 */
static void settle_frees(struct import_builder *builder) {
    struct import_allocation *a = builder->allocations.items;
    int64_t standing = 0;
    ct_vec_sort(&builder->allocations, compare_places);
    for (size_t i = 0; i < builder->allocations.count; i++) {
        if (i == 0 || a[i].process != a[i - 1].process || a[i].address != a[i - 1].address)
            standing = 0;
        int64_t asked = a[i].bytes, freed = standing;
        int device = i > 0 && standing ? a[i - 1].device : a[i].device;
        standing = asked;
        a[i].bytes = asked - freed;
        a[i].device = asked ? a[i].device : device;
    }
    ct_vec_sort(&builder->allocations, compare_times);
    builder->allocations_settled = true;
}

static uint64_t most_allocated(struct import_builder *builder, const struct import_group *group) {
    double held = 0, most = 0;
    if (!builder->allocations_settled)
        settle_frees(builder);
    for (size_t i = 0; i < builder->allocations.count; i++) {
        const struct import_allocation *a = &builder->allocations.items[i];
        if (a->device != group->device || !import_may_concern(group, a->process))
            continue;
        held += (double)a->bytes;
        if (held > most)
            most = held;
    }
    return (uint64_t)most;
}

/* How much memory of the device the application took, where it is known. False: memory ran out. */
static bool note_memory(struct import_builder *builder, const struct import_group *group,
                        struct trace_set *set, struct trace_app *app) {
    uint64_t most = most_allocated(builder, group);
    const struct import_device *known = import_device_of(builder, group->device);
    if (known && known->held > most)
        most = known->held;
    if (most == 0)
        return true;
    struct trace_note note = {TRACE_NOTE_MEMORY, ct_arena_format(&set->arena, "%" PRIu64, most)};
    return note.value && ct_vec_push(&app->notes, note);
}

/* What the import printed of the whole file, kept with each application that it became. */
static bool note_kept(const struct import_builder *b, struct trace_set *set, size_t first) {
    if (!(b->share_of_tasks.left_out > 0))
        return true;
    struct trace_note note = {TRACE_NOTE_KEPT,
                              ct_arena_format(&set->arena,
                                              "%.1f %% of the GPU's tasks and %.1f %% of its time",
                                              import_share_kept(b->share_of_tasks),
                                              import_share_kept(b->share_of_gpu_ps))};
    bool done = note.value;
    for (size_t i = first; done && i < set->apps.count; i++)
        done = ct_vec_push(&set->apps.items[i]->notes, note);
    return done;
}

/* ---- one application ---- */

/* Everything that lives while one application is made. */
struct making {
    struct import_builder *builder;
    struct trace_set *set;
    struct trace_app *app;
    struct import_group group;
    char name[300]; /* of the application */
    struct import_slices slices;
    /* Numbers of the whole recording, which get dense ones of the application, in order of first
     * appearance. */
    struct ct_intern kernels, streams, calls;
    uint32_t *places; /* in the job in hand, by `order`; TRACE_NONE: in another one */
    struct import_order order;
    struct import_dependencies dependencies; /* of the job in hand */
};

static bool making_begin(struct making *m) {
    size_t count = m->builder->tasks.count;
    m->places = malloc((count + 1) * sizeof *m->places);
    for (size_t i = 0; m->places && i < count; i++)
        m->places[i] = TRACE_NONE;
    return m->places && import_order_begin(&m->order, m->builder, m->group.device);
}

static void making_free(struct making *m) {
    ct_intern_free(&m->kernels);
    ct_intern_free(&m->streams);
    ct_intern_free(&m->calls);
    free(m->places);
    import_order_free(&m->order);
    ct_vec_free(&m->dependencies);
    ct_vec_free(&m->slices);
    ct_vec_free(&m->group.tasks);
    ct_vec_free(&m->group.graph_waits);
}

static bool renumber(struct ct_intern *numbers, uint32_t original, uint32_t *dense) {
    *dense =
        original == TRACE_NONE ? TRACE_NONE : ct_intern_add(numbers, &original, sizeof original);
    return original == TRACE_NONE || *dense != UINT32_MAX;
}

static bool fill_task(struct making *m, const struct import_task *from, struct trace_task *task) {
    uint32_t call = TRACE_NONE;
    *task = (struct trace_task){.kind = from->kind,
                                .direction = from->direction,
                                .memory = from->memory,
                                .flags = from->flags,
                                .waited_for = TRACE_NONE,
                                .lag_ps = from->lag_ps,
                                .bytes = from->bytes};
    bool done = renumber(&m->kernels, from->kernel, &task->kernel) &&
                renumber(&m->streams, from->stream, &task->stream) &&
                renumber(&m->calls, from->call, &call);
    task->library_call = from->call == TRACE_NONE ? 0 : call + 1;
    return done;
}

/* A task waits only for tasks before it: what the recording's clock skew turns round is dropped. */
static bool depend(struct making *m, uint32_t task, uint32_t on) {
    if (task == TRACE_NONE || on == TRACE_NONE || on >= task)
        return true;
    return ct_vec_push(&m->dependencies, (struct import_dependency){task, on});
}

/* Dependencies of a node on others of its graph: those that it branches from or joins, and those on
 * other streams. */
static bool depend_in_graph(struct making *m, const struct import_task *task) {
    const uint32_t *places = m->places, place = places[task->order];
    bool done = (task->branch_of == TRACE_NONE || depend(m, place, places[task->branch_of])) &&
                (task->joins == TRACE_NONE || depend(m, place, places[task->joins]));
    for (uint32_t i = 0; i < task->wait_count && done; i++)
        done = depend(m, place, places[m->group.graph_waits.items[task->first_wait + i]]);
    return done;
}

static bool find_dependencies(struct making *m, const struct import_slice *slice) {
    struct import_task *const *tasks = m->group.tasks.items + slice->first;
    uint32_t *places = m->places;
    m->dependencies.count = 0;
    for (size_t i = 0; i < slice->count; i++)
        places[tasks[i]->order] = (uint32_t)i;
    for (size_t i = 0; i < slice->count; i++)
        if (!depend_in_graph(m, tasks[i]))
            return false;
    for (size_t i = 0; i < slice->count; i++)
        places[tasks[i]->order] = TRACE_NONE;
    return import_order_find(&m->order, tasks, slice->count, &m->dependencies);
}

static int compare_dependencies(const void *a, const void *b) {
    const struct import_dependency *x = a, *y = b;
    int order = ct_order(x->task, y->task);
    return order ? order : ct_order(x->on, y->on);
}

/* `tasks` are the job's, as they stand in the application. */
static bool store_dependencies(struct making *m, struct trace_task *tasks) {
    struct import_dependencies *d = &m->dependencies;
    ct_vec_sort(d, compare_dependencies);
    for (size_t i = 0; i < d->count; i++) {
        struct trace_task *task = &tasks[d->items[i].task];
        if (i > 0 && compare_dependencies(&d->items[i - 1], &d->items[i]) == 0)
            continue;
        if (tasks[d->items[i].on].stream == task->stream)
            continue; /* in order anyway */
        if (task->dependency_count++ == 0)
            task->first_dependency = (uint32_t)m->app->dependencies.count;
        if (!ct_vec_push(&m->app->dependencies, d->items[i].on))
            return false;
    }
    return true;
}

static uint64_t input_bytes(const struct trace_task *tasks, size_t count) {
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        if (tasks[i].kind == TRACE_COPY && tasks[i].direction == TRACE_HOST_TO_DEVICE)
            bytes += tasks[i].bytes;
    return bytes;
}

static bool make_job(struct making *m, const struct import_slice *slice) {
    struct trace_app *app = m->app;
    if (!ct_vec_reserve(&app->tasks, slice->count))
        return false;
    struct trace_task *tasks = app->tasks.items + app->tasks.count;
    for (size_t i = 0; i < slice->count; i++)
        if (!fill_task(m, m->group.tasks.items[slice->first + i], &tasks[i]))
            return false;
    ct_time_ps length = import_host_model(m->builder, &m->group, slice, tasks);
    if (length < 0 || !find_dependencies(m, slice) || !store_dependencies(m, tasks))
        return false;
    struct trace_job job = {.name = slice->name,
                            .first_task = (uint32_t)app->tasks.count,
                            .task_count = (uint32_t)slice->count,
                            .input_bytes = input_bytes(tasks, slice->count),
                            .recorded_ps = length};
    app->tasks.count += slice->count;
    return ct_vec_push(&app->jobs, job);
}

static bool fill_calls(struct making *m) {
    for (uint32_t i = 0; i < m->calls.items.count; i++) {
        const uint32_t *original = ct_intern_get(&m->calls, i);
        const struct import_call *call = ct_intern_get(&m->builder->calls, *original);
        const char *name = ct_arena_strdup(&m->set->arena,
                                           ct_intern_get(&m->builder->names, (uint32_t)call->name));
        if (!name || !ct_vec_push(&m->app->library_calls, name))
            return false;
    }
    return true;
}

static bool make_jobs(struct making *m) {
    for (size_t i = 0; i < m->slices.count; i++)
        if (!make_job(m, &m->slices.items[i]))
            return false;
    m->app->stream_count = (uint32_t)m->streams.items.count;
    return fill_calls(m) && import_kernels_fill(m->builder, m->set, m->app, &m->kernels) &&
           import_kernels_work(&m->group, &m->kernels, m->app);
}

static bool app_begin(struct making *m, const char *gpu) {
    const struct import_options *o = &m->builder->options;
    if (trace_set_find(m->set, m->name))
        return ct_false_error(m->builder->diags, m->name,
                              "two applications of this name: give one with '--app'");
    struct trace_app *app = m->app = trace_set_add(m->set, m->name);
    if (app) {
        app->gpu = ct_arena_strdup(&m->set->arena, gpu);
        app->source = ct_arena_strdup(&m->set->arena, o->source ? o->source : "");
        app->licence = ct_arena_strdup(&m->set->arena, o->licence ? o->licence : "");
        app->resolution_ps = m->group.resolution_ps;
        app->stacks_recorded = m->builder->stacks_recorded;
        app->launches_recorded = m->group.launches_recorded;
    }
    return (app && app->gpu && app->source && app->licence &&
            note_memory(m->builder, &m->group, m->set, app)) ||
           ct_out_of_memory(m->builder->diags) == CT_OK;
}

static bool gather(struct making *m) {
    struct import_builder *b = m->builder;
    for (size_t i = 0; i < b->tasks.count; i++) {
        struct import_task *task = &b->tasks.items[i];
        if (!import_group_has(&m->group, task))
            continue;
        const struct import_kernel *kernel =
            task->kind == TRACE_KERNEL ? ct_intern_get(&b->kernels, task->kernel) : NULL;
        if (kernel && b->options.no_communication &&
            import_name_is_communication(ct_intern_get(&b->names, kernel->name))) {
            import_drop_work(b, "communication kernel", task->recorded_ps);
            continue;
        }
        if (task->launch_begin_ps != CT_TIME_NEVER)
            m->group.launches_recorded = true;
        if (!ct_vec_push(&m->group.tasks, task))
            return ct_out_of_memory(b->diags), false;
    }
    return true;
}

/* Warm-up: the first jobs go with their tasks, so that neither kernels nor their demand are theirs.
 */
static bool skip_jobs(struct making *m) {
    size_t skipped = (size_t)m->builder->options.skip_jobs;
    if (!import_jobs_remain(m->builder, m->name, m->slices.count))
        return false;
    if (skipped == 0)
        return true;
    size_t first = m->slices.items[skipped].first;
    for (size_t i = 0; i < first; i++)
        import_drop_work(m->builder, IMPORT_SKIPPED, m->group.tasks.items[i]->recorded_ps);
    m->group.tasks.count -= first;
    memmove(m->group.tasks.items, m->group.tasks.items + first,
            m->group.tasks.count * sizeof *m->group.tasks.items);
    m->slices.count -= skipped;
    for (size_t i = 0; i < m->slices.count; i++) {
        m->slices.items[i] = m->slices.items[i + skipped];
        m->slices.items[i].first -= first;
    }
    return true;
}

static struct making making_of(struct import_builder *builder, struct trace_set *set,
                               const struct parts *parts, const struct part *part,
                               const char *gpu) {
    int device = part->device;
    struct making m = {.builder = builder, .set = set};
    m.group.device = device;
    m.group.process = part->process;
    m.group.programmatic_launches =
        builder->options.programmatic_launches || import_preset_programmatic(builder, device, gpu);
    m.group.resolution_ps = builder->resolution_ps;
    name_part(parts, part, builder->options.app_name, m.name, sizeof m.name);
    return m;
}

static bool has_kernel(const struct import_group *group) {
    for (size_t i = 0; i < group->tasks.count; i++)
        if (group->tasks.items[i]->kind == TRACE_KERNEL)
            return true;
    return false;
}

/* Nothing of it is in a job: the others go without it. */
static void leave_out(struct making *m) {
    ct_warning(m->builder->diags, import_place(m->builder),
               "'%s' is left out: none of its kernels is in a job", m->name);
    for (size_t i = 0; i < m->group.tasks.count; i++)
        import_drop_work(m->builder, IMPORT_NO_KERNELS, m->group.tasks.items[i]->recorded_ps);
}

static int nothing_left(const struct import_builder *builder) {
    return ct_data_error(builder->diags, import_place(builder),
                         "nothing to simulate: no kernel is left");
}

static void tell_from_launch(const struct making *m) {
    bool ranges = false;
    for (size_t i = 0; i < m->slices.count; i++)
        ranges = ranges || m->slices.items[i].track != TRACE_NONE;
    if (m->builder->options.from_launch && !ranges)
        ct_notice(
            m->builder->diags, import_place(m->builder),
            "'--from-launch' changes nothing: no job of '%s' is a step or a range, and others "
            "begin at their first launch",
            m->name);
}

static int fill_app(struct making *m, const char *gpu, uint64_t carried) {
    if (!app_begin(m, gpu) || !report_busy(m->builder, &m->group, m->name))
        return CT_DATA;
    if (!skip_jobs(m))
        return CT_USAGE;
    tell_from_launch(m);
    if (!(making_begin(m) && make_jobs(m)))
        return ct_out_of_memory(m->builder->diags);
    m->app->carried_tasks = carried;
    return m->app->kernels.count > 0 ? import_kernels_check(m->builder, m->app)
                                     : nothing_left(m->builder);
}

static int make_app(struct import_builder *builder, struct trace_set *set,
                    const struct parts *parts, const struct part *part) {
    const char *gpu = import_preset_of(builder, part->device);
    if (!gpu)
        return CT_USAGE;
    struct making m = making_of(builder, set, parts, part, gpu);
    uint64_t carried = 0;
    int status = CT_DATA;
    if (gather(&m) && settle_busy(builder, m.group.device) &&
        import_streams_settle(builder, &m.group))
        status = import_jobs_cut(builder, &m.group, &set->arena, &m.slices, &carried);
    if (status == CT_OK && parts->count > 1 && !has_kernel(&m.group))
        leave_out(&m);
    else if (status == CT_OK)
        status = fill_app(&m, gpu, carried);
    making_free(&m);
    return status;
}

static int make_apps(struct import_builder *b, struct trace_set *set) {
    struct parts parts = {0};
    if (!b->options.app_name)
        b->options.app_name = "app";
    int status = import_marks_settle(b) ? find_parts(b, &parts) : ct_out_of_memory(b->diags);
    size_t before = set->apps.count;
    for (size_t i = 0; status == CT_OK && i < parts.count; i++)
        status = make_app(b, set, &parts, &parts.items[i]);
    ct_vec_free(&parts);
    if (status == CT_OK && !note_kept(b, set, before))
        status = ct_out_of_memory(b->diags);
    return status == CT_OK && set->apps.count == before ? nothing_left(b) : status;
}

static int compare_reasons(const void *a, const void *b) {
    return strcmp(((const struct import_count *)a)->reason,
                  ((const struct import_count *)b)->reason);
}

static bool summarise(const struct import_builder *b, struct trace_set *set, uint64_t kept,
                      struct import_summary *summary) {
    summary->kept = kept;
    if (b->unknown_gpu) {
        summary->gpu = *b->unknown_gpu;
        summary->gpu.title = ct_arena_strdup(&set->arena, summary->gpu.title);
        if (!summary->gpu.title)
            return false;
    }
    summary->tasks = b->share_of_tasks;
    summary->gpu_ps = b->share_of_gpu_ps;
    for (size_t i = 0; i < b->reasons.count; i++) {
        struct import_count count = b->reasons.items[i];
        count.reason = ct_arena_strdup(&set->arena, count.reason);
        if (!count.reason || !ct_vec_push(&summary->reasons, count))
            return false;
        summary->left_out += count.records;
    }
    ct_vec_sort(&summary->reasons, compare_reasons);
    summary->metrics_kernels = b->metrics_kernels;
    for (size_t i = 0; i < b->metrics.count; i++) {
        const struct import_metrics *unit = &b->metrics.items[i];
        uint64_t launches = (uint64_t)unit->extent.launches;
        summary->metrics_alike += unit->alike ? launches : 0;
        *(unit->used ? &summary->metrics_attached : &summary->metrics_unmatched) += launches;
    }
    summary->read = summary->kept + summary->left_out;
    return true;
}

static uint64_t task_count(const struct trace_set *set) {
    uint64_t count = 0;
    for (size_t i = 0; i < set->apps.count; i++)
        count += set->apps.items[i]->tasks.count;
    return count;
}

int import_finish(struct import_builder *builder, struct trace_set *set,
                  struct import_summary *summary) {
    uint64_t before = task_count(set);
    size_t errors = builder->diags->errors;
    *summary = (struct import_summary){0};
    import_metrics_settle(builder);
    int status = errors           ? CT_DATA
                 : builder->store ? import_store_take(builder, set)
                                  : make_apps(builder, set);
    if (status == CT_OK && !summarise(builder, set, task_count(set) - before, summary))
        status = ct_out_of_memory(builder->diags);
    import_abandon(builder);
    return status;
}

void import_summary_free(struct import_summary *summary) {
    ct_vec_free(&summary->reasons);
}
