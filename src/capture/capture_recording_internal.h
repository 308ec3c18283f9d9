/* The inside of a recording, for the code that makes a store of it. */
#ifndef CAPTURE_RECORDING_INTERNAL_H
#define CAPTURE_RECORDING_INTERNAL_H

#include "capture/capture_recording.h"

/* A distinct kernel: interned by its bytes, so it is zeroed before it is filled. */
struct capture_shape {
    uint32_t name; /* interned */
    uint32_t grid[3], block[3];
    uint32_t registers_per_thread, static_smem_bytes, dynamic_smem_bytes;
};

/* A kernel, copy or memset. */
struct capture_task {
    struct capture_place place;
    uint64_t bytes;
    uint32_t shape;                              /* interned, of a kernel */
    uint8_t kind, copy_kind, memory, graph_node; /* memory: source | destination << 4 */
};

struct capture_host_call {
    uint64_t start_ns, end_ns, thread;
    uint32_t correlation;
    enum activity_call_kind kind;
};

struct capture_point {
    uint64_t time_ns, id, thread;
    uint32_t name; /* interned; TRACE_NONE: an end */
};

struct capture_recording {
    uint64_t most_records, records;
    bool marks_wanted;
    uint64_t losses[CAPTURE_LOSS_COUNT];
    struct ct_arena arena;
    struct ct_intern names, shapes;
    CT_VEC(struct capture_task) tasks;
    CT_VEC(struct capture_host_call) calls;
    CT_VEC(struct capture_wait) waits;
    CT_VEC(struct capture_event) events;
    CT_VEC(struct capture_point) points;
    CT_VEC(struct capture_device) devices;
};

#endif
