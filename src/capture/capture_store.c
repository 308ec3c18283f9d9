#include "capture/capture_store.h"

#include "base/ct_hash.h"
#include "base/ct_sort.h"
#include "ingest/profile_text.h"
#include "trace/trace_store.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define MOST_NS ((uint64_t)(INT64_MAX / CT_PS_PER_NS))

/* Compute capability from which on a kernel may start before the one before it in its stream has
 * ended (CUDA C++ programming guide, "Programmatic Dependent Launch"). */
enum { CAPABILITY_WITH_PROGRAMMATIC_LAUNCHES = 9 };

/* A call inside another of its thread (the runtime's into the driver): its records are the outer's.
 */
struct nested {
    uint32_t inner, outer; /* correlation ids */
};

/* Everything that lives while one recording is made into applications. */
struct making {
    const struct capture_recording *recording;
    const struct capture_options *options;
    struct import_builder *builder;
    struct ct_diags *diags;
    struct activity_recording activity;
    CT_VEC(struct nested) nested; /* by inner */
    char **names; /* [interned name]: readable; NULL: as it is, or not looked at yet */
};

/* ---- times, of which the earliest is our 0 ---- */

static bool in_range(const struct making *m, uint64_t end_ns) {
    return end_ns - m->recording->base_ns <= MOST_NS;
}

static ct_time_ps time_of(const struct making *m, uint64_t time_ns) {
    return (ct_time_ps)(time_ns - m->recording->base_ns) * CT_PS_PER_NS;
}

/* ---- host calls ---- */

static int compare_calls(const void *a, const void *b) {
    const struct activity_call *x = a, *y = b;
    int order = import_compare_ranges((struct import_range){x->thread, x->begin_ps, x->end_ps},
                                      (struct import_range){y->thread, y->begin_ps, y->end_ps});
    return ct_then(order, ct_order(x->key.correlation, y->key.correlation));
}

static int compare_nested(const void *a, const void *b) {
    const struct nested *x = a, *y = b;
    return ct_then(ct_order(x->inner, y->inner), ct_order(x->outer, y->outer));
}

/* Drops calls made inside other calls, and notes which outermost call each belongs to. */
static bool drop_nested(struct making *m) {
    struct activity_call *calls = m->activity.calls.items;
    size_t kept = 0;
    ct_vec_sort(&m->activity.calls, compare_calls);
    for (size_t i = 0; i < m->activity.calls.count; i++) {
        const struct activity_call *outer = kept ? &calls[kept - 1] : NULL;
        if (!outer || outer->thread != calls[i].thread || calls[i].begin_ps >= outer->end_ps ||
            calls[i].end_ps > outer->end_ps) {
            calls[kept++] = calls[i];
            continue;
        }
        struct nested nested = {(uint32_t)calls[i].key.correlation,
                                (uint32_t)outer->key.correlation};
        if (nested.inner != nested.outer && !ct_vec_push(&m->nested, nested))
            return false;
    }
    m->activity.calls.count = kept;
    ct_vec_sort(&m->nested, compare_nested);
    return true;
}

static int compare_inner(const void *key, const void *item) {
    const uint32_t *inner = key;
    const struct nested *nested = item;
    return ct_order(*inner, nested->inner);
}

static uint32_t outermost(const struct making *m, uint32_t correlation) {
    const struct nested *found = m->nested.count
                                     ? bsearch(&correlation, m->nested.items, m->nested.count,
                                               sizeof *m->nested.items, compare_inner)
                                     : NULL;
    return found ? found->outer : correlation;
}

static bool load_calls(struct making *m) {
    const struct capture_recording *r = m->recording;
    if (!ct_vec_reserve(&m->activity.calls, r->calls.count))
        return false;
    for (size_t i = 0; i < r->calls.count; i++) {
        const struct capture_call *call = &r->calls.items[i];
        if (in_range(m, call->end_ns))
            m->activity.calls.items[m->activity.calls.count++] =
                (struct activity_call){.key = {0, call->correlation, i},
                                       .begin_ps = time_of(m, call->start_ns),
                                       .end_ps = time_of(m, call->end_ns),
                                       .thread = call->thread,
                                       .kind = call->kind};
        else
            import_leave_out(m->builder, "time out of range");
    }
    return drop_nested(m);
}

static bool load_waits(struct making *m) {
    const struct capture_recording *r = m->recording;
    for (size_t i = 0; i < r->waits.count; i++) {
        const struct capture_sync *wait = &r->waits.items[i];
        struct activity_wait kept = {.key = {0, outermost(m, wait->correlation), i},
                                     .context = wait->context,
                                     .stream = activity_stream_of(wait->stream),
                                     .event_sync = (int64_t)wait->event_sync};
        if (!ct_vec_push(&m->activity.waits, kept))
            return false;
    }
    for (size_t i = 0; i < r->events.count; i++) {
        const struct capture_sync *event = &r->events.items[i];
        struct activity_event kept = {.key = {0, (int64_t)event->event_sync, i},
                                      .correlation = outermost(m, event->correlation),
                                      .context = event->context,
                                      .stream = event->stream};
        if (!ct_vec_push(&m->activity.events, kept))
            return false;
    }
    return true;
}

/* ---- kernels, copies, memsets ---- */

/* Cuts a name that is too long, so that it still differs from all others. */
static void shorten(char *name) {
    char digits[CT_HASH_TEXT];
    size_t length = strlen(name);
    if (length <= CAPTURE_NAME_MOST)
        return;
    struct ct_hash hash = ct_hash_start();
    ct_hash_string(&hash, name);
    ct_hash_print(hash, digits);
    size_t kept = CAPTURE_NAME_MOST - sizeof digits;
    snprintf(name + kept, sizeof digits + 1, "~%s", digits);
}

/* Mangled names, by the C++ ABI, begin with _Z. NULL when memory ran out. */
static char *readable(const struct making *m, const char *name) {
    char *text = NULL;
    if (m->options->demangle && strncmp(name, "_Z", 2) == 0)
        text = m->options->demangle(name);
    if (!text)
        text = strdup(*name ? name : "unnamed");
    if (text)
        shorten(text);
    return text;
}

static const char *name_of(struct making *m, uint32_t name) {
    if (!m->names[name])
        m->names[name] = readable(m, ct_intern_get(&m->recording->names, name));
    return m->names[name];
}

static bool fill_kernel(struct making *m, uint32_t number, struct activity_task *task) {
    const struct capture_shape *shape = ct_intern_get(&m->recording->shapes, number);
    struct import_record *record = &task->record;
    task->graph_node = shape->graph_node;
    record->name = name_of(m, shape->name);
    memcpy(record->grid, shape->grid, sizeof record->grid);
    memcpy(record->block, shape->block, sizeof record->block);
    record->geometry_known = true;
    record->registers_per_thread = shape->registers_per_thread;
    record->static_smem_bytes = shape->static_smem_bytes;
    record->dynamic_smem_bytes = shape->dynamic_smem_bytes;
    return record->name != NULL;
}

/* A running program cannot be asked again: a record that makes no sense is left out, not an error.
 */
static bool is_possible(const struct import_record *record) {
    struct ct_diags unheard = {0};
    bool possible = profile_check_record(record, false, "", &unheard);
    ct_diags_free(&unheard);
    return possible;
}

static bool add_task(struct making *m, const struct capture_task *from) {
    struct activity_task task = {.record = profile_record(),
                                 .context = from->place.context,
                                 .stream = from->place.stream,
                                 .correlation = outermost(m, from->place.correlation),
                                 .correlated = from->place.correlation != 0,
                                 .copy_kind = from->copy_kind,
                                 .source = from->source,
                                 .destination = from->destination};
    if (!in_range(m, from->place.end_ns)) {
        import_leave_out(m->builder, "time out of range");
        return true;
    }
    task.record.kind = from->kind;
    task.record.bytes = from->bytes;
    task.record.device = (int)from->place.device;
    task.record.start_ps = time_of(m, from->place.start_ns);
    task.record.duration_ps = time_of(m, from->place.end_ns) - task.record.start_ps;
    if (from->kind == TRACE_KERNEL && !fill_kernel(m, from->shape, &task))
        return false;
    if (!is_possible(&task.record)) {
        import_leave_out(m->builder, "impossible record");
        return true;
    }
    return activity_add_task(&m->activity, m->builder, &task, "", m->diags);
}

static bool add_tasks(struct making *m) {
    m->names = calloc(m->recording->names.items.count + 1, sizeof *m->names);
    bool done = m->names != NULL;
    for (size_t i = 0; done && i < m->recording->tasks.count; i++)
        done = add_task(m, &m->recording->tasks.items[i]);
    return done;
}

/* ---- ranges, devices ---- */

static int compare_points(const void *a, const void *b) {
    const struct capture_range_point *x = a, *y = b;
    int order = ct_order(x->id, y->id);
    order = order ? order : ct_order(x->time_ns, y->time_ns);
    return order ? order : (x->name == TRACE_NONE) - (y->name == TRACE_NONE); /* the begin first */
}

/* Ranges that ended, from their two points. One that another thread ended is of neither. */
static bool add_ranges(struct making *m) {
    size_t count = m->recording->points.count;
    struct capture_range_point *points = malloc((count + 1) * sizeof *points);
    bool done = points != NULL;
    if (done && count) {
        memcpy(points, m->recording->points.items, count * sizeof *points);
        qsort(points, count, sizeof *points, compare_points);
    }
    for (size_t i = 0; done && i + 1 < count; i++) {
        if (points[i].name == TRACE_NONE || points[i + 1].name != TRACE_NONE ||
            points[i].id != points[i + 1].id || !in_range(m, points[i + 1].time_ns))
            continue;
        struct import_mark mark = {.name = ct_intern_get(&m->recording->names, points[i].name),
                                   .begin_ps = time_of(m, points[i].time_ns),
                                   .end_ps = time_of(m, points[i + 1].time_ns)};
        if (points[i].thread == points[i + 1].thread)
            mark.thread = points[i].thread;
        done = import_add_mark(m->builder, &mark);
    }
    free(points);
    return done;
}

static bool has_programmatic_launches(const struct capture_recording *recording) {
    for (size_t i = 0; i < recording->devices.count; i++)
        if (recording->devices.items[i].capability_major >= CAPABILITY_WITH_PROGRAMMATIC_LAUNCHES)
            return true;
    return recording->devices.count == 0; /* not known: take what comes */
}

/* ---- notes ---- */

__attribute__((format(printf, 4, 5))) static bool note(struct trace_set *set, struct trace_app *app,
                                                       const char *name, const char *format, ...) {
    va_list values;
    va_start(values, format);
    struct trace_note kept = {ct_arena_strdup(&set->arena, name),
                              ct_arena_vformat(&set->arena, format, values)};
    va_end(values);
    return kept.name && kept.value && ct_vec_push(&app->notes, kept);
}

static bool note_device(struct trace_set *set, struct trace_app *app,
                        const struct capture_device *d) {
    return note(set, app, "GPU", "%s", d->title) &&
           note(set, app, "compute capability", "%u.%u", d->capability_major,
                d->capability_minor) &&
           note(set, app, "multiprocessors", "%u", d->multiprocessors) &&
           note(set, app, "core clock, kHz", "%u", d->core_clock_khz) &&
           note(set, app, "memory, bytes", "%" PRIu64, d->memory_bytes) &&
           note(set, app, "memory bandwidth, kB/s", "%" PRIu64, d->bandwidth_kb_per_s) &&
           note(set, app, "L2, bytes", "%u", d->l2_bytes) &&
           note(set, app, "ECC", "%s", d->ecc ? "on" : "off") &&
           note(set, app, "MIG", "%s", d->mig ? "on" : "off");
}

static bool note_losses(const struct capture_recording *recording, struct trace_set *set,
                        struct trace_app *app) {
    static const char *const names[CAPTURE_LOSS_COUNT] = {
        [CAPTURE_NO_BUFFER] = "lost, no free buffer",
        [CAPTURE_NO_TIME] = "lost, not timed by CUPTI",
        [CAPTURE_OVER_LIMIT] = "lost, over the limit of records",
        [CAPTURE_UNKNOWN_KIND] = "left out, of an unknown kind"};
    bool done = true;
    for (int i = 0; i < CAPTURE_LOSS_COUNT && done; i++)
        done = note(set, app, names[i], "%" PRIu64, recording->losses[i]);
    return done;
}

static bool note_left_out(const struct import_summary *summary, struct trace_set *set,
                          struct trace_app *app) {
    char name[100];
    bool done = true;
    for (size_t i = 0; i < summary->reasons.count && done; i++) {
        snprintf(name, sizeof name, "left out, %s", summary->reasons.items[i].reason);
        done = note(set, app, name, "%" PRIu64, summary->reasons.items[i].records);
    }
    return done;
}

/* The devices that ran kernels, rising, as import_finish makes applications of them: number
 * `index`. -1: none. */
static int64_t device_of(const struct capture_recording *recording, size_t index) {
    int64_t device = -1;
    for (size_t i = 0; i <= index; i++) {
        int64_t next = -1;
        for (size_t k = 0; k < recording->tasks.count; k++) {
            const struct capture_task *task = &recording->tasks.items[k];
            if (task->kind == TRACE_KERNEL && task->place.device > device &&
                (next < 0 || task->place.device < next))
                next = task->place.device;
        }
        device = next;
    }
    return device;
}

static bool add_notes(const struct making *m, const struct import_summary *summary,
                      struct trace_set *set) {
    const struct capture_recording *r = m->recording;
    bool done = true;
    for (size_t i = 0; i < set->apps.count && done; i++) {
        struct trace_app *app = set->apps.items[i];
        int64_t device = device_of(r, i);
        for (size_t k = 0; k < r->devices.count && done; k++)
            if (r->devices.items[k].id == device)
                done = note_device(set, app, &r->devices.items[k]);
        done = done && note(set, app, "recorder", "%s", m->options->recorder) &&
               note_losses(r, set, app) && note_left_out(summary, set, app);
    }
    return done;
}

/* ---- the whole ---- */

static void making_free(struct making *m) {
    for (size_t i = 0; m->names && i < m->recording->names.items.count; i++)
        free(m->names[i]);
    free((void *)m->names);
    ct_vec_free(&m->nested);
    activity_free(&m->activity);
}

static void add_device(struct import_builder *builder, const struct capture_device *d) {
    import_gpu(
        builder, (int)d->id,
        &(struct import_gpu){.title = d->title,
                             .sms = d->multiprocessors,
                             .compute_capability = 10.0 * d->capability_major + d->capability_minor,
                             .dram_gb_s = (double)d->bandwidth_kb_per_s / 1e6,
                             .memory_gib = (double)d->memory_bytes / CT_BYTES_PER_GIB});
}

static bool fill_builder(struct making *m) {
    for (size_t i = 0; i < m->recording->devices.count; i++)
        add_device(m->builder, &m->recording->devices.items[i]);
    import_resolution(m->builder, CT_PS_PER_NS);
    if (!load_calls(m) || !load_waits(m))
        return ct_out_of_memory(m->diags) == CT_OK;
    activity_sort(&m->activity);
    return (add_tasks(m) && activity_add_calls(&m->activity, m->builder) && add_ranges(m)) ||
           ct_out_of_memory(m->diags) == CT_OK;
}

static int make(const struct capture_recording *recording, const struct capture_options *options,
                const struct import_options *cut, struct trace_set *set,
                struct capture_report *report, struct ct_diags *diags) {
    struct import_summary summary = {0};
    struct making m = {.recording = recording,
                       .options = options,
                       .builder = import_begin(cut, diags),
                       .diags = diags};
    int status = CT_DATA;
    if (m.builder && fill_builder(&m))
        status = import_finish(m.builder, set, &summary);
    else
        import_abandon(m.builder);
    report->left_out = summary.left_out;
    if (status == CT_OK && !add_notes(&m, &summary, set))
        status = ct_out_of_memory(diags);
    import_summary_free(&summary);
    making_free(&m);
    return status;
}

static void count(const struct capture_recording *recording, const struct trace_set *set,
                  struct capture_report *report) {
    report->lost = capture_recording_losses(recording);
    for (size_t i = 0; i < set->apps.count; i++) {
        struct trace_totals totals = trace_app_totals(set->apps.items[i]);
        report->jobs += set->apps.items[i]->jobs.count;
        report->kernels += totals.kernels;
        report->copies += totals.copies;
        report->memsets += totals.memsets;
    }
}

/* The last error of the failed attempt says why. */
static const char *last_error(const struct ct_diags *diags) {
    for (size_t i = diags->count; i > 0; i--)
        if (diags->items[i - 1].severity == CT_ERROR)
            return diags->items[i - 1].text;
    return "";
}

int capture_make(const struct capture_recording *recording, const struct capture_options *options,
                 struct trace_set *set, struct capture_report *report, struct ct_diags *diags) {
    struct import_options cut = {.app_name = options->app,
                                 .place = options->app,
                                 .gpu = options->gpu,
                                 .source = "cotenant capture",
                                 .device = -1,
                                 .keep_unknown_gpu = true,
                                 .programmatic_launches = has_programmatic_launches(recording)};
    *report = (struct capture_report){0};
    int status = import_parse_jobs(options->jobs, "COTENANT_CAPTURE_JOBS", &cut, diags);
    if (status != CT_OK)
        return status;
    struct ct_diags attempt = {0};
    status = make(recording, options, &cut, set, report, &attempt);
    if (status != CT_OK && cut.cut != IMPORT_CUT_WHOLE && cut.cut != IMPORT_CUT_AUTO) {
        ct_warning(diags, options->app, "the whole recording is one job: %s", last_error(&attempt));
        trace_set_free(set);
        *set = (struct trace_set){0};
        ct_diags_free(&attempt);
        cut.cut = IMPORT_CUT_WHOLE;
        status = make(recording, options, &cut, set, report, &attempt);
    }
    ct_diags_add(diags, &attempt);
    ct_diags_free(&attempt);
    count(recording, set, report);
    return status;
}

int capture_store(const struct capture_recording *recording, const struct capture_options *options,
                  const char *path, struct capture_report *report, struct ct_diags *diags) {
    struct trace_set set = {0};
    int status = capture_make(recording, options, &set, report, diags);
    if (status == CT_OK)
        status = trace_store_write(path, &set, diags);
    trace_set_free(&set);
    return status;
}
