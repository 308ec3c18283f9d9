#include "cli/cli_policy.h"

#include "base/ct_text.h"

void cli_policy_features(const struct ct_policy *policy, char *text, size_t size) {
    static const char *const names[] = {"targets",      "predicts",   "reorders",
                                        "binds shares", "partitions", "preempts",
                                        "PCIe",         "bandwidth",  "new hardware"};
    const char *has[CT_COUNT_OF(names)];
    size_t count = 0;
    for (size_t bit = 0; bit < CT_COUNT_OF(names); bit++)
        if (policy->features >> bit & 1)
            has[count++] = names[bit];
    ct_text_join(text, size, has, count);
}
