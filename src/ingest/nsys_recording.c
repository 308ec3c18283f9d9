#include "ingest/nsys_recording.h"

#include "base/ct_sort.h"

#include <stdlib.h>
#include <string.h>

#define PROCESS_MASK (~INT64_C(0xffffff)) /* a thread's global id without the thread */

/* ---- look-up ---- */

static int compare_texts(const void *left, const void *right) {
    const struct nsys_text *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

static const struct nsys_text *find_text(const struct nsys_recording *recording, int64_t id) {
    const struct nsys_text wanted = {.id = id};
    if (!recording->texts.count)
        return NULL;
    return bsearch(&wanted, recording->texts.items, recording->texts.count, sizeof wanted,
                   compare_texts);
}

const char *nsys_recording_text(const struct nsys_recording *recording, int64_t id) {
    const struct nsys_text *text = find_text(recording, id);
    return text ? text->text : NULL;
}

int64_t nsys_process_of(int64_t thread) {
    return thread & PROCESS_MASK;
}

int nsys_recording_gpu(const struct nsys_recording *recording, int64_t pid, int64_t ordinal) {
    for (size_t i = 0; i < recording->gpus.count; i++) {
        const struct nsys_gpu *gpu = &recording->gpus.items[i];
        if (gpu->pid == (pid >> 24 & 0xffffff) && gpu->ordinal == ordinal)
            return (int)gpu->gpu;
    }
    return (int)ordinal;
}

/* ---- loading ---- */

static bool out_of_memory(struct sqlite_scan *scan) {
    return ct_out_of_memory(scan->diags) == CT_OK;
}

/* A scan of a table that may be absent: 1 to go on, 0 when it is absent, -1 with an error recorded.
 */
static int begin(struct sqlite_scan *scan, const char *table, const char *const *columns,
                 size_t count) {
    int known = sqlite_tables_has(scan, table);
    if (known != 1)
        return known;
    return sqlite_scan_begin(scan, table, columns, count) ? 1 : -1;
}

static int64_t any(struct sqlite_scan *scan, int i) {
    return sqlite_scan_int(scan, i, 0, INT64_MIN, INT64_MAX);
}

static bool load_text(struct nsys_recording *recording, struct sqlite_scan *scan) {
    const char *text = sqlite_scan_text(scan, 1);
    struct nsys_text item = {.id = any(scan, 0)};
    item.text = ct_arena_strdup(&recording->arena, text ? text : "");
    if (!item.text || !ct_vec_push(&recording->texts, item))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_call(struct nsys_recording *recording, struct sqlite_scan *scan) {
    enum { BEGIN, END, NAME, CORRELATION, THREAD, STACK };
    int64_t thread = any(scan, THREAD);
    const struct nsys_text *name = find_text(recording, any(scan, NAME));
    struct activity_call call = {
        .key = {nsys_process_of(thread), any(scan, CORRELATION), scan->row},
        .begin_ps = sqlite_scan_time(scan, any(scan, BEGIN), recording->base_ns),
        .end_ps = sqlite_scan_time(scan, any(scan, END), recording->base_ns),
        .thread = (uint64_t)thread,
        .kind = name ? name->call : ACTIVITY_CALL_OTHER};
    recording->stacks |= !sqlite_scan_null(scan, STACK);
    if (call.end_ps < call.begin_ps) { /* cut off by the end of the recording */
        recording->activity.cut_calls++;
        call.end_ps = call.begin_ps;
    }
    if (!ct_vec_push(&recording->activity.calls, call))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_wait(struct nsys_recording *recording, struct sqlite_scan *scan) {
    enum { CONTEXT, STREAM, CORRELATION, PROCESS, EVENT_SYNC };
    int64_t stream = sqlite_scan_int(scan, STREAM, -1, INT64_MIN, INT64_MAX);
    struct activity_wait wait = {.key = {any(scan, PROCESS), any(scan, CORRELATION), scan->row},
                                 .context = any(scan, CONTEXT),
                                 .stream = activity_stream_of(stream),
                                 .event_sync =
                                     sqlite_scan_int(scan, EVENT_SYNC, -1, INT64_MIN, INT64_MAX)};
    if (!ct_vec_push(&recording->activity.waits, wait))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_event(struct nsys_recording *recording, struct sqlite_scan *scan) {
    enum { CONTEXT, STREAM, CORRELATION, PROCESS, EVENT_SYNC };
    struct activity_event event = {.key = {any(scan, PROCESS), any(scan, EVENT_SYNC), scan->row},
                                   .correlation = any(scan, CORRELATION),
                                   .context = any(scan, CONTEXT),
                                   .stream = any(scan, STREAM)};
    if (!ct_vec_push(&recording->activity.events, event))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_gpu(struct nsys_recording *recording, struct sqlite_scan *scan) {
    struct nsys_gpu gpu = {.pid = any(scan, 2),
                           .ordinal = any(scan, 1),
                           .gpu = sqlite_scan_int(scan, 0, any(scan, 1), 0, 1 << 20)};
    if (!ct_vec_push(&recording->gpus, gpu))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_table(struct nsys_recording *recording, struct sqlite_scan *scan,
                       const char *table, const char *const *columns, size_t count,
                       bool (*load_row)(struct nsys_recording *recording,
                                        struct sqlite_scan *scan)) {
    int known = begin(scan, table, columns, count);
    bool right = known >= 0;
    while (known == 1 && right && sqlite_scan_next(scan))
        right = load_row(recording, scan);
    sqlite_scan_end(scan);
    return right && !(known == 1 && scan->broken);
}

/* The earliest start of one table, if it has any. */
static bool load_base(struct nsys_recording *recording, struct sqlite_scan *scan, const char *table,
                      bool *known) {
    static const char *const columns[] = {"start"};
    int there = begin(scan, table, columns, 1);
    while (there == 1 && sqlite_scan_next(scan)) {
        int64_t start = sqlite_scan_int(scan, 0, INT64_MAX, INT64_MIN, INT64_MAX);
        if (!scan->bad_row && (!*known || start < recording->base_ns))
            recording->base_ns = start;
        *known = *known || !scan->bad_row;
        if (scan->bad_row)
            there = -1;
    }
    sqlite_scan_end(scan);
    return there >= 0 && !(there == 1 && scan->broken);
}

static bool load_bases(struct nsys_recording *recording, struct sqlite_scan *scan) {
    static const char *const tables[] = {
        "CUPTI_ACTIVITY_KIND_KERNEL",  "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET",  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS",
        "CUDA_GPU_MEMORY_USAGE_EVENTS"};
    bool known = false;
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++)
        if (!load_base(recording, scan, tables[i], &known))
            return false;
    return true;
}

static bool texts_are_unique(const struct nsys_recording *recording, struct sqlite_scan *scan) {
    for (size_t i = 1; i < recording->texts.count; i++)
        if (recording->texts.items[i].id == recording->texts.items[i - 1].id) {
            ct_error(scan->diags, scan->path, "table 'StringIds' holds the id %lld twice",
                     (long long)recording->texts.items[i].id);
            return false;
        }
    return true;
}

bool nsys_recording_load(struct nsys_recording *recording, struct sqlite_scan *scan) {
    static const char *const texts[] = {"id", "value"};
    static const char *const calls[] = {"start",          "end",        "nameId",
                                        "?correlationId", "?globalTid", "?callchainId"};
    static const char *const waits[] = {"?contextId", "?streamId", "?correlationId", "?globalPid",
                                        "?eventSyncId"};
    static const char *const events[] = {"contextId", "streamId", "?correlationId", "?globalPid",
                                         "?eventSyncId"};
    static const char *const gpus[] = {"gpuId", "cudaId", "pid"};
    if (!load_bases(recording, scan) ||
        !load_table(recording, scan, "StringIds", texts, CT_COUNT_OF(texts), load_text))
        return false;
    ct_vec_sort(&recording->texts, compare_texts);
    if (!texts_are_unique(recording, scan))
        return false;
    for (size_t i = 0; i < recording->texts.count; i++)
        recording->texts.items[i].call = activity_call_kind_of(recording->texts.items[i].text);
    if (!load_table(recording, scan, "CUPTI_ACTIVITY_KIND_RUNTIME", calls, CT_COUNT_OF(calls),
                    load_call) ||
        !load_table(recording, scan, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", waits,
                    CT_COUNT_OF(waits), load_wait) ||
        !load_table(recording, scan, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", events, CT_COUNT_OF(events),
                    load_event) ||
        !load_table(recording, scan, "TARGET_INFO_CUDA_DEVICE", gpus, CT_COUNT_OF(gpus), load_gpu))
        return false;
    activity_sort(&recording->activity);
    return true;
}

void nsys_recording_free(struct nsys_recording *recording) {
    ct_arena_free(&recording->arena);
    ct_vec_free(&recording->texts);
    ct_vec_free(&recording->gpus);
    activity_free(&recording->activity);
}
