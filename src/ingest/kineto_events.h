/*
 * The PyTorch profiler's JSON (Kineto), one event at a time, from a plain or gzip file. Needs no
 * memory that grows with the file.
 */
#ifndef KINETO_EVENTS_H
#define KINETO_EVENTS_H

#include "base/ct_diag.h"
#include "ingest/operator_inputs.h"

enum kineto_category {
    KINETO_OTHER,
    KINETO_KERNEL,
    KINETO_COPY,
    KINETO_MEMSET,
    /* A call of the CUDA runtime or driver. */
    KINETO_CALL,
    KINETO_OPERATOR,
    /* A range that the program named on the host's side. */
    KINETO_ANNOTATION,
    /* What a synchronising call waited for. */
    KINETO_SYNC,
    /* A frame of a recorded call stack. */
    KINETO_PYTHON,
    /* How much memory the framework holds. */
    KINETO_MEMORY,
    KINETO_FLOW,
    KINETO_METADATA
};

/* Microseconds as written: 2^53 ns pass in 104 days, so a double will not do. */
struct kineto_time {
    int64_t us;
    int32_t ps; /* 0 .. 999999 */
    int digits; /* significant ones behind the point */
    bool known;
};

/* Numbers that an event lacks are -1. */
struct kineto_event {
    enum kineto_category category;
    char phase; /* 'X': with a duration */
    const char *name;
    int64_t pid, tid;
    struct kineto_time start, duration;
    int64_t device, context, stream, correlation, external_id, registers, shared_memory, bytes;
    int64_t size, copy_kind; /* of a call that copies: bytes, hipMemcpyKind */
    const char *unusable;    /* which amount is no number from 0 on; NULL: none */
    int64_t wait_on_stream,
        wait_on_record; /* a stream that waits: for which, and its record's correlation */
    int64_t grid[3], block[3];
    int64_t device_type, device_id, reserved; /* KINETO_MEMORY: 1 is CUDA; bytes held in all */
    const struct operator_inputs *inputs;     /* KINETO_OPERATOR; empty where not recorded */
};

/* What a recording says of a GPU, -1 where it does not. */
enum kineto_fact {
    KINETO_SMS,
    KINETO_THREADS_PER_SM,
    KINETO_REGISTERS_PER_SM,
    KINETO_SMEM_PER_SM,
    KINETO_SMEM_PER_BLOCK,
    /* The compute capability: 8.6 is major 8, minor 6. */
    KINETO_MAJOR,
    KINETO_MINOR,
    KINETO_MEMORY_BYTES,
    KINETO_FACTS
};

struct kineto_reader {
    void *context;
    bool (*event)(void *context,
                  const struct kineto_event *event); /* false stops: recorded as an error */
    void (*device)(void *context, int64_t id, const char *title, const int64_t *facts);
    bool stacks; /* what was read was recorded with call stacks */
};

/* CT_OK, or CT_DATA: cannot be opened, cut off, no JSON, no profiler trace. */
int kineto_read(const char *path, struct kineto_reader *reader, struct ct_diags *diags);

#endif
