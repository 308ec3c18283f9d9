#include "influence.h"

#include "policies.h"

#include <stdlib.h>
#include <string.h>

struct influence influence_of(const struct experiment *experiment, uint32_t policy) {
    return (struct influence){.experiment = experiment, .policy = policy};
}

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

/* The same of the private runs: what an application takes alone. */
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

/* The first replication of one policy (NULL: of none, the private runs) over so much time, as text;
 * `events`: of its run. */
static int run_part(const struct experiment *whole, const struct experiment_policy *policy,
                    double duration_s, char **text, double *events, struct ct_diags *diags) {
    struct workload workload = *whole->setup->workload;
    struct setup setup = *whole->setup;
    struct experiment_policy plain = {.policy = &policy_mps, .label = ""};
    struct experiment experiment = {.setup = &setup,
                                    .policies = policy ? policy : &plain,
                                    .policy_count = 1,
                                    .replications = 1,
                                    .threads = whole->threads,
                                    .seed = whole->seed,
                                    .first_replication = whole->first_replication,
                                    .dump_at_ps = CT_TIME_NEVER,
                                    .version = whole->version,
                                    .interrupted = whole->interrupted,
                                    .context = whole->context};
    struct experiment_result result;
    workload.duration_s = duration_s;
    workload.warmup_s = 0;
    workload.warmup_by = WORKLOAD_WARMUP_TIME;
    setup.workload = &workload;
    int status = experiment_run(&experiment, &result, diags);
    *text = NULL;
    if (status == CT_OK) {
        const struct report *report = &result.pooled[0];
        *events = (double)report->engine.events;
        *text = policy ? influence_measured(report) : print_private(report);
        status = *text ? CT_OK : ct_out_of_memory(diags);
    }
    experiment_result_free(&result);
    return status;
}

static int run_stage(struct influence *with, int stage, struct ct_diags *diags) {
    const struct experiment *e = with->experiment;
    double whole_s = e->setup->workload->duration_s, *stage_s = with->stage_s, events = 0;
    if (with->reports[stage])
        return CT_OK;
    if (stage == 0)
        stage_s[0] = stage_s[1] = whole_s / 32;
    int status = run_part(e, stage ? &e->policies[with->policy] : NULL, stage_s[stage],
                          &with->reports[stage], &events, diags);
    if (stage == 1) {
        double most_s = events > 0 ? stage_s[1] * INFLUENCE_EVENTS / events : whole_s;
        stage_s[2] = fmax(stage_s[1], fmin(most_s, whole_s));
    }
    return status;
}

int influence_ask(struct influence *with, const struct experiment *without, bool *found,
                  double *looked_s, struct ct_diags *diags) {
    int status = CT_OK;
    *found = false;
    *looked_s = 0;
    for (int stage = 0; stage < INFLUENCE_STAGES && status == CT_OK && !*found; stage++) {
        char *other = NULL;
        double events;
        status = run_stage(with, stage, diags);
        if (status == CT_OK && (stage < 2 || with->stage_s[2] > with->stage_s[1]))
            status = run_part(without, stage ? without->policies : NULL, with->stage_s[stage],
                              &other, &events, diags);
        *looked_s = with->stage_s[stage];
        *found = other && strcmp(other, with->reports[stage]) != 0;
        free(other);
    }
    return status;
}
