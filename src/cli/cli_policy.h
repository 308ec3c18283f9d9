/* Policies as the commands name and describe them. */
#ifndef CLI_POLICY_H
#define CLI_POLICY_H

#include "abi/ct_policy.h"
#include "base/ct_diag.h"

/* What it knows and does, "targets, predicts, ..."; "" for nothing of that. */
void cli_policy_features(const struct ct_policy *policy, char *text, size_t size);

#endif
