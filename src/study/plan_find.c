#include "base/ct_text.h"
#include "experiment/scenario.h"
#include "study/plan.h"

#include <stdlib.h>
#include <string.h>

const char *const plan_goals[] = {"max-rate", "gpus", "batch-instances", "gpu"};

struct plan plan_standard(void) {
    return (struct plan){.confidence = 0.95,
                         .tolerance = 0.02,
                         .error = 0.05,
                         .replications = 5,
                         .budget = PLAN_BUDGET,
                         .growth = 1,
                         .most = 64,
                         .threads = 1};
}

void plan_take(struct plan *plan, const struct scenario *scenario) {
    plan->workload = &scenario->workload;
    plan->policies = scenario->experiment.policies;
    plan->policy_count = scenario->experiment.policy_count;
    plan->seed = scenario->experiment.seed;
    plan->cache = scenario->experiment.cache;
    plan->version = scenario->experiment.version;
}

static bool find_app(struct plan *plan, const char *name, struct ct_arena *arena,
                     struct ct_diags *diags) {
    const struct workload *w = plan->workload;
    const char **names = ct_arena_array(arena, w->apps.count + 1, sizeof *names);
    for (size_t a = 0; names && a < w->apps.count; a++)
        names[a] = w->apps.items[a].name;
    plan->app = names ? (uint32_t)ct_text_index(name, names, w->apps.count) : 0;
    if (!names)
        ct_out_of_memory(diags);
    else if (plan->app == w->apps.count)
        ct_unknown(diags, "application of '--find'", name, names, w->apps.count);
    return names && plan->app < w->apps.count;
}

static bool find_presets(struct plan *plan, const char *list, struct ct_arena *arena,
                         struct ct_diags *diags) {
    const char **presets = ct_arena_array(arena, strlen(list) + 1, sizeof *presets);
    bool ok = presets;
    for (const char *next = list; ok && next;) {
        size_t length = strcspn(next, ",");
        const char *name = ct_arena_strndup(arena, next, length);
        struct gpu gpu;
        next = next[length] ? next + length + 1 : NULL;
        ok = name &&
             setup_gpu(name, "--find", &plan->workload->gpu_settings, arena, &gpu, diags) == CT_OK;
        presets[plan->preset_count++] = ok ? gpu.name : name;
    }
    plan->presets = presets;
    if (!presets)
        ct_out_of_memory(diags);
    return ok;
}

bool plan_find(struct plan *plan, const char *what, struct ct_arena *arena,
               struct ct_diags *diags) {
    size_t length = what ? strcspn(what, ":") : 0, goal = 0;
    const char *rest = what && what[length] ? what + length + 1 : NULL;
    while (what && goal < PLAN_GOALS &&
           (strlen(plan_goals[goal]) != length || strncmp(plan_goals[goal], what, length) != 0))
        goal++;
    plan->goal = (enum plan_goal)goal;
    if (!what)
        ct_error(diags, "",
                 "plan needs --find max-rate:APP, gpus, batch-instances:APP or "
                 "gpu:PRESET,PRESET");
    else if (goal == PLAN_GOALS)
        ct_unknown(diags, "aim of '--find'", what, plan_goals, PLAN_GOALS);
    else if ((goal == PLAN_GPUS) != !rest)
        ct_error(diags, "--find",
                 goal == PLAN_GPUS ? "'%s' takes nothing after it"
                                   : "'%s' needs a name after a colon",
                 plan_goals[goal]);
    else if (goal == PLAN_PRESET)
        return find_presets(plan, rest, arena, diags);
    else
        return goal == PLAN_GPUS || find_app(plan, rest, arena, diags);
    return false;
}
