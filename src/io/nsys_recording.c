#include "nsys_recording.h"

#include <stdlib.h>
#include <string.h>

#define MOST_NS (INT64_MAX / CT_PS_PER_NS)
#define PROCESS_MASK (~INT64_C(0xffffff)) /* a thread's global id without the thread */

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

enum nsys_call_kind nsys_call_kind_of(const char *name) {
    static const struct {
        const char *name;
        enum nsys_call_kind kind;
    } calls[] = {{"cudaDeviceSynchronize", NSYS_CALL_WAIT_DEVICE},
                 {"cudaThreadSynchronize", NSYS_CALL_WAIT_DEVICE},
                 {"cuCtxSynchronize", NSYS_CALL_WAIT_DEVICE},
                 {"cudaStreamSynchronize", NSYS_CALL_WAIT_STREAM},
                 {"cuStreamSynchronize", NSYS_CALL_WAIT_STREAM},
                 {"cudaEventSynchronize", NSYS_CALL_WAIT_EVENT},
                 {"cuEventSynchronize", NSYS_CALL_WAIT_EVENT},
                 {"cudaStreamWaitEvent", NSYS_CALL_ORDER},
                 {"cuStreamWaitEvent", NSYS_CALL_ORDER}};
    size_t length = base_length(name);
    for (size_t i = 0; i < CT_COUNT_OF(calls); i++)
        if (strlen(calls[i].name) == length && strncmp(name, calls[i].name, length) == 0)
            return calls[i].kind;
    bool copy = strncmp(name, "cudaMemcpy", 10) == 0 || strncmp(name, "cuMemcpy", 8) == 0;
    return copy && !strstr(name, "Async") ? NSYS_CALL_COPY : NSYS_CALL_OTHER;
}

/* ---- look-up ---- */

static int compare_keys(const void *left, const void *right) {
    const struct nsys_key *a = left, *b = right;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

static int compare_texts(const void *left, const void *right) {
    const struct nsys_text *a = left, *b = right;
    return a->id < b->id ? -1 : a->id > b->id;
}

/* The first of the sorted items, each beginning with its key, with this process and correlation. */
static const void *find(const void *items, size_t count, size_t size, int64_t pid,
                        int64_t correlation) {
    const struct nsys_key wanted = {pid, correlation, 0};
    const char *base = items;
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_keys(base + middle * size, &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == count)
        return NULL;
    const struct nsys_key *key = (const void *)(base + low * size);
    return key->pid == pid && key->correlation == correlation ? key : NULL;
}

#define FIND(vec, pid, correlation)                                                                \
    find((vec).items, (vec).count, sizeof *(vec).items, (pid), (correlation))
#define SORT(vec, compare)                                                                         \
    do {                                                                                           \
        if ((vec).count)                                                                           \
            qsort((vec).items, (vec).count, sizeof *(vec).items, (compare));                       \
    } while (0)

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

struct nsys_call *nsys_recording_call(const struct nsys_recording *recording, int64_t pid,
                                      int64_t correlation) {
    const struct nsys_call *call = FIND(recording->calls, pid, correlation);
    return call ? &recording->calls.items[call - recording->calls.items] : NULL;
}

const struct nsys_wait *nsys_recording_wait(const struct nsys_recording *recording,
                                            const struct nsys_call *call) {
    return FIND(recording->waits, call->key.pid, call->key.correlation);
}

const struct nsys_event *nsys_recording_event(const struct nsys_recording *recording, int64_t pid,
                                              int64_t event_sync) {
    return FIND(recording->events, pid, event_sync);
}

int nsys_recording_gpu(const struct nsys_recording *recording, int64_t pid, int64_t ordinal) {
    for (size_t i = 0; i < recording->gpus.count; i++) {
        const struct nsys_gpu *gpu = &recording->gpus.items[i];
        if (gpu->pid == (pid >> 24 & 0xffffff) && gpu->ordinal == ordinal)
            return (int)gpu->gpu;
    }
    return (int)ordinal;
}

int nsys_recording_context_gpu(const struct nsys_recording *recording, int64_t pid,
                               int64_t context) {
    for (size_t i = 0; i < recording->contexts.count; i++) {
        const struct nsys_context *known = &recording->contexts.items[i];
        if (known->pid == pid && known->context == context)
            return known->gpu;
    }
    return -1;
}

bool nsys_recording_learn_context(struct nsys_recording *recording, struct nsys_context context,
                                  struct ct_diags *diags) {
    if (nsys_recording_context_gpu(recording, context.pid, context.context) >= 0 ||
        ct_vec_push(&recording->contexts, context))
        return true;
    return ct_out_of_memory(diags) == CT_OK;
}

ct_time_ps nsys_recording_time(const struct nsys_recording *recording, int64_t ns,
                               struct nsys_scan *scan) {
    uint64_t since = (uint64_t)ns - (uint64_t)recording->base_ns;
    if (since <= (uint64_t)MOST_NS)
        return (ct_time_ps)since * CT_PS_PER_NS;
    char where[512];
    nsys_scan_where(scan, where, sizeof where);
    ct_error(scan->diags, where,
             "the time %lld ns is more than 106 days from the recording's begin", (long long)ns);
    scan->bad_row = true;
    return 0;
}

uint64_t nsys_stream_number(int64_t pid, int64_t context, int64_t stream) {
    return ((uint64_t)pid >> 24 & 0xffffff) << 40 | ((uint64_t)context & 0xff) << 32 |
           ((uint64_t)stream & UINT32_MAX);
}

/* ---- loading ---- */

static bool out_of_memory(struct nsys_scan *scan) {
    return ct_out_of_memory(scan->diags) == CT_OK;
}

/* A scan of a table that may be absent: 1 to go on, 0 when it is absent, -1 with an error recorded.
 */
static int begin(struct nsys_scan *scan, const char *table, const char *const *columns,
                 size_t count) {
    int known = nsys_has_table(scan, table);
    if (known != 1)
        return known;
    return nsys_scan_begin(scan, table, columns, count) ? 1 : -1;
}

static int64_t any(struct nsys_scan *scan, int i) {
    return nsys_scan_int(scan, i, 0, INT64_MIN, INT64_MAX);
}

static bool load_text(struct nsys_recording *recording, struct nsys_scan *scan) {
    const char *text = nsys_scan_text(scan, 1);
    struct nsys_text item = {.id = any(scan, 0)};
    item.text = ct_arena_strdup(&recording->arena, text ? text : "");
    if (!item.text || !ct_vec_push(&recording->texts, item))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_call(struct nsys_recording *recording, struct nsys_scan *scan) {
    enum { BEGIN, END, NAME, CORRELATION, THREAD, STACK };
    int64_t thread = any(scan, THREAD);
    const struct nsys_text *name = find_text(recording, any(scan, NAME));
    struct nsys_call call = {.key = {thread & PROCESS_MASK, any(scan, CORRELATION), scan->row},
                             .begin_ps = nsys_recording_time(recording, any(scan, BEGIN), scan),
                             .end_ps = nsys_recording_time(recording, any(scan, END), scan),
                             .thread = (uint64_t)thread,
                             .kind = name ? name->call : NSYS_CALL_OTHER};
    recording->stacks |= !nsys_scan_null(scan, STACK);
    if (call.end_ps < call.begin_ps) /* cut off by the end of the recording: its end is not known */
        call.end_ps = call.begin_ps;
    if (!ct_vec_push(&recording->calls, call))
        return out_of_memory(scan);
    return !scan->bad_row;
}

/* CUPTI writes 2^32 - 1 for a stream or event that a call does not concern. */
static bool load_wait(struct nsys_recording *recording, struct nsys_scan *scan) {
    enum { CONTEXT, STREAM, CORRELATION, PROCESS, EVENT_SYNC };
    int64_t stream = nsys_scan_int(scan, STREAM, -1, INT64_MIN, INT64_MAX);
    struct nsys_wait wait = {.key = {any(scan, PROCESS), any(scan, CORRELATION), scan->row},
                             .context = any(scan, CONTEXT),
                             .stream = stream >= UINT32_MAX ? -1 : stream,
                             .event_sync =
                                 nsys_scan_int(scan, EVENT_SYNC, -1, INT64_MIN, INT64_MAX)};
    if (!ct_vec_push(&recording->waits, wait))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_event(struct nsys_recording *recording, struct nsys_scan *scan) {
    enum { CONTEXT, STREAM, CORRELATION, PROCESS, EVENT_SYNC };
    struct nsys_event event = {.key = {any(scan, PROCESS), any(scan, EVENT_SYNC), scan->row},
                               .correlation = any(scan, CORRELATION),
                               .context = any(scan, CONTEXT),
                               .stream = any(scan, STREAM)};
    if (!ct_vec_push(&recording->events, event))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_gpu(struct nsys_recording *recording, struct nsys_scan *scan) {
    struct nsys_gpu gpu = {.pid = any(scan, 2),
                           .ordinal = any(scan, 1),
                           .gpu = nsys_scan_int(scan, 0, any(scan, 1), 0, 1 << 20)};
    if (!ct_vec_push(&recording->gpus, gpu))
        return out_of_memory(scan);
    return !scan->bad_row;
}

static bool load_table(struct nsys_recording *recording, struct nsys_scan *scan, const char *table,
                       const char *const *columns, size_t count,
                       bool (*load_row)(struct nsys_recording *recording, struct nsys_scan *scan)) {
    int known = begin(scan, table, columns, count);
    bool right = known >= 0;
    while (known == 1 && right && nsys_scan_next(scan))
        right = load_row(recording, scan);
    nsys_scan_end(scan);
    return right && !(known == 1 && scan->broken);
}

/* The earliest start of one table, if it has any. */
static bool load_base(struct nsys_recording *recording, struct nsys_scan *scan, const char *table,
                      bool *known) {
    static const char *const columns[] = {"start"};
    int there = begin(scan, table, columns, 1);
    while (there == 1 && nsys_scan_next(scan)) {
        int64_t start = nsys_scan_int(scan, 0, INT64_MAX, INT64_MIN, INT64_MAX);
        if (!scan->bad_row && (!*known || start < recording->base_ns))
            recording->base_ns = start;
        *known = *known || !scan->bad_row;
        if (scan->bad_row)
            there = -1;
    }
    nsys_scan_end(scan);
    return there >= 0 && !(there == 1 && scan->broken);
}

static bool load_bases(struct nsys_recording *recording, struct nsys_scan *scan) {
    static const char *const tables[] = {
        "CUPTI_ACTIVITY_KIND_KERNEL",  "CUPTI_ACTIVITY_KIND_MEMCPY",
        "CUPTI_ACTIVITY_KIND_MEMSET",  "CUPTI_ACTIVITY_KIND_GRAPH_TRACE",
        "CUPTI_ACTIVITY_KIND_RUNTIME", "NVTX_EVENTS"};
    bool known = false;
    for (size_t i = 0; i < CT_COUNT_OF(tables); i++)
        if (!load_base(recording, scan, tables[i], &known))
            return false;
    return true;
}

static bool texts_are_unique(const struct nsys_recording *recording, struct nsys_scan *scan) {
    for (size_t i = 1; i < recording->texts.count; i++)
        if (recording->texts.items[i].id == recording->texts.items[i - 1].id) {
            ct_error(scan->diags, scan->path, "table 'StringIds' holds the id %lld twice",
                     (long long)recording->texts.items[i].id);
            return false;
        }
    return true;
}

bool nsys_recording_load(struct nsys_recording *recording, struct nsys_scan *scan) {
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
    SORT(recording->texts, compare_texts);
    if (!texts_are_unique(recording, scan))
        return false;
    for (size_t i = 0; i < recording->texts.count; i++)
        recording->texts.items[i].call = nsys_call_kind_of(recording->texts.items[i].text);
    if (!load_table(recording, scan, "CUPTI_ACTIVITY_KIND_RUNTIME", calls, CT_COUNT_OF(calls),
                    load_call) ||
        !load_table(recording, scan, "CUPTI_ACTIVITY_KIND_SYNCHRONIZATION", waits,
                    CT_COUNT_OF(waits), load_wait) ||
        !load_table(recording, scan, "CUPTI_ACTIVITY_KIND_CUDA_EVENT", events, CT_COUNT_OF(events),
                    load_event) ||
        !load_table(recording, scan, "TARGET_INFO_CUDA_DEVICE", gpus, CT_COUNT_OF(gpus), load_gpu))
        return false;
    SORT(recording->calls, compare_keys);
    SORT(recording->waits, compare_keys);
    SORT(recording->events, compare_keys);
    return true;
}

void nsys_recording_free(struct nsys_recording *recording) {
    ct_arena_free(&recording->arena);
    ct_vec_free(&recording->texts);
    ct_vec_free(&recording->calls);
    ct_vec_free(&recording->waits);
    ct_vec_free(&recording->events);
    ct_vec_free(&recording->gpus);
    ct_vec_free(&recording->contexts);
}
