/* The part of the cluster reader that is about a recorded fleet of copies. */
#ifndef CLUSTER_FLEET_H
#define CLUSTER_FLEET_H

#include "workload/cluster_file.h"

/* Adds the copies of the recorded fleet. enum ct_status. */
int cluster_fleet_read(struct cluster *cluster, struct ct_diags *diags);

#endif
