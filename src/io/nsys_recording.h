/*
 * What an Nsight Systems export holds beside the device's records, loaded once and looked up for
 * each of them: strings, host calls, what synchronising calls waited for, where events were
 * recorded, GPUs, and the time of the beginning.
 */
#ifndef NSYS_RECORDING_H
#define NSYS_RECORDING_H

#include "ct_arena.h"
#include "ct_vec.h"
#include "nsys_tables.h"

enum nsys_call_kind {
    NSYS_CALL_OTHER,
    NSYS_CALL_WAIT_DEVICE, /* cudaDeviceSynchronize and its kind */
    NSYS_CALL_WAIT_STREAM,
    NSYS_CALL_WAIT_EVENT,
    NSYS_CALL_COPY, /* a copy that is not asynchronous */
    NSYS_CALL_ORDER /* cudaStreamWaitEvent: orders streams, does not wait */
};

/* Records are looked up by process and correlation id; `row` makes the order total. */
struct nsys_key {
    int64_t pid, correlation;
    uint64_t row;
};

struct nsys_call {
    struct nsys_key key;
    ct_time_ps begin_ps, end_ps;
    uint64_t thread;
    enum nsys_call_kind kind;
    bool used; /* a device record was launched by it, or it waited */
};

/*
 * Of a synchronising call: what it concerned; -1: not known. Its device is left out: exports write
 * 0 for every GPU.
 */
struct nsys_wait {
    struct nsys_key key;
    int64_t context, stream, event_sync;
};

/* Which GPU a process' context is on, learned from the device records. */
struct nsys_context {
    int64_t pid, context;
    int gpu;
};

/* An event was recorded on a stream; here the correlation of the key is the event's sync id. */
struct nsys_event {
    struct nsys_key key;
    int64_t correlation, context, stream;
};

struct nsys_text {
    int64_t id;
    const char *text;
    enum nsys_call_kind call;
};

struct nsys_gpu {
    int64_t pid, ordinal, gpu;
};

/* Zero-initialise; free with nsys_recording_free. */
struct nsys_recording {
    struct ct_arena arena;
    int64_t base_ns; /* the earliest time of the export: our 0 */
    bool stacks;
    struct {
        CT_VEC(struct nsys_text);
    } texts;
    struct {
        CT_VEC(struct nsys_call);
    } calls;
    struct {
        CT_VEC(struct nsys_wait);
    } waits;
    struct {
        CT_VEC(struct nsys_event);
    } events;
    struct {
        CT_VEC(struct nsys_gpu);
    } gpus;
    struct {
        CT_VEC(struct nsys_context);
    } contexts;
};

/* Loads all of it. False with errors recorded. */
bool nsys_recording_load(struct nsys_recording *recording, struct nsys_scan *scan);
void nsys_recording_free(struct nsys_recording *recording);

/* NULL when there is no such string. */
const char *nsys_recording_text(const struct nsys_recording *recording, int64_t id);

/* The first call of a process with this correlation id, or NULL. */
struct nsys_call *nsys_recording_call(const struct nsys_recording *recording, int64_t pid,
                                      int64_t correlation);
const struct nsys_wait *nsys_recording_wait(const struct nsys_recording *recording,
                                            const struct nsys_call *call);
const struct nsys_event *nsys_recording_event(const struct nsys_recording *recording, int64_t pid,
                                              int64_t event_sync);

/* The GPU of a process' CUDA device: with CUDA_VISIBLE_DEVICES every process counts from 0. */
int nsys_recording_gpu(const struct nsys_recording *recording, int64_t pid, int64_t ordinal);

/* Remembers a context's GPU (false: out of memory, recorded), and looks it up: -1 when no record
 * was on it. */
bool nsys_recording_learn_context(struct nsys_recording *recording, struct nsys_context context,
                                  struct ct_diags *diags);
int nsys_recording_context_gpu(const struct nsys_recording *recording, int64_t pid,
                               int64_t context);

/* From the recording's beginning. A time outside the simulator's range: an error at the scan's row,
 * and 0. */
ct_time_ps nsys_recording_time(const struct nsys_recording *recording, int64_t ns,
                               struct nsys_scan *scan);

/* One number for a stream of a context of a process: stream 7 exists in every context. */
uint64_t nsys_stream_number(int64_t pid, int64_t context, int64_t stream);

/* What a CUDA call does, from its name ("cudaStreamSynchronize_v3020", "cuMemcpyDtoH_v2_ptds"). */
enum nsys_call_kind nsys_call_kind_of(const char *name);

#endif
