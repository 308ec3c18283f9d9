#include "apps/paper/paper_open.h"

int paper_open(const struct paper_plan *plan, const struct paper_opening *opening,
               struct ct_arena *arena, struct scenario *scenario, struct ct_diags *diags) {
    const struct scenario_request request = {
        .workload = plan->suite->name,
        .text = paper_mix_document(plan->suite, opening->apps, opening->app_count, arena),
        .assignments = opening->assignments,
        .assignment_count = opening->count,
        .policies = opening->policies,
        .fidelity = SCENARIO_OWN,
        .seed = (int64_t)opening->seed,
        .version = plan->version};
    *scenario = (struct scenario){0};
    if (!request.text)
        return ct_out_of_memory(diags);
    int status = scenario_open(scenario, &request, diags);
    scenario->experiment.cache = plan->cache;
    scenario->experiment.interrupted = plan->interrupted;
    scenario->experiment.context = plan->context;
    return status;
}
