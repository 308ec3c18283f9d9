/* A cluster file as plain records: groups of GPUs, and a workload whose applications each say on
 * how many of them they run. */
#ifndef CLUSTER_FILE_H
#define CLUSTER_FILE_H

#include "workload/workload.h"

#define CLUSTER_SCHEMA "cotenant.cluster/1"

enum cluster_placement {
    CLUSTER_RANDOM,
    CLUSTER_ROUND_ROBIN,
    CLUSTER_BEST_PROFILE,
    CLUSTER_HUNGARIAN,
    CLUSTER_BEST_FIT,
    CLUSTER_FGD,
    CLUSTER_FIRST_FIT,
    CLUSTER_WORST_FIT
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
    /* Cut by MIG: "any" as applications come, or into the profiles that it lists, "3g+2g+2g". "":
     * not cut. */
    const char *mig;
};

/* What a copy asks for: a share of a GPU, or an instance of MIG. */
struct cluster_demand {
    uint32_t share;    /* per mille of a GPU; 0: an instance */
    const char *slice; /* its profile; NULL: a share */
    uint64_t copies;   /* how many ask for it */
};

/* A copy of an application, which comes, stays and goes. */
struct cluster_pod {
    uint32_t app, demand;
    double arrive_s, stay_s; /* from when it is placed; INFINITY: until the end */
};

/* Where a fleet of copies is recorded, and from which of its seconds on it is replayed. */
struct cluster_fleet {
    const char *file; /* NULL: copies are those of the applications */
    double from_s;
};

enum cluster_waiting { CLUSTER_WAITING_FIFO, CLUSTER_WAITING_NONE };

/* Applications by GPUs, and by runs: what each keeps of them, read together at the end, is some GiB
 * (chosen). */
enum { CLUSTER_MOST_RESULTS = 1 << 22 };

struct cluster {
    /* The applications, each as it runs on one GPU (but for the rate of open arrivals, which is
     * that of the whole cluster), and the keys of the run; its GPU is that of the first group. */
    struct workload workload;
    CT_VEC(struct cluster_group) groups;
    uint32_t gpu_count; /* number of GPUs of all groups */
    uint32_t *gpus;     /* number of GPUs that each application runs on; in the workload's arena */
    int64_t services_per_gpu, batch_per_gpu; /* places of a GPU */
    /* What copies ask for, each application's own first, in the order of the applications. None:
     * they ask for places. */
    CT_VEC(struct cluster_demand) demands;
    /* All copies by when they arrive, at once services first, then batch copies in turn (a, b, c,
     * a, b, ...); none where they ask for places. */
    CT_VEC(struct cluster_pod) pods;
    bool comes_and_goes; /* some copy comes later or leaves */
    const char *schema;
    int64_t reps;
    int32_t placement, balancer, waiting;
    double profile_s;
    struct cluster_fleet fleet;
};

/*
 * Reads a cluster file with `--set` assignments, which reach what they reach in a workload file,
 * and checks that the applications fit into the places of the GPUs. All mistakes are collected.
 * enum ct_status; free in every case.
 */
int cluster_read(const char *path, const char *const *assignments, size_t assignment_count,
                 struct cluster *cluster, struct ct_diags *diags);
void cluster_free(struct cluster *cluster);

/* cluster_fleet.c, of the reader: adds the copies of the recorded fleet. enum ct_status. */
int cluster_fleet_read(struct cluster *cluster, struct ct_diags *diags);

#endif
