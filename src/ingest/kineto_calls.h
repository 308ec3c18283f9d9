/*
 * The host calls of a recording of PyTorch. What a call launched has its correlation number; each
 * process counts its own, so that in a file of several processes calls share their numbers.
 */
#ifndef KINETO_CALLS_H
#define KINETO_CALLS_H

#include "base/ct_intern.h"

enum kineto_call_kind {
    CALL_LAUNCH,
    /* Launches all nodes of a CUDA graph. */
    CALL_GRAPH,
    /* cudaEventRecord: where a stream's wait begins to count. */
    CALL_RECORD,
    CALL_WAIT_DEVICE,
    CALL_WAIT_STREAM,
    CALL_WAIT_EVENT,
    CALL_STREAM_WAIT,
    /* Launches a copy and waits for it. */
    CALL_COPY,
    CALL_OTHER
};

struct kineto_call {
    int64_t correlation;
    ct_time_ps begin_ps, end_ps;
    uint64_t process, thread;
    enum kineto_call_kind kind;
    bool hip;          /* of AMD's runtime */
    bool counts_items; /* its grid is one of work-items, not of blocks */
    uint32_t given;    /* what it was given is so many in the recording's list; 0: not known */
};

struct kineto_calls {
    CT_VEC(struct kineto_call);
};

/* What a call of this name does. */
struct kineto_call kineto_call_named(const char *name);

/* Orders them; before any of the functions below. */
void kineto_calls_sort(struct kineto_calls *calls);

/* Whether they are of several processes. */
bool kineto_calls_are_of_several(const struct kineto_calls *calls);

/* All calls with a number, by process and beginning. Numbers below 0 are none. */
struct kineto_call_run {
    const struct kineto_call *items;
    size_t count;
};
struct kineto_call_run kineto_calls_numbered(const struct kineto_calls *calls, int64_t correlation);

/* The first of them of a process; NULL: there is none. */
const struct kineto_call *kineto_call_of_process(struct kineto_call_run run, uint64_t process);

/* The last of them that begins before what it launched does, else the first; of one process always
 * the first. NULL: there is none. */
const struct kineto_call *kineto_call_before(struct kineto_call_run run, ct_time_ps start_ps);

/* Whether several processes have the number. */
bool kineto_call_is_shared(struct kineto_call_run run);

/*
 * Which process of a recording of PyTorch a GPU's work is of.
 *
 * Kernels and copies name their GPU, and not their process. Where a file holds several processes,
 * as one does that was merged from those of the ranks of a job, their calls have the same numbers,
 * and times tell whose a GPU is: a call begins before what it launched, and launched nothing else.
 */

/* A kernel or a copy. */
struct kineto_work {
    int64_t correlation;
    ct_time_ps start_ps;
    uint32_t gpu;
};

struct kineto_owner {
    bool known;
    uint64_t process;
};

/* Zero-initialise; free with kineto_owners_free. */
struct kineto_owners {
    struct ct_intern gpus;
    CT_VEC(struct kineto_work) work;
    CT_VEC(struct kineto_owner) of; /* by GPU; empty: no two processes share a number */
};

/* The number of a GPU: a merged file may tell two that each rank called 0 by the process that
 * stands at their events. UINT32_MAX when memory ran out. */
uint32_t kineto_owners_gpu(struct kineto_owners *owners, int64_t pid, int64_t device);

/* Finds the owners of all GPUs by the work among `work` whose numbers several processes share.
 * False: memory ran out. */
bool kineto_owners_settle(struct kineto_owners *owners, const struct kineto_calls *calls);

/* Whose a GPU is; not known where no two processes share a number. */
struct kineto_owner kineto_owner_of(const struct kineto_owners *owners, uint32_t gpu);

void kineto_owners_free(struct kineto_owners *owners);

#endif
