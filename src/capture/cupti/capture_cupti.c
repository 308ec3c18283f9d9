/*
 * The only file that knows CUPTI. CUPTI is looked up at run time, so that the library loads where
 * there is none and says so. Records grow at their end from version to version: what is read here
 * stands where the oldest supported version has it.
 */
#include "capture/cupti/capture_cupti.h"

#include <cupti.h>
#include <dlfcn.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

/* More callbacks than CUPTI numbers of either interface. */
enum { CALLBACKS_MOST = 2048 };

/* Pointers to the functions that are used, by their names. */
#define CUPTI_FUNCTIONS(use)                                                                       \
    use(cuptiGetVersion) use(cuptiGetResultString) use(cuptiSubscribe) use(cuptiEnableCallback)    \
        use(cuptiGetCallbackName) use(cuptiActivityRegisterCallbacks) use(cuptiActivityEnable)     \
            use(cuptiActivityEnableAndDump) use(cuptiActivityEnableRuntimeApi)                     \
                use(cuptiActivityEnableDriverApi) use(cuptiActivityFlushAll)                       \
                    use(cuptiActivityGetNextRecord) use(cuptiActivityGetNumDroppedRecords)
#define CUPTI_POINTER(name) __typeof__(name) *name;

/* A process has one CUPTI, and its callbacks carry no pointer of ours. */
static struct {
    void *library;
    struct {
        CUPTI_FUNCTIONS(CUPTI_POINTER)
    } call;
    CUpti_SubscriberHandle subscriber;
    /* of the wanted calls of the runtime and of the driver, by number */
    const char *names[2][CALLBACKS_MOST];
    atomic_bool device_seen;
} cupti;

/* ---- loading ---- */

static void *load(const char *path) {
    char name[40];
    if (path)
        return dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    snprintf(name, sizeof name, "libcupti.so.%d", CUPTI_API_VERSION / 10000);
    void *library = dlopen(name, RTLD_NOW | RTLD_GLOBAL);
    return library ? library : dlopen("libcupti.so", RTLD_NOW | RTLD_GLOBAL);
}

/* A function of the library into a pointer to it; ISO C has no conversion for that. */
static bool look_up(const char *name, void *pointer, size_t size) {
    void *symbol = dlsym(cupti.library, name);
    if (!symbol)
        capture_say("off: this CUPTI has no %s", name);
    memcpy(pointer, &symbol, size);
    return symbol != NULL;
}

#define CUPTI_LOOK_UP(name) &&look_up(#name, (void *)&cupti.call.name, sizeof cupti.call.name)

static bool open_library(const char *path) {
    cupti.library = load(path);
    if (!cupti.library) {
        capture_say("off: CUPTI is not found: %s (COTENANT_CAPTURE_CUPTI names it)", dlerror());
        return false;
    }
    return true CUPTI_FUNCTIONS(CUPTI_LOOK_UP);
}

static bool succeeds(CUptiResult result, const char *what) {
    const char *why = NULL;
    if (result == CUPTI_SUCCESS)
        return true;
    cupti.call.cuptiGetResultString(result, &why);
    capture_say("off: %s failed: %s", what, why ? why : "unknown error");
    return false;
}

/* ---- records ---- */

/* CUpti_ActivityMemoryKind */
static uint8_t memory_of(uint8_t kind) {
    if (kind == CUPTI_ACTIVITY_MEMORY_KIND_PAGEABLE)
        return TRACE_PAGEABLE;
    return kind == CUPTI_ACTIVITY_MEMORY_KIND_PINNED ? TRACE_PINNED : TRACE_MEMORY_UNKNOWN;
}

#define PLACE_OF(record)                                                                           \
    {                                                                                              \
        (record)->start, (record)->end, (record)->deviceId, (record)->contextId,                   \
            (record)->streamId, (record)->correlationId                                            \
    }

static void read_kernel(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityKernel9 *k = (const void *)record;
    const struct capture_place place = PLACE_OF(k);
    const struct capture_shape shape = {
        .grid = {(uint32_t)k->gridX, (uint32_t)k->gridY, (uint32_t)k->gridZ},
        .block = {(uint32_t)k->blockX, (uint32_t)k->blockY, (uint32_t)k->blockZ},
        .registers_per_thread = k->registersPerThread,
        .static_smem_bytes = (uint32_t)k->staticSharedMemory,
        .dynamic_smem_bytes = (uint32_t)k->dynamicSharedMemory,
        .graph_node = k->graphNodeId != 0};
    capture_add_kernel(recording, &place, k->name, &shape);
}

static void read_copy(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityMemcpy5 *c = (const void *)record;
    const struct capture_task copy = {.place = PLACE_OF(c),
                                      .bytes = c->bytes,
                                      .kind = TRACE_COPY,
                                      .copy_kind = c->copyKind,
                                      .source = memory_of(c->srcKind),
                                      .destination = memory_of(c->dstKind)};
    capture_add_task(recording, &copy);
}

static void read_peer_copy(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityMemcpyPtoP4 *c = (const void *)record;
    const struct capture_task copy = {.place = PLACE_OF(c),
                                      .bytes = c->bytes,
                                      .kind = TRACE_COPY,
                                      .copy_kind = CUPTI_ACTIVITY_MEMCPY_KIND_PTOP,
                                      .source = TRACE_MEMORY_UNKNOWN,
                                      .destination = TRACE_MEMORY_UNKNOWN};
    capture_add_task(recording, &copy);
}

static void read_memset(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityMemset4 *s = (const void *)record;
    const struct capture_task set = {.place = PLACE_OF(s), .bytes = s->bytes, .kind = TRACE_MEMSET};
    capture_add_task(recording, &set);
}

static void read_call(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityAPI *c = (const void *)record;
    int side = record->kind == CUPTI_ACTIVITY_KIND_DRIVER;
    const char *name = c->cbid < CALLBACKS_MOST ? cupti.names[side][c->cbid] : NULL;
    const struct capture_call call = {.start_ns = c->start,
                                      .end_ns = c->end,
                                      .thread = c->threadId,
                                      .correlation = c->correlationId};
    if (name)
        capture_add_call(recording, name, &call);
    else
        capture_add_loss(recording, CAPTURE_UNKNOWN_KIND, 1);
}

static void read_wait(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivitySynchronization2 *w = (const void *)record;
    capture_add_wait(recording, &(struct capture_sync){w->correlationId, w->contextId, w->streamId,
                                                       w->cudaEventSyncId});
}

static void read_event(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityCudaEvent2 *e = (const void *)record;
    capture_add_event(recording, &(struct capture_sync){e->correlationId, e->contextId, e->streamId,
                                                        e->cudaEventSyncId});
}

static void read_range_point(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityMarker2 *m = (const void *)record;
    const struct capture_range_point point = {
        .time_ns = m->timestamp, .id = m->id, .thread = m->objectId.pt.threadId};
    if (m->flags & CUPTI_ACTIVITY_FLAG_MARKER_START)
        capture_add_range_point(recording, m->name, &point);
    else if (m->flags & CUPTI_ACTIVITY_FLAG_MARKER_END)
        capture_add_range_point(recording, NULL, &point);
}

static void read_device(struct capture_recording *recording, const CUpti_Activity *record) {
    const CUpti_ActivityDevice4 *d = (const void *)record;
    const struct capture_device device = {.title = d->name,
                                          .id = d->id,
                                          .multiprocessors = d->numMultiprocessors,
                                          .capability_major = d->computeCapabilityMajor,
                                          .capability_minor = d->computeCapabilityMinor,
                                          .core_clock_khz = d->coreClockRate,
                                          .l2_bytes = d->l2CacheSize,
                                          .memory_bytes = d->globalMemorySize,
                                          .bandwidth_kb_per_s = d->globalMemoryBandwidth,
                                          .ecc = d->eccEnabled != 0,
                                          .mig = d->isMigEnabled != 0};
    capture_add_device(recording, &device);
    cupti.device_seen = true;
}

static void read_record(struct capture_recording *recording, const CUpti_Activity *record) {
    static const struct {
        CUpti_ActivityKind kind;
        void (*read)(struct capture_recording *recording, const CUpti_Activity *record);
    } kinds[] = {{CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, read_kernel},
                 {CUPTI_ACTIVITY_KIND_KERNEL, read_kernel},
                 {CUPTI_ACTIVITY_KIND_MEMCPY, read_copy},
                 {CUPTI_ACTIVITY_KIND_MEMCPY2, read_peer_copy},
                 {CUPTI_ACTIVITY_KIND_MEMSET, read_memset},
                 {CUPTI_ACTIVITY_KIND_RUNTIME, read_call},
                 {CUPTI_ACTIVITY_KIND_DRIVER, read_call},
                 {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, read_wait},
                 {CUPTI_ACTIVITY_KIND_CUDA_EVENT, read_event},
                 {CUPTI_ACTIVITY_KIND_MARKER, read_range_point},
                 {CUPTI_ACTIVITY_KIND_DEVICE, read_device}};
    for (size_t i = 0; i < CT_COUNT_OF(kinds); i++)
        if (kinds[i].kind == record->kind) {
            kinds[i].read(recording, record);
            return;
        }
    capture_add_loss(recording, CAPTURE_UNKNOWN_KIND, 1);
}

static void read_buffer(struct capture_recording *recording, uint8_t *buffer, size_t bytes) {
    CUpti_Activity *record = NULL;
    while (cupti.call.cuptiActivityGetNextRecord(buffer, bytes, &record) == CUPTI_SUCCESS)
        read_record(recording, record);
}

static uint64_t lost(void) {
    size_t dropped = 0;
    CUptiResult result = cupti.call.cuptiActivityGetNumDroppedRecords(NULL, 0, &dropped);
    return result == CUPTI_SUCCESS ? dropped : 0;
}

/* ---- what CUPTI calls ---- */

static void CUPTIAPI on_request(uint8_t **buffer, size_t *size, size_t *most_records) {
    *buffer = capture_session_buffer();
    *size = *buffer ? CAPTURE_BUFFER_BYTES : 0;
    *most_records = 0;
}

static void CUPTIAPI on_complete(CUcontext context, uint32_t stream, uint8_t *buffer, size_t size,
                                 size_t valid) {
    (void)context;
    (void)stream;
    (void)size;
    if (buffer)
        capture_session_full(buffer, valid);
}

/* What a context recorded is handed out before it goes; others may have work under way. */
static void CUPTIAPI on_context_end(void *user, CUpti_CallbackDomain domain, CUpti_CallbackId id,
                                    const void *data) {
    (void)user;
    (void)data;
    if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING)
        cupti.call.cuptiActivityFlushAll(0);
}

/* Devices are recorded when CUDA starts; a recorder that came later asks for them. */
static void flush(bool all) {
    if (!cupti.device_seen)
        cupti.call.cuptiActivityEnableAndDump(CUPTI_ACTIVITY_KIND_DEVICE);
    cupti.call.cuptiActivityFlushAll(all ? CUPTI_ACTIVITY_FLAG_FLUSH_FORCED : 0);
}

/* ---- switching on ---- */

/*
 * Only the calls that can matter are recorded, of both interfaces: programs ask the current device
 * far more often than they launch. The numbers are those of the CUPTI at hand, which may be newer
 * than the headers.
 */
static bool enable_calls(int side, CUpti_CallbackDomain domain,
                         CUptiResult (*enable)(CUpti_CallbackId, uint8_t)) {
    size_t enabled = 0;
    for (CUpti_CallbackId id = 1; id < CALLBACKS_MOST; id++) {
        const char *name = NULL;
        if (cupti.call.cuptiGetCallbackName(domain, id, &name) != CUPTI_SUCCESS || !name ||
            !capture_call_matters(name) || enable(id, 1) != CUPTI_SUCCESS)
            continue;
        cupti.names[side][id] = name;
        enabled++;
    }
    if (!enabled)
        capture_say("off: this CUPTI records no calls");
    return enabled > 0;
}

static bool enable_kinds(bool ranges) {
    static const struct {
        CUpti_ActivityKind kind;
        const char *what;
    } kinds[] = {{CUPTI_ACTIVITY_KIND_DEVICE, "recording devices"},
                 {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "recording kernels"},
                 {CUPTI_ACTIVITY_KIND_MEMCPY, "recording copies"},
                 {CUPTI_ACTIVITY_KIND_MEMCPY2, "recording copies between devices"},
                 {CUPTI_ACTIVITY_KIND_MEMSET, "recording memsets"},
                 {CUPTI_ACTIVITY_KIND_SYNCHRONIZATION, "recording waits"},
                 {CUPTI_ACTIVITY_KIND_CUDA_EVENT, "recording events"}};
    for (size_t i = 0; i < CT_COUNT_OF(kinds); i++)
        if (!succeeds(cupti.call.cuptiActivityEnable(kinds[i].kind), kinds[i].what))
            return false;
    return !ranges ||
           succeeds(cupti.call.cuptiActivityEnable(CUPTI_ACTIVITY_KIND_MARKER), "recording ranges");
}

static bool is_new_enough(uint32_t version) {
    if (version / 10000 >= CUPTI_API_VERSION / 10000)
        return true;
    capture_say("off: CUPTI %u is older than %d, for which this library was built", version,
                CUPTI_API_VERSION);
    return false;
}

static bool subscribe(void) {
    return succeeds(cupti.call.cuptiSubscribe(&cupti.subscriber, on_context_end, NULL),
                    "subscribing (one profiler at a time)") &&
           succeeds(cupti.call.cuptiEnableCallback(1, cupti.subscriber, CUPTI_CB_DOMAIN_RESOURCE,
                                                   CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING),
                    "watching contexts");
}

static bool ask_for_records(bool ranges) {
    return succeeds(cupti.call.cuptiActivityRegisterCallbacks(on_request, on_complete),
                    "registering buffers") &&
           enable_kinds(ranges) &&
           enable_calls(0, CUPTI_CB_DOMAIN_RUNTIME_API, cupti.call.cuptiActivityEnableRuntimeApi) &&
           enable_calls(1, CUPTI_CB_DOMAIN_DRIVER_API, cupti.call.cuptiActivityEnableDriverApi);
}

void capture_cupti_start(const char *path, bool ranges, const struct capture_settings *settings) {
    struct capture_source source = {.flush = flush, .read = read_buffer, .lost = lost};
    uint32_t version = 0;
    if (!open_library(path) || !succeeds(cupti.call.cuptiGetVersion(&version), "the version") ||
        !is_new_enough(version))
        return;
    snprintf(source.recorder, sizeof source.recorder, "CUPTI %u", version);
    if (subscribe() && capture_session_start(settings, &source) && !ask_for_records(ranges))
        capture_session_abandon();
}

void *capture_cupti_nvtx(void) {
    return cupti.library ? dlsym(cupti.library, "InitializeInjectionNvtx2") : NULL;
}
