/*
 * Applications that ask for a share of a GPU instead of a place, as replicas of a device plugin,
 * percentages of MPS or fractions of a cluster's scheduler are: what fits, what stays fragmented.
 * A share is what is counted when copies are placed; what holds an application to it is the policy.
 *
 * Fragmentation is that of Weng et al. (Beware of Fragmentation, USENIX ATC 2023, section 3), for
 * GPUs alone: what is free on a GPU and too little for an application, weighted by how often the
 * application is among all copies.
 */
#ifndef SHARES_H
#define SHARES_H

#include "study/cluster_result.h"
#include "study/placement.h"

/* Whether a placement can place what the applications ask for, shares or places; if not, an error.
 */
bool shares_suit(const struct cluster *cluster, enum cluster_placement how, struct ct_diags *diags);

/*
 * Places every copy, services first, then batch copies in turn, on a GPU that has its share free (a
 * service's on one where it does not run). random: one drawn among them; round-robin: the next one
 * by number; best-fit: where the least stays free; fgd: where fragmentation grows least (the
 * steepest descent of Weng et al., section 4); the first of several. enum ct_status: CT_USAGE where
 * a copy fits nowhere.
 */
int shares_place(const struct cluster *cluster, enum cluster_placement how, uint64_t seed,
                 struct placement *placement, struct ct_diags *diags);

/* What is left. enum ct_status. */
int shares_measure(const struct cluster *cluster, const struct placement *placement,
                   struct cluster_result *result, struct ct_diags *diags);

#endif
