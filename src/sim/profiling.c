#include "profiling.h"

#include "knowledge.h"
#include "policies.h"

#include <gsl/gsl_errno.h>

/* Jobs of a profiling run: each kind of job several times; more where sizes or durations are drawn. */
enum { JOBS_PER_KIND = 5, JOBS_LEAST = 10, JOBS_DRAWN = 200 };

/* Profiling draws its own numbers: no run that is scored has this replication. */
static const uint64_t PROFILING_REPLICATION = UINT64_MAX;

struct profiler {
    struct predict_bank *bank;
    const struct setup *setup;
    bool failed;
};

static void sample_task(void *context, const struct sim_task_record *task) {
    struct profiler *profiler = context;
    struct predict_features features = knowledge_features(task->view);
    struct predict_value measured = {(double)(task->ended_ps - task->started_ps), NAN, NAN};
    profiler->failed |= !predict_bank_add(profiler->bank, knowledge_key(task->view), knowledge_name(task->view),
                                          CT_SHARE_FULL, &features, measured);
}

static void sample_job(void *context, const struct sim_job_record *job) {
    struct profiler *profiler = context;
    struct predict_features features = predict_features_query(job->input_bytes);
    struct predict_value measured = {(double)(job->end_ps - job->arrival_ps), NAN, NAN};
    struct predict_key key = {PREDICT_QUERY, job->app};
    profiler->failed |= !predict_bank_add(profiler->bank, key, profiler->setup->apps[job->app].spec->name,
                                          CT_SHARE_FULL, &features, measured);
}

static uint64_t jobs_wanted(const struct setup_app *app) {
    bool drawn = app->spec->size_given || (app->synthetic && app->spec->synthetic.duration_ms.kind != WORKLOAD_FIXED);
    uint64_t jobs = (uint64_t)JOBS_PER_KIND * app->plan_count;
    if (drawn)
        return JOBS_DRAWN;
    return jobs < JOBS_LEAST ? JOBS_LEAST : jobs > JOBS_DRAWN ? JOBS_DRAWN : jobs;
}

static int profile_app(struct profiler *profiler, uint32_t app, uint64_t seed, struct ct_diags *diags) {
    struct sim_observer observer = {.context = profiler, .job_ended = sample_job, .task_ended = sample_task};
    struct sim_params params = {.setup = profiler->setup,
                                .policy = &policy_mps,
                                .seed = seed,
                                .replication = PROFILING_REPLICATION,
                                .only_app = app,
                                .jobs_back_to_back = jobs_wanted(&profiler->setup->apps[app]),
                                .duration_ps = CT_TIME_NEVER / 4,
                                .observer = &observer,
                                .dump_at_ps = CT_TIME_NEVER};
    struct sim_result result;
    int status = sim_run(&params, &result, diags);
    sim_result_free(&result);
    return status;
}

int profiling_train(const struct setup *setup, uint64_t seed, struct predict_bank **bank, struct ct_diags *diags) {
    gsl_set_error_handler_off();
    struct profiler profiler = {predict_bank_new(seed), setup, false};
    int status = profiler.bank ? CT_OK : ct_out_of_memory(diags);
    for (uint32_t a = 0; a < setup->app_count && status == CT_OK; a++)
        status = profile_app(&profiler, a, seed, diags);
    if (status == CT_OK && (profiler.failed || !predict_bank_fit(profiler.bank)))
        status = ct_out_of_memory(diags);
    if (status != CT_OK) {
        predict_bank_free(profiler.bank);
        profiler.bank = NULL;
    }
    *bank = profiler.bank;
    return status;
}
