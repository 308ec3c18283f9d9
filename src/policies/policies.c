#include "policies/policies.h"

#include <string.h>

#define POLICIES_ROW(name) &policy_##name,
static const struct ct_policy *const policies[] = {POLICIES(POLICIES_ROW)};

const struct ct_policy *const *policies_all(size_t *count) {
    *count = sizeof policies / sizeof policies[0];
    return policies;
}

const struct ct_policy *policies_find(const char *name) {
    for (size_t i = 0; i < sizeof policies / sizeof policies[0]; i++)
        if (strcmp(policies[i]->name, name) == 0)
            return policies[i];
    return NULL;
}
