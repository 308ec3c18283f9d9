#include "study/farm.h"

#include "base/ct_target.h"
#include "experiment/thread_team.h"
#include "models/predict/predict_bank.h"
#include "run/profiling.h"
#include "run/progress.h"
#include "study/coupled.h"
#include "study/plan.h"
#include "workload/setup.h"

#include <math.h>
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
    struct thread_queue queue; /* of units of tasks; its lock guards what is made, too */
    struct farm_task **order;  /* by unit */
    uint32_t *first;           /* of each unit's tasks in the order, and an end */
    pthread_cond_t changed;
};

static bool run_is_interrupted(void *context, double part) {
    const struct farm *farm = context;
    (void)part;
    return ct_is_interrupted(&farm->params->listener);
}

/* ---- What the runs of a composition share ---- */

static const struct experiment_policy *policy_of(const struct farm *farm,
                                                 const struct farm_composition *composition) {
    return composition->policy ? composition->policy : farm->params->policy;
}

static int choose_apps(const struct farm *farm, const struct farm_composition *composition,
                       struct farm_made *made) {
    const struct workload *all = &farm->params->cluster->workload;
    const struct cluster_group *group = &farm->params->cluster->groups.items[composition->group];
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
    const struct experiment_policy *own = policy_of(farm, composition);
    const struct ct_policy *policy = own->policy;
    bool network = policy->predictor == CT_PREDICTOR_PROGRESS;
    int status = choose_apps(farm, composition, made);
    if (status == CT_OK)
        status = setup_make(&made->workload, &made->setup, &made->diags);
    if (status == CT_OK)
        status = sim_check_needs(policy, own->options, &made->setup.gpu, &made->diags);
    if (status == CT_OK && network)
        status = progress_open(&made->setup, &made->network, &made->diags);
    else if (status == CT_OK && policy->features & CT_PREDICTS)
        status = profiling_train(&made->setup, policy, farm->params->seed,
                                 farm->params->listener.interrupted, farm->params->listener.context,
                                 &made->bank, &made->diags);
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
                         struct coupled_gpu *gpu) {
    for (uint32_t i = 0; i < made->app_count; i++) {
        uint32_t app = made->app_of[i];
        const struct workload_app *spec = &made->workload.apps.items[i];
        gpu->specs[i] = spec->role == CT_SERVICE
                            ? balancer_replica(spec, &task->streams[app], task->replica[app])
                            : *spec;
        gpu->setup.apps[i] = made->setup.apps[i];
        gpu->setup.apps[i].spec = &gpu->specs[i];
    }
}

/* enum ct_status; clear in every case. */
static int lay(struct farm *farm, struct farm_task *task, struct coupled_gpu *gpu) {
    const struct farm_composition *composition = &farm->compositions[task->composition];
    const struct farm_made *made = composition->made;
    const struct experiment_policy *given = policy_of(farm, composition);
    const struct ct_policy *policy = given->policy;
    gpu->app_of = made->app_of;
    gpu->diags = &task->diags;
    gpu->setup = made->setup;
    gpu->specs = calloc(made->app_count + 1u, sizeof *gpu->specs);
    gpu->setup.apps = calloc(made->app_count + 1u, sizeof *gpu->setup.apps);
    if (!gpu->specs || !gpu->setup.apps)
        return ct_out_of_memory(&task->diags);
    lend_streams(made, task, gpu);
    gpu->params = (struct sim_params){
        .setup = &gpu->setup,
        .policy = policy,
        .policy_options = given->options,
        .watch = given->watch,
        .seed = task->seed,
        .replication = task->replication,
        .only_app = SIM_ALL_APPS,
        .warmup_ps = task->warmup_ps,
        .duration_ps = task->duration_ps,
        .decision_cost = farm->params->cluster->workload.decision_cost,
        .progress = policy->predictor == CT_PREDICTOR_PROGRESS ? &made->network : NULL,
        .oracle = farm->params->cluster->workload.predictor == WORKLOAD_PREDICTOR_ORACLE,
        .interrupted = run_is_interrupted,
        .interrupt_context = farm,
        .dump_at_ps = CT_TIME_NEVER};
    if (made->bank && !(gpu->params.predictor = predict_bank_copy(made->bank)))
        return ct_out_of_memory(&task->diags);
    return CT_OK;
}

static void clear(struct coupled_gpu *gpu) {
    free(gpu->specs);
    free(gpu->setup.apps);
    predict_bank_free(gpu->params.predictor);
}

static bool is_beyond(const struct workload_app *app, enum result_time of, double time_ps) {
    double target = plan_target_ms(app, of);
    return target > 0 && ct_is_beyond(time_ps, target * (double)CT_PS_PER_MS);
}

/* How many queries are later than one of the targets, of latency and of tokens: also what a server
 * dropped, and of what is not done who has waited that long; the rest of that is undecided. */
static void keep_late(const struct workload_app *app, const struct sim_app_result *result,
                      struct sim_app_result *to) {
    const struct sim_tokens *tokens = &result->tokens;
    size_t open = result->aged.count;
    to->late = result->late;
    to->undecided = result->undecided;
    if (!(plan_target_ms(app, RESULT_FIRST_TOKEN) > 0 ||
          plan_target_ms(app, RESULT_EACH_TOKEN) > 0))
        return;
    uint64_t late_open = 0;
    for (size_t i = 0; i < open; i++) {
        double first_ps = tokens->first_ps.items[tokens->first_ps.count - open + i];
        late_open +=
            is_beyond(app, RESULT_LATENCY, result->latency_ps.items[result->aged.items[i]]) ||
            is_beyond(app, RESULT_FIRST_TOKEN, first_ps);
    }
    to->late = result->jobs - result->unfinished - result->good + late_open;
    to->undecided = result->unfinished - late_open;
}

/* Results by application of the cluster, and of vectors only what the sums need. */
static bool keep_result(const struct farm *farm, const struct farm_made *made,
                        struct sim_result *from, struct sim_result *to) {
    size_t apps = farm->params->cluster->workload.apps.count;
    *to = *from;
    memset(&to->counters, 0, sizeof to->counters);
    if (setup_hides_memory(&made->setup))
        to->dram_utilisation = NAN;
    to->app_count = (uint32_t)apps;
    to->apps = calloc(apps + 1, sizeof *to->apps);
    if (!to->apps)
        return false;
    for (uint32_t i = 0; i < made->app_count; i++) {
        struct sim_app_result *app = &to->apps[made->app_of[i]], *given = &from->apps[i];
        app->jobs = given->jobs;
        keep_late(&made->workload.apps.items[i], given, app);
        app->unfinished = given->unfinished;
        app->overloaded = given->overloaded;
        app->work_ps = given->work_ps;
        app->jobs_ended = given->jobs_ended;
        if (made->workload.apps.items[i].role != CT_SERVICE)
            continue;
        memcpy(&app->latency_ps, &given->latency_ps, sizeof app->latency_ps);
        memset(&given->latency_ps, 0, sizeof given->latency_ps);
        memcpy(app->dropped, given->dropped, sizeof app->dropped);
        app->tokens = given->tokens;
        memset(&given->tokens, 0, sizeof given->tokens);
    }
    return true;
}

/* Frees the result of the run in every case. */
static int leave_result(const struct farm *farm, const struct farm_made *made, int status,
                        struct sim_result *result, struct farm_task *task) {
    if (status == CT_OK && !keep_result(farm, made, result, &task->result))
        status = ct_out_of_memory(&task->diags);
    sim_result_free(result);
    return status;
}

/* ---- A run by itself, or those that are coupled ---- */

/* All are laid before the first run begins. */
static int run_laid(struct farm *farm, struct farm_task *const *tasks, uint32_t count,
                    struct coupled_gpu *gpus) {
    struct coupled coupled = {.params = farm->params,
                              .streams = tasks[0]->streams,
                              .replication = tasks[0]->replication,
                              .gpus = gpus,
                              .gpu_count = count};
    for (uint32_t i = 0; i < count; i++) {
        int status = lay(farm, tasks[i], &gpus[i]);
        if (status != CT_OK)
            return status;
    }
    return coupled_run(&coupled, &tasks[0]->diags);
}

static void run_together(struct farm *farm, struct farm_task *const *tasks, uint32_t count) {
    struct coupled_gpu *gpus = calloc(count, sizeof *gpus);
    int status = gpus ? run_laid(farm, tasks, count, gpus) : ct_out_of_memory(&tasks[0]->diags);
    for (uint32_t i = 0; i < count; i++) {
        const struct farm_made *made = farm->compositions[tasks[i]->composition].made;
        tasks[i]->status = status;
        if (!gpus)
            continue;
        tasks[i]->status = leave_result(farm, made, status == CT_OK ? gpus[i].status : status,
                                        &gpus[i].result, tasks[i]);
        clear(&gpus[i]);
    }
    free(gpus);
}

/* ---- Threads ---- */

static void is_over(struct shift *shift, struct farm_task *task, struct farm_made *made) {
    struct farm *farm = shift->farm;
    pthread_mutex_lock(&shift->queue.lock);
    shift->queue.stop |= !task->done;
    bool last = --made->tasks_left == 0;
    if (farm->params->runs_done && task->done)
        ct_tell_progress(&farm->params->listener, (double)++*farm->params->runs_done, 0);
    pthread_mutex_unlock(&shift->queue.lock);
    if (last)
        unmake(made);
}

static void work_unit(struct shift *shift, struct farm_task **tasks, uint32_t count) {
    struct farm *farm = shift->farm;
    bool ready = true;
    for (uint32_t i = 0; i < count; i++) {
        tasks[i]->status = acquire(shift, tasks[i])->status;
        ready &= tasks[i]->status == CT_OK;
    }
    if (ready)
        run_together(farm, tasks, count);
    for (uint32_t i = 0; i < count; i++) {
        tasks[i]->done = ready && tasks[i]->status == CT_OK && !tasks[i]->result.interrupted;
        is_over(shift, tasks[i], farm->compositions[tasks[i]->composition].made);
    }
}

static void *work(void *context) {
    struct shift *shift = context;
    for (uint64_t unit; thread_queue_take(&shift->queue, &unit);)
        work_unit(shift, shift->order + shift->first[unit],
                  shift->first[unit + 1] - shift->first[unit]);
    return NULL;
}

/* Lists the tasks unit by unit, units by their first tasks. False: no memory. */
static bool shift_order(struct shift *shift) {
    const struct farm *farm = shift->farm;
    uint32_t count = farm->task_count, *place = calloc(count + 1u, sizeof *place);
    shift->order = calloc(count + 1u, sizeof(struct farm_task *));
    shift->first = calloc(count + 3u, sizeof *shift->first);
    bool ok = place && shift->order && shift->first;
    uint32_t units = 0;
    for (uint32_t t = 0; ok && t < count; t++) {
        uint32_t leader = farm->tasks[t].leader;
        place[t] = leader == t ? units++ : place[leader];
        shift->first[place[t] + 2]++;
    }
    for (uint32_t u = 0; ok && u < units; u++)
        shift->first[u + 2] += shift->first[u + 1];
    for (uint32_t t = 0; ok && t < count; t++) /* each begin ends as the next unit's */
        shift->order[shift->first[place[t] + 1]++] = &farm->tasks[t];
    shift->queue.count = units;
    free(place);
    return ok;
}

static void work_all(struct shift *shift) {
    uint64_t units = shift->queue.count;
    thread_team_work(shift->farm->params->threads < units ? shift->farm->params->threads
                                                          : (uint32_t)units,
                     work, shift);
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
    thread_queue_open(&shift.queue, &farm->params->listener);
    bool ordered = shift_order(&shift);
    pthread_cond_init(&shift.changed, NULL);
    if (ordered)
        work_all(&shift);
    pthread_cond_destroy(&shift.changed);
    thread_queue_close(&shift.queue);
    int status = ordered ? collect(farm, shift.queue.stop, diags) : ct_out_of_memory(diags);
    free(shift.order);
    free(shift.first);
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
