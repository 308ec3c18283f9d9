/*
 * What an Nsight Systems export holds beside the device's records, loaded once and looked up for
 * each of them: strings, host calls, what synchronising calls waited for, where events were
 * recorded, GPUs, and the time of the beginning.
 */
#ifndef NSYS_RECORDING_H
#define NSYS_RECORDING_H

#include "base/ct_arena.h"
#include "base/ct_vec.h"
#include "ingest/activity.h"
#include "ingest/sqlite_tables.h"

struct nsys_text {
    int64_t id;
    const char *text;
    enum activity_call_kind call;
};

struct nsys_gpu {
    int64_t pid, ordinal, gpu;
};

/* Zero-initialise; free with nsys_recording_free. */
struct nsys_recording {
    struct ct_arena arena;
    int64_t base_ns; /* the earliest time of the export: our 0 */
    bool stacks;
    CT_VEC(struct nsys_text) texts;
    CT_VEC(struct nsys_gpu) gpus;
    struct activity_recording activity;
};

/* Loads all of it. False with errors recorded. */
bool nsys_recording_load(struct nsys_recording *recording, struct sqlite_scan *scan);
void nsys_recording_free(struct nsys_recording *recording);

/* The string of this number; NULL when there is none. */
const char *nsys_recording_text(const struct nsys_recording *recording, int64_t id);

/* The process of a thread, by their global ids. */
int64_t nsys_process_of(int64_t thread);

/* The GPU of a process' CUDA device: with CUDA_VISIBLE_DEVICES every process counts from 0. */
int nsys_recording_gpu(const struct nsys_recording *recording, int64_t pid, int64_t ordinal);

#endif
