/* The part of the cluster reader that is about copies which ask for shares of GPUs or for instances
 * of MIG, and come and go. */
#ifndef CLUSTER_DEMANDS_H
#define CLUSTER_DEMANDS_H

#include "workload/cluster_file.h"
#include "workload/workload_reader.h"

/* What an application says of its copies; without a key 0, NULL and INFINITY. */
struct cluster_app_draft {
    int64_t gpus, share_pct;
    const char *slice;
    double arrive_s, depart_s;
    bool asks, moves; /* it has a share or a slice; a time */
};

/* Either all applications ask for a part of a GPU, or all for places. `places`: the file has some.
 */
void cluster_demands_check(struct workload_reader *reader, const struct cluster_app_draft *drafts,
                           size_t apps, bool places, const struct cluster *cluster);

/* Once the applications are read without a mistake: lists the copies and what they ask for. */
void cluster_demands_read(struct workload_reader *reader, const struct cluster_app_draft *drafts,
                          struct cluster *cluster);

/* The number of the demand for so many per mille of a GPU, added where it is new; SIZE_MAX when
 * memory ran out. */
size_t cluster_demand_find(struct cluster *cluster, uint32_t share);

/* cluster_fleet.c: adds the copies of the recorded fleet. enum ct_status. */
int cluster_fleet_read(struct cluster *cluster, struct ct_diags *diags);

#endif
