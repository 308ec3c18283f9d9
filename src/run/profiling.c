#include "run/profiling.h"

#include "run/chance.h"
#include "run/knowledge.h"
#include "workload/setup_questions.h"

/* Jobs of a profiling run: each kind of job several times; more where sizes or durations are drawn.
 */
enum { JOBS_PER_KIND = 5, JOBS_LEAST = 10, JOBS_DRAWN = 200 };

/* The most tasks of an experiment's profiling runs: a sample takes about 100 bytes and a
 * microsecond. */
enum { PROFILING_MOST_TASKS = 12 << 20 };

/* Profiling draws its own numbers: no run that is scored has this replication. */
static const uint64_t PROFILING_REPLICATION = UINT64_MAX;

struct profiler {
    struct predict_bank *bank;
    const struct setup *setup;
    uint64_t seed;
    ct_share share; /* of the run under way */
    uint32_t app;   /* that runs */
    bool failed;
    bool (*interrupted)(void *context); /* NULL: nobody asks */
    void *context;
};

static bool is_interrupted(void *context, double part) {
    const struct profiler *profiler = context;
    (void)part;
    return profiler->interrupted && profiler->interrupted(profiler->context);
}

static void sample(struct profiler *profiler, const struct ct_task *task, bool call) {
    struct predict_features features = knowledge_features(task, call);
    profiler->failed |=
        !predict_bank_add(profiler->bank, knowledge_key(task, call), knowledge_name(task, call),
                          profiler->share, &features, knowledge_measured(task, call));
}

static void sample_task(void *context, const struct sim_task_record *task) {
    sample(context, task->view, false);
    if (knowledge_call_ended(task->view))
        sample(context, task->view, true);
}

/* Keeps how long a job took from its first task on: what a policy knows that it has waited for
 * until then is no part of it. */
static void sample_job(void *context, const struct sim_job_record *job) {
    struct profiler *profiler = context;
    struct predict_features features = predict_features_bytes(job->input_bytes);
    struct predict_value measured = {(double)(job->end_ps - job->first_ready_ps), NAN, NAN};
    struct predict_key key = {PREDICT_QUERY, profiler->app};
    profiler->failed |=
        !predict_bank_add(profiler->bank, key, profiler->setup->apps[profiler->app].spec->name,
                          profiler->share, &features, measured);
}

/* Chance of the job that is drawn least. */
static double least_weight(const struct setup_app *app) {
    double least = app->weights[0];
    for (uint32_t i = 1; i < app->plan_count; i++)
        least = fmin(least, app->weights[i] - app->weights[i - 1]);
    return least;
}

static uint64_t jobs_wanted(const struct setup_app *app) {
    bool drawn = !workload_draw_is(&app->spec->size, 1) || chance_in_durations(app);
    double jobs = ceil(JOBS_PER_KIND / least_weight(app) - 1e-6);
    if (drawn || jobs > JOBS_DRAWN)
        return JOBS_DRAWN;
    return jobs < JOBS_LEAST ? JOBS_LEAST : (uint64_t)jobs;
}

/* Runs so many jobs of an application at the share under way. `only`: the index of the kind of
 * which they all are; NULL: as they are drawn. */
static int profile_app(struct profiler *profiler, uint32_t app, const uint32_t *only, uint64_t jobs,
                       struct ct_diags *diags) {
    double always = 1;
    struct sim_observer observer = {
        .context = profiler, .job_ended = sample_job, .task_ended = sample_task};
    struct setup alone = setup_alone(profiler->setup, app);
    struct setup_app one = alone.apps[0];
    if (only) {
        one.plans += *only;
        one.first_plans += *only;
        one.plan_count = 1;
        one.weights = &always;
        alone.apps = &one;
    }
    struct sim_params params =
        sim_back_to_back(&alone, profiler->seed, PROFILING_REPLICATION, jobs);
    struct sim_result result;
    params.cap = profiler->share;
    params.observer = &observer;
    params.interrupted = is_interrupted;
    params.interrupt_context = profiler;
    profiler->app = app;
    int status = sim_run(&params, &result, diags);
    if (status == CT_OK && (result.interrupted || is_interrupted(profiler, 1)))
        status = CT_INTERRUPTED; /* short runs end before they ask */
    sim_result_free(&result);
    return status;
}

bool profiling_same(const struct ct_policy *a, const struct ct_policy *b) {
    return a->profile_step_pct == b->profile_step_pct && a->predictor == b->predictor;
}

/* The jobs of a profiling run, of which this part is enough: those that are alike show little that
 * the first did not. */
static uint64_t jobs_of(const struct setup_app *app, double part) {
    return (uint64_t)fmax(1, floor((double)jobs_wanted(app) * part));
}

static double tasks_of(const struct setup *setup, const struct ct_policy *policy, double part) {
    double tasks = 0;
    for (uint32_t a = 0; a < setup->app_count; a++) {
        const struct setup_app *app = &setup->apps[a];
        uint32_t most = 0;
        for (uint32_t p = 0; p < app->plan_count; p++)
            most = app->plans[p].count > most ? app->plans[p].count : most;
        tasks += (double)jobs_of(app, part) * most * knowledge_parts(policy);
    }
    return tasks;
}

/* 1, but where jobs are so long that as many as are wanted have too many tasks. */
static double part_that_fits(const struct setup *setup, const struct ct_policy *policy) {
    return fmin(1, PROFILING_MOST_TASKS / tasks_of(setup, policy, 1));
}

double profiling_tasks(const struct setup *setup, const struct ct_policy *policy) {
    return tasks_of(setup, policy, part_that_fits(setup, policy));
}

/* Every task's sample is kept until the models are fitted. */
static int check_size(double tasks, const struct ct_policy *policy, struct ct_diags *diags) {
    if (tasks <= PROFILING_MOST_TASKS)
        return CT_OK;
    ct_error(diags, policy->name,
             "what it predicts is learned from profiling runs, of %.0f tasks here and %d at most: "
             "fewer applications, kernels in a job or kinds of job, or a policy that predicts "
             "nothing",
             tasks, PROFILING_MOST_TASKS);
    return CT_USAGE;
}

/* Profiles at equal parts of the device, 100 % last. */
static int profile_drawn(struct profiler *profiler, const struct ct_policy *policy,
                         struct ct_diags *diags) {
    const struct setup *setup = profiler->setup;
    double part = part_that_fits(setup, policy);
    int status = CT_OK;
    for (ct_share n = 1; n <= knowledge_parts(policy); n++) {
        profiler->share = CT_SHARE_FULL * n / knowledge_parts(policy);
        for (uint32_t a = 0; a < setup->app_count && status == CT_OK; a++)
            status = profile_app(profiler, a, NULL, jobs_of(&setup->apps[a], part), diags);
    }
    return status;
}

/* ---- what no draw has shown ---- */

static bool is_blind(const struct predict_bank *bank, const struct setup_plan *plan) {
    for (uint32_t i = 0; i < plan->count; i++)
        if (!predict_bank_has(bank, setup_step_key(&plan->steps[i]), CT_SHARE_FULL))
            return true;
    return false;
}

/* One choice of an application's, as often as there is room for beside so many tasks; they become
 * more. */
static int profile_choice(struct profiler *profiler, const struct ct_policy *policy, uint32_t app,
                          uint32_t choice, double *tasks, struct ct_diags *diags) {
    double job = (double)profiler->setup->apps[app].plans[choice].count * knowledge_parts(policy);
    double fit = fmax(1, floor((PROFILING_MOST_TASKS - *tasks) / job));
    uint64_t jobs = (uint64_t)fmin(JOBS_PER_KIND, fit);
    *tasks += job * (double)jobs;
    int status = check_size(*tasks, policy, diags);
    for (ct_share n = 1; n <= knowledge_parts(policy) && status == CT_OK; n++) {
        profiler->share = CT_SHARE_FULL * n / knowledge_parts(policy);
        status = profile_app(profiler, app, &choice, jobs, diags);
    }
    return status;
}

/* A job that was not drawn may hold tasks that nothing is known of, and a policy would be blind to
 * them: it is profiled by itself. */
static int profile_rest(struct profiler *profiler, const struct ct_policy *policy,
                        struct ct_diags *diags) {
    double tasks = profiling_tasks(profiler->setup, policy);
    int status = CT_OK;
    for (uint32_t a = 0; a < profiler->setup->app_count; a++) {
        const struct setup_app *app = &profiler->setup->apps[a];
        for (uint32_t p = 0; p < app->plan_count && status == CT_OK; p++)
            if (is_blind(profiler->bank, &app->plans[p]))
                status = profile_choice(profiler, policy, a, p, &tasks, diags);
    }
    return status;
}

int profiling_train(const struct setup *setup, const struct ct_policy *policy, uint64_t seed,
                    bool (*interrupted)(void *context), void *context, struct predict_bank **bank,
                    struct ct_diags *diags) {
    predict_survive_gsl();
    const struct predict_model_type *only =
        policy->predictor == CT_PREDICTOR_TREE ? &predict_tree : NULL;
    struct profiler profiler = {.bank = predict_bank_new(seed, only),
                                .setup = setup,
                                .seed = seed,
                                .interrupted = interrupted,
                                .context = context};
    int status = profiler.bank ? check_size(profiling_tasks(setup, policy), policy, diags)
                               : ct_out_of_memory(diags);
    if (status == CT_OK)
        status = profile_drawn(&profiler, policy, diags);
    if (status == CT_OK)
        status = profile_rest(&profiler, policy, diags);
    if (status == CT_OK && (profiler.failed || !predict_bank_fit(profiler.bank)))
        status = ct_out_of_memory(diags);
    if (status != CT_OK) {
        predict_bank_free(profiler.bank);
        profiler.bank = NULL;
    }
    *bank = profiler.bank;
    return status;
}
