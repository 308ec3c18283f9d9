/* Whole SMs for each client of a group. */
#ifndef SM_SPLIT_H
#define SM_SPLIT_H

#include "abi/ct_policy.h"

/* The largest run that a split is written for; with more clients a policy fails it. */
#define SM_SPLIT_CLIENTS 1024

/* A group: the clients for which it says so. */
typedef bool sm_split_group(const struct ct_client *client);

/* The next client of a group, in the order of their index: NULL gives the first, NULL ends it. */
const struct ct_client *sm_split_next(struct ct_context *context, sm_split_group *group,
                                      const struct ct_client *after);

uint32_t sm_split_count(struct ct_context *context, sm_split_group *group);

/* Splits `sms` evenly over the group; the first of it get what is left over (HSM, ASPLOS'20,
 * section 4.2). Sets the entries of its clients in `split` and no other. */
void sm_split_evenly(struct ct_context *context, sm_split_group *group, int64_t sms,
                     int64_t *split);

/* By what an application is the one whose progress is guarded (the high-priority application of HSM
 * section 4.3): what the workload says first. */
enum sm_split_claim { SM_SPLIT_NP_TARGET, SM_SPLIT_SERVICE, SM_SPLIT_ANYBODY };

enum sm_split_claim sm_split_claim(const struct ct_client *client);

/* The first client of a group with the strongest claim that there is. NULL: the group is empty. */
const struct ct_client *sm_split_target(struct ct_context *context, sm_split_group *group);

/* Whether two clients are instances of one application. */
static inline bool sm_split_same_app(const struct ct_client *a, const struct ct_client *b) {
    return a->index - a->instance == b->index - b->instance;
}

/* Asks the host for a split, and notes it if it is accepted. Returns whether it was. */
bool sm_split_apply(struct ct_context *context, const int64_t *split);

#endif
