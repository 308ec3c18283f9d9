/* Whole SMs for each client of a group. */
#ifndef SM_SPLIT_H
#define SM_SPLIT_H

#include "abi/ct_policy.h"

/* The largest run that a split is written for; with more clients a policy fails it. */
#define SM_SPLIT_CLIENTS 1024

/* Who takes part: clients for which `holds` says so. */
struct sm_split_group {
    bool (*holds)(const struct ct_client *client, const struct ct_client *of);
    const struct ct_client *of;
};

uint32_t sm_split_count(struct ct_context *context, const struct sm_split_group *group);

/* Splits `sms` evenly over the group; the first of it get what is left over (HSM, ASPLOS'20,
 * section 4.2). Sets the entries of its clients in `split` and no other. */
void sm_split_evenly(struct ct_context *context, const struct sm_split_group *group, int64_t sms,
                     int64_t *split);

/* Notes who gets how many: a pair of "client" and "sms" for each that gets some. */
void sm_split_note(struct ct_context *context, const int64_t *split);

#endif
