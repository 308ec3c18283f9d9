/* Policies as the commands name and describe them. */
#ifndef CLI_POLICY_H
#define CLI_POLICY_H

#include "ct_diag.h"
#include "ct_policy.h"

/* A listed policy; NULL after an error with the nearest name. */
const struct ct_policy *cli_policy_find(const char *name, const char *where,
                                        struct ct_diags *diags);

struct policy_watch;

/* policy_load, watched; `watch` may be NULL. */
const struct ct_policy *cli_policy_load(const char *path, void **handle, struct policy_watch *watch,
                                        struct ct_diags *diags);

/* What it knows and does, "targets, predicts, ..."; "" for nothing of that. */
void cli_policy_features(const struct ct_policy *policy, char *text, size_t size);

#endif
