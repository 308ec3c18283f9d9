#include "experiment/experiment_units.h"

#include "base/ct_sort.h"
#include "des/des_statistics.h"
#include "experiment/recorder.h"
#include "experiment/run_key.h"
#include "policies/policies.h"
#include "run/profiling.h"
#include "run/progress.h"
#include "run/sim.h"

#include <math.h>
#include <stdlib.h>

/* ---- One run ---- */

/* Under the lock: a run that is over counts whole, one that runs by its part. */
static void tell_progress(struct experiment_runs *runs) {
    ct_tell_progress(&runs->experiment->listener, runs->done + fmax(0, runs->running), 0);
}

/* What units before one have had of the events that all may have, and whether one of them went
 * beyond. */
struct spent {
    double events;
    bool beyond;
};

static double own_events(const struct experiment_unit *unit) {
    return unit->kind == EXPERIMENT_UNIT_SHARED ? unit->events : 0;
}

static void spent_add(struct spent *spent, const struct experiment_unit *unit) {
    spent->beyond |= unit->beyond;
    spent->events += unit->counts ? own_events(unit) : 0;
}

static bool is_beyond(const struct experiment_runs *runs, struct spent before,
                      const struct experiment_unit *unit) {
    return before.beyond || before.events + own_events(unit) > runs->experiment->most_events;
}

/* What the units before one that are over have spent. Under the lock. */
static struct spent spent_before(const struct experiment_runs *runs,
                                 const struct experiment_unit *unit) {
    struct spent spent = {0};
    for (const struct experiment_unit *before = runs->units; before < unit; before++)
        spent_add(&spent, before);
    return spent;
}

static bool unit_is_interrupted(void *context, double part) {
    struct experiment_unit *unit = context;
    struct experiment_runs *runs = unit->runs;
    pthread_mutex_lock(&runs->queue.lock);
    runs->running += part - unit->part;
    unit->part = part;
    unit->events += SIM_QUESTION_EVERY;
    unit->beyond =
        runs->experiment->most_events > 0 && is_beyond(runs, spent_before(runs, unit), unit);
    tell_progress(runs);
    pthread_mutex_unlock(&runs->queue.lock);
    return unit->beyond || thread_queue_interrupted(&runs->queue);
}

/* Whether it predicts by the network of Themis. */
static bool uses_network(const struct ct_policy *policy) {
    return policy->predictor == CT_PREDICTOR_PROGRESS;
}

bool experiment_has_oracle(const struct experiment *e) {
    return e->setup->workload->predictor == WORKLOAD_PREDICTOR_ORACLE;
}

/* Reports and stores have a number for every two applications, and each task under way one for
 * every client (1 GiB in all). NVIDIA's MPS takes 60 clients on a GPU; these limits are chosen. */
#define BLAMED_APPS_MOST 500
#define BLAMED_NUMBERS_MOST 134217728.0

bool experiment_blames(const struct experiment *e) {
    double clients = 0, tasks = 0;
    for (uint32_t a = 0; a < e->setup->app_count; a++) {
        const struct setup_app *app = &e->setup->apps[a];
        double instances = app->spec->instances;
        clients += instances;
        tasks += instances * app->spec->workers * app->longest_plan;
    }
    return e->blame && e->setup->app_count <= BLAMED_APPS_MOST &&
           tasks * clients <= BLAMED_NUMBERS_MOST;
}

/* What every policy is measured by: under mps, that is the whole GPU, shared freely. */
static bool is_yardstick(const struct experiment_unit *unit) {
    return unit->kind == EXPERIMENT_UNIT_ALONE || unit->kind == EXPERIMENT_UNIT_BATCH_ONLY;
}

/* `alone` is the set-up of an application whose jobs no stages run before. */
static void set_yardstick(struct sim_params *params, const struct experiment *e,
                          const struct experiment_unit *unit, struct setup *alone) {
    params->policy = &policy_mps;
    if (unit->kind == EXPERIMENT_UNIT_BATCH_ONLY) {
        params->batch_only = true;
        params->looks = e->looks;
        params->look_count = e->look_count;
        return;
    }
    params->only_app = unit->app;
    params->only_instance = unit->instance;
    if (!e->setup->apps[unit->app].spec->arrivals.before) {
        *alone = setup_alone(e->setup, unit->app);
        params->setup = alone;
        params->only_app = 0;
    }
}

struct sim_params experiment_unit_params(const struct experiment_runs *runs,
                                         const struct experiment_unit *unit, struct setup *alone) {
    const struct experiment *e = runs->experiment;
    const struct workload *w = e->setup->workload;
    struct sim_params params = {.setup = e->setup,
                                .seed = e->seed,
                                .replication = e->first_replication + unit->replication,
                                .only_app = SIM_ALL_APPS,
                                .warmup_ps = runs->warmups[unit->replication].end_ps,
                                .duration_ps = ct_time_of_s(w->duration_s),
                                .decision_cost = w->decision_cost,
                                .dump_at_ps = CT_TIME_NEVER};
    if (unit->kind == EXPERIMENT_UNIT_FREE)
        params.decision_cost = WORKLOAD_COST_NONE;
    if (is_yardstick(unit)) {
        set_yardstick(&params, e, unit, alone);
        return params;
    }
    if (unit->kind == EXPERIMENT_UNIT_PILOT)
        params.warmup_ps = 0;
    params.policy = e->policies[unit->policy].policy;
    params.policy_options = e->policies[unit->policy].options;
    params.watch = e->policies[unit->policy].watch;
    params.oracle = experiment_has_oracle(e);
    params.progress = uses_network(params.policy) ? &runs->network : NULL;
    params.blame = experiment_blames(e) && unit->kind == EXPERIMENT_UNIT_SHARED;
    params.blame_services = params.blame && e->blame_services;
    params.what_if = unit->kind == EXPERIMENT_UNIT_SHARED ? e->what_if : 0;
    return params;
}

/* What profiling runs teach; a network was trained before. */
bool experiment_uses_predictions(const struct ct_policy *policy) {
    return policy->features & CT_PREDICTS && !uses_network(policy);
}

int experiment_banks_find(struct experiment_banks *banks, const struct experiment *e,
                          const struct ct_policy *policy, struct predict_bank **bank,
                          struct ct_diags *diags) {
    *bank = NULL;
    if (!experiment_uses_predictions(policy))
        return CT_OK;
    for (size_t i = 0; i < banks->count; i++)
        if (profiling_same(banks->items[i].policy, policy)) {
            *bank = banks->items[i].bank;
            return CT_OK;
        }
    int status = profiling_train(e->setup, policy, e->seed, e->listener.interrupted,
                                 e->listener.context, bank, diags);
    if (status == CT_OK && !ct_vec_push(banks, (struct experiment_bank){policy, *bank})) {
        predict_bank_free(*bank);
        status = ct_out_of_memory(diags);
    }
    return status;
}

void experiment_banks_free(struct experiment_banks *banks) {
    for (size_t i = 0; i < banks->count; i++)
        predict_bank_free(banks->items[i].bank);
    ct_vec_free(banks);
}

/* A policy's bank; with kept results, of which none may need it, trained by the first run that
 * does. Failures are the run's. */
static int find_bank(struct experiment_runs *runs, uint32_t p, struct predict_bank **bank,
                     struct ct_diags *diags) {
    const struct experiment *e = runs->experiment;
    pthread_mutex_lock(&runs->training);
    int status = experiment_banks_find(e->banks ? e->banks : &runs->banks, e, e->policies[p].policy,
                                       bank, diags);
    pthread_mutex_unlock(&runs->training);
    return status;
}

/* Gives a run its own copy of what its policy's predictor learnt. */
static int teach(struct experiment_runs *runs, struct experiment_unit *unit,
                 struct sim_params *params) {
    struct predict_bank *bank = NULL;
    int status = CT_OK;
    if (!is_yardstick(unit))
        status = find_bank(runs, unit->policy, &bank, &unit->diags);
    if (status != CT_OK || !bank)
        return status;
    params->predictor = predict_bank_copy(bank);
    return params->predictor ? CT_OK : ct_out_of_memory(&unit->diags);
}

/* A pilot's job that ended. */
static void pilot_keep_job(void *context, const struct sim_job_record *job) {
    struct pilot *pilot = context;
    struct pilot_job kept = {job->app, job->instance, job->number, job->arrival_ps,
                             (double)(job->end_ps - job->arrival_ps)};
    pilot->lost |= !ct_vec_push(&pilot->jobs, kept);
}

static void run_unit(struct experiment_runs *runs, struct experiment_unit *unit) {
    const struct experiment *e = runs->experiment;
    struct setup alone;
    struct sim_params params = experiment_unit_params(runs, unit, &alone);
    struct sim_observer observer = {.context = &unit->pilot, .job_ended = pilot_keep_job};
    if (unit->kind == EXPERIMENT_UNIT_PILOT)
        params.observer = &observer;
    if (unit->recorder) {
        observer = recorder_observer(unit->recorder);
        recorder_keep_reasons(unit->recorder, params.policy);
        params.observer = &observer;
    }
    unit->runs = runs;
    params.interrupted = unit_is_interrupted;
    params.interrupt_context = unit;
    if (unit->kind == EXPERIMENT_UNIT_SHARED && unit->policy == 0 && unit->replication == 0)
        params.dump_at_ps = e->dump_at_ps;
    unit->status = teach(runs, unit, &params);
    if (unit->status == CT_INTERRUPTED) {
        unit->result.interrupted = true;
        unit->status = CT_OK;
    } else if (unit->status == CT_OK) {
        unit->status = sim_run(&params, &unit->result, &unit->diags);
    }
    if (unit->status == CT_OK && (unit->pilot.lost || (unit->recorder && unit->recorder->failed)))
        unit->status = ct_out_of_memory(&unit->diags);
    unit->done = unit->status == CT_OK && !unit->result.interrupted;
    predict_bank_free(params.predictor);
}

/* ---- Kept results ---- */

/* Whether a kept result can be one of such a run. */
static bool result_fits(const struct sim_result *result, const struct sim_params *params) {
    bool fits = result->app_count == params->setup->app_count;
    for (uint32_t a = 0; fits && a < result->app_count; a++) {
        const struct sim_app_result *app = &result->apps[a];
        size_t instances = sim_instances(params, a);
        fits = app->instance_jobs.count == instances && app->first_number.count == instances &&
               app->instance_work_ps.count == instances &&
               app->instance_sojourn_ps.count == instances &&
               app->first_run_ps.count == instances &&
               (!sim_blames(params, a) || app->slowest.row_length);
    }
    return fits;
}

/* Texts of kept results live as long as the reports. */
static bool read_kept(struct experiment_runs *runs, struct experiment_unit *unit,
                      const struct sim_params *params, const unsigned char *bytes, size_t size) {
    pthread_mutex_lock(&runs->queue.lock);
    bool read = sim_result_decode(bytes, size, runs->arena, &unit->result);
    pthread_mutex_unlock(&runs->queue.lock);
    return read && result_fits(&unit->result, params);
}

/* What nobody has run yet is run, and then kept; an interrupted or failed run is not. */
static void run_and_keep(struct experiment_runs *runs, struct experiment_unit *unit,
                         struct ct_hash key) {
    const struct run_cache *cache = runs->experiment->cache;
    unsigned char *bytes = NULL;
    size_t size = 0;
    run_unit(runs, unit);
    if (unit->done) {
        bytes = sim_result_encode(&unit->result, &size);
        if (!bytes)
            unit->status = ct_out_of_memory(&unit->diags);
    }
    int given = cache->give(cache->context, key, bytes, size, &unit->diags);
    unit->status = unit->status == CT_OK ? given : unit->status;
    unit->done = unit->done && unit->status == CT_OK;
    free(bytes);
}

static struct ct_hash code_of(const struct experiment *e, const struct experiment_unit *unit) {
    static const struct ct_hash built_in = {0, 0};
    return is_yardstick(unit) ? built_in : e->policies[unit->policy].code;
}

/* What is wanted of a run besides its result is no part of its key. */
static bool may_be_kept(const struct experiment *e, const struct experiment_unit *unit,
                        const struct sim_params *params, struct ct_hash code) {
    bool own = code.high || code.low;
    return e->cache && !unit->recorder && unit->kind != EXPERIMENT_UNIT_PILOT && !params->what_if &&
           !params->looks && e->dump_at_ps == CT_TIME_NEVER && !(own && e->cache->built_in);
}

static void take_or_run(struct experiment_runs *runs, struct experiment_unit *unit) {
    const struct experiment *e = runs->experiment;
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (unit->left_out)
        return;
    struct setup alone;
    struct sim_params params = experiment_unit_params(runs, unit, &alone);
    struct ct_hash code = code_of(e, unit);
    if (!may_be_kept(e, unit, &params, code)) {
        run_unit(runs, unit);
        return;
    }
    struct ct_hash key;
    unit->status =
        run_key_make(&params, e->version, code, &key) ? CT_OK : ct_out_of_memory(&unit->diags);
    if (unit->status == CT_OK)
        unit->status = e->cache->take(e->cache->context, key, &bytes, &size, &unit->diags);
    if (unit->status == CT_OK && !bytes) {
        run_and_keep(runs, unit, key);
    } else if (unit->status == CT_OK && !read_kept(runs, unit, &params, bytes, size)) {
        ct_error(&unit->diags, "", "a kept result cannot be read");
        unit->status = CT_DATA;
    }
    unit->done = unit->status == CT_OK && !unit->result.interrupted;
    free(bytes);
}

/* ---- Threads: each takes the next unit; results lie in the units, so the order of ends does not
 * matter. ---- */

static void unit_is_over(struct experiment_runs *runs, struct experiment_unit *unit) {
    pthread_mutex_lock(&runs->queue.lock);
    runs->done++;
    runs->running -= unit->part;
    unit->counts = unit->done;
    unit->events = (double)unit->result.events;
    runs->queue.stop |= !unit->done;
    tell_progress(runs);
    pthread_mutex_unlock(&runs->queue.lock);
}

static void *worker(void *context) {
    struct experiment_runs *runs = context;
    for (uint64_t number; thread_queue_take(&runs->queue, &number);) {
        take_or_run(runs, &runs->units[number]);
        unit_is_over(runs, &runs->units[number]);
    }
    return NULL;
}

/* What all may have is taken in the order of the plan: from the first unit that goes beyond it on,
 * none is done. */
static void leave_out_beyond(struct experiment_runs *runs, uint32_t count) {
    struct spent before = {0};
    for (struct experiment_unit *unit = runs->units; unit < runs->units + count; unit++) {
        unit->beyond |= is_beyond(runs, before, unit);
        if (unit->beyond) {
            unit->done = false;
            runs->queue.stop = true;
        }
        spent_add(&before, unit);
    }
}

/* The first failure in the order of the plan is the one that is told, at any number of threads. */
int experiment_units_run(struct experiment_runs *runs, struct experiment_unit *units,
                         uint32_t count, struct ct_diags *diags) {
    uint32_t wanted = runs->experiment->threads;
    runs->units = units;
    runs->queue.count = count;
    runs->queue.next = 0;
    thread_team_work(wanted < count ? wanted : count, worker, runs);
    if (runs->experiment->most_events > 0)
        leave_out_beyond(runs, count);
    for (uint32_t i = 0; i < count; i++) {
        const struct experiment_unit *unit = &units[i];
        ct_diags_add(diags, &unit->diags);
        if (unit->status != CT_OK)
            return unit->status;
    }
    return CT_OK;
}

void experiment_unit_free(struct experiment_unit *unit) {
    sim_result_free(&unit->result);
    ct_diags_free(&unit->diags);
    ct_vec_free(&unit->pilot.jobs);
}

/* ---- What they have in common ---- */

int experiment_runs_open(struct experiment_runs *runs, const struct experiment *experiment,
                         struct ct_arena *arena, struct ct_diags *diags) {
    const struct experiment *e = experiment;
    ct_time_ps warmup_ps = ct_time_of_s(e->setup->workload->warmup_s);
    *runs = (struct experiment_runs){.experiment = e, .arena = arena};
    runs->warmups = calloc(e->replications, sizeof *runs->warmups);
    thread_queue_open(&runs->queue, &e->listener);
    pthread_mutex_init(&runs->training, NULL);
    for (uint32_t r = 0; runs->warmups && r < e->replications; r++)
        runs->warmups[r] = (struct warmup){warmup_ps, true};
    return runs->warmups ? CT_OK : ct_out_of_memory(diags);
}

void experiment_runs_free(struct experiment_runs *runs) {
    experiment_banks_free(&runs->banks);
    free(runs->warmups);
    thread_queue_close(&runs->queue);
    pthread_mutex_destroy(&runs->training);
}

int experiment_open_network(struct experiment_runs *runs, const struct ct_policy *policy,
                            struct ct_diags *diags) {
    if (runs->opened || !uses_network(policy))
        return CT_OK;
    runs->opened = true;
    return progress_open(runs->experiment->setup, &runs->network, diags);
}

int experiment_runs_train(struct experiment_runs *runs, struct ct_diags *diags) {
    const struct experiment *e = runs->experiment;
    int status = CT_OK;
    for (uint32_t p = 0; p < e->policy_count && status == CT_OK; p++) {
        struct predict_bank *bank;
        status = experiment_open_network(runs, e->policies[p].policy, diags);
        if (status == CT_OK && !e->cache)
            status = find_bank(runs, p, &bank, diags);
    }
    return status;
}

/* ---- The warm-up ---- */

static int compare_jobs(const void *a, const void *b) {
    const struct pilot_job *x = a, *y = b;
    return ct_then(ct_order(x->arrival_ps, y->arrival_ps),
                   ct_then(ct_order(x->instance, y->instance), ct_order(x->number, y->number)));
}

bool pilot_find_warmup(const struct pilot *pilot, uint32_t app, ct_time_ps duration_ps,
                       struct warmup *warmup) {
    struct pilot_job *jobs = malloc((pilot->jobs.count + 1) * sizeof *jobs);
    double *latencies = malloc((pilot->jobs.count + 1) * sizeof *latencies);
    size_t count = 0;
    for (size_t i = 0; jobs && i < pilot->jobs.count; i++)
        if (pilot->jobs.items[i].app == app && pilot->jobs.items[i].arrival_ps < duration_ps)
            jobs[count++] = pilot->jobs.items[i];
    if (jobs && latencies && count) {
        qsort(jobs, count, sizeof *jobs, compare_jobs);
        for (size_t i = 0; i < count; i++)
            latencies[i] = jobs[i].latency_ps;
        struct des_mser mser = des_mser5(latencies, count);
        ct_time_ps end = mser.cut ? jobs[mser.cut].arrival_ps : 0;
        warmup->end_ps = end > warmup->end_ps ? end : warmup->end_ps;
        warmup->settled &= mser.found;
    }
    bool done = jobs && latencies;
    free(jobs);
    free(latencies);
    return done;
}
