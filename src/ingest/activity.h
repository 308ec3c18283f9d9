/*
 * CUPTI's activity records and those of AMD's profiler, whoever wrote them down: an export of
 * Nsight Systems, the capture library, a rocpd database. Host calls, waits and events are collected
 * first; every device record then finds its call by process and correlation id, and all of it goes
 * to the import builder.
 */
#ifndef ACTIVITY_H
#define ACTIVITY_H

#include "ingest/import_builder.h"

enum activity_call_kind {
    ACTIVITY_CALL_OTHER,
    /* cudaDeviceSynchronize and its kind. */
    ACTIVITY_CALL_WAIT_DEVICE,
    ACTIVITY_CALL_WAIT_STREAM,
    ACTIVITY_CALL_WAIT_EVENT,
    /* A copy that is not asynchronous. */
    ACTIVITY_CALL_COPY,
    /* cudaStreamWaitEvent: orders streams, does not wait. */
    ACTIVITY_CALL_ORDER
};

/* Records are looked up by process and correlation id; `row` makes the order total. */
struct activity_key {
    int64_t pid, correlation;
    uint64_t row;
};

struct activity_call {
    struct activity_key key;
    ct_time_ps begin_ps, end_ps;
    uint64_t thread;
    enum activity_call_kind kind;
    bool used; /* a device record was launched by it, or it waited */
};

/*
 * What a synchronising call waited for; -1: not known. The device is left out: Nsight's exports
 * write 0 for every GPU.
 */
struct activity_wait {
    struct activity_key key;
    int64_t context, stream, event_sync;
};

/* An event was recorded on a stream; here the correlation of the key is the event's sync id. */
struct activity_event {
    struct activity_key key;
    int64_t correlation, context, stream;
};

/* Which GPU a process' context is on, learned from the device records. */
struct activity_context {
    int64_t pid, context;
    int gpu;
};

/* Zero-initialise, fill, sort; free with activity_free. */
struct activity_recording {
    CT_VEC(struct activity_call) calls;
    CT_VEC(struct activity_wait) waits;
    CT_VEC(struct activity_event) events;
    CT_VEC(struct activity_context) contexts;
    uint64_t cut_calls; /* that ended before they began, and count as without a length */
};

/* One record of the device's work. */
struct activity_task {
    struct import_record record; /* kind, kernel, bytes, device, start and duration */
    int64_t pid, context, stream, correlation;
    bool correlated;                       /* the correlation is known */
    bool graph_node;                       /* launched as part of a CUDA graph */
    bool hip;                              /* on a GPU of AMD, whose launches are less limited */
    int64_t copy_kind;                     /* CUpti_ActivityMemcpyKind */
    enum trace_memory source, destination; /* of a copy */
};

/* What a call of CUDA or HIP does, from its name ("cudaStreamSynchronize_v3020",
 * "cuMemcpyDtoH_v2_ptds", "hipMemcpyWithStream"). */
enum activity_call_kind activity_call_kind_of(const char *name);

/* The number of a stream or event as CUPTI wrote it; -1 for its 2^32 - 1, "the call concerns none".
 */
int64_t activity_stream_of(int64_t raw);

/* Orders what was filled in; before any of the functions below. */
void activity_sort(struct activity_recording *recording);
void activity_free(struct activity_recording *recording);

/*
 * One record into the builder, with its launch, direction, memory, and what the host waited for.
 * Records that are no work of the device are left out with their reason. False with an error
 * recorded, at `where` when the record could not have happened.
 */
bool activity_add_task(struct activity_recording *recording, struct import_builder *builder,
                       const struct activity_task *task, const char *where, struct ct_diags *diags);

/* Says how many calls were cut off, if any. */
void activity_report(const struct activity_recording *recording, const char *path,
                     struct ct_diags *diags);

/* After all tasks: what the host did beside launching. False when memory ran out (recorded). */
bool activity_add_calls(struct activity_recording *recording, struct import_builder *builder);

#endif
