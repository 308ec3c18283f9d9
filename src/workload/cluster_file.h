/* A cluster file as plain records: groups of GPUs, and a workload whose applications each say on
 * how many of them they run. */
#ifndef CLUSTER_FILE_H
#define CLUSTER_FILE_H

#include "workload/workload.h"

enum cluster_placement {
    CLUSTER_RANDOM,
    CLUSTER_ROUND_ROBIN,
    CLUSTER_BEST_PROFILE,
    CLUSTER_HUNGARIAN,
    CLUSTER_BEST_FIT,
    CLUSTER_FGD
};
extern const char *const cluster_placements[]; /* their names, then NULL */

/* From CLUSTER_BALANCE_LEAST_OUTSTANDING on they look at the load. */
enum cluster_balancer {
    CLUSTER_BALANCE_RANDOM,
    CLUSTER_BALANCE_ROUND_ROBIN,
    CLUSTER_BALANCE_LEAST_OUTSTANDING,
    CLUSTER_BALANCE_TWO_CHOICES,
    CLUSTER_BALANCE_PREDICTED_FINISH
};
extern const char *const cluster_balancers[];

/* GPUs of one preset; numbers run on from group to group. */
struct cluster_group {
    const char *gpu, *where; /* preset, and where it stands */
    struct workload_settings settings;
    int64_t count;
};

struct cluster {
    /* The applications, each as it runs on one GPU (but for the rate of open arrivals, which is
     * that of the whole cluster), and the keys of the run; its GPU is that of the first group. */
    struct workload workload;
    struct {
        CT_VEC(struct cluster_group);
    } groups;
    uint32_t gpu_count; /* number of GPUs of all groups */
    uint32_t *gpus;     /* number of GPUs that each application runs on; in the workload's arena */
    int64_t services_per_gpu, batch_per_gpu; /* places of a GPU */
    /* Per cent of a GPU that a copy of each application asks for; in the workload's arena. NULL:
     * they ask for places. */
    uint32_t *shares;
    int64_t reps;
    int32_t placement, balancer;
    double profile_s;
};

/*
 * Reads a cluster file with `--set` assignments, which reach what they reach in a workload file,
 * and checks that the applications fit into the places of the GPUs. All mistakes are collected.
 * enum ct_status; free in every case.
 */
int cluster_read(const char *path, const char *const *assignments, size_t assignment_count,
                 struct cluster *cluster, struct ct_diags *diags);
void cluster_free(struct cluster *cluster);

#endif
