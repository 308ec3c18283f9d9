#include "ingest/kineto_calls.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"

#include <stdlib.h>
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
    return ct_then(ct_order(x->correlation, y->correlation),
                   ct_then(ct_order(x->process, y->process), ct_order(x->begin_ps, y->begin_ps)));
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

/* The first call that is not before all of a process with this number. */
static size_t first_call(const struct kineto_call *calls, size_t count, int64_t correlation,
                         uint64_t process) {
    const struct kineto_call wanted = {
        .correlation = correlation, .process = process, .begin_ps = INT64_MIN};
    return ct_lower_item(calls, count, sizeof *calls, compare_calls, &wanted);
}

struct kineto_call_run kineto_calls_numbered(const struct kineto_calls *calls,
                                             int64_t correlation) {
    if (correlation < 0 || calls->count == 0)
        return (struct kineto_call_run){0};
    size_t first = first_call(calls->items, calls->count, correlation, 0);
    size_t end = first_call(calls->items, calls->count, correlation + 1, 0);
    return (struct kineto_call_run){calls->items + first, end - first};
}

const struct kineto_call *kineto_call_of_process(struct kineto_call_run run, uint64_t process) {
    size_t place =
        run.count ? first_call(run.items, run.count, run.items->correlation, process) : 0;
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

/* ---- whose work a GPU's is ---- */

/* Pairs of GPUs and processes, each with each: above what one machine has of both, by far. */
enum { MOST_PAIRS = 1 << 16 };

/* How well a process' calls fit a GPU's work. */
struct pair {
    uint32_t gpu;
    uint64_t process;
    double wrong;    /* part of the work that no call of the process can have launched, 0 to 1 */
    double delay_ps; /* from the call to what it launched, the mean of the others */
};

struct search {
    struct kineto_owners *owners;
    const struct kineto_calls *calls;
    struct ct_intern processes;
    CT_VEC(struct pair) pairs;
    bool *taken; /* by call: by the work of a GPU whose owner is known */
};

struct slice {
    const struct kineto_work *work;
    size_t count;
};

uint32_t kineto_owners_gpu(struct kineto_owners *owners, int64_t pid, int64_t device) {
    const int64_t key[] = {pid, device};
    return ct_intern_add(&owners->gpus, key, sizeof key);
}

static int compare_work(const void *a, const void *b) {
    const struct kineto_work *x = a, *y = b;
    int order = ct_then(ct_order(x->gpu, y->gpu), ct_order(x->start_ps, y->start_ps));
    return ct_then(order, ct_order(x->correlation, y->correlation));
}

/* For qsort: the pairs that fit best first. */
static int compare_pairs(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    int order = ct_order(x->wrong, y->wrong);
    order = order ? order : ct_order(x->delay_ps, y->delay_ps);
    order = order ? order : ct_order(x->gpu, y->gpu);
    return order ? order : ct_order(x->process, y->process);
}

static size_t first_work(const struct search *s, uint32_t gpu) {
    const struct kineto_work wanted = {.gpu = gpu, .start_ps = INT64_MIN};
    return ct_vec_lower(&s->owners->work, compare_work, &wanted);
}

static struct slice work_of(const struct search *s, uint32_t gpu) {
    size_t first = first_work(s, gpu);
    return (struct slice){s->owners->work.items + first, first_work(s, gpu + 1) - first};
}

/* Leaves the work whose number several processes share, by GPU. */
static void keep_shared(struct search *s) {
    struct kineto_owners *o = s->owners;
    size_t kept = 0;
    for (size_t i = 0; i < o->work.count; i++)
        if (kineto_call_is_shared(kineto_calls_numbered(s->calls, o->work.items[i].correlation)))
            o->work.items[kept++] = o->work.items[i];
    o->work.count = kept;
    ct_vec_sort(&o->work, compare_work);
}

static bool list_processes(struct search *s) {
    for (size_t i = 0; i < s->calls->count; i++) {
        const uint64_t *process = &s->calls->items[i].process;
        if (ct_intern_add(&s->processes, process, sizeof *process) == UINT32_MAX)
            return false;
    }
    return true;
}

static const struct kineto_call *call_of(const struct search *s, const struct kineto_work *work,
                                         uint64_t process) {
    return kineto_call_of_process(kineto_calls_numbered(s->calls, work->correlation), process);
}

static bool can_launch(const struct kineto_call *call, const struct kineto_work *work) {
    bool launches =
        call->kind == CALL_LAUNCH || call->kind == CALL_GRAPH || call->kind == CALL_COPY;
    return launches && call->begin_ps <= work->start_ps;
}

static struct pair measure(const struct search *s, uint32_t gpu, uint64_t process) {
    struct slice slice = work_of(s, gpu);
    struct pair pair = {.gpu = gpu, .process = process};
    size_t wrong = 0;
    for (size_t i = 0; i < slice.count; i++) {
        const struct kineto_call *call = call_of(s, &slice.work[i], process);
        if (call && can_launch(call, &slice.work[i]))
            pair.delay_ps += (double)(slice.work[i].start_ps - call->begin_ps);
        else
            wrong++;
    }
    pair.wrong = (double)wrong / (double)slice.count;
    if (wrong < slice.count)
        pair.delay_ps /= (double)(slice.count - wrong);
    return pair;
}

/* Lists the pairs of which the process can have launched any of the GPU's work. */
static bool list_pairs(struct search *s) {
    for (uint32_t gpu = 0; gpu < s->owners->of.count; gpu++)
        for (uint32_t p = 0; p < s->processes.items.count && work_of(s, gpu).count; p++) {
            const uint64_t *process = ct_intern_get(&s->processes, p);
            struct pair pair = measure(s, gpu, *process);
            if (pair.wrong < 1 && !ct_vec_push(&s->pairs, pair))
                return false;
        }
    ct_vec_sort(&s->pairs, compare_pairs);
    return true;
}

/* Gives a GPU to the process that can have launched the most of its work, by calls of which the
 * most launched no other GPU's. */
static void settle_pair(struct search *s, const struct pair *pair) {
    struct kineto_owner *owner = &s->owners->of.items[pair->gpu];
    struct slice slice = work_of(s, pair->gpu);
    size_t taken = 0;
    for (size_t i = 0; i < slice.count; i++) {
        const struct kineto_call *call = call_of(s, &slice.work[i], pair->process);
        taken += call && s->taken[call - s->calls->items];
    }
    if (owner->known || pair->wrong >= 0.5 || 2 * taken >= slice.count)
        return;
    *owner = (struct kineto_owner){true, pair->process};
    for (size_t i = 0; i < slice.count; i++) {
        const struct kineto_call *call = call_of(s, &slice.work[i], pair->process);
        if (call)
            s->taken[call - s->calls->items] = true;
    }
}

static bool owns_a_gpu(const struct search *s, uint64_t process) {
    for (size_t i = 0; i < s->owners->of.count; i++)
        if (s->owners->of.items[i].known && s->owners->of.items[i].process == process)
            return true;
    return false;
}

/* A process to which none is left may have a part of any that it fits: whose that is, is not known
 * either. */
static void doubt_shared_gpus(struct search *s) {
    size_t doubted = 0;
    for (size_t i = 0; i < s->pairs.count; i++)
        if (!owns_a_gpu(s, s->pairs.items[i].process))
            s->pairs.items[doubted++] = s->pairs.items[i];
    for (size_t i = 0; i < doubted; i++)
        s->owners->of.items[s->pairs.items[i].gpu].known = false;
}

static bool settle(struct search *s) {
    struct kineto_owners *o = s->owners;
    keep_shared(s);
    if (o->work.count == 0)
        return true;
    while (o->of.count < o->gpus.items.count)
        if (!ct_vec_push(&o->of, (struct kineto_owner){0}))
            return false;
    if (!list_processes(s))
        return false;
    if (o->of.count > MOST_PAIRS / s->processes.items.count)
        return true;
    s->taken = calloc(s->calls->count, sizeof *s->taken);
    if (!s->taken || !list_pairs(s))
        return false;
    for (size_t i = 0; i < s->pairs.count; i++)
        settle_pair(s, &s->pairs.items[i]);
    doubt_shared_gpus(s);
    return true;
}

bool kineto_owners_settle(struct kineto_owners *owners, const struct kineto_calls *calls) {
    struct search s = {.owners = owners, .calls = calls};
    bool settled = settle(&s);
    ct_intern_free(&s.processes);
    ct_vec_free(&s.pairs);
    free(s.taken);
    ct_vec_free(&owners->work);
    return settled;
}

struct kineto_owner kineto_owner_of(const struct kineto_owners *owners, uint32_t gpu) {
    return gpu < owners->of.count ? owners->of.items[gpu] : (struct kineto_owner){0};
}

void kineto_owners_free(struct kineto_owners *owners) {
    ct_intern_free(&owners->gpus);
    ct_vec_free(&owners->work);
    ct_vec_free(&owners->of);
}
