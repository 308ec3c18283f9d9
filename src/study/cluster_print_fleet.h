/* Tables about copies that come and go. */
#ifndef CLUSTER_PRINT_FLEET_H
#define CLUSTER_PRINT_FLEET_H

#include "format/table.h"
#include "study/cluster_report.h"

struct table cluster_fleet_table(const struct cluster_report *report);   /* sums */
struct table cluster_pods_table(const struct cluster_report *report);    /* a row for each copy */
struct table cluster_changes_table(const struct cluster_report *report); /* the cluster over time */

/* For a reader. enum ct_status. */
int cluster_print_fleet(const struct cluster_report *report, FILE *out);

#endif
