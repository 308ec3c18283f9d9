/*
 * Applications that ask for a share of a GPU instead of a place, as replicas of a device plugin,
 * percentages of MPS or fractions of a cluster's scheduler are, or for an instance of MIG: what
 * fits, what stays fragmented. A share is what is counted when copies are placed; what holds an
 * application to it is the policy. An instance is held to by the GPU.
 */
#ifndef SHARES_H
#define SHARES_H

#include "study/cluster_result.h"
#include "study/placement.h"
#include "study/yard.h"

/* Whether a placement can place what the applications ask for, shares or places; if not, an error.
 */
bool shares_suit(const struct cluster *cluster, enum cluster_placement how, struct ct_diags *diags);

/* Places every copy (a service's on a GPU where it does not run) as yard_choose does. enum
 * ct_status: CT_USAGE where a copy fits nowhere. */
int shares_place(struct yard *yard, enum cluster_placement how, struct placement *placement,
                 struct ct_diags *diags);

/* What is left. enum ct_status. */
int shares_measure(const struct yard *yard, const struct placement *placement,
                   struct cluster_result *result, struct ct_diags *diags);

#endif
