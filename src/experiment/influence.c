#include "experiment/influence.h"

#include "experiment/experiment_units.h"
#include "policies/policies.h"
#include "run/profiling.h"

#include <stdlib.h>
#include <string.h>

/* What a task of a profiling run adds to a question, until the models are fitted; in events, of
 * which INFLUENCE_EVENTS take about a second (1 us was measured). */
#define EVENTS_PER_SAMPLE 2.0

void influence_free(struct influence *influence) {
    for (int stage = 0; stage < INFLUENCE_STAGES; stage++)
        free(influence->reports[stage]);
    *influence = (struct influence){0};
}

char *influence_measured(const struct report *report) {
    struct report measured = *report;
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    measured.workload = measured.gpu = measured.policy = measured.fidelity = "";
    measured.config = NULL;
    measured.seed = 0;
    measured.oracle = REPORT_OPEN;
    measured.device_count = measured.notice_count = 0;
    measured.inputs = report_unknown().inputs;
    int status = out ? report_write_json(&measured, 1, out) : CT_DATA;
    if (out && fclose(out) != 0)
        status = CT_DATA;
    if (status == CT_OK)
        return text;
    free(text);
    return NULL;
}

/* What each application takes alone, as text to compare. */
static char *print_private(const struct report *report) {
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t a = 0; out && a < report->app_count; a++)
        fprintf(out, "%.17g %.17g\n", report->apps[a].solo_ms, report->apps[a].alone_p99_ms);
    if (out && fclose(out) == 0)
        return text;
    free(text);
    return NULL;
}

/* The first replication over so much time as text, of one policy or (NULL) of the applications
 * alone; adds the events of its run. */
static int run_part(const struct experiment *whole, const struct experiment_policy *policy,
                    double duration_s, char **text, double *events, struct ct_diags *diags) {
    struct workload workload = *whole->setup->workload;
    struct setup setup = *whole->setup;
    struct experiment_policy one = {.policy = &policy_mps, .label = ""};
    struct experiment experiment = {.setup = &setup,
                                    .policies = &one,
                                    .policy_count = 1,
                                    .replications = 1,
                                    .threads = whole->threads,
                                    .seed = whole->seed,
                                    .first_replication = whole->first_replication,
                                    .unnamed = true,
                                    .dump_at_ps = CT_TIME_NEVER,
                                    .cache = whole->cache,
                                    .version = whole->version,
                                    .interrupted = whole->interrupted,
                                    .context = whole->context};
    struct experiment_result result;
    if (policy)
        one = *policy;
    one.without = EXPERIMENT_FREE | (policy ? EXPERIMENT_ALONE : EXPERIMENT_BATCH_ONLY);
    workload.duration_s = duration_s;
    workload.warmup_s = 0;
    workload.warmup_by = WORKLOAD_WARMUP_TIME;
    setup.workload = &workload;
    int status = experiment_run(&experiment, &result, diags);
    *text = NULL;
    if (status == CT_OK) {
        const struct report *report = &result.pooled[0];
        *events += (double)report->engine.events;
        *text = policy ? influence_measured(report) : print_private(report);
        status = *text ? CT_OK : ct_out_of_memory(diags);
    }
    experiment_result_free(&result);
    return status;
}

/* What the policy learns before each of its runs, in events. */
static double learning_events(const struct influence *with) {
    const struct experiment *e = with->experiment;
    const struct ct_policy *policy =
        with->policy == INFLUENCE_ALONE ? &policy_mps : e->policies[with->policy].policy;
    return experiment_uses_predictions(policy)
               ? EVENTS_PER_SAMPLE * profiling_tasks(e->setup, policy)
               : 0;
}

/* How much of the time has INFLUENCE_EVENTS events, by those of the first stage. */
static double whole_s(const struct influence *with) {
    double all_s = with->experiment->setup->workload->duration_s, part_s = all_s / 32;
    double most_s = with->events > 0 ? part_s * INFLUENCE_EVENTS / with->events : all_s;
    return fmax(part_s, fmin(most_s, all_s));
}

static int run_stage(struct influence *with, enum influence_stage stage, double *events,
                     struct ct_diags *diags) {
    const struct experiment *e = with->experiment;
    bool alone = with->policy == INFLUENCE_ALONE;
    double these = 0;
    if (with->reports[stage])
        return CT_OK;
    with->stage_s[stage] =
        stage == INFLUENCE_PART ? e->setup->workload->duration_s / 32 : whole_s(with);
    int status = run_part(e, alone ? NULL : &e->policies[with->policy], with->stage_s[stage],
                          &with->reports[stage], &these, diags);
    if (stage == INFLUENCE_PART)
        with->events = these;
    *events += these + learning_events(with);
    return status;
}

/* The first stage looks at as much. */
static bool looks_further(const struct influence *with, enum influence_stage stage) {
    return stage == INFLUENCE_PART || whole_s(with) > with->stage_s[INFLUENCE_PART];
}

double influence_cost(const struct influence *with, enum influence_stage stage) {
    double runs = with->reports[stage] ? 1 : 2, events = learning_events(with);
    if (!looks_further(with, stage))
        return 0;
    if (with->reports[INFLUENCE_PART])
        events += with->events *
                  (stage == INFLUENCE_PART ? 1 : whole_s(with) / with->stage_s[INFLUENCE_PART]);
    return runs * events;
}

int influence_ask(struct influence *with, enum influence_stage stage,
                  const struct experiment *without, struct influence_look *look,
                  struct ct_diags *diags) {
    const struct experiment_policy *policy =
        with->policy == INFLUENCE_ALONE ? NULL : without->policies;
    bool further = looks_further(with, stage);
    char *other = NULL;
    int status = further ? run_stage(with, stage, &look->events, diags) : CT_OK;
    double looked_s = with->stage_s[further ? stage : INFLUENCE_PART];
    look->looked_s = fmin(look->looked_s, looked_s);
    if (!further)
        return CT_OK;
    if (status == CT_OK)
        status = run_part(without, policy, looked_s, &other, &look->events, diags);
    look->events += learning_events(with);
    const char *known = with->reports[stage];
    look->found = other && known && strcmp(other, known) != 0;
    free(other);
    return status;
}
