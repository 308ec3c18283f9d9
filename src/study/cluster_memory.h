/* What copies of applications take of the memory of a cluster's GPUs. */
#ifndef CLUSTER_MEMORY_H
#define CLUSTER_MEMORY_H

#include "workload/cluster_file.h"

struct cluster_memory {
    const struct cluster *cluster;
    struct ct_arena arena;
    const struct gpu *gpus; /* by group */
    double *instance_gib;   /* by application: of an instance; 0: nobody knows */
    double *room_gib; /* [group * applications + application]: of a GPU, or of the slice that it
                         asks for; 0: it cannot run there; INFINITY: nobody knows */
};

/* Close in every case. enum ct_status. */
int cluster_memory_open(const struct cluster *cluster, struct cluster_memory *memory,
                        struct ct_diags *diags);
void cluster_memory_close(struct cluster_memory *memory);

/* What a GPU of a group has left for an application beside these copies of each (NULL: nothing),
 * GiB; a slice of MIG is its copy's alone. */
double cluster_memory_left(const struct cluster_memory *memory, uint32_t group,
                           const uint32_t *copies, uint32_t app);
/* How many of so many more copies fit there; all whose need is not known. */
uint32_t cluster_memory_further(const struct cluster_memory *memory, uint32_t group,
                                const uint32_t *copies, uint32_t app, uint32_t most);

static inline bool cluster_memory_holds(const struct cluster_memory *memory, uint32_t group,
                                        const uint32_t *copies, uint32_t app) {
    return cluster_memory_further(memory, group, copies, app, 1) == 1;
}

/* An error for each application of which no GPU can hold a copy; a notice for each group of GPUs of
 * which nobody knows whether they hold what may come to stand there. enum ct_status. */
int cluster_memory_check_apps(const struct cluster *cluster, struct ct_diags *diags);

/* Why a copy fits on no GPU of those with room for it otherwise, of which this one has the most
 * memory left. */
void cluster_memory_explain(const struct cluster_memory *memory, uint32_t app, uint32_t gpu,
                            uint32_t group, const uint32_t *copies, char *text, size_t size);

#endif
