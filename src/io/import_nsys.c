/*
 * Nsight Systems: the SQLite export of a report (`nsys export --type sqlite`), or the CSV of `nsys
 * stats --report cuda_gpu_trace` (import_nsys_csv.c).
 *
 * Tables are created only when there is something in them; schema versions differ in columns. A
 * device record finds its host call by process and correlation id. Times are in ns; the earliest is
 * the recording's 0, because exports can count from 1970, which is outside the simulator's range.
 */
#include "import_nsys_csv.h"
#include "nsys_recording.h"
#include "profile_text.h"

#include <stdio.h>
#include <string.h>

enum { ERRORS_SHOWN = 10 };

/* Leading columns of every device table. */
enum device_column { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PROCESS, OWN_COLUMNS };
#define DEVICE_COLUMNS                                                                             \
    "start", "end", "deviceId", "contextId", "streamId", "?correlationId", "?globalPid"

struct nsys {
    struct import_builder *builder;
    struct ct_diags *diags;
    const char *path;
    struct nsys_scan scan;
    struct nsys_recording recording;
    uint64_t device_rows, whole_graphs;
};

/* ---- device records ---- */

/* The columns that all device tables share, into the record; the host call, if it is known, into
 * `call`. */
static bool read_common(struct nsys *nsys, struct import_record *record, struct nsys_call **call) {
    struct nsys_scan *scan = &nsys->scan;
    struct nsys_recording *recording = &nsys->recording;
    int64_t pid = nsys_scan_int(scan, PROCESS, 0, INT64_MIN, INT64_MAX);
    int64_t context = nsys_scan_int(scan, CONTEXT, 0, 0, UINT32_MAX);
    int64_t end = nsys_scan_int(scan, END, 0, INT64_MIN, INT64_MAX);
    int64_t start = nsys_scan_int(scan, START, 0, INT64_MIN, INT64_MAX);
    record->start_ps = nsys_recording_time(recording, start, scan);
    record->duration_ps = nsys_recording_time(recording, end, scan) - record->start_ps;
    record->device = nsys_recording_gpu(recording, pid, nsys_scan_int(scan, DEVICE, 0, 0, 1 << 20));
    record->context = (uint64_t)(pid | context);
    record->stream =
        nsys_stream_number(pid, context, nsys_scan_int(scan, STREAM, 0, 0, UINT32_MAX));
    *call = NULL;
    if (!nsys_scan_null(scan, CORRELATION))
        *call = nsys_recording_call(recording, pid,
                                    nsys_scan_int(scan, CORRELATION, 0, INT64_MIN, INT64_MAX));
    if (*call) {
        (*call)->used = true;
        record->launch_begin_ps = (*call)->begin_ps;
        record->launch_end_ps = (*call)->end_ps;
        record->launch_thread = (*call)->thread;
    }
    return nsys_recording_learn_context(
        recording, (struct nsys_context){pid, context, record->device}, nsys->diags);
}

static bool add_record(struct nsys *nsys, struct import_record *record) {
    char where[512];
    nsys_scan_where(&nsys->scan, where, sizeof where);
    if (nsys->scan.bad_row || !profile_check_record(record, where, nsys->diags))
        return false;
    return import_add_record(nsys->builder, record);
}

static bool read_kernel(struct nsys *nsys) {
    enum {
        GRAPH_NODE = OWN_COLUMNS,
        LONG_NAME,
        SHORT_NAME,
        REGISTERS,
        GRID,
        BLOCK = GRID + 3,
        STATIC = BLOCK + 3,
        DYNAMIC
    };
    struct nsys_scan *scan = &nsys->scan;
    struct import_record record = profile_record();
    struct nsys_call *call;
    if (!read_common(nsys, &record, &call))
        return false;
    int name = nsys_scan_null(scan, LONG_NAME) ? SHORT_NAME : LONG_NAME;
    int64_t id = nsys_scan_int(scan, name, -1, INT64_MIN, INT64_MAX);
    record.name = nsys_recording_text(&nsys->recording, id);
    for (int i = 0; i < 3; i++) {
        record.grid[i] = (uint32_t)nsys_scan_int(scan, GRID + i, 0, 0, UINT32_MAX);
        record.block[i] = (uint32_t)nsys_scan_int(scan, BLOCK + i, 0, 0, UINT32_MAX);
    }
    record.geometry_known = true;
    record.registers_per_thread = (uint32_t)nsys_scan_int(scan, REGISTERS, 0, 0, UINT32_MAX);
    record.static_smem_bytes = (uint32_t)nsys_scan_int(scan, STATIC, 0, 0, UINT32_MAX);
    record.dynamic_smem_bytes = (uint32_t)nsys_scan_int(scan, DYNAMIC, 0, 0, UINT32_MAX);
    /* one host call launched all kernels of a graph */
    if (call && !nsys_scan_null(scan, GRAPH_NODE)) {
        record.library_call = "CUDA graph";
        record.library_call_id = (uint64_t)(call - nsys->recording.calls.items);
    }
    return add_record(nsys, &record);
}

/* CUpti_ActivityMemcpyKind: 1 HtoD, 2 DtoH, 3 HtoA, 4 AtoH, 9 HtoH, 11 and 12 unified memory; the
 * rest on the device. */
static enum trace_direction copy_direction(int64_t kind) {
    if (kind == 1 || kind == 3)
        return TRACE_HOST_TO_DEVICE;
    return kind == 2 || kind == 4 ? TRACE_DEVICE_TO_HOST : TRACE_DEVICE_TO_DEVICE;
}

/* ENUM_CUDA_MEM_KIND: 0 pageable, 1 pinned. */
static enum trace_memory copy_memory(enum trace_direction direction, int64_t source,
                                     int64_t destination) {
    int64_t host = direction == TRACE_HOST_TO_DEVICE ? source : destination;
    if (direction == TRACE_DEVICE_TO_DEVICE || host < 0 || host > 1)
        return TRACE_MEMORY_UNKNOWN;
    return host == 0 ? TRACE_PAGEABLE : TRACE_PINNED;
}

/*
 * Whether the host waited for a copy: a call that is not asynchronous, between host and device; or
 * an asynchronous one from the device into pageable memory, which returns when the copy has ended
 * (CUDA runtime API, "API synchronization behavior").
 */
static bool host_waited(const struct import_record *record, const struct nsys_call *call) {
    if (!call || record->direction == TRACE_DEVICE_TO_DEVICE)
        return false;
    return call->kind == NSYS_CALL_COPY ||
           (record->direction == TRACE_DEVICE_TO_HOST && record->memory == TRACE_PAGEABLE &&
            call->end_ps >= record->start_ps + record->duration_ps);
}

static bool read_copy(struct nsys *nsys) {
    enum { SOURCE = OWN_COLUMNS, DESTINATION, BYTES, KIND };
    struct nsys_scan *scan = &nsys->scan;
    struct import_record record = profile_record();
    struct nsys_call *call;
    int64_t kind = nsys_scan_int(scan, KIND, 0, 0, 255);
    record.kind = TRACE_COPY;
    if (!read_common(nsys, &record, &call))
        return false;
    record.direction = copy_direction(kind);
    record.memory = copy_memory(record.direction, nsys_scan_int(scan, SOURCE, -1, -1, 255),
                                nsys_scan_int(scan, DESTINATION, -1, -1, 255));
    record.bytes = (uint64_t)nsys_scan_int(scan, BYTES, 0, 0, INT64_MAX);
    if (kind == 9 || kind == 11 || kind == 12 || kind == 13) {
        import_leave_out(nsys->builder,
                         kind == 9 ? "copy within host memory" : "unified memory migration");
        return !scan->bad_row;
    }
    struct import_sync sync = {.kind = IMPORT_WAIT_COPY,
                               .device = record.device,
                               .stream = record.stream,
                               .thread = record.launch_thread,
                               .begin_ps = record.launch_begin_ps,
                               .end_ps = record.launch_end_ps};
    return add_record(nsys, &record) &&
           (!host_waited(&record, call) || import_add_sync(nsys->builder, &sync));
}

static bool read_memset(struct nsys *nsys) {
    enum { BYTES = OWN_COLUMNS };
    struct import_record record = profile_record();
    struct nsys_call *call;
    record.kind = TRACE_MEMSET;
    if (!read_common(nsys, &record, &call))
        return false;
    record.bytes = (uint64_t)nsys_scan_int(&nsys->scan, BYTES, 0, 0, INT64_MAX);
    return add_record(nsys, &record);
}

/* A graph recorded as a whole tells neither kernels nor shapes. */
static bool read_graph(struct nsys *nsys) {
    struct import_record record = profile_record();
    struct nsys_call *call;
    if (!read_common(nsys, &record, &call))
        return false;
    import_leave_out(nsys->builder, "CUDA graph recorded as a whole");
    nsys->whole_graphs++;
    return !nsys->scan.bad_row;
}

/* All rows of a table that may be absent; false when the table or a row was wrong. */
static bool read_table(struct nsys *nsys, const char *table, const char *const *columns,
                       size_t count, bool (*read_row)(struct nsys *nsys)) {
    struct nsys_scan *scan = &nsys->scan;
    int known = nsys_has_table(scan, table);
    if (known <= 0)
        return known == 0;
    bool right = nsys_scan_begin(scan, table, columns, count);
    size_t mistakes = 0;
    while (right && mistakes < ERRORS_SHOWN && nsys_scan_next(scan)) {
        mistakes += !read_row(nsys);
        nsys->device_rows++;
    }
    right = right && !scan->broken && !mistakes;
    nsys_scan_end(scan);
    return right;
}

static bool read_device_tables(struct nsys *nsys) {
    static const char *const kernels[] = {DEVICE_COLUMNS,
                                          "?graphNodeId",
                                          "?demangledName",
                                          "?shortName",
                                          "registersPerThread",
                                          "gridX",
                                          "gridY",
                                          "gridZ",
                                          "blockX",
                                          "blockY",
                                          "blockZ",
                                          "staticSharedMemory",
                                          "dynamicSharedMemory"};
    static const char *const copies[] = {DEVICE_COLUMNS, "?srcKind", "?dstKind", "bytes",
                                         "copyKind"};
    static const char *const memsets[] = {DEVICE_COLUMNS, "bytes"};
    static const char *const graphs[] = {DEVICE_COLUMNS};
    bool right =
        read_table(nsys, "CUPTI_ACTIVITY_KIND_KERNEL", kernels, CT_COUNT_OF(kernels), read_kernel);
    right &= read_table(nsys, "CUPTI_ACTIVITY_KIND_MEMCPY", copies, CT_COUNT_OF(copies), read_copy);
    right &=
        read_table(nsys, "CUPTI_ACTIVITY_KIND_MEMSET", memsets, CT_COUNT_OF(memsets), read_memset);
    return right & read_table(nsys, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE", graphs, CT_COUNT_OF(graphs),
                              read_graph);
}

/* ---- host calls ---- */

/* The stream that a call waited for: of the event that it names, else the one that it names itself.
 */
static uint64_t waited_stream(const struct nsys *nsys, const struct nsys_call *call,
                              const struct nsys_wait *wait) {
    int64_t pid = call->key.pid;
    const struct nsys_event *event = NULL;
    if (wait && call->kind == NSYS_CALL_WAIT_EVENT && wait->event_sync >= 0)
        event = nsys_recording_event(&nsys->recording, pid, wait->event_sync);
    if (event)
        return nsys_stream_number(pid, event->context, event->stream);
    return wait && wait->stream >= 0 ? nsys_stream_number(pid, wait->context, wait->stream)
                                     : IMPORT_STREAM_UNKNOWN;
}

static bool add_wait(struct nsys *nsys, const struct nsys_call *call) {
    const struct nsys_wait *wait = nsys_recording_wait(&nsys->recording, call);
    int64_t pid = call->key.pid;
    struct import_sync sync = {
        .kind = call->kind == NSYS_CALL_WAIT_DEVICE ? IMPORT_WAIT_DEVICE : IMPORT_WAIT_STREAM,
        .device = wait ? nsys_recording_context_gpu(&nsys->recording, pid, wait->context) : -1,
        .stream = waited_stream(nsys, call, wait),
        .thread = call->thread,
        .begin_ps = call->begin_ps,
        .end_ps = call->end_ps};
    return import_add_sync(nsys->builder, &sync);
}

/* cudaStreamWaitEvent, where the export says which event and where that was recorded. */
static bool add_order(struct nsys *nsys, const struct nsys_call *call) {
    const struct nsys_recording *recording = &nsys->recording;
    int64_t pid = call->key.pid;
    const struct nsys_wait *wait = nsys_recording_wait(recording, call);
    const struct nsys_event *event = wait && wait->stream >= 0 && wait->event_sync >= 0
                                         ? nsys_recording_event(recording, pid, wait->event_sync)
                                         : NULL;
    const struct nsys_call *record =
        event ? nsys_recording_call(recording, pid, event->correlation) : NULL;
    if (!record) {
        import_leave_out(nsys->builder, "stream order without a recorded event");
        return true;
    }
    struct import_stream_wait order = {
        .device = nsys_recording_context_gpu(recording, pid, wait->context),
        .stream = nsys_stream_number(pid, wait->context, wait->stream),
        .source = nsys_stream_number(pid, event->context, event->stream),
        .wait_ps = call->begin_ps,
        .record_ps = record->begin_ps};
    return import_add_stream_wait(nsys->builder, &order);
}

/* What the host did beside launching. */
static bool add_calls(struct nsys *nsys) {
    for (size_t i = 0; i < nsys->recording.calls.count; i++) {
        const struct nsys_call *call = &nsys->recording.calls.items[i];
        bool done = true;
        if (call->kind == NSYS_CALL_ORDER)
            done = add_order(nsys, call);
        else if (call->kind != NSYS_CALL_OTHER && call->kind != NSYS_CALL_COPY)
            done = add_wait(nsys, call);
        else if (!call->used)
            import_leave_out(nsys->builder, "host call without device work");
        if (!done)
            return false;
    }
    return true;
}

/* ---- ranges and GPUs ---- */

/* Ranges of both kinds (NvtxPushPopRange 59, NvtxStartEndRange 60) that ended. */
static bool read_range(struct nsys *nsys) {
    enum { BEGIN, FINISH, TYPE, TEXT, TEXT_ID };
    struct nsys_scan *scan = &nsys->scan;
    int64_t type = nsys_scan_int(scan, TYPE, 0, INT64_MIN, INT64_MAX);
    if ((type != 59 && type != 60) || nsys_scan_null(scan, FINISH))
        return !scan->bad_row;
    int64_t id = nsys_scan_int(scan, TEXT_ID, -1, INT64_MIN, INT64_MAX);
    const char *text = nsys_scan_text(scan, TEXT);
    struct import_mark mark = {.name = text ? text : nsys_recording_text(&nsys->recording, id)};
    int64_t begin = nsys_scan_int(scan, BEGIN, 0, INT64_MIN, INT64_MAX);
    int64_t end = nsys_scan_int(scan, FINISH, 0, INT64_MIN, INT64_MAX);
    mark.begin_ps = nsys_recording_time(&nsys->recording, begin, scan);
    mark.end_ps = nsys_recording_time(&nsys->recording, end, scan);
    return !scan->bad_row && (!mark.name || import_add_mark(nsys->builder, &mark));
}

static bool read_gpu(struct nsys *nsys) {
    const char *title = nsys_scan_text(&nsys->scan, 1);
    int device = (int)nsys_scan_int(&nsys->scan, 0, 0, 0, 1 << 20);
    if (title && !nsys->scan.bad_row)
        import_device(nsys->builder, device, title);
    return !nsys->scan.bad_row;
}

/* ---- the file ---- */

static int is_export(struct nsys *nsys) {
    int known = nsys_has_table(&nsys->scan, "StringIds");
    if (known == 0)
        ct_error(nsys->diags, nsys->path,
                 "is a SQLite file, but no export of Nsight Systems: it has no table 'StringIds'");
    return known == 1;
}

static bool has_device_records(struct nsys *nsys) {
    if (!nsys->device_rows)
        ct_error(nsys->diags, nsys->path,
                 "holds no kernels, copies or memsets: record with 'nsys profile --trace=cuda'");
    else if (nsys->whole_graphs)
        ct_warning(nsys->diags, nsys->path,
                   "%llu launches of CUDA graphs were recorded as a whole and are left out: record "
                   "with 'nsys profile --cuda-graph-trace=node'",
                   (unsigned long long)nsys->whole_graphs);
    return nsys->device_rows > 0;
}

static bool read_export(struct nsys *nsys) {
    static const char *const ranges[] = {"start", "?end", "eventType", "?text", "?textId"};
    static const char *const gpus[] = {"id", "?name"};
    if (!is_export(nsys) || !nsys_recording_load(&nsys->recording, &nsys->scan) ||
        !read_device_tables(nsys) || !has_device_records(nsys) || !add_calls(nsys) ||
        !read_table(nsys, "NVTX_EVENTS", ranges, CT_COUNT_OF(ranges), read_range) ||
        !read_table(nsys, "TARGET_INFO_GPU", gpus, CT_COUNT_OF(gpus), read_gpu))
        return false;
    if (nsys->recording.stacks)
        import_stacks_recorded(nsys->builder);
    import_resolution(nsys->builder, CT_PS_PER_NS);
    return true;
}

static int import_export(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    struct nsys nsys = {.builder = builder, .diags = diags, .path = path};
    sqlite3 *db = nsys_open(path, diags);
    if (!db)
        return CT_DATA;
    nsys.scan = (struct nsys_scan){.db = db, .path = path, .diags = diags};
    bool right = read_export(&nsys);
    nsys_recording_free(&nsys.recording);
    sqlite3_close(db);
    return right ? CT_OK : CT_DATA;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

int import_nsys(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    if (nsys_is_sqlite(path))
        return import_export(builder, path, diags);
    if (ends_with(path, ".nsys-rep") || ends_with(path, ".qdrep")) {
        ct_error(diags, path, "is a report, not its export: run 'nsys export --type sqlite' on it");
        return CT_DATA;
    }
    return import_nsys_csv(builder, path, diags);
}
