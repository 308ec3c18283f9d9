#include "apps/paper/paper_service.h"

#include <stdio.h>
#include <string.h>

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
    scenario->experiment.listener = plan->listener;
    scenario->experiment.listener.progress = NULL;
    return status;
}

/* Alone a run is cheap: its p99 is of more queries than that of a mix. */
static const double QUERIES_ALONE = 20000;

/* One run of an application without others; `without` as in struct experiment_policy. */
static int run_alone(const struct paper_plan *plan, uint32_t app, const char *const *assignments,
                     size_t count, unsigned without, struct report_app *out,
                     struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct scenario scenario;
    struct experiment_result result = {0};
    const struct paper_opening opening = {.apps = &app,
                                          .app_count = 1,
                                          .assignments = assignments,
                                          .count = count,
                                          .policies = "mps",
                                          .seed = plan->seed};
    int status = paper_open(plan, &opening, &arena, &scenario, diags);
    if (status == CT_OK) {
        scenario.policies.items.items[0].without = without;
        scenario.experiment.blame = false;
        status = experiment_run(&scenario.experiment, &result, diags);
    }
    if (status == CT_OK)
        *out = result.pooled[0].apps[0];
    experiment_result_free(&result);
    scenario_close(&scenario);
    ct_arena_free(&arena);
    return status;
}

static int measure(const struct paper_plan *plan, uint32_t number, struct paper_service *service,
                   struct ct_diags *diags) {
    const struct paper_suite *suite = plan->suite;
    const char *name = suite->apps[number].name;
    char arrivals[200], duration[64];
    const char *assignments[] = {arrivals, duration};
    struct report_app app;
    snprintf(arrivals, sizeof arrivals, "apps.%.80s.arrivals={\"process\":\"once\"}", name);
    int status = run_alone(plan, number, assignments, 1, 0, &app, diags);
    if (status != CT_OK)
        return status;
    double target = plan->target > 0 ? plan->target : suite->target;
    service->rate_per_s = (plan->load > 0 ? plan->load : suite->load) * 1e3 / app.solo_ms;
    service->qos_ms = target * app.solo_ms; /* alone its queries meet nobody unless they are open */
    if (service->rate_per_s == 0 || target == 0)
        return CT_OK;
    snprintf(arrivals, sizeof arrivals,
             "apps.%.80s.arrivals={\"process\":\"poisson\",\"rate_per_s\":%.17g}", name,
             service->rate_per_s);
    snprintf(duration, sizeof duration, "duration_s=%.17g", QUERIES_ALONE / service->rate_per_s);
    status = run_alone(plan, number, assignments, 2, EXPERIMENT_ALONE, &app, diags);
    service->qos_ms = target * app.latency_ms.p99;
    return status == CT_OK && !(service->qos_ms > 0)
               ? ct_data_error(diags, name, "no query of it ended alone: no target")
               : status;
}

int paper_services(const struct paper_plan *plan, struct ct_arena *arena,
                   struct paper_service **services, struct ct_diags *diags) {
    const struct paper_suite *suite = plan->suite;
    struct paper_service *list = ct_arena_array(arena, suite->app_count, sizeof *list);
    *services = list;
    if (!list)
        return ct_out_of_memory(diags);
    int status = CT_OK;
    for (uint32_t a = 0; a < suite->app_count && status == CT_OK; a++)
        if (strcmp(suite->apps[a].kind, suite->service_kind) == 0)
            status = measure(plan, a, &list[a], diags);
    return status;
}
