/*
 * rocpd, the SQLite database of AMD's rocprofv3 (ROCm 7 and later; rocprofiler-sdk,
 * rocpd_tables.sql, schema version 3).
 *
 * Each process has tables of its own, told by what stands behind their names. A dispatch, a copy
 * and the host call that made it share the number that the profiler gives to a call: `stack_id` of
 * their events. Times are in ns from the machine's start; the earliest is the recording's 0.
 */
#include "ingest/activity.h"
#include "ingest/import_formats.h"
#include "ingest/profile_text.h"
#include "ingest/sqlite_tables.h"

#include <stdio.h>
#include <string.h>

#define DISPATCHES "rocpd_kernel_dispatch"

struct rocpd {
    struct import_builder *builder;
    struct sqlite_scan scan;
    char suffix[200], table[256]; /* of the process in hand; the name of the table in hand */
    struct sqlite_names strings, kernels; /* kernels: number is that of registers per thread */
    struct sqlite_names agents; /* number: of the GPU, in the order of the node; -1: a CPU */
    struct sqlite_names events; /* number: of the call; text: a range's message, in JSON */
    struct activity_recording activity;
    uint64_t device_rows, many_registers;
};

static int64_t any(struct rocpd *r, int column, int64_t fallback) {
    return sqlite_scan_any(&r->scan, column, fallback);
}

static const char *string_of(const struct rocpd *r, int64_t id) {
    const struct sqlite_name *string = sqlite_names_find(&r->strings, id);
    return string && string->text ? string->text : "";
}

/* The call that an event belongs to; -1: none. */
static int64_t call_of(const struct rocpd *r, int64_t event) {
    const struct sqlite_name *named = sqlite_names_find(&r->events, event);
    return named ? named->number : -1;
}

/* ---- tables ---- */

/* Reads all rows of one of the process' tables, which may be absent. False: an error is recorded.
 */
static bool read_table(struct rocpd *r, const char *name, const char *columns,
                       bool (*read_row)(struct rocpd *r)) {
    size_t mistakes = 0;
    snprintf(r->table, sizeof r->table, "%s%s", name, r->suffix);
    sqlite_scan_begin(&r->scan, r->table, columns);
    while (mistakes < CT_ERRORS_SHOWN && sqlite_scan_next(&r->scan))
        mistakes += !read_row(r);
    return sqlite_scan_end(&r->scan) && !mistakes;
}

static bool read_string(struct rocpd *r) {
    return sqlite_names_add(&r->strings, &r->scan, any(r, 0, -1), 0, sqlite_scan_text(&r->scan, 1));
}

static bool read_symbol(struct rocpd *r) {
    enum { ID, DISPLAY_NAME, NAME, VECTOR, ACCUMULATION };
    int column = sqlite_scan_null(&r->scan, DISPLAY_NAME) ? NAME : DISPLAY_NAME;
    int64_t registers = sqlite_scan_int(&r->scan, VECTOR, 0, 0, UINT16_MAX) +
                        sqlite_scan_int(&r->scan, ACCUMULATION, 0, 0, UINT16_MAX);
    return sqlite_names_add(&r->kernels, &r->scan, any(r, ID, -1), registers,
                            sqlite_scan_text(&r->scan, column));
}

/* The first of the columns that says something. */
static const char *first_text(struct rocpd *r, int first, int last) {
    for (int column = first; column <= last; column++) {
        const char *text = sqlite_scan_text(&r->scan, column);
        if (text && *text)
            return text;
    }
    return "";
}

static bool read_agent(struct rocpd *r) {
    enum { ID, TYPE, INDEX, PRODUCT, MODEL, NAME };
    const char *type = sqlite_scan_text(&r->scan, TYPE);
    bool gpu = type && strcmp(type, "GPU") == 0;
    int64_t number = gpu ? sqlite_scan_int(&r->scan, INDEX, 0, 0, 1 << 20) : -1;
    const char *title = first_text(r, PRODUCT, NAME);
    if (gpu && *title && !r->scan.bad_row)
        import_gpu(r->builder, (int)number, &(struct import_gpu){.title = title});
    return sqlite_names_add(&r->agents, &r->scan, any(r, ID, -1), number, NULL);
}

static bool read_event(struct rocpd *r) {
    enum { ID, CALL, DATA };
    const char *data = sqlite_scan_text(&r->scan, DATA);
    bool message = data && strstr(data, "\"message\"");
    return sqlite_names_add(&r->events, &r->scan, any(r, ID, -1), any(r, CALL, -1),
                            message ? data : NULL);
}

static bool read_names(struct rocpd *r) {
    struct sqlite_names *const sorted[] = {&r->strings, &r->kernels, &r->agents, &r->events};
    for (size_t i = 0; i < CT_COUNT_OF(sorted); i++)
        sorted[i]->count = 0;
    if (!read_table(r, "rocpd_string", "id string", read_string) ||
        !read_table(r, "rocpd_info_kernel_symbol",
                    "id ?display_name ?kernel_name ?arch_vgpr_count ?accum_vgpr_count",
                    read_symbol) ||
        !read_table(r, "rocpd_info_agent", "id type ?type_index ?product_name ?model_name ?name",
                    read_agent) ||
        !read_table(r, "rocpd_event", "id ?stack_id ?extdata", read_event))
        return false;
    for (size_t i = 0; i < CT_COUNT_OF(sorted); i++)
        sqlite_names_sort(sorted[i]);
    return true;
}

/* ---- host ---- */

/* The message of {"message": "NAME"} without what escapes it: a range is found by its plain name.
 */
static bool add_range(struct rocpd *r, const char *data, struct import_mark mark) {
    char name[300];
    const char *from = strstr(data, "\"message\"");
    from = from ? strchr(from + strlen("\"message\""), '"') : NULL;
    const char *to = from ? strchr(from + 1, '"') : NULL;
    if (!to)
        return true;
    snprintf(name, sizeof name, "%.*s", (int)(to - from - 1), from + 1);
    mark.name = name;
    return import_add_mark(r->builder, &mark);
}

/* roctxRangeStart's, which another thread may have ended; those of roctxRangePush are a thread's.
 */
static bool of_process(const char *region) {
    return strncmp(region, "roctxProcessRange", strlen("roctxProcessRange")) == 0;
}

static bool read_region(struct rocpd *r) {
    enum { PID, TID, START, END, NAME, EVENT };
    int64_t event_id = any(r, EVENT, -1), start = any(r, START, 0), end = any(r, END, 0);
    const struct sqlite_name *event = sqlite_names_find(&r->events, event_id);
    bool range = event && event->text;
    if (!range && end < start) {
        r->activity.cut_calls++;
        end = start;
    }
    const char *name = string_of(r, any(r, NAME, -1));
    struct sqlite_span span = sqlite_scan_span(&r->scan, start, end);
    if (r->scan.bad_row)
        return false;
    int64_t pid = any(r, PID, 0), tid = any(r, TID, 0);
    if (range)
        return add_range(r, event->text,
                         (struct import_mark){.begin_ps = span.begin_ps,
                                              .end_ps = span.end_ps,
                                              .process = (uint64_t)pid,
                                              .thread = of_process(name) ? 0 : (uint64_t)tid});
    struct activity_call call = {.key = {pid, event ? event->number : -1, r->scan.row},
                                 .begin_ps = span.begin_ps,
                                 .end_ps = span.end_ps,
                                 .thread = (uint64_t)tid,
                                 .kind = activity_call_kind_of(name)};
    return ct_vec_push(&r->activity.calls, call) || ct_out_of_memory(r->scan.diags) == CT_OK;
}

/* ---- device ---- */

static bool add_task(struct rocpd *r, struct activity_task *task, int64_t start, int64_t end) {
    char where[512];
    task->hip = true;
    task->correlated = task->correlation >= 0;
    struct sqlite_span span = sqlite_scan_span(&r->scan, start, end);
    task->record.start_ps = span.begin_ps;
    task->record.duration_ps = span.end_ps - span.begin_ps;
    sqlite_scan_where(&r->scan, where, sizeof where);
    r->device_rows++;
    return !r->scan.bad_row &&
           activity_add_task(&r->activity, r->builder, task, where, r->scan.diags);
}

static int gpu_of(const struct rocpd *r, int64_t agent) {
    const struct sqlite_name *named = sqlite_names_find(&r->agents, agent);
    return named ? (int)named->number : -1;
}

static uint32_t registers_of(struct rocpd *r, const struct sqlite_name *kernel) {
    if (!kernel || kernel->number <= TRACE_MOST_REGISTERS)
        return kernel ? (uint32_t)kernel->number : 0;
    r->many_registers++;
    return TRACE_MOST_REGISTERS;
}

static bool read_dispatch(struct rocpd *r) {
    enum { PID, AGENT, STREAM, START, END, KERNEL, LDS, GROUP, GRID = GROUP + 3, EVENT = GRID + 3 };
    const struct sqlite_name *kernel = sqlite_names_find(&r->kernels, any(r, KERNEL, -1));
    struct activity_task task = {.record = profile_record(),
                                 .pid = any(r, PID, 0),
                                 .stream = any(r, STREAM, 0),
                                 .correlation = call_of(r, any(r, EVENT, -1))};
    int gpu = gpu_of(r, any(r, AGENT, -1));
    task.record.device = gpu < 0 ? 0 : gpu;
    task.record.name = kernel ? kernel->text : NULL;
    task.record.geometry_known = true;
    task.record.dynamic_smem_bytes = (uint32_t)sqlite_scan_int(&r->scan, LDS, 0, 0, INT32_MAX);
    task.record.registers_per_thread = registers_of(r, kernel);
    for (int i = 0; i < 3; i++) {
        int64_t group = sqlite_scan_int(&r->scan, GROUP + i, 0, 0, INT32_MAX);
        task.record.block[i] = (uint32_t)group;
        task.record.grid[i] =
            profile_blocks_of(sqlite_scan_int(&r->scan, GRID + i, 0, 0, UINT32_MAX), group);
    }
    return add_task(r, &task, any(r, START, 0), any(r, END, 0));
}

/* As CUpti_ActivityMemcpyKind numbers them, from "MEMORY_COPY_HOST_TO_DEVICE". */
static int64_t copy_kind_of(const char *name) {
    static const struct {
        const char *name;
        int64_t kind;
    } kinds[] = {
        {"HOST_TO_DEVICE", 1}, {"DEVICE_TO_HOST", 2}, {"DEVICE_TO_DEVICE", 8}, {"HOST_TO_HOST", 9}};
    for (size_t i = 0; i < CT_COUNT_OF(kinds); i++)
        if (strstr(name, kinds[i].name))
            return kinds[i].kind;
    return -1;
}

static bool read_copy(struct rocpd *r) {
    enum { PID, STREAM, START, END, NAME, TO, FROM, BYTES, EVENT };
    struct activity_task task = {.record = profile_record(),
                                 .pid = any(r, PID, 0),
                                 .stream = any(r, STREAM, 0),
                                 .correlation = call_of(r, any(r, EVENT, -1)),
                                 .copy_kind = copy_kind_of(string_of(r, any(r, NAME, -1))),
                                 .source = TRACE_MEMORY_UNKNOWN,
                                 .destination = TRACE_MEMORY_UNKNOWN};
    int to = gpu_of(r, any(r, TO, -1)), from = gpu_of(r, any(r, FROM, -1));
    task.record.kind = TRACE_COPY;
    task.record.device = to >= 0 ? to : from >= 0 ? from : 0;
    task.record.bytes = (uint64_t)sqlite_scan_int(&r->scan, BYTES, 0, 0, INT64_MAX);
    if (task.copy_kind < 0) {
        import_leave_out(r->builder, "copy of a kind that is not known");
        return !r->scan.bad_row;
    }
    return add_task(r, &task, any(r, START, 0), any(r, END, 0));
}

/* Scratch memory is the driver's; what is freed names neither its GPU nor its size. */
static bool read_allocation(struct rocpd *r) {
    enum { PID, AGENT, TYPE, LEVEL, START, ADDRESS, BYTES };
    const char *type = sqlite_scan_text(&r->scan, TYPE), *level = sqlite_scan_text(&r->scan, LEVEL);
    bool taken = type && strcmp(type, "ALLOC") == 0, freed = type && strcmp(type, "FREE") == 0;
    int gpu = gpu_of(r, any(r, AGENT, -1));
    struct import_allocation allocation = {
        .process = (uint64_t)any(r, PID, 0),
        .address = (uint64_t)any(r, ADDRESS, 0),
        .time_ps = sqlite_scan_time(&r->scan, any(r, START, 0)),
        .bytes = taken ? sqlite_scan_int(&r->scan, BYTES, 0, 0, INT64_MAX / 2) : 0,
        .device = gpu};
    if (r->scan.bad_row)
        return false;
    bool counts = level && strcmp(level, "SCRATCH") != 0 && ((taken && gpu >= 0) || freed);
    return !counts || import_add_allocation(r->builder, &allocation);
}

/* ---- the file ---- */

static bool read_process(struct rocpd *r) {
    r->activity.calls.count = 0;
    if (!read_names(r) ||
        !read_table(r, "rocpd_region", "?pid ?tid start end name_id ?event_id", read_region))
        return false;
    activity_sort(&r->activity);
    bool right = read_table(r, DISPATCHES,
                            "?pid agent_id ?stream_id start end kernel_id ?group_segment_size "
                            "workgroup_size_x workgroup_size_y workgroup_size_z grid_size_x "
                            "grid_size_y grid_size_z ?event_id",
                            read_dispatch);
    right &= read_table(r, "rocpd_memory_copy",
                        "?pid ?stream_id start end name_id ?dst_agent_id ?src_agent_id size "
                        "?event_id",
                        read_copy);
    right &= read_table(r, "rocpd_memory_allocate", "?pid ?agent_id type level start ?address size",
                        read_allocation);
    return right && activity_add_calls(&r->activity, r->builder);
}

/* Schema 4 has the times, GPU and stream of a row in other tables. */
static bool read_metadata(struct rocpd *r) {
    const char *tag = sqlite_scan_text(&r->scan, 0), *value = sqlite_scan_text(&r->scan, 1);
    if (!tag || !value || strcmp(tag, "schema_version") != 0)
        return true;
    if (*value <= '3' && strcspn(value, ".") <= 1) /* "3", "3.0.4" */
        return true;
    return ct_false_error(r->scan.diags, r->scan.path,
                          "is a rocpd database of schema %s, and schema 3 alone is read: record "
                          "with a rocprofv3 that writes it, as that of ROCm 7.0 does, or with "
                          "PyTorch's profiler",
                          value);
}

static bool read_start(struct rocpd *r) {
    int64_t start = any(r, 0, INT64_MAX);
    if (start < r->scan.base_ns)
        r->scan.base_ns = start;
    return !r->scan.bad_row;
}

static bool find_base(struct rocpd *r) {
    return read_table(r, "rocpd_metadata", "tag value", read_metadata) &&
           read_table(r, DISPATCHES, "start", read_start) &&
           read_table(r, "rocpd_memory_copy", "start", read_start) &&
           read_table(r, "rocpd_memory_allocate", "start", read_start) &&
           read_table(r, "rocpd_region", "start", read_start);
}

/* Does something for each process; -1: an error is recorded, else how many there were. */
static int each_process(struct rocpd *r, bool (*work)(struct rocpd *r)) {
    char table[sizeof r->suffix] = "";
    int known, count = 0;
    while ((known = sqlite_tables_next(&r->scan, DISPATCHES, table, sizeof table)) == 1) {
        snprintf(r->suffix, sizeof r->suffix, "%s", table + strlen(DISPATCHES));
        if (!work(r))
            return -1;
        count++;
    }
    return known < 0 ? -1 : count;
}

static bool is_rocpd(struct rocpd *r, int processes) {
    if (processes == 0)
        ct_error(r->scan.diags, r->scan.path,
                 "is a SQLite file, but no rocpd database of rocprofv3: it has no table '%s...'%s",
                 DISPATCHES,
                 sqlite_tables_has(&r->scan, "rocpd_op") == 1
                     ? "; it is one of rocmProfileData, which is not read"
                     : "");
    return processes > 0;
}

static bool read_database(struct rocpd *r) {
    r->scan.base_ns = INT64_MAX;
    if (!is_rocpd(r, each_process(r, find_base)) || each_process(r, read_process) < 0)
        return false;
    if (!r->device_rows)
        ct_error(r->scan.diags, r->scan.path,
                 "holds no kernels and no copies: record with 'rocprofv3 --runtime-trace'");
    if (r->many_registers)
        ct_notice(r->scan.diags, r->scan.path,
                  "%llu launches use more than %d registers per thread, and count as %d",
                  (unsigned long long)r->many_registers, TRACE_MOST_REGISTERS,
                  TRACE_MOST_REGISTERS);
    activity_report(&r->activity, r->scan.path, r->scan.diags);
    import_resolution(r->builder, CT_PS_PER_NS);
    return r->device_rows > 0;
}

static int read_recording(struct import_builder *builder, const char *path,
                          struct ct_diags *diags) {
    if (!sqlite_tables_recognised(path))
        return ct_data_error(diags, path,
                             "is no SQLite file: 'rocprofv3 --output-format rocpd' writes one");
    sqlite3 *db = sqlite_tables_open(path, diags);
    struct rocpd r = {.builder = builder, .scan = {.db = db, .path = path, .diags = diags}};
    if (!db)
        return CT_DATA;
    bool right = read_database(&r);
    sqlite_names_free(&r.strings);
    sqlite_names_free(&r.kernels);
    sqlite_names_free(&r.agents);
    sqlite_names_free(&r.events);
    activity_free(&r.activity);
    sqlite3_close(db);
    return right ? CT_OK : CT_DATA;
}

const struct import_format import_format_rocpd = {
    .name = "rocpd", .read = read_recording, .table = DISPATCHES};
