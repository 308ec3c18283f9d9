/*
 * Which process of a recording of PyTorch a GPU's work is of.
 *
 * Kernels and copies name their GPU, and not their process. Where a file holds several processes,
 * as one does that was merged from those of the ranks of a job, their calls have the same numbers,
 * and times tell whose a GPU is: a call begins before what it launched, and launched nothing else.
 */
#ifndef KINETO_OWNERS_H
#define KINETO_OWNERS_H

#include "base/ct_intern.h"
#include "ingest/kineto_calls.h"

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
