#include "ingest/activity_internal.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"

#include <stdlib.h>
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
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    if (a->correlation != b->correlation)
        return a->correlation < b->correlation ? -1 : 1;
    return a->row < b->row ? -1 : a->row > b->row;
}

/* Items that each begin with their key. */
struct keyed {
    const void *items;
    size_t size;
};

static const struct activity_key *key_at(const struct keyed *keyed, size_t i) {
    return (const void *)((const char *)keyed->items + i * keyed->size);
}

static bool key_before(const void *keyed, size_t i, const void *wanted) {
    return compare_keys(key_at(keyed, i), wanted) < 0;
}

/* The first of the sorted items with this process and correlation. */
static const void *find(struct keyed keyed, size_t count, int64_t pid, int64_t correlation) {
    const struct activity_key wanted = {pid, correlation, 0};
    size_t place = ct_lower_bound(&keyed, count, key_before, &wanted);
    const struct activity_key *key = place < count ? key_at(&keyed, place) : NULL;
    return key && key->pid == pid && key->correlation == correlation ? key : NULL;
}

#define FIND(vec, pid, correlation)                                                                \
    find((struct keyed){(vec).items, sizeof *(vec).items}, (vec).count, (pid), (correlation))

struct activity_call *activity_find_call(const struct activity_recording *recording, int64_t pid,
                                         int64_t correlation) {
    const struct activity_call *call = FIND(recording->calls, pid, correlation);
    return call ? &recording->calls.items[call - recording->calls.items] : NULL;
}

const struct activity_wait *activity_find_wait(const struct activity_recording *recording,
                                               const struct activity_call *call) {
    return FIND(recording->waits, call->key.pid, call->key.correlation);
}

const struct activity_event *activity_find_event(const struct activity_recording *recording,
                                                 int64_t pid, int64_t event_sync) {
    return FIND(recording->events, pid, event_sync);
}

int activity_context_gpu(const struct activity_recording *recording, int64_t pid, int64_t context) {
    for (size_t i = 0; i < recording->contexts.count; i++) {
        const struct activity_context *known = &recording->contexts.items[i];
        if (known->pid == pid && known->context == context)
            return known->gpu;
    }
    return -1;
}

bool activity_learn_context(struct activity_recording *recording, struct activity_context context,
                            struct ct_diags *diags) {
    if (activity_context_gpu(recording, context.pid, context.context) >= 0 ||
        ct_vec_push(&recording->contexts, context))
        return true;
    return ct_out_of_memory(diags) == CT_OK;
}

uint64_t activity_stream_number(int64_t pid, int64_t context, int64_t stream) {
    return ((uint64_t)pid >> 24 & 0xffffff) << 40 | ((uint64_t)context & 0xff) << 32 |
           ((uint64_t)stream & UINT32_MAX);
}

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
