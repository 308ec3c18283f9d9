/* From CUPTI's records to the import builder's. */
#include "ingest/activity.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "ingest/profile_text.h"

#include <string.h>

/* ---- names of calls ---- */

/* The length of a name without "_v3020", "_v2", "_ptds" and "_ptsz" at its end. */
static size_t base_length(const char *name) {
    size_t length = strlen(name);
    for (;;) {
        size_t cut = length;
        if (cut > 5 &&
            (strncmp(name + cut - 5, "_ptds", 5) == 0 || strncmp(name + cut - 5, "_ptsz", 5) == 0))
            cut -= 5;
        else
            while (cut && name[cut - 1] >= '0' && name[cut - 1] <= '9')
                cut--;
        if (cut != length && cut > 2 && strncmp(name + cut - 2, "_v", 2) == 0)
            cut -= 2;
        else if (cut == length || strncmp(name + cut, "_pt", 3) != 0)
            return length;
        length = cut;
    }
}

enum activity_call_kind activity_call_kind_of(const char *name) {
    static const struct {
        const char *name;
        enum activity_call_kind kind;
    } calls[] = {{"cudaDeviceSynchronize", ACTIVITY_CALL_WAIT_DEVICE},
                 {"cudaThreadSynchronize", ACTIVITY_CALL_WAIT_DEVICE},
                 {"cuCtxSynchronize", ACTIVITY_CALL_WAIT_DEVICE},
                 {"cudaStreamSynchronize", ACTIVITY_CALL_WAIT_STREAM},
                 {"cuStreamSynchronize", ACTIVITY_CALL_WAIT_STREAM},
                 {"cudaEventSynchronize", ACTIVITY_CALL_WAIT_EVENT},
                 {"cuEventSynchronize", ACTIVITY_CALL_WAIT_EVENT},
                 {"cudaStreamWaitEvent", ACTIVITY_CALL_ORDER},
                 {"cuStreamWaitEvent", ACTIVITY_CALL_ORDER},
                 {"hipDeviceSynchronize", ACTIVITY_CALL_WAIT_DEVICE},
                 {"hipStreamSynchronize", ACTIVITY_CALL_WAIT_STREAM},
                 {"hipEventSynchronize", ACTIVITY_CALL_WAIT_EVENT},
                 {"hipStreamWaitEvent", ACTIVITY_CALL_ORDER}};
    size_t length = base_length(name);
    for (size_t i = 0; i < CT_COUNT_OF(calls); i++)
        if (strlen(calls[i].name) == length && strncmp(name, calls[i].name, length) == 0)
            return calls[i].kind;
    bool copy = strncmp(name, "cudaMemcpy", 10) == 0 || strncmp(name, "cuMemcpy", 8) == 0 ||
                strncmp(name, "hipMemcpy", 9) == 0;
    return copy && !strstr(name, "Async") ? ACTIVITY_CALL_COPY : ACTIVITY_CALL_OTHER;
}

/* ---- look-up ---- */

static int compare_keys(const void *left, const void *right) {
    const struct activity_key *a = left, *b = right;
    return ct_then(ct_order(a->pid, b->pid),
                   ct_then(ct_order(a->correlation, b->correlation), ct_order(a->row, b->row)));
}

/* The first of the sorted items, of `size` bytes, that begin with this process and correlation. */
static const void *find(const void *items, size_t count, size_t size, int64_t pid,
                        int64_t correlation) {
    const struct activity_key wanted = {pid, correlation, 0};
    size_t place = ct_lower_item(items, count, size, compare_keys, &wanted);
    const struct activity_key *key = (const void *)((const char *)items + place * size);
    return place < count && key->pid == pid && key->correlation == correlation ? key : NULL;
}

#define FIND(vec, pid, correlation)                                                                \
    find((vec).items, (vec).count, sizeof *(vec).items, (pid), (correlation))

/* The first call of a process with this correlation id, or NULL. */
static struct activity_call *find_call(const struct activity_recording *recording, int64_t pid,
                                       int64_t correlation) {
    const struct activity_call *call = FIND(recording->calls, pid, correlation);
    return call ? &recording->calls.items[call - recording->calls.items] : NULL;
}

/* -1: no record was on it. */
static int context_gpu(const struct activity_recording *recording, int64_t pid, int64_t context) {
    for (size_t i = 0; i < recording->contexts.count; i++) {
        const struct activity_context *known = &recording->contexts.items[i];
        if (known->pid == pid && known->context == context)
            return known->gpu;
    }
    return -1;
}

static bool learn_context(struct activity_recording *recording, struct activity_context context,
                          struct ct_diags *diags) {
    return context_gpu(recording, context.pid, context.context) >= 0 ||
           ct_vec_push(&recording->contexts, context) || ct_out_of_memory(diags) == CT_OK;
}

/* One number for a stream of a context of a process: stream 7 exists in every context. */
static uint64_t stream_number(int64_t pid, int64_t context, int64_t stream) {
    return ((uint64_t)pid >> 24 & 0xffffff) << 40 | ((uint64_t)context & 0xff) << 32 |
           ((uint64_t)stream & UINT32_MAX);
}

/* ---- device records ---- */

/* CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 3 HtoA, 4 AtoH, 9 HtoH, 11 and 12 unified memory; the
 * rest on the device. */
static enum trace_direction copy_direction(int64_t kind) {
    if (kind == 1 || kind == 3)
        return TRACE_HOST_TO_DEVICE;
    return kind == 2 || kind == 4 ? TRACE_DEVICE_TO_HOST : TRACE_DEVICE_TO_DEVICE;
}

static enum trace_memory host_memory(const struct activity_task *task,
                                     enum trace_direction direction) {
    if (direction == TRACE_DEVICE_TO_DEVICE)
        return TRACE_MEMORY_UNKNOWN;
    return direction == TRACE_HOST_TO_DEVICE ? task->source : task->destination;
}

/* Why a copy is no work of the device's copy engines; NULL: it is. */
static const char *no_device_copy(const struct activity_task *task) {
    if (task->record.kind != TRACE_COPY)
        return NULL;
    if (task->copy_kind == 9)
        return "copy within host memory";
    return task->copy_kind >= 11 && task->copy_kind <= 13 ? "unified memory migration" : NULL;
}

static void take_call(const struct activity_recording *recording, const struct activity_task *task,
                      struct activity_call *call, struct import_record *record) {
    call->used = true;
    record->launch_begin_ps = call->begin_ps;
    record->launch_end_ps = call->end_ps;
    record->launch_thread = call->thread;
    if (task->graph_node) { /* one host call launched all kernels of a graph */
        record->library_call = IMPORT_GRAPH_CALL;
        record->library_call_id = (uint64_t)(call - recording->calls.items);
    }
}

bool activity_add_task(struct activity_recording *recording, struct import_builder *builder,
                       const struct activity_task *task, const char *where,
                       struct ct_diags *diags) {
    struct import_record record = task->record;
    const char *reason = no_device_copy(task);
    struct activity_call *call =
        task->correlated ? find_call(recording, task->pid, task->correlation) : NULL;
    record.context = (uint64_t)(task->pid | task->context);
    record.stream = stream_number(task->pid, task->context, task->stream);
    record.process = record.launch_process = (uint64_t)task->pid;
    if (call)
        take_call(recording, task, call, &record);
    if (record.kind == TRACE_COPY) {
        record.direction = copy_direction(task->copy_kind);
        record.memory = host_memory(task, record.direction);
    }
    struct activity_context context = {task->pid, task->context, record.device};
    if (!learn_context(recording, context, diags))
        return false;
    if (reason) {
        import_leave_out_work(builder, reason, record.duration_ps);
        return true;
    }
    return profile_check_record(&record, task->hip, where, diags) &&
           import_add_record(builder, &record) &&
           (!call || import_add_copy_wait(builder, &record, call->kind != ACTIVITY_CALL_COPY));
}

/* ---- host calls ---- */

/* The stream that a call waited for: of the event that it names, else the one that it names itself.
 */
static uint64_t waited_stream(const struct activity_recording *recording,
                              const struct activity_call *call, const struct activity_wait *wait) {
    int64_t pid = call->key.pid;
    const struct activity_event *event = NULL;
    if (wait && call->kind == ACTIVITY_CALL_WAIT_EVENT && wait->event_sync >= 0)
        event = FIND(recording->events, pid, wait->event_sync);
    if (event)
        return stream_number(pid, event->context, event->stream);
    return wait && wait->stream >= 0 ? stream_number(pid, wait->context, wait->stream)
                                     : IMPORT_STREAM_UNKNOWN;
}

static bool add_wait(const struct activity_recording *recording, struct import_builder *builder,
                     const struct activity_call *call) {
    int64_t pid = call->key.pid;
    const struct activity_wait *wait = FIND(recording->waits, pid, call->key.correlation);
    struct import_sync sync = {.kind = call->kind == ACTIVITY_CALL_WAIT_DEVICE ? IMPORT_WAIT_DEVICE
                                                                               : IMPORT_WAIT_STREAM,
                               .device = wait ? context_gpu(recording, pid, wait->context) : -1,
                               .stream = waited_stream(recording, call, wait),
                               .process = (uint64_t)pid,
                               .thread = call->thread,
                               .begin_ps = call->begin_ps,
                               .end_ps = call->end_ps};
    return import_add_sync(builder, &sync);
}

/* cudaStreamWaitEvent, where the export says which event and where that was recorded. */
static bool add_order(const struct activity_recording *recording, struct import_builder *builder,
                      const struct activity_call *call) {
    int64_t pid = call->key.pid;
    const struct activity_wait *wait = FIND(recording->waits, pid, call->key.correlation);
    const struct activity_event *event = wait && wait->stream >= 0 && wait->event_sync >= 0
                                             ? FIND(recording->events, pid, wait->event_sync)
                                             : NULL;
    const struct activity_call *record =
        event ? find_call(recording, pid, event->correlation) : NULL;
    if (!record) {
        import_leave_out(builder, "stream order without a recorded event");
        return true;
    }
    struct import_stream_wait order = {.device = context_gpu(recording, pid, wait->context),
                                       .stream = stream_number(pid, wait->context, wait->stream),
                                       .source = stream_number(pid, event->context, event->stream),
                                       .wait_ps = call->begin_ps,
                                       .record_ps = record->begin_ps};
    return import_add_stream_wait(builder, &order);
}

/* What the host did beside launching. */
bool activity_add_calls(struct activity_recording *recording, struct import_builder *builder) {
    for (size_t i = 0; i < recording->calls.count; i++) {
        const struct activity_call *call = &recording->calls.items[i];
        bool done = true;
        if (call->kind == ACTIVITY_CALL_ORDER)
            done = add_order(recording, builder, call);
        else if (call->kind != ACTIVITY_CALL_OTHER && call->kind != ACTIVITY_CALL_COPY)
            done = add_wait(recording, builder, call);
        else if (!call->used)
            import_leave_out(builder, "host call without device work");
        if (!done)
            return false;
    }
    return true;
}

/* ---- the whole ---- */

int64_t activity_stream_of(int64_t raw) {
    return raw >= UINT32_MAX ? -1 : raw;
}

void activity_sort(struct activity_recording *recording) {
    ct_vec_sort(&recording->calls, compare_keys);
    ct_vec_sort(&recording->waits, compare_keys);
    ct_vec_sort(&recording->events, compare_keys);
}

void activity_report(const struct activity_recording *recording, const char *path,
                     struct ct_diags *diags) {
    if (recording->cut_calls)
        ct_notice(diags, path, "%llu host calls end before they begin, and count as of no length",
                  (unsigned long long)recording->cut_calls);
}

void activity_free(struct activity_recording *recording) {
    ct_vec_free(&recording->calls);
    ct_vec_free(&recording->waits);
    ct_vec_free(&recording->events);
    ct_vec_free(&recording->contexts);
}
