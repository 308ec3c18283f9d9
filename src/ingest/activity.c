/* From CUPTI's records to the import builder's. */
#include "ingest/activity_internal.h"
#include "ingest/profile_text.h"

#include <string.h>

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
        task->correlated ? activity_find_call(recording, task->pid, task->correlation) : NULL;
    record.context = (uint64_t)(task->pid | task->context);
    record.stream = activity_stream_number(task->pid, task->context, task->stream);
    record.process = record.launch_process = (uint64_t)task->pid;
    if (call)
        take_call(recording, task, call, &record);
    if (record.kind == TRACE_COPY) {
        record.direction = copy_direction(task->copy_kind);
        record.memory = host_memory(task, record.direction);
    }
    struct activity_context context = {task->pid, task->context, record.device};
    if (!activity_learn_context(recording, context, diags))
        return false;
    if (reason) {
        import_leave_out_work(builder, reason, record.duration_ps);
        return true;
    }
    return (task->hip ? profile_check_hip_record : profile_check_record)(&record, where, diags) &&
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
        event = activity_find_event(recording, pid, wait->event_sync);
    if (event)
        return activity_stream_number(pid, event->context, event->stream);
    return wait && wait->stream >= 0 ? activity_stream_number(pid, wait->context, wait->stream)
                                     : IMPORT_STREAM_UNKNOWN;
}

static bool add_wait(const struct activity_recording *recording, struct import_builder *builder,
                     const struct activity_call *call) {
    const struct activity_wait *wait = activity_find_wait(recording, call);
    int64_t pid = call->key.pid;
    struct import_sync sync = {
        .kind = call->kind == ACTIVITY_CALL_WAIT_DEVICE ? IMPORT_WAIT_DEVICE : IMPORT_WAIT_STREAM,
        .device = wait ? activity_context_gpu(recording, pid, wait->context) : -1,
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
    const struct activity_wait *wait = activity_find_wait(recording, call);
    const struct activity_event *event = wait && wait->stream >= 0 && wait->event_sync >= 0
                                             ? activity_find_event(recording, pid, wait->event_sync)
                                             : NULL;
    const struct activity_call *record =
        event ? activity_find_call(recording, pid, event->correlation) : NULL;
    if (!record) {
        import_leave_out(builder, "stream order without a recorded event");
        return true;
    }
    struct import_stream_wait order = {
        .device = activity_context_gpu(recording, pid, wait->context),
        .stream = activity_stream_number(pid, wait->context, wait->stream),
        .source = activity_stream_number(pid, event->context, event->stream),
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
