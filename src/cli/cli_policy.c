#include "cli_policy.h"

#include "ct_text.h"
#include "policies.h"
#include "policy_load.h"
#include "policy_watch.h"

const struct ct_policy *cli_policy_find(const char *name, const char *where,
                                        struct ct_diags *diags) {
    const char *names[64];
    size_t count, known = 0;
    const struct ct_policy *const *all = policies_all(&count);
    const struct ct_policy *policy = policies_find(name);
    if (policy)
        return policy;
    for (; known < count && known < CT_COUNT_OF(names); known++)
        names[known] = all[known]->name;
    char hint[CT_HINT_BYTES];
    ct_text_hint(hint, name, names, known);
    ct_error(diags, where, "unknown policy '%s'%s", name,
             *hint ? hint : "; 'cotenant list policies' shows them");
    return NULL;
}

const struct ct_policy *cli_policy_load(const char *path, void **handle, struct policy_watch *watch,
                                        struct ct_diags *diags) {
    struct policy_watch_run *run = policy_watch_begin(watch, path, 0, 0);
    policy_watch_enter(run, POLICY_WATCH_LOADING, 0);
    const struct ct_policy *policy = policy_load(path, handle, diags);
    policy_watch_leave(run);
    policy_watch_end(run);
    return policy;
}

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
