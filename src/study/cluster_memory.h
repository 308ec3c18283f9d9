/* Whether what runs on the GPUs of a cluster fits into their memory. */
#ifndef CLUSTER_MEMORY_H
#define CLUSTER_MEMORY_H

#include "study/stands.h"

/* An error for each application of which no GPU can hold a copy. enum ct_status. */
int cluster_memory_check_apps(const struct cluster *cluster, struct ct_diags *diags);

/* An error for the first stand that does not fit its GPU together. Those of GPUs that are cut by
 * MIG meet their slices when they run. enum ct_status. */
int cluster_memory_check_stands(const struct cluster *cluster, const struct stands *stands,
                                struct ct_diags *diags);

#endif
