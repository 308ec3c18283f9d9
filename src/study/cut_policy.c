#include "study/cut_policy.h"

#include "base/ct_option_value.h"
#include "policies/policies.h"

bool cut_policy_rules(const struct cluster *cluster, uint32_t group) {
    return *cluster->groups.items[group].mig;
}

const struct ct_policy *cut_policy(void) {
    return policies_find("mig");
}

/* "vit=3g.20gb+qwen=4g.20gb"; NULL: memory ran out. */
static const char *profiles_of(const struct cluster *cluster, const uint32_t *copies,
                               struct ct_arena *arena) {
    const char *text = "";
    for (size_t a = 0; a < cluster->workload.apps.count && text; a++)
        if (copies[a])
            text = ct_arena_format(arena, "%s%s%s=%s", text, *text ? "+" : "",
                                   cluster->workload.apps.items[a].name,
                                   cluster->demands.items[a].slice);
    return text;
}

int cut_policy_make(const struct cluster *cluster, const uint32_t *copies,
                    struct policy_watch *watch, struct ct_arena *arena,
                    const struct experiment_policy **policy, struct ct_diags *diags) {
    const struct ct_policy *mig = cut_policy();
    struct experiment_policy *made = ct_arena_array(arena, 1, sizeof *made);
    void *options = ct_arena_alloc(arena, mig->options_size);
    const char *profiles = profiles_of(cluster, copies, arena);
    if (!made || !options || !profiles)
        return ct_out_of_memory(diags);
    ct_options_default(mig->options, options);
    *made = (struct experiment_policy){
        .policy = mig, .options = options, .label = mig->name, .watch = watch};
    *policy = made;
    return ct_option_set(mig->options, "profiles", profiles, options, arena, mig->name, diags);
}
