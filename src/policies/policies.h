/* The explicit list of the policies that ship with cotenant. */
#ifndef POLICIES_H
#define POLICIES_H

#include "abi/ct_policy.h"

extern const struct ct_policy policy_fifo;
extern const struct ct_policy policy_timeslice;
extern const struct ct_policy policy_mps, policy_mps_even, policy_mps_priority;
extern const struct ct_policy policy_priority, policy_stream_priority;
extern const struct ct_policy policy_mig;
extern const struct ct_policy policy_even, policy_proportional;
extern const struct ct_policy policy_hsm_fair, policy_hsm_qos, policy_dase_fair, policy_dase_qos;
extern const struct ct_policy policy_themis_fair, policy_themis_qos;
extern const struct ct_policy policy_bw_app;
extern const struct ct_policy policy_baymax, policy_baymax_nc, policy_baymax_np, policy_baymax_plus;
extern const struct ct_policy policy_laius, policy_laius_nb, policy_laius_nc;
extern const struct ct_policy policy_os_sched, policy_spart_qos, policy_combined, policy_coop;
extern const struct ct_policy policy_cqos;

/* All listed policies in the order in which they are shown; `count` gets their number. Static
 * storage. */
const struct ct_policy *const *policies_all(size_t *count);

/* The listed policy of this name, or NULL. */
const struct ct_policy *policies_find(const char *name);

#endif
