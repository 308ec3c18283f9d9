/*
 * Nsight Systems: the SQLite export of a report (`nsys export --type sqlite`), or the CSV of `nsys
 * stats --report cuda_gpu_trace`.
 *
 * Tables are created only when there is something in them; schema versions differ in columns. A
 * device record finds its host call by process and correlation id. Times are in ns; the earliest is
 * the recording's 0, because exports can count from 1970, which is outside the simulator's range.
 */
#include "ingest/activity.h"
#include "ingest/import_formats.h"
#include "ingest/profile_table.h"
#include "ingest/sqlite_tables.h"

#include <string.h>

#define PROCESS_MASK (~INT64_C(0xffffff)) /* a thread's global id without the thread */

/* Leading columns of every device table. */
enum device_column { START, END, DEVICE, CONTEXT, STREAM, CORRELATION, PROCESS, OWN_COLUMNS };
#define DEVICE_COLUMNS "start end deviceId contextId streamId ?correlationId ?globalPid "

/* A CUDA device of a process. */
struct nsys_gpu {
    int64_t pid, ordinal, gpu;
};

struct nsys {
    struct import_builder *builder;
    struct sqlite_scan scan;
    struct sqlite_names strings; /* number: what a call of this name does */
    CT_VEC(struct nsys_gpu) gpus;
    struct activity_recording activity;
    uint64_t device_rows, whole_graphs;
    bool stacks;
};

static int64_t any(struct nsys *nsys, int column) {
    return sqlite_scan_any(&nsys->scan, column, 0);
}

/* The string of this number; NULL when there is none. */
static const char *string_of(const struct nsys *nsys, int64_t id) {
    const struct sqlite_name *string = sqlite_names_find(&nsys->strings, id);
    return string ? string->text : NULL;
}

/* The process of a thread, by their global ids. */
static int64_t process_of(int64_t thread) {
    return thread & PROCESS_MASK;
}

/* The GPU of a process' CUDA device: with CUDA_VISIBLE_DEVICES every process counts from 0. */
static int gpu_of(const struct nsys *nsys, int64_t pid, int64_t ordinal) {
    for (size_t i = 0; i < nsys->gpus.count; i++) {
        const struct nsys_gpu *gpu = &nsys->gpus.items[i];
        if (gpu->pid == (pid >> 24 & 0xffffff) && gpu->ordinal == ordinal)
            return (int)gpu->gpu;
    }
    return (int)ordinal;
}

/* The rows of a table that may be absent, up to so many mistakes; false when the table or a row was
 * wrong. */
static bool read_table(struct nsys *nsys, size_t most_mistakes, const char *table,
                       const char *columns, bool (*read_row)(struct nsys *nsys)) {
    size_t mistakes = 0;
    sqlite_scan_begin(&nsys->scan, table, columns);
    while (mistakes < most_mistakes && sqlite_scan_next(&nsys->scan))
        mistakes += !read_row(nsys);
    return sqlite_scan_end(&nsys->scan) && !mistakes;
}

/* ---- beside the device's records: loaded once, looked up for each of them ---- */

static bool load_base(struct nsys *nsys) {
    int64_t start = sqlite_scan_any(&nsys->scan, 0, INT64_MAX);
    if (start < nsys->scan.base_ns && !nsys->scan.bad_row)
        nsys->scan.base_ns = start;
    return !nsys->scan.bad_row;
}

/* The earliest time of the export. */
static bool load_bases(struct nsys *nsys) {
    static const char *const tables[] = {
        "CUPTI_ACTIVITY_KIND_KERNEL",  "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET",  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS",
        "CUDA_GPU_MEMORY_USAGE_EVENTS"};
    nsys->scan.base_ns = INT64_MAX;
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++)
        if (!read_table(nsys, 1, tables[i], "start", load_base))
            return false;
    return true;
}

static bool load_string(struct nsys *nsys) {
    const char *text = sqlite_scan_text(&nsys->scan, 1);
    text = text ? text : "";
    return sqlite_names_add(&nsys->strings, &nsys->scan, any(nsys, 0), activity_call_kind_of(text),
                            text);
}

static bool strings_are_unique(const struct nsys *nsys) {
    for (size_t i = 1; i < nsys->strings.count; i++)
        if (nsys->strings.items[i].id == nsys->strings.items[i - 1].id)
            return ct_false_error(nsys->scan.diags, nsys->scan.path,
                                  "table 'StringIds' holds the id %lld twice",
                                  (long long)nsys->strings.items[i].id);
    return true;
}

/* Whether a row is right, and was kept. */
static bool kept(struct nsys *nsys, bool pushed) {
    return pushed ? !nsys->scan.bad_row : ct_out_of_memory(nsys->scan.diags) == CT_OK;
}

static bool load_call(struct nsys *nsys) {
    enum { BEGIN, FINISH, NAME, CALL, THREAD, STACK };
    struct sqlite_scan *scan = &nsys->scan;
    int64_t thread = any(nsys, THREAD);
    const struct sqlite_name *name = sqlite_names_find(&nsys->strings, any(nsys, NAME));
    struct activity_call call = {.key = {process_of(thread), any(nsys, CALL), scan->row},
                                 .begin_ps = sqlite_scan_time(scan, any(nsys, BEGIN)),
                                 .end_ps = sqlite_scan_time(scan, any(nsys, FINISH)),
                                 .thread = (uint64_t)thread,
                                 .kind = name ? (enum activity_call_kind)name->number
                                              : ACTIVITY_CALL_OTHER};
    nsys->stacks |= !sqlite_scan_null(scan, STACK);
    if (call.end_ps < call.begin_ps) { /* cut off by the end of the recording */
        nsys->activity.cut_calls++;
        call.end_ps = call.begin_ps;
    }
    return kept(nsys, ct_vec_push(&nsys->activity.calls, call));
}

/* The columns of waits and events. */
enum { OF_CONTEXT, OF_STREAM, OF_CALL, OF_PROCESS, OF_EVENT };

static bool load_wait(struct nsys *nsys) {
    int64_t stream = sqlite_scan_any(&nsys->scan, OF_STREAM, -1);
    struct activity_wait wait = {.key = {any(nsys, OF_PROCESS), any(nsys, OF_CALL), nsys->scan.row},
                                 .context = any(nsys, OF_CONTEXT),
                                 .stream = activity_stream_of(stream),
                                 .event_sync = sqlite_scan_any(&nsys->scan, OF_EVENT, -1)};
    return kept(nsys, ct_vec_push(&nsys->activity.waits, wait));
}

static bool load_event(struct nsys *nsys) {
    struct activity_event event = {
        .key = {any(nsys, OF_PROCESS), any(nsys, OF_EVENT), nsys->scan.row},
        .correlation = any(nsys, OF_CALL),
        .context = any(nsys, OF_CONTEXT),
        .stream = any(nsys, OF_STREAM)};
    return kept(nsys, ct_vec_push(&nsys->activity.events, event));
}

static bool load_gpu(struct nsys *nsys) {
    struct nsys_gpu gpu = {.pid = any(nsys, 2),
                           .ordinal = any(nsys, 1),
                           .gpu = sqlite_scan_int(&nsys->scan, 0, any(nsys, 1), 0, 1 << 20)};
    return kept(nsys, ct_vec_push(&nsys->gpus, gpu));
}

static bool load_recording(struct nsys *nsys) {
    if (!load_bases(nsys) || !read_table(nsys, 1, "StringIds", "id value", load_string))
        return false;
    sqlite_names_sort(&nsys->strings);
    if (!strings_are_unique(nsys) ||
        !read_table(nsys, 1, "CUPTI_ACTIVITY_KIND_RUNTIME",
                    "start end nameId ?correlationId ?globalTid ?callchainId", load_call) ||
        !read_table(nsys, 1, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION",
                    "?contextId ?streamId ?correlationId ?globalPid ?eventSyncId", load_wait) ||
        !read_table(nsys, 1, "CUPTI_ACTIVITY_KIND_CUDA_EVENT",
                    "contextId streamId ?correlationId ?globalPid ?eventSyncId", load_event) ||
        !read_table(nsys, 1, "TARGET_INFO_CUDA_DEVICE", "gpuId cudaId pid", load_gpu))
        return false;
    activity_sort(&nsys->activity);
    return true;
}

/* ---- device records ---- */

/* An empty task of a kind with the columns that all device tables share. */
static struct activity_task read_common(struct nsys *nsys, enum trace_kind kind) {
    struct sqlite_scan *scan = &nsys->scan;
    struct activity_task task = {.record = profile_record(),
                                 .pid = any(nsys, PROCESS),
                                 .context = sqlite_scan_int(scan, CONTEXT, 0, 0, UINT32_MAX),
                                 .stream = sqlite_scan_int(scan, STREAM, 0, 0, UINT32_MAX),
                                 .correlated = !sqlite_scan_null(scan, CORRELATION)};
    int64_t end = any(nsys, END), start = any(nsys, START);
    task.correlation = any(nsys, CORRELATION);
    struct sqlite_span span = sqlite_scan_span(scan, start, end);
    task.record.kind = kind;
    task.record.start_ps = span.begin_ps;
    task.record.duration_ps = span.end_ps - span.begin_ps;
    task.record.device = gpu_of(nsys, task.pid, sqlite_scan_int(scan, DEVICE, 0, 0, 1 << 20));
    nsys->device_rows++;
    return task;
}

static bool add_task(struct nsys *nsys, const struct activity_task *task) {
    char where[512];
    sqlite_scan_where(&nsys->scan, where, sizeof where);
    return !nsys->scan.bad_row &&
           activity_add_task(&nsys->activity, nsys->builder, task, where, nsys->scan.diags);
}

static bool read_kernel(struct nsys *nsys) {
    enum { NODE = OWN_COLUMNS, LONG_NAME, SHORT_NAME, REGISTERS, GRID };
    enum { BLOCK = GRID + 3, STATIC = BLOCK + 3, DYNAMIC };
    struct sqlite_scan *scan = &nsys->scan;
    struct activity_task task = read_common(nsys, TRACE_KERNEL);
    struct import_record *record = &task.record;
    int name = sqlite_scan_null(scan, LONG_NAME) ? SHORT_NAME : LONG_NAME;
    record->name = string_of(nsys, sqlite_scan_any(scan, name, -1));
    for (int i = 0; i < 3; i++) {
        record->grid[i] = (uint32_t)sqlite_scan_int(scan, GRID + i, 0, 0, UINT32_MAX);
        record->block[i] = (uint32_t)sqlite_scan_int(scan, BLOCK + i, 0, 0, UINT32_MAX);
    }
    record->geometry_known = true;
    record->registers_per_thread = (uint64_t)sqlite_scan_int(scan, REGISTERS, 0, 0, INT64_MAX);
    record->static_smem_bytes = (uint64_t)sqlite_scan_int(scan, STATIC, 0, 0, INT64_MAX);
    record->dynamic_smem_bytes = (uint64_t)sqlite_scan_int(scan, DYNAMIC, 0, 0, INT64_MAX);
    task.graph_node = !sqlite_scan_null(scan, NODE);
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

static bool read_device_tables(struct nsys *nsys) {
    bool right = read_table(nsys, CT_ERRORS_SHOWN, "CUPTI_ACTIVITY_KIND_KERNEL",
                            DEVICE_COLUMNS "?graphNodeId ?demangledName ?shortName "
                                           "registersPerThread gridX gridY gridZ blockX blockY "
                                           "blockZ staticSharedMemory dynamicSharedMemory",
                            read_kernel);
    right &= read_table(nsys, CT_ERRORS_SHOWN, "CUPTI_ACTIVITY_KIND_MEMCPY",
                        DEVICE_COLUMNS "?srcKind ?dstKind bytes copyKind", read_copy);
    right &= read_table(nsys, CT_ERRORS_SHOWN, "CUPTI_ACTIVITY_KIND_MEMSET", DEVICE_COLUMNS "bytes",
                        read_memset);
    return right & read_table(nsys, CT_ERRORS_SHOWN, "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
                              DEVICE_COLUMNS, read_graph);
}

/* ---- ranges and GPUs ---- */

/* Ranges of both kinds that ended: NvtxPushPopRange 59, of a thread, and NvtxStartEndRange 60,
 * which another thread may have ended. */
static bool read_range(struct nsys *nsys) {
    enum { BEGIN, FINISH, TYPE, TEXT, TEXT_ID, THREAD };
    struct sqlite_scan *scan = &nsys->scan;
    int64_t type = any(nsys, TYPE);
    if ((type != 59 && type != 60) || sqlite_scan_null(scan, FINISH))
        return !scan->bad_row;
    int64_t id = sqlite_scan_any(scan, TEXT_ID, -1);
    const char *text = sqlite_scan_text(scan, TEXT);
    struct import_mark mark = {.name = text ? text : string_of(nsys, id)};
    int64_t thread = any(nsys, THREAD);
    mark.process = (uint64_t)process_of(thread);
    mark.thread = type == 59 ? (uint64_t)thread : 0;
    int64_t begin = any(nsys, BEGIN), end = any(nsys, FINISH);
    struct sqlite_span span = sqlite_scan_span(scan, begin, end);
    mark.begin_ps = span.begin_ps;
    mark.end_ps = span.end_ps;
    return !scan->bad_row && (!mark.name || import_add_mark(nsys->builder, &mark));
}

/* Kinds of ENUM_CUDA_MEM_KIND that take the GPU's memory: 2 device, 3 array, 5 device static. */
static bool read_allocation(struct nsys *nsys) {
    enum { WHEN, PROCESS_OF, GPU, ADDRESS, BYTES, KIND, OPERATION };
    struct sqlite_scan *scan = &nsys->scan;
    int64_t kind = sqlite_scan_int(scan, KIND, 2, 0, 255), start = any(nsys, WHEN);
    int64_t pid = any(nsys, PROCESS_OF);
    bool freed = sqlite_scan_int(scan, OPERATION, 0, 0, 1) == 1;
    struct import_allocation allocation = {
        .process = (uint64_t)pid,
        .address = (uint64_t)any(nsys, ADDRESS),
        .time_ps = sqlite_scan_time(scan, start),
        .bytes = sqlite_scan_int(scan, BYTES, 0, 0, INT64_MAX / 2),
        .device = gpu_of(nsys, pid, sqlite_scan_int(scan, GPU, 0, 0, 1 << 20))};
    if (freed)
        allocation.bytes = 0;
    bool on_gpu = kind == 2 || kind == 3 || kind == 5;
    return !scan->bad_row && (!on_gpu || import_add_allocation(nsys->builder, &allocation));
}

static double number(struct sqlite_scan *scan, int column) {
    return (double)sqlite_scan_int(scan, column, 0, 0, INT64_MAX);
}

static bool read_gpu(struct nsys *nsys) {
    enum { ID, NAME, SMS, WARPS, WARP, BLOCKS, REGISTERS, SMEM, SMEM_BLOCK };
    enum { MAJOR = SMEM_BLOCK + 1, MINOR, CLOCK, RATE, MEMORY };
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

/* ---- an export ---- */

static int is_export(struct nsys *nsys) {
    int known = sqlite_tables_has(&nsys->scan, "StringIds");
    if (known == 0)
        ct_error(nsys->scan.diags, nsys->scan.path,
                 "is a SQLite file, but no export of Nsight Systems: it has no table 'StringIds'");
    return known == 1;
}

static bool has_device_records(struct nsys *nsys) {
    if (!nsys->device_rows)
        ct_error(nsys->scan.diags, nsys->scan.path,
                 "holds no kernels, copies or memsets: record with 'nsys profile --trace=cuda'");
    else if (nsys->whole_graphs)
        ct_warning(nsys->scan.diags, nsys->scan.path,
                   "%llu launches of CUDA graphs were recorded as a whole and are left out: record "
                   "with 'nsys profile --cuda-graph-trace=node'",
                   (unsigned long long)nsys->whole_graphs);
    return nsys->device_rows > 0;
}

static bool read_export(struct nsys *nsys) {
    if (!is_export(nsys) || !load_recording(nsys) || !read_device_tables(nsys) ||
        !has_device_records(nsys) || !activity_add_calls(&nsys->activity, nsys->builder) ||
        !read_table(nsys, CT_ERRORS_SHOWN, "NVTX_EVENTS",
                    "start ?end eventType ?text ?textId ?globalTid", read_range) ||
        !read_table(nsys, CT_ERRORS_SHOWN, "CUDA_GPU_MEMORY_USAGE_EVENTS",
                    "start ?globalPid deviceId address bytes ?memKind memoryOperationType",
                    read_allocation) ||
        !read_table(nsys, CT_ERRORS_SHOWN, "TARGET_INFO_GPU",
                    "id ?name ?smCount ?maxWarpsPerSm ?threadsPerWarp ?maxBlocksPerSm "
                    "?maxRegistersPerSm ?maxShmemPerSm ?maxShmemPerBlockOptin ?computeMajor "
                    "?computeMinor ?clockRate ?memoryBandwidth ?totalMemory",
                    read_gpu))
        return false;
    activity_report(&nsys->activity, nsys->scan.path, nsys->scan.diags);
    if (nsys->stacks)
        import_stacks_recorded(nsys->builder);
    import_resolution(nsys->builder, CT_PS_PER_NS);
    return true;
}

static int import_export(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    sqlite3 *db = sqlite_tables_open(path, diags);
    struct nsys nsys = {.builder = builder, .scan = {.db = db, .path = path, .diags = diags}};
    if (!db)
        return CT_DATA;
    bool right = read_export(&nsys);
    sqlite_names_free(&nsys.strings);
    ct_vec_free(&nsys.gpus);
    activity_free(&nsys.activity);
    sqlite3_close(db);
    return right ? CT_OK : CT_DATA;
}

/* ---- a table ----
 *
 * A CSV of `nsys stats --report cuda_gpu_trace`: device records with their units in the header
 * ("Start (ns)", "Bytes (MB)", MB is 10^6 bytes unless it is MiB), after any number of notices. The
 * report holds no host calls, and prints shared memory in MB, so that small sizes are rounded: the
 * SQLite export is the better source.
 */

/* Times and sizes carry a unit in parentheses. */
static const char *const column_names[PROFILE_COLUMNS] = {
    "Start",   "Duration", "GrdX",  "GrdY",     "GrdZ",     "BlkX",   "BlkY", "BlkZ", "Reg/Trd",
    "StcSMem", "DymSMem",  "Bytes", "SrcMemKd", "DstMemKd", "Device", "Ctx",  "Strm", "Name"};

struct nsys_csv {
    struct import_builder *builder;
    struct ct_diags *diags;
    const char *path;
    struct profile_table table;
    uint64_t rows;
};

/* Whether a header field is this column, and its unit ("" when it has none). */
static bool is_column(const char *field, const char *name, char *unit, size_t size) {
    size_t length = strlen(name), all = strlen(field);
    unit[0] = '\0';
    if (strncmp(field, name, length) != 0)
        return false;
    if (field[length] == ' ' && field[length + 1] == '(' && field[all - 1] == ')' &&
        all - length - 3 < size) {
        memcpy(unit, field + length + 2, all - length - 3);
        unit[all - length - 3] = '\0';
        return true;
    }
    return field[length] == '\0';
}

static void find_column(struct profile_table *table, enum profile_column column, char *unit,
                        size_t size) {
    table->at[column] = CSV_NONE;
    for (size_t i = 0; i < table->columns; i++)
        if (is_column(csv_get(table->csv, i), column_names[column], unit, size)) {
            table->at[column] = i;
            return;
        }
}

static bool read_unit(struct profile_table *table, enum profile_column column, const char *unit) {
    bool time = column == PROFILE_START || column == PROFILE_DURATION;
    if (time)
        table->decimals[column] = profile_time_decimals(unit);
    else
        table->byte_factors[column] = profile_byte_factor(unit, 1000.0);
    if (time ? table->decimals[column] >= 0 : table->byte_factors[column] > 0.0)
        return true;
    return csv_error(table->csv, "'%s' is no unit in column '%s'", unit, column_names[column]);
}

static bool read_header(struct profile_table *table) {
    char unit[16];
    table->columns = csv_count(table->csv);
    for (int i = 0; i < PROFILE_COLUMNS; i++) {
        bool optional =
            i == PROFILE_SOURCE_MEMORY || i == PROFILE_DESTINATION_MEMORY || i == PROFILE_CONTEXT;
        find_column(table, i, unit, sizeof unit);
        if (table->at[i] == CSV_NONE && !optional)
            return csv_error(table->csv, "the trace has no column '%s'", column_names[i]);
        bool has_unit = i <= PROFILE_DURATION || (i >= PROFILE_STATIC_SMEM && i <= PROFILE_SIZE);
        if (has_unit && !read_unit(table, i, unit))
            return false;
    }
    return true;
}

static bool read_time(const struct profile_table *table, enum profile_column column,
                      ct_time_ps *time) {
    return csv_parse_fixed(profile_cell(table, column), table->decimals[column], time, NULL) ||
           profile_mistake(table, column, "time below 106 days");
}

static bool read_place(const struct nsys_csv *nsys, struct import_record *record) {
    const struct profile_table *table = &nsys->table;
    return read_time(table, PROFILE_START, &record->start_ps) &&
           read_time(table, PROFILE_DURATION, &record->duration_ps) &&
           profile_read_device(table, nsys->builder, record) &&
           (!*profile_cell(table, PROFILE_CONTEXT) ||
            profile_read_count(table, PROFILE_CONTEXT, &record->context)) &&
           profile_read_count(table, PROFILE_STREAM, &record->stream);
}

static bool read_row(void *context) {
    struct nsys_csv *nsys = context;
    struct import_record record = profile_record();
    char where[512];
    if (!csv_check_count(nsys->table.csv, nsys->table.columns))
        return false;
    enum profile_op op = profile_read_op(&nsys->table, &record.direction);
    if (op >= PROFILE_HOST_COPY)
        return profile_pass_over(&nsys->table, nsys->builder, op);
    csv_where(nsys->table.csv, where, sizeof where);
    nsys->rows++;
    if (op == PROFILE_KERNEL)
        record.name = profile_cell(&nsys->table, PROFILE_NAME);
    return read_place(nsys, &record) &&
           (op == PROFILE_KERNEL ? profile_read_geometry(&nsys->table, &record)
                                 : profile_read_transfer(&nsys->table, op, &record)) &&
           profile_check_record(&record, false, where, nsys->diags) &&
           import_add_record(nsys->builder, &record);
}

static bool is_header(const struct csv_reader *csv) {
    char unit[16];
    return csv_count(csv) > 1 && is_column(csv_get(csv, 0), "Start", unit, sizeof unit) && *unit &&
           csv_find(csv, "Name") != CSV_NONE;
}

static int read_rows(struct nsys_csv *nsys) {
    if (!read_header(&nsys->table) || !csv_read_rest(nsys->table.csv, read_row, nsys))
        return CT_DATA;
    if (!nsys->rows)
        return ct_data_error(nsys->diags, nsys->path,
                             "the table has no device records: is the file cut off?");
    import_resolution(nsys->builder, CT_PS_PER_NS);
    return CT_OK;
}

static int read_file(struct nsys_csv *nsys, bool *metrics) {
    enum csv_step step;
    while ((step = csv_next_line(nsys->table.csv)) == CSV_ROW) {
        *metrics = import_ncu_is_header(nsys->table.csv);
        if (*metrics)
            return CT_OK;
        if (is_header(nsys->table.csv))
            return read_rows(nsys);
    }
    if (step == CSV_END)
        ct_error(nsys->diags, nsys->path,
                 "is neither a SQLite export of Nsight Systems nor a CSV of 'nsys stats --report "
                 "cuda_gpu_trace'");
    return CT_DATA;
}

static int import_table(struct import_builder *builder, const char *path, struct ct_diags *diags) {
    struct nsys_csv nsys = {
        .builder = builder, .diags = diags, .path = path, .table = {.names = column_names}};
    bool metrics = false;
    nsys.table.csv = csv_open(path, diags);
    int status = nsys.table.csv ? read_file(&nsys, &metrics) : CT_DATA;
    csv_close(nsys.table.csv);
    return metrics ? import_format_ncu.attach(builder, path, diags) : status;
}

/* ---- which of the two ---- */

static int read_recording(struct import_builder *builder, const char *path,
                          struct ct_diags *diags) {
    if (sqlite_tables_recognised(path))
        return import_export(builder, path, diags);
    const char *hint = import_report_hint(path);
    return hint ? ct_data_error(diags, path, "%s", hint) : import_table(builder, path, diags);
}

const struct import_format import_format_nsys = {
    .name = "nsys",
    .read = read_recording,
    .begins = {"SQLite format 3"},
    .table = "StringIds",
    .headers = {{{"Start (ns)", "Duration (ns)", "CorrId"}}}};
