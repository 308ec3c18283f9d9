/*
 * GPUs whose services are spread by load: one does not know its queries before the others are
 * simulated up to each of them. They go in step from arrival to arrival; the balancer needs no GPU
 * further than to the instant of the query that it sends, and only those that it looks at.
 */
#ifndef COUPLED_H
#define COUPLED_H

#include "run/sim.h"
#include "study/balancer.h"
#include "study/cluster_result.h"

/* One of the GPUs, whose run is ready to begin. */
struct coupled_gpu {
    struct sim_params params;
    struct setup setup; /* of `params`, its applications and what they are owned */
    struct workload_app *specs;
    const uint32_t *app_of; /* application of the cluster, of each of the run's */
    struct sim_result result;
    struct ct_diags *diags;
    int status; /* enum ct_status, after the run */
};

struct coupled {
    const struct cluster_params *params;
    const struct balancer_streams *streams; /* by application of the cluster */
    uint64_t replication;
    struct coupled_gpu *gpus;
    uint32_t gpu_count;
};

/* Runs all of them to the end. CT_OK, or CT_DATA when memory ran out before any began; a GPU's own
 * outcome is in its `status`. */
int coupled_run(const struct coupled *coupled, struct ct_diags *diags);

#endif
