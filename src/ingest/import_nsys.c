/*
 * Nsight Systems: the SQLite export of a report (`nsys export --type sqlite`), or the CSV of `nsys
 * stats --report cuda_gpu_trace` (import_nsys_csv.c).
 *
 * Tables are created only when there is something in them; schema versions differ in columns. A
 * device record finds its host call by process and correlation id. Times are in ns; the earliest is
 * the recording's 0, because exports can count from 1970, which is outside the simulator's range.
 */
#include "ingest/import_formats.h"
#include "ingest/import_nsys_csv.h"
#include "ingest/nsys_recording.h"
#include "ingest/profile_text.h"

#include <stdio.h>
#include <string.h>

/* Leading columns of every device table. */
enum device_column { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PROCESS, OWN_COLUMNS };
#define DEVICE_COLUMNS                                                                             \
    "start", "end", "deviceId", "contextId", "streamId", "?correlationId", "?globalPid"

struct nsys {
    struct import_builder *builder;
    struct ct_diags *diags;
    const char *path;
    struct sqlite_scan scan;
    struct nsys_recording recording;
    uint64_t device_rows, whole_graphs;
};

/* ---- device records ---- */

/* An empty task of a kind with the columns that all device tables share. */
static struct activity_task read_common(struct nsys *nsys, enum trace_kind kind) {
    struct sqlite_scan *scan = &nsys->scan;
    struct nsys_recording *recording = &nsys->recording;
    struct activity_task task = {.record = profile_record(),
                                 .pid = sqlite_scan_int(scan, PROCESS, 0, INT64_MIN, INT64_MAX),
                                 .context = sqlite_scan_int(scan, CONTEXT, 0, 0, UINT32_MAX),
                                 .stream = sqlite_scan_int(scan, STREAM, 0, 0, UINT32_MAX),
                                 .correlated = !sqlite_scan_null(scan, CORRELATION)};
    int64_t end = sqlite_scan_int(scan, END, 0, INT64_MIN, INT64_MAX);
    int64_t start = sqlite_scan_int(scan, START, 0, INT64_MIN, INT64_MAX);
    task.correlation = sqlite_scan_int(scan, CORRELATION, 0, INT64_MIN, INT64_MAX);
    task.record.kind = kind;
    task.record.start_ps = sqlite_scan_time(scan, start, recording->base_ns);
    task.record.duration_ps =
        sqlite_scan_time(scan, sqlite_scan_until(scan, start, end), recording->base_ns) -
        task.record.start_ps;
    task.record.device =
        nsys_recording_gpu(recording, task.pid, sqlite_scan_int(scan, DEVICE, 0, 0, 1 << 20));
    return task;
}

static bool add_task(struct nsys *nsys, const struct activity_task *task) {
    char where[512];
    sqlite_scan_where(&nsys->scan, where, sizeof where);
    return !nsys->scan.bad_row &&
           activity_add_task(&nsys->recording.activity, nsys->builder, task, where, nsys->diags);
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
    struct sqlite_scan *scan = &nsys->scan;
    struct activity_task task = read_common(nsys, TRACE_KERNEL);
    struct import_record *record = &task.record;
    int name = sqlite_scan_null(scan, LONG_NAME) ? SHORT_NAME : LONG_NAME;
    int64_t id = sqlite_scan_int(scan, name, -1, INT64_MIN, INT64_MAX);
    record->name = nsys_recording_text(&nsys->recording, id);
    for (int i = 0; i < 3; i++) {
        record->grid[i] = (uint32_t)sqlite_scan_int(scan, GRID + i, 0, 0, UINT32_MAX);
        record->block[i] = (uint32_t)sqlite_scan_int(scan, BLOCK + i, 0, 0, UINT32_MAX);
    }
    record->geometry_known = true;
    record->registers_per_thread = (uint64_t)sqlite_scan_int(scan, REGISTERS, 0, 0, INT64_MAX);
    record->static_smem_bytes = (uint64_t)sqlite_scan_int(scan, STATIC, 0, 0, INT64_MAX);
    record->dynamic_smem_bytes = (uint64_t)sqlite_scan_int(scan, DYNAMIC, 0, 0, INT64_MAX);
    task.graph_node = !sqlite_scan_null(scan, GRAPH_NODE);
    return add_task(nsys, &task);
}

/* ENUM_CUDA_MEM_KIND: 0 pageable, 1 pinned. */
static enum trace_memory memory_of(struct sqlite_scan *scan, int column) {
    int64_t kind = sqlite_scan_int(scan, column, -1, -1, 255);
    if (kind < 0 || kind > 1)
        return TRACE_MEMORY_UNKNOWN;
    return kind == 0 ? TRACE_PAGEABLE : TRACE_PINNED;
}

static bool read_copy(struct nsys *nsys) {
    enum { SOURCE = OWN_COLUMNS, DESTINATION, BYTES, KIND };
    struct sqlite_scan *scan = &nsys->scan;
    struct activity_task task = read_common(nsys, TRACE_COPY);
    task.copy_kind = sqlite_scan_int(scan, KIND, 0, 0, 255);
    task.source = memory_of(scan, SOURCE);
    task.destination = memory_of(scan, DESTINATION);
    task.record.bytes = (uint64_t)sqlite_scan_int(scan, BYTES, 0, 0, INT64_MAX);
    return add_task(nsys, &task);
}

static bool read_memset(struct nsys *nsys) {
    enum { BYTES = OWN_COLUMNS };
    struct activity_task task = read_common(nsys, TRACE_MEMSET);
    task.record.bytes = (uint64_t)sqlite_scan_int(&nsys->scan, BYTES, 0, 0, INT64_MAX);
    return add_task(nsys, &task);
}

/* A graph recorded as a whole tells neither kernels nor shapes. */
static bool read_graph(struct nsys *nsys) {
    struct activity_task graph = read_common(nsys, TRACE_KERNEL);
    import_leave_out_work(nsys->builder, "CUDA graph recorded as a whole",
                          graph.record.duration_ps);
    nsys->whole_graphs++;
    return !nsys->scan.bad_row;
}

/* All rows of a table that may be absent; false when the table or a row was wrong. */
static bool read_table(struct nsys *nsys, const char *table, const char *const *columns,
                       size_t count, bool (*read_row)(struct nsys *nsys)) {
    struct sqlite_scan *scan = &nsys->scan;
    int known = sqlite_tables_has(scan, table);
    if (known <= 0)
        return known == 0;
    bool right = sqlite_scan_begin(scan, table, columns, count);
    size_t mistakes = 0;
    while (right && mistakes < CT_ERRORS_SHOWN && sqlite_scan_next(scan)) {
        mistakes += !read_row(nsys);
        nsys->device_rows++;
    }
    right = right && !scan->broken && !mistakes;
    sqlite_scan_end(scan);
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

/* ---- ranges and GPUs ---- */

/* Ranges of both kinds that ended: NvtxPushPopRange 59, of a thread, and NvtxStartEndRange 60,
 * which another thread may have ended. */
static bool read_range(struct nsys *nsys) {
    enum { BEGIN, FINISH, TYPE, TEXT, TEXT_ID, THREAD };
    struct sqlite_scan *scan = &nsys->scan;
    int64_t type = sqlite_scan_int(scan, TYPE, 0, INT64_MIN, INT64_MAX);
    if ((type != 59 && type != 60) || sqlite_scan_null(scan, FINISH))
        return !scan->bad_row;
    int64_t id = sqlite_scan_int(scan, TEXT_ID, -1, INT64_MIN, INT64_MAX);
    const char *text = sqlite_scan_text(scan, TEXT);
    struct import_mark mark = {.name = text ? text : nsys_recording_text(&nsys->recording, id)};
    int64_t thread = sqlite_scan_int(scan, THREAD, 0, INT64_MIN, INT64_MAX);
    mark.process = (uint64_t)nsys_process_of(thread);
    mark.thread = type == 59 ? (uint64_t)thread : 0;
    int64_t begin = sqlite_scan_int(scan, BEGIN, 0, INT64_MIN, INT64_MAX);
    int64_t end = sqlite_scan_int(scan, FINISH, 0, INT64_MIN, INT64_MAX);
    mark.begin_ps = sqlite_scan_time(scan, begin, nsys->recording.base_ns);
    mark.end_ps =
        sqlite_scan_time(scan, sqlite_scan_until(scan, begin, end), nsys->recording.base_ns);
    return !scan->bad_row && (!mark.name || import_add_mark(nsys->builder, &mark));
}

/* Kinds of ENUM_CUDA_MEM_KIND that take the GPU's memory: 2 device, 3 array, 5 device static. */
static bool read_allocation(struct nsys *nsys) {
    enum { WHEN, PROCESS_OF, GPU, ADDRESS, BYTES, KIND, OPERATION };
    struct nsys_recording *recording = &nsys->recording;
    struct sqlite_scan *scan = &nsys->scan;
    int64_t kind = sqlite_scan_int(scan, KIND, 2, 0, 255);
    int64_t start = sqlite_scan_int(scan, WHEN, 0, INT64_MIN, INT64_MAX);
    int64_t pid = sqlite_scan_int(scan, PROCESS_OF, 0, INT64_MIN, INT64_MAX);
    bool freed = sqlite_scan_int(scan, OPERATION, 0, 0, 1) == 1;
    struct import_allocation allocation = {
        .process = (uint64_t)pid,
        .address = (uint64_t)sqlite_scan_int(scan, ADDRESS, 0, INT64_MIN, INT64_MAX),
        .time_ps = sqlite_scan_time(scan, start, recording->base_ns),
        .bytes = sqlite_scan_int(scan, BYTES, 0, 0, INT64_MAX / 2),
        .device = nsys_recording_gpu(recording, pid, sqlite_scan_int(scan, GPU, 0, 0, 1 << 20))};
    if (freed)
        allocation.bytes = 0;
    bool on_gpu = kind == 2 || kind == 3 || kind == 5;
    return !scan->bad_row && (!on_gpu || import_add_allocation(nsys->builder, &allocation));
}

static double number(struct sqlite_scan *scan, int column) {
    return (double)sqlite_scan_int(scan, column, 0, 0, INT64_MAX);
}

static bool read_gpu(struct nsys *nsys) {
    enum {
        ID,
        NAME,
        SMS,
        WARPS,
        WARP,
        BLOCKS,
        REGISTERS,
        SMEM,
        SMEM_BLOCK,
        MAJOR,
        MINOR,
        CLOCK,
        RATE,
        MEMORY
    };
    struct sqlite_scan *scan = &nsys->scan;
    int device = (int)sqlite_scan_int(scan, ID, 0, 0, 1 << 20);
    const struct import_gpu gpu = {.title = sqlite_scan_text(scan, NAME),
                                   .sms = number(scan, SMS),
                                   .threads_per_sm = number(scan, WARPS) * number(scan, WARP),
                                   .blocks_per_sm = number(scan, BLOCKS),
                                   .registers_per_sm = number(scan, REGISTERS),
                                   .smem_per_sm_bytes = number(scan, SMEM),
                                   .smem_per_block_bytes = number(scan, SMEM_BLOCK),
                                   .compute_capability =
                                       10 * number(scan, MAJOR) + number(scan, MINOR),
                                   .clock_mhz = number(scan, CLOCK) / 1e6,
                                   .dram_gb_s = number(scan, RATE) / 1e9,
                                   .memory_gib = number(scan, MEMORY) / CT_BYTES_PER_GIB};
    if (gpu.title && !scan->bad_row)
        import_gpu(nsys->builder, device, &gpu);
    return !scan->bad_row;
}

/* ---- the file ---- */

static int is_export(struct nsys *nsys) {
    int known = sqlite_tables_has(&nsys->scan, "StringIds");
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
    static const char *const ranges[] = {"start", "?end",    "eventType",
                                         "?text", "?textId", "?globalTid"};
    static const char *const gpus[] = {"id",
                                       "?name",
                                       "?smCount",
                                       "?maxWarpsPerSm",
                                       "?threadsPerWarp",
                                       "?maxBlocksPerSm",
                                       "?maxRegistersPerSm",
                                       "?maxShmemPerSm",
                                       "?maxShmemPerBlockOptin",
                                       "?computeMajor",
                                       "?computeMinor",
                                       "?clockRate",
                                       "?memoryBandwidth",
                                       "?totalMemory"};
    static const char *const allocations[] = {
        "start", "?globalPid", "deviceId", "address", "bytes", "?memKind", "memoryOperationType"};
    if (!is_export(nsys) || !nsys_recording_load(&nsys->recording, &nsys->scan) ||
        !read_device_tables(nsys) || !has_device_records(nsys) ||
        !activity_add_calls(&nsys->recording.activity, nsys->builder) ||
        !read_table(nsys, "NVTX_EVENTS", ranges, CT_COUNT_OF(ranges), read_range) ||
        !read_table(nsys, "CUDA_GPU_MEMORY_USAGE_EVENTS", allocations, CT_COUNT_OF(allocations),
                    read_allocation) ||
        !read_table(nsys, "TARGET_INFO_GPU", gpus, CT_COUNT_OF(gpus), read_gpu))
        return false;
    activity_report(&nsys->recording.activity, nsys->path, nsys->diags);
    if (nsys->recording.stacks)
        import_stacks_recorded(nsys->builder);
    import_resolution(nsys->builder, CT_PS_PER_NS);
    return true;
}

static int import_export(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    struct nsys nsys = {.builder = builder, .diags = diags, .path = path};
    sqlite3 *db = sqlite_tables_open(path, diags);
    if (!db)
        return CT_DATA;
    nsys.scan = (struct sqlite_scan){.db = db, .path = path, .diags = diags};
    bool right = read_export(&nsys);
    nsys_recording_free(&nsys.recording);
    sqlite3_close(db);
    return right ? CT_OK : CT_DATA;
}

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static int read_recording(struct import_builder *builder, const char *path,
                          struct ct_diags *diags) {
    if (sqlite_tables_recognised(path))
        return import_export(builder, path, diags);
    if (ends_with(path, ".nsys-rep") || ends_with(path, ".qdrep")) {
        ct_error(diags, path, "is a report, not its export: run 'nsys export --type sqlite' on it");
        return CT_DATA;
    }
    return import_nsys_csv(builder, path, diags);
}

const struct import_format import_format_nsys = {
    .name = "nsys",
    .read = read_recording,
    .begins = {"SQLite format 3"},
    .table = "StringIds",
    .headers = {{{"Start (ns)", "Duration (ns)", "CorrId"}}}};
