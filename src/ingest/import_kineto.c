/*
 * The PyTorch profiler's recordings. Device records, the host calls that launched them and the
 * operators around those calls stand in the file in any order: compact tables of each are joined at
 * the end.
 */
#include "base/ct_intern.h"
#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "ingest/activity.h"
#include "ingest/import_formats.h"
#include "ingest/kineto_calls.h"
#include "ingest/kineto_events.h"
#include "ingest/kineto_operators.h"
#include "ingest/operator_work.h"
#include "ingest/profile_text.h"
#include "trace/gpu_names.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct device_record {
    ct_time_ps start_ps, duration_ps;
    int64_t correlation, external_id, context, stream, bytes, registers, shared_memory;
    uint32_t name;
    int32_t device;
    uint32_t grid[3];
    uint16_t block[3];
    uint8_t kind, direction, memory, geometry_known;
    uint32_t gpu;                 /* of the owners */
    uint32_t operator_of, worker; /* that launched it, and whose work it did; TRACE_NONE */
};

/* What a synchronising call waited for, where the profiler says so. */
struct sync_detail {
    int64_t correlation, stream, wait_on_stream, wait_on_record;
    ct_time_ps begin_ps;
    int32_t device;
    uint32_t gpu; /* of the owners */
};

/* What a call of HIP was given: the shape of a kernel, or the bytes and kind of a copy. */
struct given {
    int64_t bytes, copy_kind, shared_memory;
    uint32_t grid[3];
    uint16_t block[3];
    bool shaped;
};

struct recording {
    struct import_builder *builder;
    struct ct_diags *diags;
    const char *path;
    struct ct_intern names;
    CT_VEC(struct device_record) records;
    CT_VEC(struct given) given;
    struct kineto_calls calls;
    struct kineto_owners owners;
    struct kineto_operators operators;
    CT_VEC(struct sync_detail) details;
    int64_t base_us; /* the first time seen: absolute picoseconds would not fit 64 bits */
    bool base_known;
    bool amd;   /* from a GPU of AMD */
    int digits; /* most behind the point of a time stamp */
    uint64_t events;
};

/* ---- one event ---- */

static bool leave_out(struct recording *r, const char *reason) {
    import_leave_out(r->builder, reason);
    return true;
}

/* Picoseconds since the first event; false where that does not fit. */
static bool rebase(struct recording *r, const struct kineto_time *time, ct_time_ps *ps) {
    if (!r->base_known) {
        r->base_us = time->us;
        r->base_known = true;
    }
    int64_t us = time->us - r->base_us; /* both below INT64_MAX / 2 in size */
    const int64_t most = CT_TIME_NEVER / CT_PS_PER_US / 4;
    if (!time->known || us > most || us < -most)
        return false;
    if (time->digits > r->digits)
        r->digits = time->digits;
    *ps = us * CT_PS_PER_US + time->ps;
    return true;
}

static bool refuse_event(struct recording *r, const struct kineto_event *e, const char *keys) {
    return ct_false_error(r->diags, r->path, "event %llu, '%.80s', has no usable %s",
                          (unsigned long long)r->events, e->name, keys);
}

static bool times_of(struct recording *r, const struct kineto_event *e, ct_time_ps *start,
                     ct_time_ps *duration) {
    const int64_t most = CT_TIME_NEVER / CT_PS_PER_US / 4;
    if (e->start.known && e->duration.known && e->duration.us < most && e->duration.us > -most &&
        rebase(r, &e->start, start)) {
        *duration = e->duration.us * CT_PS_PER_US + e->duration.ps;
        return true;
    }
    return refuse_event(r, e, "'ts' and 'dur'");
}

static bool amounts_are_usable(struct recording *r, const struct kineto_event *e) {
    char key[64];
    if (!e->unusable)
        return true;
    snprintf(key, sizeof key, "'%s'", e->unusable);
    return refuse_event(r, e, key);
}

/* Counts an event of the host. One that ends before it begins was cut off. */
static bool take_host_times(struct recording *r, const struct kineto_event *e, const char *reason,
                            ct_time_ps *begin, ct_time_ps *end) {
    ct_time_ps duration = 0;
    bool known = times_of(r, e, begin, &duration);
    import_leave_out(r->builder, duration < 0 ? "host event that ends before it begins" : reason);
    *end = *begin + (duration < 0 ? 0 : duration);
    return known;
}

static uint64_t thread_of(const struct kineto_event *e) {
    return (uint64_t)e->pid * UINT64_C(0x9E3779B97F4A7C15) + (uint64_t)e->tid;
}

static int64_t or_0(int64_t value) {
    return value < 0 ? 0 : value;
}

static bool read_shape(const struct kineto_event *e, uint32_t *grid, uint16_t *block) {
    for (int i = 0; i < 3; i++) {
        grid[i] = e->grid[i] < 0 || e->grid[i] > UINT32_MAX ? 0 : (uint32_t)e->grid[i];
        block[i] = e->block[i] < 0 || e->block[i] > UINT16_MAX ? 0 : (uint16_t)e->block[i];
    }
    return e->grid[0] >= 0 && e->block[0] >= 0;
}

static bool keep_given(struct recording *r, const struct kineto_event *e,
                       struct kineto_call *call) {
    struct given given = {
        .bytes = or_0(e->size), .copy_kind = e->copy_kind, .shared_memory = or_0(e->shared_memory)};
    given.shaped = read_shape(e, given.grid, given.block);
    if (!call->hip || (!given.shaped && given.bytes == 0) || r->given.count == UINT32_MAX)
        return true;
    call->given = (uint32_t)r->given.count + 1;
    return ct_vec_push(&r->given, given);
}

static bool take_call(struct recording *r, const struct kineto_event *e) {
    struct kineto_call call = kineto_call_named(e->name);
    r->amd = r->amd || call.hip;
    if (call.kind == CALL_OTHER)
        return leave_out(r, "host call");
    call.correlation = e->correlation < 0 && call.hip ? e->external_id : e->correlation;
    call.process = (uint64_t)e->pid;
    call.thread = thread_of(e);
    if (!take_host_times(r, e, "host call", &call.begin_ps, &call.end_ps))
        return false;
    return (keep_given(r, e, &call) && ct_vec_push(&r->calls, call)) ||
           ct_out_of_memory(r->diags) == CT_OK;
}

/* "Memcpy HtoD (Pageable -> Device)", "CopyHostToDevice"; false: between host and host. */
static bool read_copy_name(const char *name, struct device_record *record) {
    const char *to = strstr(name, "to"), *hip = strstr(name, "To");
    char source = to && to > name ? to[-1] : 'D', target = to ? to[2] : 'D';
    if (hip && strncmp(name, "Copy", 4) == 0) {
        source = name[4];
        target = hip[2];
    }
    record->memory = strstr(name, "Pageable") ? TRACE_PAGEABLE
                     : strstr(name, "Pinned") ? TRACE_PINNED
                                              : TRACE_MEMORY_UNKNOWN;
    record->direction = source == 'H'   ? TRACE_HOST_TO_DEVICE
                        : target == 'H' ? TRACE_DEVICE_TO_HOST
                                        : TRACE_DEVICE_TO_DEVICE;
    return source != 'H' || target != 'H';
}

/* Whether an event lacks all that tells where it ran; its row of the picture, a GPU and a stream,
 * does then. */
static bool is_bare(const struct kineto_event *e) {
    return e->correlation < 0 && e->device < 0 && e->stream < 0;
}

static void place_by_row(const struct kineto_event *e, struct device_record *record) {
    record->device = e->pid >= 0 && e->pid <= INT32_MAX ? (int32_t)e->pid : 0;
    record->stream = e->tid;
}

static bool take_record(struct recording *r, const struct kineto_event *e, enum trace_kind kind) {
    struct device_record record = {.correlation = e->correlation,
                                   .external_id = e->external_id,
                                   .context = e->context,
                                   .stream = e->stream,
                                   .bytes = or_0(e->bytes),
                                   .device =
                                       e->device > INT32_MAX ? INT32_MAX : (int32_t)or_0(e->device),
                                   .gpu = kineto_owners_gpu(&r->owners, e->pid, e->device),
                                   .kind = (uint8_t)kind};
    if (kind == TRACE_COPY && !read_copy_name(e->name, &record)) {
        import_leave_out(r->builder, "copy inside the host");
        return true;
    }
    if (!amounts_are_usable(r, e) || !times_of(r, e, &record.start_ps, &record.duration_ps))
        return false;
    if (is_bare(e))
        place_by_row(e, &record);
    if (kind == TRACE_KERNEL) {
        record.geometry_known = read_shape(e, record.grid, record.block);
        record.registers = or_0(e->registers);
        record.shared_memory = or_0(e->shared_memory);
        record.name = ct_intern_text(&r->names, e->name);
    }
    bool interned = record.name != UINT32_MAX && record.gpu != UINT32_MAX;
    return (interned && ct_vec_push(&r->records, record)) || ct_out_of_memory(r->diags) == CT_OK;
}

static bool take_mark(struct recording *r, const struct kineto_event *e, const char *reason) {
    struct import_mark mark = {.name = e->name,
                               .step = strncmp(e->name, "ProfilerStep#", 13) == 0,
                               .process = (uint64_t)e->pid,
                               .thread = thread_of(e)};
    return take_host_times(r, e, reason, &mark.begin_ps, &mark.end_ps) &&
           import_add_mark(r->builder, &mark);
}

static bool take_operator(struct recording *r, const struct kineto_event *e) {
    if (strncmp(e->name, "ProfilerStep#", 13) == 0)
        return take_mark(r, e, "operator");
    struct kineto_operator op = {.thread = thread_of(e),
                                 .external_id = e->external_id,
                                 .does = operator_work(e->name, e->inputs)};
    if (!take_host_times(r, e, "operator", &op.begin_ps, &op.end_ps))
        return false;
    op.name = ct_intern_text(&r->names, e->name);
    return (op.name != UINT32_MAX && ct_vec_push(&r->operators, op)) ||
           ct_out_of_memory(r->diags) == CT_OK;
}

static bool take_detail(struct recording *r, const struct kineto_event *e) {
    struct sync_detail detail = {.correlation = e->correlation,
                                 .stream = e->stream,
                                 .wait_on_stream = e->wait_on_stream,
                                 .wait_on_record = e->wait_on_record,
                                 .gpu = kineto_owners_gpu(&r->owners, e->pid, e->device),
                                 .device = (int32_t)e->device};
    ct_time_ps end;
    if (!take_host_times(r, e, "synchronisation", &detail.begin_ps, &end))
        return false;
    return (detail.gpu != UINT32_MAX && ct_vec_push(&r->details, detail)) ||
           ct_out_of_memory(r->diags) == CT_OK;
}

/* What the framework's allocator holds of a GPU (c10::DeviceType: 1 is CUDA, and HIP). */
static bool take_memory(struct recording *r, const struct kineto_event *e) {
    import_leave_out(r->builder, "instant event");
    return e->device_type != 1 || e->reserved <= 0 || e->device_id < 0 ||
           e->device_id > INT32_MAX ||
           import_memory_held(r->builder, (int)e->device_id, (uint64_t)e->reserved);
}

static bool on_event(void *context, const struct kineto_event *e) {
    struct recording *r = context;
    r->events++;
    if (e->category == KINETO_FLOW)
        return leave_out(r, "flow arrow");
    if (e->category == KINETO_METADATA)
        return leave_out(r, "metadata");
    if (e->category == KINETO_MEMORY)
        return take_memory(r, e);
    if (e->phase != 'X')
        return leave_out(r, "instant event");
    switch (e->category) {
    case KINETO_KERNEL:
        return take_record(r, e, TRACE_KERNEL);
    case KINETO_COPY:
        return take_record(r, e, TRACE_COPY);
    case KINETO_MEMSET:
        return take_record(r, e, TRACE_MEMSET);
    case KINETO_CALL:
        return take_call(r, e);
    case KINETO_OPERATOR:
        return take_operator(r, e);
    case KINETO_ANNOTATION:
        return take_mark(r, e, "annotation");
    case KINETO_SYNC:
        return take_detail(r, e);
    case KINETO_PYTHON:
        import_stacks_recorded(r->builder);
        return leave_out(r, "call stack");
    default:
        return leave_out(r, "other event");
    }
}

static double fact(const int64_t *facts, enum kineto_fact which) {
    return facts[which] > 0 ? (double)facts[which] : 0;
}

static void on_device(void *context, int64_t id, const char *title, const int64_t *facts) {
    struct recording *r = context;
    bool amd = gpu_names_is_amd(title);
    const struct import_gpu gpu = {
        .title = title,
        .sms = fact(facts, KINETO_SMS),
        .threads_per_sm = fact(facts, KINETO_THREADS_PER_SM),
        .registers_per_sm = fact(facts, KINETO_REGISTERS_PER_SM),
        .smem_per_sm_bytes = fact(facts, KINETO_SMEM_PER_SM),
        .smem_per_block_bytes = fact(facts, KINETO_SMEM_PER_BLOCK),
        .compute_capability = amd ? 0 : 10 * fact(facts, KINETO_MAJOR) + fact(facts, KINETO_MINOR),
        .memory_gib = fact(facts, KINETO_MEMORY_BYTES) / CT_BYTES_PER_GIB};
    r->amd = r->amd || amd;
    import_gpu(r->builder, (int)id, &gpu);
}

/* ---- joining ---- */

/* The call that launched what began then on a GPU, or that its owner made; NULL: there is none. */
static const struct kineto_call *call_behind(const struct recording *r, uint32_t gpu,
                                             int64_t correlation, ct_time_ps start_ps) {
    struct kineto_call_run run = kineto_calls_numbered(&r->calls, correlation);
    struct kineto_owner owner = kineto_owner_of(&r->owners, gpu);
    return owner.known ? kineto_call_of_process(run, owner.process)
                       : kineto_call_before(run, start_ps);
}

static const struct kineto_call *launch_of(const struct recording *r,
                                           const struct device_record *record) {
    return call_behind(r, record->gpu, record->correlation, record->start_ps);
}

/* Finds whose work each GPU does where several processes are recorded, whose numbers are alike. */
static bool settle_owners(struct recording *r) {
    if (!kineto_calls_are_of_several(&r->calls))
        return true;
    for (size_t i = 0; i < r->records.count; i++) {
        const struct device_record *record = &r->records.items[i];
        struct kineto_work work = {record->correlation, record->start_ps, record->gpu};
        if (!ct_vec_push(&r->owners.work, work))
            return ct_out_of_memory(r->diags) == CT_OK;
    }
    return kineto_owners_settle(&r->owners, &r->calls) || ct_out_of_memory(r->diags) == CT_OK;
}

/* Whether the call that launched it was chosen by time alone. */
static bool is_guessed(const struct recording *r, const struct device_record *record) {
    return !kineto_owner_of(&r->owners, record->gpu).known &&
           kineto_call_is_shared(kineto_calls_numbered(&r->calls, record->correlation));
}

static void warn_of_guesses(const struct recording *r) {
    unsigned long long guessed = 0;
    for (size_t i = 0; i < r->records.count; i++)
        guessed += is_guessed(r, &r->records.items[i]);
    if (guessed)
        ct_warning(r->diags, r->path,
                   "calls of several processes have the same numbers, and whose work a GPU did is "
                   "not to be told: %llu kernels and copies count as launched by the last such "
                   "call before them. Import the file of each process by itself",
                   guessed);
}

/* ---- copies of HIP ---- */

/* A kernel, where its call stands in its thread. */
struct launched {
    uint64_t process, thread;
    ct_time_ps begin_ps;
    size_t record;
};
struct launched_list {
    CT_VEC(struct launched);
};

static int compare_launched(const void *a, const void *b) {
    const struct launched *x = a, *y = b;
    int order = ct_order(x->process, y->process);
    order = order ? order : ct_order(x->thread, y->thread);
    order = order ? order : ct_order(x->begin_ps, y->begin_ps);
    return order ? order : ct_order(x->record, y->record);
}

static bool list_launched(const struct recording *r, struct launched_list *list) {
    for (size_t i = 0; i < r->records.count; i++) {
        const struct device_record *record = &r->records.items[i];
        const struct kineto_call *call = record->kind == TRACE_KERNEL ? launch_of(r, record) : NULL;
        if (call && call->hip &&
            !ct_vec_push(list, (struct launched){call->process, call->thread, call->begin_ps, i}))
            return false;
    }
    ct_vec_sort(list, compare_launched);
    return true;
}

/* The kernel launched last before a call in its thread, else the first after it, else one of its
 * process; NULL: it launched none. */
static const struct launched *launched_beside(const struct launched_list *list,
                                              const struct kineto_call *call) {
    struct launched wanted = {call->process, call->thread, call->begin_ps, 0};
    size_t place = ct_vec_lower(list, compare_launched, &wanted);
    const struct launched *last = place > 0 ? &list->items[place - 1] : NULL;
    const struct launched *next = place < list->count ? &list->items[place] : NULL;
    if (last && last->process != call->process)
        last = NULL;
    if (next && next->process != call->process)
        next = NULL;
    return last && (last->thread == call->thread || !next || next->thread != call->thread) ? last
                                                                                           : next;
}

/* A copy that the host waits for is on the stream of the kernel before it, unless both ran at once:
 * on one of its own it would not wait for that kernel. */
static void place_copy(struct recording *r, struct device_record *copy,
                       const struct kineto_call *call, const struct launched *launched) {
    const struct device_record *kernel = &r->records.items[launched->record];
    if (copy->direction == TRACE_DEVICE_TO_HOST)
        copy->device = kernel->device;
    bool follows = launched->thread == call->thread && launched->begin_ps <= call->begin_ps &&
                   kernel->start_ps + kernel->duration_ps <= copy->start_ps;
    if (call->kind == CALL_COPY && follows && copy->device == kernel->device)
        copy->stream = kernel->stream;
}

/*
 * Kineto writes where a copy of HIP goes, which of one to the host is a processor, and stream 0 for
 * all of them (RocprofLogger.cpp, buffer_callback): the kernels around its call tell the GPU.
 */
static bool place_copies(struct recording *r) {
    struct launched_list list = {0};
    bool listed = list_launched(r, &list);
    for (size_t i = 0; i < r->records.count && list.count; i++) {
        struct device_record *record = &r->records.items[i];
        bool unplaced = record->kind == TRACE_COPY && record->stream == 0;
        const struct kineto_call *call = unplaced ? launch_of(r, record) : NULL;
        const struct launched *beside = call && call->hip ? launched_beside(&list, call) : NULL;
        if (beside)
            place_copy(r, record, call, beside);
    }
    ct_vec_free(&list);
    return listed || ct_out_of_memory(r->diags) == CT_OK;
}

/* ---- what calls of HIP alone say ---- */

/*
 * Until 2024 Kineto wrote of a kernel or copy of HIP nothing but the number of its call, as
 * "External id", which is an operator's since (RoctracerActivityApi.cpp, processActivities; later
 * RoctracerActivity_inl.h, GpuActivity::metadataJson). Whether this is such a recording.
 */
static bool number_records(struct recording *r) {
    for (size_t i = 0; i < r->records.count; i++)
        if (!r->amd || r->records.items[i].correlation >= 0)
            return false;
    for (size_t i = 0; i < r->records.count; i++)
        r->records.items[i].correlation = r->records.items[i].external_id;
    return true;
}

/* What the call of such a record was given, of a copy by hipMemcpyKind. */
static void take_given(const struct recording *r, struct device_record *record) {
    const struct kineto_call *call = launch_of(r, record);
    const struct given *given = call && call->given ? &r->given.items[call->given - 1] : NULL;
    if (given && record->kind == TRACE_KERNEL && given->shaped) {
        memcpy(record->grid, given->grid, sizeof record->grid);
        memcpy(record->block, given->block, sizeof record->block);
        record->shared_memory = given->shared_memory;
        record->geometry_known = true;
    } else if (given && record->kind != TRACE_KERNEL) {
        record->bytes = given->bytes;
        if (given->copy_kind == 1)
            record->direction = TRACE_HOST_TO_DEVICE;
        else if (given->copy_kind == 2)
            record->direction = TRACE_DEVICE_TO_HOST;
    }
}

/* ---- kernels without a shape ---- */

/* What is assumed of them: they fill any GPU for several waves, but for collectives, which have a
 * block for each channel. */
enum { ASSUMED_THREADS = 256, FILLING_BLOCKS = 16384, CHANNELS = 32 };

/*
 * Kineto writes at a kernel of HIP the shape that its call was given: nothing where that is no call
 * for one kernel, as of graphs and of copies that a kernel does (RocprofActivity_inl.h,
 * metadataJson), and zeros where it launched on several GPUs at once (RocprofLogger.cpp,
 * extract_kernel_args).
 */
static bool lacks_shape(const struct recording *r, const struct device_record *record) {
    bool zeros = record->grid[0] == 0 && record->block[0] == 0;
    return record->kind == TRACE_KERNEL && (!record->geometry_known || (r->amd && zeros));
}

static void assume_shape(const struct recording *r, struct device_record *record) {
    const char *name = ct_intern_get(&r->names, record->name);
    record->geometry_known = false;
    record->grid[0] = import_name_is_communication(name) ? CHANNELS : FILLING_BLOCKS;
    record->block[0] = ASSUMED_THREADS;
    for (int i = 1; i < 3; i++)
        record->grid[i] = record->block[i] = 1;
}

/* A recording of an NVIDIA GPU without any shape is damaged: its kernels stay without, which the
 * builder refuses. */
static void assume_shapes(struct recording *r) {
    unsigned long long kernels = 0, lacking = 0;
    for (size_t i = 0; i < r->records.count; i++) {
        kernels += r->records.items[i].kind == TRACE_KERNEL;
        lacking += lacks_shape(r, &r->records.items[i]);
    }
    if (lacking == 0 || (!r->amd && lacking == kernels))
        return;
    for (size_t i = 0; i < r->records.count; i++)
        if (lacks_shape(r, &r->records.items[i]))
            assume_shape(r, &r->records.items[i]);
    ct_notice(r->diags, r->path,
              "of %llu of %llu kernels the grid and block are not recorded: they count as filling "
              "the GPU, collectives as %d blocks",
              lacking, kernels, CHANNELS);
}

/* ---- joining, of all ---- */

/* Some versions write the correlation number where the operator's number belongs. */
static bool ids_name_operators(const struct recording *r) {
    size_t own = 0;
    for (size_t i = 0; i < r->records.count; i++)
        own += r->records.items[i].external_id >= 0 &&
               r->records.items[i].external_id != r->records.items[i].correlation;
    return 2 * own > r->records.count;
}

static struct import_record describe(const struct recording *r, const struct device_record *from) {
    return (struct import_record){
        .kind = (enum trace_kind)from->kind,
        .name = from->kind == TRACE_KERNEL ? ct_intern_get(&r->names, from->name) : NULL,
        .grid = {from->grid[0], from->grid[1], from->grid[2]},
        .block = {from->block[0], from->block[1], from->block[2]},
        .registers_per_thread = (uint64_t)from->registers,
        .dynamic_smem_bytes = (uint64_t)from->shared_memory, /* static + dynamic */
        .geometry_known = from->geometry_known,
        .direction = (enum trace_direction)from->direction,
        .memory = (enum trace_memory)from->memory,
        .bytes = (uint64_t)from->bytes,
        .device = from->device,
        .context = (uint64_t)from->context,
        .stream = (uint64_t)from->stream,
        .start_ps = from->start_ps,
        .duration_ps = from->duration_ps,
        .launch_begin_ps = CT_TIME_NEVER,
        .launch_end_ps = CT_TIME_NEVER,
        .metrics = trace_metrics_unknown()};
}

/* The operator that launched each record, and the one whose work it did. */
static bool find_operators(struct recording *r) {
    struct kineto_operators *ops = &r->operators;
    bool by_id = !kineto_calls_are_of_several(&r->calls) && ids_name_operators(r);
    if (!kineto_operators_settle(ops))
        return ct_out_of_memory(r->diags) == CT_OK;
    for (size_t i = 0; i < r->records.count; i++) {
        struct device_record *record = &r->records.items[i];
        const struct kineto_call *call = launch_of(r, record);
        record->operator_of = by_id  ? kineto_operator_by_id(ops, record->external_id)
                              : call ? kineto_operator_around(ops, call->thread, call->begin_ps)
                                     : TRACE_NONE;
        record->worker = record->kind == TRACE_KERNEL
                             ? kineto_operator_worker(ops, record->operator_of,
                                                      ct_intern_get(&r->names, record->name))
                             : TRACE_NONE;
        if (record->worker != TRACE_NONE)
            ops->items[record->worker].kernels_ps += record->duration_ps;
    }
    return true;
}

static bool join_record(struct recording *r, const struct device_record *from) {
    struct import_record record = describe(r, from);
    const struct kineto_operator *ops = r->operators.items;
    const struct kineto_call *call = launch_of(r, from);
    if (call) {
        record.launch_begin_ps = call->begin_ps;
        record.launch_end_ps = call->end_ps;
        record.launch_process = call->process;
        record.launch_thread = call->thread;
        for (int i = 0; i < 3 && call->counts_items && from->geometry_known; i++)
            record.grid[i] = profile_blocks_of(from->grid[i], from->block[i]);
    }
    if (from->operator_of != TRACE_NONE) {
        record.library_call = ct_intern_get(&r->names, ops[from->operator_of].name);
        record.library_call_id = from->operator_of;
    } else if (call && call->kind == CALL_GRAPH) {
        record.library_call = IMPORT_GRAPH_CALL;
        record.library_call_id = (uint64_t)(call - r->calls.items);
    }
    if (from->worker != TRACE_NONE)
        record.work = kineto_operator_share(&ops[from->worker], from->duration_ps);
    return import_add_record(r->builder, &record) &&
           (!call || import_add_copy_wait(r->builder, &record, call->kind != CALL_COPY));
}

static bool join_records(struct recording *r) {
    bool bare = number_records(r);
    if (!settle_owners(r))
        return false;
    for (size_t i = 0; i < r->records.count && bare; i++)
        take_given(r, &r->records.items[i]);
    if (!place_copies(r) || !find_operators(r))
        return false;
    warn_of_guesses(r);
    assume_shapes(r);
    for (size_t i = 0; i < r->records.count; i++)
        if (!join_record(r, &r->records.items[i]))
            return false;
    return true;
}

static int compare_details(const void *a, const void *b) {
    const struct sync_detail *x = a, *y = b;
    return ct_order(x->correlation, y->correlation);
}

/* What is told of a call: by a GPU of its process, or one of which the owner is not known. */
static const struct sync_detail *find_detail(const struct recording *r,
                                             const struct kineto_call *call) {
    const struct sync_detail *details = r->details.items;
    size_t count = r->details.count;
    const struct sync_detail wanted = {.correlation = call->correlation};
    size_t i = ct_vec_lower(&r->details, compare_details, &wanted);
    for (; i < count && call->correlation >= 0 && details[i].correlation == call->correlation;
         i++) {
        struct kineto_owner owner = kineto_owner_of(&r->owners, details[i].gpu);
        if (!owner.known || owner.process == call->process)
            return &details[i];
    }
    return NULL;
}

/* The stream that a call waited for: that of the event, or the one that it names; -1: not known. */
static int64_t waited_stream(const struct kineto_call *call, const struct sync_detail *detail) {
    if (!detail || call->kind == CALL_WAIT_DEVICE)
        return -1;
    return activity_stream_of(call->kind == CALL_WAIT_EVENT ? detail->wait_on_stream
                                                            : detail->stream);
}

static bool add_sync(struct recording *r, const struct kineto_call *call) {
    const struct sync_detail *detail = find_detail(r, call);
    int64_t stream = waited_stream(call, detail);
    bool of_stream = call->kind == CALL_WAIT_STREAM || stream >= 0;
    struct import_sync sync = {.kind = of_stream ? IMPORT_WAIT_STREAM : IMPORT_WAIT_DEVICE,
                               .device = -1,
                               .stream = IMPORT_STREAM_UNKNOWN,
                               .process = call->process,
                               .thread = call->thread,
                               .begin_ps = call->begin_ps,
                               .end_ps = call->end_ps};
    if (stream >= 0) {
        sync.stream = (uint64_t)stream;
        sync.device = detail->device;
    }
    return import_add_sync(r->builder, &sync);
}

/* A stream's wait for an event of another stream: counts where the event's record is known. */
static bool add_stream_wait(struct recording *r, const struct sync_detail *detail) {
    const struct kineto_call *record =
        call_behind(r, detail->gpu, detail->wait_on_record, detail->begin_ps);
    const struct kineto_call *call =
        call_behind(r, detail->gpu, detail->correlation, detail->begin_ps);
    if (!record || detail->wait_on_stream < 0 || detail->stream < 0 ||
        detail->wait_on_stream == detail->stream || (call && call->kind != CALL_STREAM_WAIT))
        return true;
    struct import_stream_wait wait = {.device = detail->device,
                                      .stream = (uint64_t)detail->stream,
                                      .source = (uint64_t)detail->wait_on_stream,
                                      .wait_ps = call ? call->begin_ps : detail->begin_ps,
                                      .record_ps = record->begin_ps};
    return import_add_stream_wait(r->builder, &wait);
}

static bool join_syncs(struct recording *r) {
    ct_vec_sort(&r->details, compare_details);
    for (size_t i = 0; i < r->calls.count; i++) {
        const struct kineto_call *call = &r->calls.items[i];
        bool waits = call->kind == CALL_WAIT_DEVICE || call->kind == CALL_WAIT_STREAM ||
                     call->kind == CALL_WAIT_EVENT;
        if (waits && !add_sync(r, call))
            return false;
    }
    for (size_t i = 0; i < r->details.count; i++)
        if (!add_stream_wait(r, &r->details.items[i]))
            return false;
    return true;
}

/*
 * Whole microseconds, or as many digits as were printed. One or two digits come from versions that
 * kept times in a double, whose spacing at today's date is coarser than the digits.
 */
static ct_time_ps resolution_of(const struct recording *r) {
    if (r->digits == 0)
        return CT_PS_PER_US;
    if (r->digits >= 3)
        return CT_PS_PER_NS;
    double stamp = (double)r->base_us;
    double spacing_ps = (nextafter(stamp, INFINITY) - stamp) * (double)CT_PS_PER_US;
    double printed_ps = r->digits == 1 ? 1e5 : 1e4;
    return ct_time_round(spacing_ps > printed_ps ? spacing_ps : printed_ps);
}

static void recording_free(struct recording *r) {
    ct_intern_free(&r->names);
    ct_vec_free(&r->records);
    ct_vec_free(&r->given);
    ct_vec_free(&r->calls);
    kineto_owners_free(&r->owners);
    kineto_operators_free(&r->operators);
    ct_vec_free(&r->details);
}

static int read_recording(struct import_builder *builder, const char *path,
                          struct ct_diags *diags) {
    struct recording r = {.builder = builder, .diags = diags, .path = path};
    struct kineto_reader reader = {&r, on_event, on_device, false};
    int status = kineto_read(path, &reader, diags);
    if (reader.stacks)
        import_stacks_recorded(builder);
    if (status == CT_OK) {
        kineto_calls_sort(&r.calls);
        import_resolution(builder, resolution_of(&r));
        status = join_records(&r) && join_syncs(&r) && diags->errors == 0 ? CT_OK : CT_DATA;
    }
    recording_free(&r);
    return status;
}

const struct import_format import_format_kineto = {
    .name = "kineto", .read = read_recording, .begins = {"{", "["}};
