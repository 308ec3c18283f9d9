/*
 * What the capture library keeps of a running program: plain records, nothing of CUPTI. One thread
 * fills it. Bounded: beyond its limit records are counted, not kept.
 */
#ifndef CAPTURE_RECORDING_H
#define CAPTURE_RECORDING_H

#include "base/ct_arena.h"
#include "base/ct_intern.h"
#include "ingest/activity.h"

/* Times are nanoseconds of the recorder's clock; 0: not recorded. */
struct capture_place {
    uint64_t start_ns, end_ns;
    uint32_t device, context, stream, correlation;
};

/* A distinct kernel: interned by its bytes. */
struct capture_shape {
    uint32_t name; /* interned; mangled */
    uint32_t grid[3], block[3];
    uint32_t registers_per_thread, static_smem_bytes, dynamic_smem_bytes;
    uint32_t graph_node; /* 1: launched as part of a CUDA graph */
};

/* A kernel, copy or memset. */
struct capture_task {
    struct capture_place place;
    uint64_t bytes;
    uint32_t shape;              /* interned, of a kernel */
    uint8_t kind, copy_kind;     /* CUpti_ActivityMemcpyKind */
    uint8_t source, destination; /* of a copy, enum trace_memory */
};

/* A call of the program into CUDA. */
struct capture_call {
    uint64_t start_ns, end_ns, thread;
    uint32_t correlation;
    enum activity_call_kind kind;
};

/* What a synchronising call waited for, or where an event was recorded. UINT32_MAX, as CUPTI writes
 * it: no stream. */
struct capture_sync {
    uint32_t correlation, context, stream;
    uint64_t event_sync;
};

/* Where a named range begins or ends; the two have the same id. */
struct capture_range_point {
    uint64_t time_ns, id, thread;
    uint32_t name; /* interned; TRACE_NONE: an end */
};

/* A GPU as found. 0: not known. */
struct capture_device {
    const char *title; /* copied */
    uint32_t id, multiprocessors, capability_major, capability_minor;
    uint32_t core_clock_khz, l2_bytes;
    uint64_t memory_bytes, bandwidth_kb_per_s;
    bool ecc, mig;
};

/* Why a record was not kept. */
enum capture_loss {
    /* CUPTI had no room, because the program was faster than the writer. */
    CAPTURE_NO_BUFFER,
    /* CUPTI could not time it. */
    CAPTURE_NO_TIME,
    /* The recording is full. */
    CAPTURE_OVER_LIMIT,
    CAPTURE_UNKNOWN_KIND,
    CAPTURE_LOSS_COUNT
};

struct capture_recording {
    uint64_t most_records, records;
    bool marks_wanted;
    uint64_t base_ns; /* the earliest time */
    uint64_t losses[CAPTURE_LOSS_COUNT];
    struct ct_arena arena;
    struct ct_intern names, shapes;
    CT_VEC(struct capture_task) tasks;
    CT_VEC(struct capture_call) calls;
    CT_VEC(struct capture_sync) waits, events;
    CT_VEC(struct capture_range_point) points;
    CT_VEC(struct capture_device) devices;
};

/* Keeps at most this many records; `marks_wanted`: ranges are kept too. NULL when memory ran out.
 */
struct capture_recording *capture_recording_new(uint64_t most_records, bool marks_wanted);
void capture_recording_free(struct capture_recording *recording);

/* A record that is lost, for whatever reason, memory included, is counted. What is interned or
 * follows from its name is set here. */
void capture_add_kernel(struct capture_recording *recording, const struct capture_place *place,
                        const char *name, const struct capture_shape *shape);
/* A copy or memset. */
void capture_add_task(struct capture_recording *recording, const struct capture_task *task);
void capture_add_call(struct capture_recording *recording, const char *name,
                      const struct capture_call *call);
void capture_add_wait(struct capture_recording *recording, const struct capture_sync *wait);
void capture_add_event(struct capture_recording *recording, const struct capture_sync *event);
/* `name` NULL: an end. */
void capture_add_range_point(struct capture_recording *recording, const char *name,
                             const struct capture_range_point *point);
void capture_add_device(struct capture_recording *recording, const struct capture_device *device);
void capture_add_loss(struct capture_recording *recording, enum capture_loss loss, uint64_t count);

uint64_t capture_recording_losses(const struct capture_recording *recording);

/* Whether a CUDA call can matter to a recording: launches, copies, memsets, waits, event orders. */
bool capture_call_matters(const char *name);

#endif
