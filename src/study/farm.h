/*
 * Many GPUs of a cluster, simulated one by one on several threads. What a GPU's runs need (set-up,
 * trained predictors) is made when its first run begins, shared by all GPUs on which the same runs,
 * and given up after the last. Results do not depend on the number of threads.
 */
#ifndef FARM_H
#define FARM_H

#include "experiment/experiment.h"
#include "study/balancer.h"
#include "study/cluster_result.h"

/* What runs on a GPU. */
struct farm_composition {
    uint32_t group;
    const uint32_t *copies;                 /* by application of the cluster */
    const struct experiment_policy *policy; /* of this GPU; NULL: the farm's */
    struct farm_made *made;                 /* the farm's own */
};

/* One run of one GPU. */
struct farm_task {
    uint32_t composition;
    uint32_t leader; /* the first of the tasks that are coupled with it, or its own number */
    uint64_t seed, replication;
    ct_time_ps warmup_ps, duration_ps;
    const uint32_t *replica;                /* by application: of services */
    const struct balancer_streams *streams; /* by application: of services */
    /* By application of the cluster; without vectors but the times of services. Late is what is
     * later than any target, of tokens too. */
    struct sim_result result;
    bool done;
    int status;
    struct ct_diags diags;
};

struct farm {
    /* Policy, seed of profiling runs and of the balancer's draws, balancer of coupled tasks,
     * threads, and who listens: `progress` is told of each task that is done. */
    const struct cluster_params *params;
    struct farm_composition *compositions;
    uint32_t composition_count;
    struct farm_task *tasks; /* those of a composition one after the other */
    uint32_t task_count;
};

/* Runs all tasks. enum ct_status: the first failure in the order of the tasks; CT_INTERRUPTED. */
int farm_run(struct farm *farm, struct ct_diags *diags);
void farm_free_tasks(struct farm *farm);

#endif
