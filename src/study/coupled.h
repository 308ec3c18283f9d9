/*
 * GPUs whose services are spread by load: one does not know its queries before the others are
 * simulated up to each of them. They go in step from arrival to arrival; the balancer needs no GPU
 * further than to the instant of the query that it sends, and only those that it looks at.
 */
#ifndef COUPLED_H
#define COUPLED_H

#include "run/sim.h"
#include "study/balancer.h"

/* One of the GPUs, whose run is ready to begin. */
struct coupled_gpu {
    struct sim_params params;
    const uint32_t *app_of; /* application of the cluster, of each of the run's */
    struct sim_result result;
    struct ct_diags *diags;
    int status; /* enum ct_status, after the run */
};

struct coupled {
    const struct cluster *cluster;
    const struct balancer_streams *streams; /* by application of the cluster */
    enum cluster_balancer balancer;
    uint64_t seed, replication; /* of the balancer's draws */
    struct coupled_gpu *gpus;
    uint32_t gpu_count;
    bool (*interrupted)(void *context);
    void *context;
};

/* Runs all of them to the end. CT_OK, or CT_DATA when memory ran out before any began; a GPU's own
 * outcome is in its `status`. */
int coupled_run(const struct coupled *coupled, struct ct_diags *diags);

#endif
