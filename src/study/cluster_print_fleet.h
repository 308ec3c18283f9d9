/* Tables about copies that come and go. */
#ifndef CLUSTER_PRINT_FLEET_H
#define CLUSTER_PRINT_FLEET_H

#include "format/table.h"
#include "study/cluster_job.h"

struct table cluster_fleet_table(const struct cluster_job *job);   /* sums */
struct table cluster_pods_table(const struct cluster_job *job);    /* a row for each copy */
struct table cluster_changes_table(const struct cluster_job *job); /* the cluster over time */

/* For a reader. enum ct_status. */
int cluster_print_fleet(const struct cluster_job *job, FILE *out);

#endif
