#include "experiment/scenario_warn.h"

#include <stdio.h>

static bool knows_targets(const struct scenario *s) {
    for (size_t i = 0; i < s->policies.items.count; i++)
        if (s->policies.items.items[i].policy->features & CT_KNOWS_TARGETS)
            return true;
    return false;
}

/* Its requests have a target and its steps none, which is what a policy sees. */
static void notice_steps(const struct scenario *s, const struct workload_app *spec,
                         const char *where, struct ct_diags *diags) {
    const struct workload_continuous *steps = spec->server ? spec->server->continuous : NULL;
    if (steps && steps->ttft_ms == 0 && steps->tpot_ms == 0 && knows_targets(s))
        ct_notice(diags, where,
                  "'%s' generates tokens: policies hold its steps to 'ttft_ms' and 'tpot_ms', "
                  "neither of which is given, and to them it has no target",
                  spec->name);
}

void scenario_warn_target(const struct scenario *s, uint32_t app, struct solo solo,
                          struct ct_diags *diags) {
    const struct workload_app *spec = &s->workload.apps.items[app];
    char where[600];
    snprintf(where, sizeof where, "%s: apps[%u]", s->workload.path, app);
    if (spec->qos_ms > 0 && solo.median_ms > spec->qos_ms)
        ct_warning(diags, where,
                   "'%s' misses its target of %g ms even alone: its median job takes %.4g ms",
                   spec->name, spec->qos_ms, solo.median_ms);
    if (spec->qos_ms > 0)
        notice_steps(s, spec, where, diags);
}

int scenario_warn_targets(const struct scenario *s, struct ct_diags *diags) {
    const struct setup *setup = &s->setup;
    uint64_t events = SOLO_EVENTS;
    int status = CT_OK;
    for (uint32_t app = 0; app < setup->app_count && status == CT_OK; app++) {
        struct solo solo;
        if (setup->apps[app].spec->qos_ms <= 0)
            continue;
        status = solo_measure(setup, app, s->experiment.seed, &events, &solo, diags);
        if (status == CT_OK)
            scenario_warn_target(s, app, solo, diags);
    }
    return status;
}

static void warn_of_bounds(const char *path, const struct report_app *app, const char *policy,
                           struct ct_diags *diags) {
    if (report_queues_up(app))
        ct_warning(diags, path,
                   "'%s' is overloaded under %s: %.0f %s at the end, and its latencies are lower "
                   "bounds that grow with the length of the run",
                   app->name, policy, app->backlog_jobs,
                   app->backlog_jobs == 1 ? "job waits" : "jobs wait");
    else if (app->overloaded == REPORT_YES)
        ct_warning(diags, path,
                   "'%s' under %s: a job at the end has taken longer than any that ended, and its "
                   "latencies are lower bounds",
                   app->name, policy);
}

void scenario_warn_overload(const struct scenario *s, const struct experiment_result *result,
                            struct ct_diags *diags) {
    for (uint32_t p = 0; p < s->experiment.policy_count && result->finished > 0; p++) {
        const struct report *report = &result->pooled[p];
        for (size_t a = 0; a < report->app_count; a++)
            warn_of_bounds(s->workload.path, &report->apps[a], report->policy, diags);
    }
}
