/* Plans, clusters and sweeps for programs. */
#include "api/cotenant_internal.h"
#include "experiment/settings.h"
#include "results/result_store.h"
#include "study/cluster_job.h"
#include "study/plan.h"
#include "study/sweep_points.h"

#include <inttypes.h>
#include <stdlib.h>

struct ct_study {
    struct ct_scenario *owner; /* of the messages */
    struct ct_run_options options;
    struct listener listener;
    int (*write)(void *study, int format, FILE *out); /* enum table_format */
    void (*close)(struct ct_study *study);
    union {
        struct {
            struct ct_arena arena; /* of names */
            struct scenario scenario;
            struct plan plan;
            struct plan_result result;
            const char *settings;
        } plan;
        struct cluster_job cluster;
        struct {
            struct sweep_job job;
            struct result_store *store;
        } sweep;
    } of;
};

static struct ct_study *study_new(struct ct_scenario *s, const struct ct_run_options *given,
                                  int (*write)(void *study, int format, FILE *out),
                                  void (*close)(struct ct_study *study)) {
    struct ct_study *study = s ? calloc(1, sizeof *study) : NULL;
    if (s)
        ct_scenario_forget(s);
    if (!study)
        return NULL;
    study->owner = s;
    study->write = write;
    study->close = close;
    study->options = run_options_of(given);
    study->listener.options = &study->options;
    return study;
}

/* The study, or NULL after an error and where there is nothing to report. */
static struct ct_study *study_end(struct ct_study *study, int status, bool something) {
    if (status == CT_OK || (status == CT_INTERRUPTED && something))
        return study;
    if (status == CT_INTERRUPTED)
        ct_scenario_say_ended(study->owner);
    ct_study_free(study);
    return NULL;
}

void ct_study_free(struct ct_study *study) {
    if (study && study->close)
        study->close(study);
    free(study);
}

char *ct_study_report(struct ct_study *study, const char *form) {
    return study ? text_in_form(form, study->write, study) : NULL;
}

_Static_assert((int)REPORT_TEXT == (int)TABLE_TEXT && (int)REPORT_JSON == (int)TABLE_JSON &&
                   (int)REPORT_CSV == (int)TABLE_CSV && (int)REPORT_MARKDOWN == (int)TABLE_MARKDOWN,
               "one list of forms");

/* ---- Plan ---- */

static int write_plan(void *context, int format, FILE *out) {
    const struct ct_study *study = context;
    return plan_print(&study->of.plan.plan, &study->of.plan.result, study->of.plan.settings,
                      (enum table_format)format, out);
}

static void close_plan(struct ct_study *study) {
    plan_result_free(&study->of.plan.result);
    scenario_close(&study->of.plan.scenario);
    ct_arena_free(&study->of.plan.arena);
}

static int find_plan(struct ct_study *study, const char *find, struct ct_diags *diags) {
    struct plan *plan = &study->of.plan.plan;
    *plan = plan_standard();
    plan_take(plan, &study->of.plan.scenario);
    plan->threads = study->options.threads;
    if (study->options.reps)
        plan->replications = study->options.reps;
    plan->listener = listener_of(&study->listener);
    if (!plan_find(plan, find, &study->of.plan.arena, diags))
        return CT_USAGE;
    return plan_check(plan, "--find", diags);
}

static int run_plan(struct ct_study *study, struct ct_diags *diags) {
    struct settings_about about = {.scenario = &study->of.plan.scenario};
    struct plan_result *result = &study->of.plan.result;
    int status = plan_run(&study->of.plan.plan, result, diags);
    if (status == CT_OK) {
        plan_tell_answer(&study->of.plan.plan, result, CT_WARNING, diags);
        status = settings_ask(&about, &result->arena, &study->of.plan.settings, diags);
    }
    return status;
}

struct ct_study *ct_scenario_plan(struct ct_scenario *s, const char *find,
                                  const struct ct_run_options *options) {
    struct ct_study *study = study_new(s, options, write_plan, close_plan);
    if (!study)
        return NULL;
    int status =
        ct_scenario_open(s, study->options.seed, study->options.reps, &study->of.plan.scenario);
    if (status == CT_OK && !find)
        status = ct_usage_error(&s->diags, s->workload, "what a plan finds is NULL");
    if (status == CT_OK)
        status = find_plan(study, find, &s->diags);
    if (status == CT_OK)
        status = run_plan(study, &s->diags);
    return study_end(study, status, study->of.plan.result.finished > 0);
}

/* ---- Cluster ---- */

static int write_cluster(void *context, int format, FILE *out) {
    return cluster_print(&((struct ct_study *)context)->of.cluster, (enum table_format)format, out);
}

static void close_cluster(struct ct_study *study) {
    cluster_job_close(&study->of.cluster);
}

static int run_cluster(struct ct_study *study, struct ct_diags *diags) {
    struct cluster_job *job = &study->of.cluster;
    int status = cluster_job_run_count(job, &study->listener.total, diags);
    job->params.threads = study->options.threads;
    job->params.listener = listener_of(&study->listener);
    job->params.runs_done = &study->listener.done;
    return status == CT_OK ? cluster_job_run(job, diags) : status;
}

struct ct_study *ct_scenario_cluster(struct ct_scenario *s, const char *placements,
                                     const struct ct_run_options *options) {
    struct ct_study *study = study_new(s, options, write_cluster, close_cluster);
    if (!study)
        return NULL;
    int64_t reps = study->options.reps, seed = study->options.seed;
    struct cluster_request request = {.path = s->workload,
                                      .assignments = s->assignments.items,
                                      .assignment_count = s->assignments.count,
                                      .policies = s->policies,
                                      .trusts_files = s->trusts_files,
                                      .placements = placements,
                                      .seed = seed < 0 ? SCENARIO_OWN : seed,
                                      .reps = reps ? reps : SCENARIO_OWN,
                                      .balancer = SCENARIO_OWN};
    s->diags.files = &s->as_file;
    int status = cluster_job_open(&study->of.cluster, &request, &s->diags);
    if (s->own.count)
        status = ct_usage_error(&s->diags, s->workload, "a cluster takes policies by their names");
    if (!ct_scenario_may_repeat(s, study->options.reps))
        status = CT_USAGE;
    if (status == CT_OK)
        status = run_cluster(study, &s->diags);
    return study_end(study, status, study->of.cluster.done > 0);
}

/* ---- Sweep ---- */

static int write_sweep(void *context, int format, FILE *out) {
    struct ct_study *study = context;
    return sweep_print(&study->of.sweep.job, (enum report_format)format, out, &study->owner->diags);
}

static void close_sweep(struct ct_study *study) {
    sweep_job_close(&study->of.sweep.job);
    result_store_close(study->of.sweep.store);
}

static int run_sweep(struct ct_study *study, struct ct_diags *diags) {
    struct sweep_job *job = &study->of.sweep.job;
    job->listener = listener_of(&study->listener);
    study->listener.total = job->file.points;
    study->of.sweep.store = result_store_open(study->options.store, RESULT_WRITE, diags);
    int status =
        study->of.sweep.store ? sweep_job_store(job, study->of.sweep.store, NULL, diags) : CT_DATA;
    if (status != CT_OK)
        return status;
    status = sweep_points_run(job, study->options.threads, diags);
    int written = sweep_job_end(job, diags);
    return status == CT_OK ? written : status;
}

struct ct_study *ct_scenario_sweep(struct ct_scenario *s, const struct ct_run_options *options) {
    struct ct_study *study = study_new(s, options, write_sweep, close_sweep);
    if (!study)
        return NULL;
    int status = CT_OK;
    if (s->assignments.count || s->policies || s->own.count)
        status = ct_usage_error(&s->diags, s->workload,
                                "a sweep's file says what is set, and names its policies");
    if (!study->options.store)
        status = ct_usage_error(&s->diags, s->workload,
                                "a sweep keeps its results in a store: name one");
    if (status == CT_OK)
        status = sweep_job_open(&study->of.sweep.job, s->workload, s->text, NULL, s->trusts_files,
                                &s->diags);
    if (status == CT_OK)
        status = run_sweep(study, &s->diags);
    const struct sweep_job *job = &study->of.sweep.job;
    uint64_t stored = sweep_job_stored(job);
    if (status == CT_INTERRUPTED && stored > 0)
        ct_warning(&s->diags, s->workload, "stopped after %" PRIu64 " of %" PRIu64 " points",
                   stored, job->file.points);
    /* A failure, which the messages tell of, takes nothing from the points that are stored. */
    return study_end(study, stored > 0 ? CT_OK : status, stored > 0);
}
