/*
 * A cluster under one placement and one policy: which applications run on which GPU, every GPU
 * simulated with random streams of its own, by itself unless a balancer looks at its load, and the
 * results pooled over GPUs on which the same runs, and in sum.
 */
#ifndef CLUSTER_H
#define CLUSTER_H

#include "experiment/experiment.h"
#include "study/cluster_result.h"
#include "workload/cluster_file.h"

/* Makes each group's GPU ready once with all applications, so that mistakes show before long work.
 * enum ct_status. */
int cluster_check(const struct cluster *cluster, const struct experiment_policy *policy,
                  struct ct_diags *diags);

/* Places the applications, where that needs no runs. enum ct_status. */
int cluster_check_places(const struct cluster_params *params, struct ct_diags *diags);

/* How often `progress` will be called. enum ct_status. */
int cluster_run_count(const struct cluster_params *params, uint64_t *count, struct ct_diags *diags);

/* Places the applications, runs every GPU and sums up. enum ct_status; CT_INTERRUPTED leaves no
 * result. Free in every case. */
int cluster_run(const struct cluster_params *params, struct cluster_result *result,
                struct ct_diags *diags);
void cluster_result_free(struct cluster_result *result);

#endif
