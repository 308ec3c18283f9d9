/* From the runs of a cluster's GPUs to its results. */
#ifndef CLUSTER_SUMS_H
#define CLUSTER_SUMS_H

#include "study/cluster_result.h"
#include "study/farm.h"
#include "study/stands.h"

struct cluster_runs {
    const struct cluster *cluster;
    const struct farm *farm;
    const struct stand *const *stand_of; /* by task of the farm: one for each replication */
    uint32_t reps;
    const struct balancer_streams *streams; /* [replication * applications + application] */
    bool moving;                            /* copies come and go */
};

/* "asr + 10 x bfs", in the arena; NULL when memory ran out. */
const char *cluster_label(const struct cluster *cluster, uint32_t group, const uint32_t *copies,
                          struct ct_arena *arena);

/* Fills all but the profiles. enum ct_status. */
int cluster_sum_up(const struct cluster_runs *runs, struct cluster_result *result,
                   struct ct_diags *diags);

#endif
