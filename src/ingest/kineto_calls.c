#include "ingest/kineto_calls.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"

#include <string.h>

/* ---- names ---- */

static bool is_of_hip(const char *name) {
    return strncmp(name, "hip", 3) == 0;
}

/* Whether a call is of the runtime API of CUDA or HIP, and not of a driver's. */
static bool is_runtime_call(const char *name) {
    return strncmp(name, "cuda", 4) == 0 || is_of_hip(name);
}

static enum kineto_call_kind kind_of(const char *name) {
    static const struct {
        const char *part;
        enum kineto_call_kind kind;
    } parts[] = {{"GraphLaunch", CALL_GRAPH},
                 {"Launch", CALL_LAUNCH},
                 {"Memset", CALL_LAUNCH},
                 {"EventRecord", CALL_RECORD},
                 {"StreamWaitEvent", CALL_STREAM_WAIT},
                 {"DeviceSynchronize", CALL_WAIT_DEVICE},
                 {"CtxSynchronize", CALL_WAIT_DEVICE},
                 {"StreamSynchronize", CALL_WAIT_STREAM},
                 {"EventSynchronize", CALL_WAIT_EVENT},
                 {"INVALID", CALL_LAUNCH}}; /* a call newer than the profiler */
    if (strstr(name, "Memcpy"))
        return strstr(name, "Async") || !is_runtime_call(name) ? CALL_LAUNCH : CALL_COPY;
    for (size_t i = 0; i < CT_COUNT_OF(parts); i++)
        if (strstr(name, parts[i].part))
            return parts[i].kind;
    bool frees = strcmp(name, "cudaFree") == 0 || strcmp(name, "hipFree") == 0;
    return frees ? CALL_WAIT_DEVICE : CALL_OTHER;
}

/*
 * The launches of hip_ext.h, by which hipBLASLt and MIOpen run their kernels, take the size of the
 * grid in work-items (globalWorkSizeX), and Kineto writes what a call was given, at the kernel too.
 */
static bool takes_work_items(const char *name) {
    return strcmp(name, "hipExtModuleLaunchKernel") == 0 ||
           strcmp(name, "hipHccModuleLaunchKernel") == 0;
}

struct kineto_call kineto_call_named(const char *name) {
    return (struct kineto_call){
        .kind = kind_of(name), .hip = is_of_hip(name), .counts_items = takes_work_items(name)};
}

/* ---- look-up ---- */

static int compare_calls(const void *a, const void *b) {
    const struct kineto_call *x = a, *y = b;
    if (x->correlation != y->correlation)
        return x->correlation < y->correlation ? -1 : 1;
    if (x->process != y->process)
        return x->process < y->process ? -1 : 1;
    return (x->begin_ps > y->begin_ps) - (x->begin_ps < y->begin_ps);
}

void kineto_calls_sort(struct kineto_calls *calls) {
    ct_vec_sort(calls, compare_calls);
}

bool kineto_calls_are_of_several(const struct kineto_calls *calls) {
    for (size_t i = 1; i < calls->count; i++)
        if (calls->items[i].process != calls->items[0].process)
            return true;
    return false;
}

static bool call_before(const void *calls, size_t i, const void *correlation) {
    return ((const struct kineto_call *)calls)[i].correlation < *(const int64_t *)correlation;
}

static bool call_until(const void *calls, size_t i, const void *correlation) {
    return ((const struct kineto_call *)calls)[i].correlation <= *(const int64_t *)correlation;
}

struct kineto_call_run kineto_calls_numbered(const struct kineto_calls *calls,
                                             int64_t correlation) {
    if (correlation < 0 || calls->count == 0)
        return (struct kineto_call_run){0};
    size_t first = ct_lower_bound(calls->items, calls->count, call_before, &correlation);
    size_t end = ct_lower_bound(calls->items, calls->count, call_until, &correlation);
    return (struct kineto_call_run){calls->items + first, end - first};
}

static bool process_before(const void *calls, size_t i, const void *process) {
    return ((const struct kineto_call *)calls)[i].process < *(const uint64_t *)process;
}

const struct kineto_call *kineto_call_of_process(struct kineto_call_run run, uint64_t process) {
    size_t place = ct_lower_bound(run.items, run.count, process_before, &process);
    return place < run.count && run.items[place].process == process ? &run.items[place] : NULL;
}

bool kineto_call_is_shared(struct kineto_call_run run) {
    return run.count > 1 && run.items[0].process != run.items[run.count - 1].process;
}

const struct kineto_call *kineto_call_before(struct kineto_call_run run, ct_time_ps start_ps) {
    const struct kineto_call *nearest = run.count ? &run.items[0] : NULL;
    if (!kineto_call_is_shared(run))
        return nearest;
    for (size_t i = 1; i < run.count; i++) {
        const struct kineto_call *call = &run.items[i];
        bool in_time = nearest->begin_ps <= start_ps;
        if (call->begin_ps <= start_ps && (!in_time || call->begin_ps > nearest->begin_ps))
            nearest = call;
    }
    return nearest;
}
