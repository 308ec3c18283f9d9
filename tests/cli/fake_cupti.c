/*
 * A stand-in for CUPTI: the functions that the capture library uses, without a GPU. It hands
 * emitted records on in buffers, as CUPTI does. FAKE_CUPTI_VERSION and FAKE_CUPTI_BUSY make it old
 * or taken.
 */
#include "fake_cupti.h"

#include <cupti.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define EXPORT __attribute__((visibility("default")))

enum { KINDS = 128, HOARD_MOST = 1000 };

static struct {
    pthread_mutex_t lock;
    CUpti_BuffersCallbackRequestFunc request;
    CUpti_BuffersCallbackCompleteFunc complete;
    CUpti_CallbackFunc callback;
    bool kinds[KINDS], calls[2][FAKE_CALLS], context_watched;
    uint8_t *buffer, *under_way; /* under_way: a record of the buffer */
    size_t size, used, dropped;
} fake = {.lock = PTHREAD_MUTEX_INITIALIZER};

EXPORT fake_emit_function fake_emit;
EXPORT fake_begin_function fake_begin;
EXPORT fake_complete_function fake_complete;
EXPORT fake_hoard_function fake_hoard;
EXPORT fake_end_context_function fake_end_context;
EXPORT int InitializeInjectionNvtx2(void *table);

static size_t size_of(const CUpti_Activity *record) {
    switch ((int)record->kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
        return sizeof(CUpti_ActivityKernel9);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
        return sizeof(CUpti_ActivityMemcpy5);
    case CUPTI_ACTIVITY_KIND_MEMSET:
        return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
        return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_MARKER:
        return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_DEVICE:
        return sizeof(CUpti_ActivityDevice4);
    case CUPTI_ACTIVITY_KIND_OVERHEAD:
        return sizeof(CUpti_ActivityOverhead2);
    default:
        return sizeof(CUpti_ActivityAPI);
    }
}

/* With the lock held. */
static void hand_on(void) {
    uint8_t *buffer = fake.buffer;
    fake.buffer = fake.under_way = NULL;
    if (buffer)
        fake.complete(NULL, 0, buffer, fake.size, fake.used);
}

static bool is_wanted(const CUpti_Activity *record) {
    const CUpti_ActivityAPI *call = (const void *)record;
    if (!fake.request)
        return false;
    if (record->kind == CUPTI_ACTIVITY_KIND_OVERHEAD) /* as a newer CUPTI may */
        return true;
    if (record->kind == CUPTI_ACTIVITY_KIND_RUNTIME || record->kind == CUPTI_ACTIVITY_KIND_DRIVER)
        return fake.calls[record->kind == CUPTI_ACTIVITY_KIND_DRIVER][call->cbid];
    return (int)record->kind < KINDS && fake.kinds[record->kind];
}

/* With the lock held: where the record lies. NULL: nowhere. */
static uint8_t *put(const void *record, size_t size) {
    size_t room = (size + 7) / 8 * 8, most = 0;
    if (!is_wanted(record))
        return NULL;
    if (fake.buffer && fake.used + room > fake.size)
        hand_on();
    if (!fake.buffer) {
        fake.request(&fake.buffer, &fake.size, &most);
        fake.used = 0;
    }
    if (!fake.buffer) {
        fake.dropped++;
        return NULL;
    }
    uint8_t *place = fake.buffer + fake.used;
    memcpy(place, record, size);
    fake.used += room;
    return place;
}

void fake_emit(const void *record, size_t size) {
    pthread_mutex_lock(&fake.lock);
    put(record, size);
    pthread_mutex_unlock(&fake.lock);
}

void fake_begin(const void *record, size_t size) {
    pthread_mutex_lock(&fake.lock);
    fake.under_way = put(record, size);
    pthread_mutex_unlock(&fake.lock);
}

void fake_complete(const void *record, size_t size) {
    pthread_mutex_lock(&fake.lock);
    if (fake.under_way)
        memcpy(fake.under_way, record, size);
    fake.under_way = NULL;
    pthread_mutex_unlock(&fake.lock);
}

int fake_hoard(void) {
    int got = 0;
    uint8_t *buffers[HOARD_MOST] = {NULL};
    size_t size, most;
    while (got < HOARD_MOST) {
        fake.request(&buffers[got], &size, &most);
        if (!buffers[got])
            break;
        got++;
    }
    for (int i = 0; i < got; i++)
        fake.complete(NULL, 0, buffers[i], size, 0);
    return got;
}

void fake_end_context(void) {
    if (fake.context_watched)
        fake.callback(NULL, CUPTI_CB_DOMAIN_RESOURCE, CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING,
                      NULL);
    pthread_mutex_lock(&fake.lock);
    fake.buffer = fake.under_way = NULL;
    pthread_mutex_unlock(&fake.lock);
}

/* ---- CUPTI's own ---- */

EXPORT CUptiResult CUPTIAPI cuptiGetVersion(uint32_t *version) {
    const char *text = getenv("FAKE_CUPTI_VERSION");
    *version = text ? (uint32_t)strtoul(text, NULL, 10) : CUPTI_API_VERSION;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiGetResultString(CUptiResult result, const char **str) {
    *str = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED ? "taken" : "failed";
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiSubscribe(CUpti_SubscriberHandle *subscriber,
                                           CUpti_CallbackFunc callback, void *user) {
    (void)user;
    *subscriber = NULL;
    fake.callback = callback;
    return getenv("FAKE_CUPTI_BUSY") ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                                     : CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiEnableCallback(uint32_t enable, CUpti_SubscriberHandle subscriber,
                                                CUpti_CallbackDomain domain, CUpti_CallbackId id) {
    (void)subscriber;
    fake.context_watched = enable && domain == CUPTI_CB_DOMAIN_RESOURCE &&
                           id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiGetCallbackName(CUpti_CallbackDomain domain, uint32_t id,
                                                 const char **name) {
    static const char *const runtime[FAKE_CALLS] = {
        NULL, "cudaLaunchKernel_v7000", "cudaMemcpy_v3020", "cudaDeviceSynchronize_v3020",
        "cudaGetDevice_v3020"};
    static const char *const driver[FAKE_CALLS] = {NULL, "cuLaunchKernel", "cuMemcpyHtoD_v2",
                                                   "cuCtxSynchronize", "cuCtxGetDevice"};
    *name = id < FAKE_CALLS ? (domain == CUPTI_CB_DOMAIN_DRIVER_API ? driver : runtime)[id] : NULL;
    return *name ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

EXPORT CUptiResult CUPTIAPI
cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc funcBufferRequested,
                               CUpti_BuffersCallbackCompleteFunc funcBufferCompleted) {
    fake.request = funcBufferRequested;
    fake.complete = funcBufferCompleted;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityEnable(CUpti_ActivityKind kind) {
    pthread_mutex_lock(&fake.lock);
    fake.kinds[kind] = true;
    pthread_mutex_unlock(&fake.lock);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityEnableAndDump(CUpti_ActivityKind kind) {
    return cuptiActivityEnable(kind);
}

static CUptiResult enable_call(int side, CUpti_CallbackId id, uint8_t enable) {
    pthread_mutex_lock(&fake.lock);
    fake.calls[side][id] = enable;
    pthread_mutex_unlock(&fake.lock);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityEnableRuntimeApi(CUpti_CallbackId id, uint8_t enable) {
    return enable_call(0, id, enable);
}

EXPORT CUptiResult CUPTIAPI cuptiActivityEnableDriverApi(CUpti_CallbackId id, uint8_t enable) {
    return enable_call(1, id, enable);
}

EXPORT CUptiResult CUPTIAPI cuptiActivityFlushAll(uint32_t flag) {
    pthread_mutex_lock(&fake.lock);
    if (!fake.under_way || (flag & CUPTI_ACTIVITY_FLAG_FLUSH_FORCED))
        hand_on();
    pthread_mutex_unlock(&fake.lock);
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityGetNextRecord(uint8_t *buffer, size_t valid,
                                                       CUpti_Activity **record) {
    uint8_t *next = buffer;
    if (*record)
        next = (uint8_t *)*record + (size_of(*record) + 7) / 8 * 8;
    if (next >= buffer + valid)
        return CUPTI_ERROR_MAX_LIMIT_REACHED;
    *record = (CUpti_Activity *)(void *)next;
    return CUPTI_SUCCESS;
}

EXPORT CUptiResult CUPTIAPI cuptiActivityGetNumDroppedRecords(CUcontext context, uint32_t stream,
                                                              size_t *dropped) {
    (void)context;
    (void)stream;
    pthread_mutex_lock(&fake.lock);
    *dropped = fake.dropped;
    fake.dropped = 0;
    pthread_mutex_unlock(&fake.lock);
    return CUPTI_SUCCESS;
}

int InitializeInjectionNvtx2(void *table) {
    return table != NULL;
}
