/*
 * The processor cores of the host (docs/model-reference.md, "The host"). A launch thread that is in
 * a host gap wants cores; those that want some share them evenly, as an operating system's fair
 * scheduler does over times longer than its slices. A thread that waits for the GPU wants none:
 * CUDA's default gives the core to others where there are more contexts than cores (CUDA runtime
 * API, cudaDeviceScheduleAuto).
 *
 * Without `host.cores` nobody shares: each gap lasts as long as it was recorded.
 */
#ifndef HOST_STATE_H
#define HOST_STATE_H

#include "base/ct_vec.h"
#include "des/des_engine.h"

struct run;
struct run_job;

/* A launch thread in a gap. */
struct host_thread {
    double until_ps; /* its gap is over when its pool has given so much */
    uint64_t number; /* in the order in which they began */
    struct run_job *job;
    ct_time_ps since_ps, gap_ps;
};

/* Cores on which the same threads may run. */
struct host_pool {
    struct run *run;
    double cores, wanted;               /* there are, and all its threads want */
    CT_VEC(struct host_thread) threads; /* a heap: the first ends first */
    double given_ps;  /* what a thread that was there all the time has got done, of its gap */
    ct_time_ps at_ps; /* when that was so, and the next three, too */
    double busy_ps;   /* of its cores */
    /* Where somebody asks for blame, else NULL. By client: the cores that it wants, and the time
     * that each thread there has lost, weighed by the part of the cores that the client wanted. */
    double *wanted_by, *crowd_ps;
    double lost_ps; /* the same for a single core that is wanted */
    des_event ends;
    ct_time_ps ends_ps;
};

struct host {
    struct host_pool *pools; /* NULL: nobody shares */
    uint32_t pool_count;
    uint64_t thread_number;
    double busy_at_begin_ps; /* of the window */
};

/* What a thread has lost in a gap, and to whom. */
struct host_loss {
    double *crowd_ps; /* by client, then of a single core: as they were when it began */
    double *culprits; /* position x clients: for the launch that ends the gap */
};

#endif
