#include "study/farm.h"

#include "experiment/thread_team.h"
#include "models/predict/predict_bank.h"
#include "run/profiling.h"
#include "run/progress.h"
#include "workload/setup_memory.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum made_state { MADE_NOT, MADE_BUSY, MADE_READY };

struct farm_made {
    enum made_state state;
    uint32_t tasks_left, app_count;
    uint32_t *app_of;         /* of the cluster, by application here */
    struct workload workload; /* borrows all but the list of applications */
    struct setup setup;
    struct predict_bank *bank;
    struct themis_network network;
    int status;
    struct ct_diags diags;
};

/* What the threads share. */
struct shift {
    struct farm *farm;
    struct thread_queue queue; /* of tasks; its lock guards what is made, too */
    pthread_cond_t changed;
};

static bool run_is_interrupted(void *context, double part) {
    const struct farm *farm = context;
    (void)part;
    return farm->interrupted && farm->interrupted(farm->context);
}

/* ---- What the runs of a composition share ---- */

static int choose_apps(const struct farm *farm, const struct farm_composition *composition,
                       struct farm_made *made) {
    const struct workload *all = &farm->cluster->workload;
    const struct cluster_group *group = &farm->cluster->groups.items[composition->group];
    made->workload = *all;
    memset(&made->workload.apps, 0, sizeof made->workload.apps);
    made->workload.gpu = group->gpu;
    made->workload.gpu_where = group->where;
    memcpy(&made->workload.gpu_settings, &group->settings, sizeof group->settings);
    made->app_of = calloc(all->apps.count + 1, sizeof *made->app_of);
    if (!made->app_of)
        return ct_out_of_memory(&made->diags);
    for (uint32_t a = 0; a < all->apps.count; a++) {
        if (!composition->copies[a])
            continue;
        struct workload_app app = all->apps.items[a];
        app.instances *= composition->copies[a];
        made->app_of[made->app_count++] = a;
        if (!ct_vec_push(&made->workload.apps, app))
            return ct_out_of_memory(&made->diags);
    }
    return CT_OK;
}

static int make(const struct farm *farm, const struct farm_composition *composition,
                struct farm_made *made) {
    const struct ct_policy *policy = farm->policy->policy;
    bool network = policy->predictor == CT_PREDICTOR_PROGRESS;
    int status = choose_apps(farm, composition, made);
    if (status == CT_OK)
        status = setup_make(&made->workload, &made->setup, &made->diags);
    if (status == CT_OK)
        status = setup_memory_check(&made->setup, &made->diags);
    if (status == CT_OK)
        status = sim_check_needs(policy, &made->setup.gpu, &made->diags);
    if (status == CT_OK && network)
        status = progress_open(&made->setup, &made->network, &made->diags);
    else if (status == CT_OK && policy->features & CT_PREDICTS)
        status = profiling_train_unless(&made->setup, policy, farm->seed, farm->interrupted,
                                        farm->context, &made->bank, &made->diags);
    return status;
}

static void unmake(struct farm_made *made) {
    predict_bank_free(made->bank);
    made->bank = NULL;
    setup_free(&made->setup);
    ct_vec_free(&made->workload.apps);
    free(made->app_of);
    made->app_of = NULL;
}

static struct farm_made *acquire(struct shift *shift, const struct farm_task *task) {
    const struct farm_composition *composition = &shift->farm->compositions[task->composition];
    struct farm_made *made = composition->made;
    pthread_mutex_lock(&shift->queue.lock);
    while (made->state == MADE_BUSY)
        pthread_cond_wait(&shift->changed, &shift->queue.lock);
    bool mine = made->state == MADE_NOT;
    if (mine)
        made->state = MADE_BUSY;
    pthread_mutex_unlock(&shift->queue.lock);
    if (mine) {
        int status = make(shift->farm, composition, made);
        pthread_mutex_lock(&shift->queue.lock);
        made->status = status;
        made->state = MADE_READY;
        pthread_cond_broadcast(&shift->changed);
        pthread_mutex_unlock(&shift->queue.lock);
    }
    return made;
}

/* ---- One run ---- */

/* The application's runs here, with this GPU's part of the queries. */
static void lend_streams(const struct farm_made *made, const struct farm_task *task,
                         struct workload_app *specs, struct setup_app *apps) {
    for (uint32_t i = 0; i < made->app_count; i++) {
        uint32_t app = made->app_of[i];
        const struct workload_app *spec = &made->workload.apps.items[i];
        specs[i] = spec->role == CT_SERVICE
                       ? balancer_replica(spec, &task->streams[app], task->replica[app])
                       : *spec;
        apps[i] = made->setup.apps[i];
        apps[i].spec = &specs[i];
    }
}

/* Results by application of the cluster, and of vectors only what the sums need. */
static bool keep_result(const struct farm *farm, const struct farm_made *made,
                        struct sim_result *from, struct sim_result *to) {
    size_t apps = farm->cluster->workload.apps.count;
    *to = *from;
    memset(&to->counters, 0, sizeof to->counters);
    to->app_count = (uint32_t)apps;
    to->apps = calloc(apps + 1, sizeof *to->apps);
    if (!to->apps)
        return false;
    for (uint32_t i = 0; i < made->app_count; i++) {
        struct sim_app_result *app = &to->apps[made->app_of[i]], *given = &from->apps[i];
        app->jobs = given->jobs;
        app->late = given->late;
        app->unfinished = given->unfinished;
        app->overloaded = given->overloaded;
        app->work_ps = given->work_ps;
        app->jobs_ended = given->jobs_ended;
        if (made->workload.apps.items[i].role != CT_SERVICE)
            continue;
        memcpy(&app->latency_ps, &given->latency_ps, sizeof app->latency_ps);
        memset(&given->latency_ps, 0, sizeof given->latency_ps);
    }
    return true;
}

static int simulate(struct farm *farm, const struct farm_made *made, const struct setup *setup,
                    struct farm_task *task) {
    const struct ct_policy *policy = farm->policy->policy;
    bool oracle = farm->cluster->workload.predictor == WORKLOAD_PREDICTOR_ORACLE;
    struct sim_params params = {
        .setup = setup,
        .policy = policy,
        .policy_options = farm->policy->options,
        .watch = farm->policy->watch,
        .seed = task->seed,
        .replication = task->replication,
        .only_app = SIM_ALL_APPS,
        .warmup_ps = ct_time_round(farm->warmup_s * (double)CT_PS_PER_S),
        .duration_ps = ct_time_round(farm->duration_s * (double)CT_PS_PER_S),
        .decision_cost = farm->cluster->workload.decision_cost,
        .progress = policy->predictor == CT_PREDICTOR_PROGRESS ? &made->network : NULL,
        .oracle = oracle,
        .interrupted = run_is_interrupted,
        .interrupt_context = farm,
        .dump_at_ps = CT_TIME_NEVER};
    if (made->bank && !(params.predictor = predict_bank_copy(made->bank)))
        return ct_out_of_memory(&task->diags);
    struct sim_result result;
    int status = sim_run(&params, &result, &task->diags);
    if (status == CT_OK && !keep_result(farm, made, &result, &task->result))
        status = ct_out_of_memory(&task->diags);
    sim_result_free(&result);
    predict_bank_free(params.predictor);
    return status;
}

static int run_task(struct farm *farm, const struct farm_made *made, struct farm_task *task) {
    struct setup setup = made->setup;
    struct workload_app *specs = calloc(made->app_count + 1u, sizeof *specs);
    setup.apps = calloc(made->app_count + 1u, sizeof *setup.apps);
    int status = CT_OK;
    if (specs && setup.apps) {
        lend_streams(made, task, specs, setup.apps);
        status = simulate(farm, made, &setup, task);
    } else
        status = ct_out_of_memory(&task->diags);
    free(specs);
    free(setup.apps);
    return status;
}

/* ---- Threads ---- */

static void is_over(struct shift *shift, struct farm_task *task, struct farm_made *made) {
    struct farm *farm = shift->farm;
    pthread_mutex_lock(&shift->queue.lock);
    shift->queue.stop |= !task->done;
    bool last = --made->tasks_left == 0;
    if (farm->progress && task->done)
        farm->progress(farm->context);
    pthread_mutex_unlock(&shift->queue.lock);
    if (last)
        unmake(made);
}

static void *work(void *context) {
    struct shift *shift = context;
    for (uint64_t number; thread_queue_take(&shift->queue, &number);) {
        struct farm_task *task = &shift->farm->tasks[number];
        struct farm_made *made = acquire(shift, task);
        task->status = made->status;
        if (task->status == CT_OK)
            task->status = run_task(shift->farm, made, task);
        task->done = task->status == CT_OK && !task->result.interrupted;
        is_over(shift, task, made);
    }
    return NULL;
}

static void work_all(struct shift *shift) {
    const struct farm *farm = shift->farm;
    thread_team_work(farm->threads < farm->task_count ? farm->threads : farm->task_count, work,
                     shift);
}

/* ---- The whole ---- */

static int collect(const struct farm *farm, bool stopped, struct ct_diags *diags) {
    for (uint32_t t = 0; t < farm->task_count; t++) {
        const struct farm_task *task = &farm->tasks[t];
        const struct farm_made *made = farm->compositions[task->composition].made;
        ct_diags_add(diags, &made->diags);
        ct_diags_add(diags, &task->diags);
        if (task->status != CT_OK)
            return task->status;
    }
    return stopped ? CT_INTERRUPTED : CT_OK;
}

int farm_run(struct farm *farm, struct ct_diags *diags) {
    struct farm_made *made = calloc(farm->composition_count + 1u, sizeof *made);
    if (!made)
        return ct_out_of_memory(diags);
    for (uint32_t c = 0; c < farm->composition_count; c++) {
        farm->compositions[c].made = &made[c];
        made[c].diags.files = diags->files;
    }
    for (uint32_t t = 0; t < farm->task_count; t++)
        made[farm->tasks[t].composition].tasks_left++;
    struct shift shift = {.farm = farm};
    thread_queue_open(&shift.queue, farm->interrupted, farm->context);
    shift.queue.count = farm->task_count;
    pthread_cond_init(&shift.changed, NULL);
    work_all(&shift);
    pthread_cond_destroy(&shift.changed);
    thread_queue_close(&shift.queue);
    int status = collect(farm, shift.queue.stop, diags);
    for (uint32_t c = 0; c < farm->composition_count; c++) {
        if (made[c].tasks_left)
            unmake(&made[c]);
        ct_diags_free(&made[c].diags);
        farm->compositions[c].made = NULL;
    }
    free(made);
    return status;
}

void farm_free_tasks(struct farm *farm) {
    for (uint32_t t = 0; t < farm->task_count; t++) {
        sim_result_free(&farm->tasks[t].result);
        ct_diags_free(&farm->tasks[t].diags);
    }
    free(farm->tasks);
    farm->tasks = NULL;
    farm->task_count = 0;
}
