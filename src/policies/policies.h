/* The policies that ship with cotenant, in the order in which they are shown. A new one is a file
 * that defines `policy_NAME`, and its name here. */
#ifndef POLICIES_H
#define POLICIES_H

#include "abi/ct_policy.h"

/* clang-format off */
#define POLICIES(X) \
    X(fifo) X(timeslice) X(mps) X(mps_even) X(mps_priority) X(priority) X(stream_priority) \
    X(mps_caps) X(mps_static) X(even) X(proportional) X(mig) X(baymax) X(baymax_nc) X(baymax_np) X(baymax_plus) X(laius) \
    X(laius_nb) X(laius_nc) X(hsm_fair) X(hsm_qos) X(dase_fair) X(dase_qos) X(themis_fair) \
    X(themis_qos) X(bw_app) X(os_sched) X(spart_qos) X(combined) X(coop) X(cqos) X(rule)
/* clang-format on */

/* What the description of each begins with. */
#define POLICIES_HEAD(name_) .abi = CT_POLICY_ABI, .size = sizeof(struct ct_policy), .name = name_

#define POLICIES_DECLARE(name) extern const struct ct_policy policy_##name;
POLICIES(POLICIES_DECLARE)

/* All of them; `count` gets their number. Static storage. */
const struct ct_policy *const *policies_all(size_t *count);

/* The listed policy of this name, or NULL. */
const struct ct_policy *policies_find(const char *name);

#endif
