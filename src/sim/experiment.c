#include "experiment.h"

#include "compare_stats.h"
#include "ct_assert.h"
#include "pilot.h"
#include "policies.h"
#include "precision.h"
#include "profiling.h"
#include "progress.h"
#include "recorder.h"
#include "report_build.h"
#include "run_key.h"
#include "sim_result_bytes.h"
#include "thread_team.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Before the first look at what they reached; Law (Simulation Modeling and Analysis, section 9.4.1)
 * starts from ten, too. */
#define FIRST_REPLICATIONS 10

/* One run of the plan. Private runs come first, then each policy's replications; at the end those
 * of the first replication in which decisions cost nothing. Pilots, which are apart, look for the
 * end of the warm-up. */
enum unit_kind { UNIT_ALONE, UNIT_SHARED, UNIT_BATCH_ONLY, UNIT_FREE, UNIT_PILOT };

struct unit {
    enum unit_kind kind;
    uint32_t policy, replication, app;
    struct sim_result result;
    struct recorder *recorder; /* NULL: nothing is recorded */
    struct pilot pilot;
    struct ct_diags diags;
    int status;
    bool done;
    bool left_out;     /* done without a result */
    struct plan *plan; /* once it runs */
    double part;       /* of its duration that is simulated */
};

struct plan {
    const struct experiment *experiment;
    struct predict_bank *
        *banks; /* by the first policy that learns so: trained; every run gets a copy */
    struct themis_network network; /* of the policies that predict progress by it */
    struct unit *units, *pilots;   /* pilots: one per policy and replication; NULL: none */
    uint32_t unit_count, pilot_count, planned, done;
    struct unit *queue; /* that the threads work on */
    uint32_t queue_count, next;
    double running;         /* sum of the parts of the units that run */
    struct warmup *warmups; /* by replication */
    pthread_mutex_t lock, training;
    struct ct_arena *arena; /* of the result */
    bool stop;
};

static bool has_role(const struct setup *setup, int role) {
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (setup->apps[a].spec->role == role)
            return true;
    return false;
}

/* The measure of batch throughput needs batch work and something that it was shared with. */
static bool has_batch_only(const struct setup *setup) {
    return has_role(setup, WORKLOAD_BATCH) && has_role(setup, WORKLOAD_SERVICE);
}

/* The end of the warm-up is found by pilot runs. */
static bool has_pilots(const struct experiment *e) {
    return e->setup->workload->warmup_by == WORKLOAD_WARMUP_MSER5;
}

/* Whether every policy does without private runs. */
static bool without_alone(const struct experiment *e) {
    unsigned without = EXPERIMENT_ALONE;
    for (uint32_t p = 0; p < e->policy_count; p++)
        without &= e->policies[p].without;
    return without;
}

static bool wants_batch_only(const struct experiment *e, uint32_t p) {
    return has_batch_only(e->setup) && !(e->policies[p].without & EXPERIMENT_BATCH_ONLY) &&
           e->policies[p].batch_only_ps == 0;
}

/* ---- One run ---- */

static bool run_is_interrupted(const struct plan *plan) {
    return plan->experiment->interrupted &&
           plan->experiment->interrupted(plan->experiment->context);
}

/* Under the lock: a run that is over counts whole, one that runs by its part. */
static void tell_progress(struct plan *plan) {
    const struct experiment *e = plan->experiment;
    uint64_t running = (uint64_t)(EXPERIMENT_RUN_PROGRESS * fmax(0, plan->running));
    if (e->progress)
        e->progress(e->context, EXPERIMENT_RUN_PROGRESS * (uint64_t)plan->done + running);
}

static bool unit_is_interrupted(void *context, double part) {
    struct unit *unit = context;
    struct plan *plan = unit->plan;
    pthread_mutex_lock(&plan->lock);
    plan->running += part - unit->part;
    unit->part = part;
    tell_progress(plan);
    pthread_mutex_unlock(&plan->lock);
    return run_is_interrupted(plan);
}

static bool uses_network(const struct ct_policy *policy) {
    return policy->predictor == CT_PREDICTOR_PROGRESS;
}

static bool oracle_of(const struct experiment *e) {
    return e->setup->workload->predictor == WORKLOAD_PREDICTOR_ORACLE;
}

static struct sim_params params_of(const struct plan *plan, const struct unit *unit) {
    const struct experiment *e = plan->experiment;
    const struct workload *w = e->setup->workload;
    struct sim_params params = {.setup = e->setup,
                                .seed = e->seed,
                                .replication = e->first_replication + unit->replication,
                                .only_app = SIM_ALL_APPS,
                                .warmup_ps = plan->warmups[unit->replication].end_ps,
                                .duration_ps = ct_time_round(w->duration_s * (double)CT_PS_PER_S),
                                .decision_cost = w->decision_cost,
                                .dump_at_ps = CT_TIME_NEVER};
    if (unit->kind == UNIT_FREE)
        params.decision_cost = WORKLOAD_COST_NONE;
    if (unit->kind == UNIT_ALONE) {
        params.policy = &policy_mps;
        params.only_app = unit->app;
        return params;
    }
    if (unit->kind == UNIT_PILOT)
        params.warmup_ps = 0;
    params.policy = e->policies[unit->policy].policy;
    params.policy_options = e->policies[unit->policy].options;
    params.watch = e->policies[unit->policy].watch;
    params.oracle = oracle_of(e);
    params.batch_only = unit->kind == UNIT_BATCH_ONLY;
    if (params.batch_only) {
        params.looks = e->policies[unit->policy].looks;
        params.look_count = e->policies[unit->policy].look_count;
    }
    params.progress = uses_network(params.policy) ? &plan->network : NULL;
    params.blame = e->blame && unit->kind == UNIT_SHARED;
    params.what_if = unit->kind == UNIT_SHARED ? e->what_if : 0;
    return params;
}

/* What profiling runs teach; a network was trained before. */
static bool uses_predictions(const struct ct_policy *policy) {
    return policy->features & CT_PREDICTS && !uses_network(policy);
}

/* The first policy whose predictions are learnt from the same profiling runs. */
static uint32_t bank_owner(const struct plan *plan, uint32_t p) {
    const struct experiment_policy *policies = plan->experiment->policies;
    uint32_t owner = 0;
    while (owner < p && !(uses_predictions(policies[owner].policy) &&
                          profiling_same(policies[owner].policy, policies[p].policy)))
        owner++;
    return owner;
}

/* A policy's bank; with kept results, of which none may need it, trained by the first run that
 * does. Failures are the run's. */
static int find_bank(struct plan *plan, uint32_t p, struct predict_bank **bank,
                     struct ct_diags *diags) {
    const struct experiment *e = plan->experiment;
    uint32_t owner = uses_predictions(e->policies[p].policy) ? bank_owner(plan, p) : p;
    int status = CT_OK;
    *bank = NULL;
    if (!uses_predictions(e->policies[p].policy))
        return CT_OK;
    pthread_mutex_lock(&plan->training);
    if (!plan->banks[owner])
        status = profiling_train(e->setup, e->policies[owner].policy, e->seed, &plan->banks[owner],
                                 diags);
    *bank = plan->banks[owner];
    pthread_mutex_unlock(&plan->training);
    return status;
}

/* Gives a run its own copy of what its policy's predictor learnt. */
static int teach(struct plan *plan, struct unit *unit, struct sim_params *params) {
    struct predict_bank *bank = NULL;
    int status = CT_OK;
    if (unit->kind != UNIT_ALONE)
        status = find_bank(plan, unit->policy, &bank, &unit->diags);
    if (status != CT_OK || !bank)
        return status;
    params->predictor = predict_bank_copy(bank);
    return params->predictor ? CT_OK : ct_out_of_memory(&unit->diags);
}

static void run_unit(struct plan *plan, struct unit *unit) {
    const struct experiment *e = plan->experiment;
    struct sim_params params = params_of(plan, unit);
    struct sim_observer observer = {.context = &unit->pilot, .job_ended = pilot_keep_job};
    if (unit->kind == UNIT_PILOT)
        params.observer = &observer;
    if (unit->recorder) {
        observer = recorder_observer(unit->recorder);
        params.observer = &observer;
    }
    unit->plan = plan;
    params.interrupted = unit_is_interrupted;
    params.interrupt_context = unit;
    if (unit->kind == UNIT_SHARED && unit->policy == 0 && unit->replication == 0)
        params.dump_at_ps = e->dump_at_ps;
    unit->status = teach(plan, unit, &params);
    if (unit->status == CT_OK)
        unit->status = sim_run(&params, &unit->result, &unit->diags);
    if (unit->status == CT_OK && (unit->pilot.lost || (unit->recorder && unit->recorder->failed)))
        unit->status = ct_out_of_memory(&unit->diags);
    unit->done = unit->status == CT_OK && !unit->result.interrupted;
    predict_bank_free(params.predictor);
}

/* ---- Kept results ---- */

static size_t instances_in(const struct sim_params *params, uint32_t app) {
    const struct workload_app *spec = params->setup->apps[app].spec;
    if (params->only_app != SIM_ALL_APPS)
        return params->only_app == app;
    return params->batch_only && spec->role == WORKLOAD_SERVICE ? 0 : (size_t)spec->instances;
}

/* Whether a kept result can be one of such a run. */
static bool result_fits(const struct sim_result *result, const struct sim_params *params) {
    bool fits = result->app_count == params->setup->app_count;
    for (uint32_t a = 0; fits && a < result->app_count; a++) {
        const struct sim_app_result *app = &result->apps[a];
        size_t instances = instances_in(params, a);
        fits = app->instance_jobs.count == instances && app->first_number.count == instances &&
               app->instance_work_ps.count == instances && (!params->blame || app->delayed_by_ps);
    }
    return fits;
}

/* Texts of kept results live as long as the reports. */
static bool read_kept(struct plan *plan, struct unit *unit, const struct sim_params *params,
                      const unsigned char *bytes, size_t size) {
    pthread_mutex_lock(&plan->lock);
    bool read = sim_result_decode(bytes, size, plan->arena, &unit->result);
    pthread_mutex_unlock(&plan->lock);
    return read && result_fits(&unit->result, params);
}

/* What nobody has run yet is run, and then kept; an interrupted or failed run is not. */
static void run_and_keep(struct plan *plan, struct unit *unit, struct ct_hash key) {
    const struct run_cache *cache = plan->experiment->cache;
    unsigned char *bytes = NULL;
    size_t size = 0;
    run_unit(plan, unit);
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

static void take_or_run(struct plan *plan, struct unit *unit) {
    const struct experiment *e = plan->experiment;
    unsigned char *bytes = NULL;
    size_t size = 0;
    if (unit->left_out)
        return;
    if (!e->cache || unit->recorder || unit->kind == UNIT_PILOT) {
        run_unit(plan, unit);
        return;
    }
    struct sim_params params = params_of(plan, unit);
    struct ct_hash code = {0, 0};
    if (unit->kind != UNIT_ALONE)
        code = e->policies[unit->policy].code;
    struct ct_hash key = run_key_make(&params, e->version, code);
    unit->status = e->cache->take(e->cache->context, key, &bytes, &size, &unit->diags);
    if (unit->status == CT_OK && !bytes) {
        run_and_keep(plan, unit, key);
    } else if (unit->status == CT_OK && !read_kept(plan, unit, &params, bytes, size)) {
        ct_error(&unit->diags, "", "a kept result cannot be read");
        unit->status = CT_DATA;
    }
    unit->done = unit->status == CT_OK && !unit->result.interrupted;
    free(bytes);
}

/* Of the first replication, which stands for all. */
int experiment_key(const struct experiment *e, struct ct_hash *key, struct ct_diags *diags) {
    struct warmup none = {0};
    struct plan plan = {.experiment = e, .warmups = &none};
    bool opened = false;
    int status = CT_OK;
    *key = ct_hash_start();
    ct_hash_u64(key, e->replications);
    for (uint32_t p = 0; p < e->policy_count && status == CT_OK; p++) {
        struct unit unit = {.kind = UNIT_SHARED, .policy = p};
        if (uses_network(e->policies[p].policy) && !opened) {
            status = progress_open(e->setup, &plan.network, diags);
            opened = true;
        }
        struct sim_params params = params_of(&plan, &unit);
        struct ct_hash run = run_key_make(&params, e->version, e->policies[p].code);
        ct_hash_string(key, e->policies[p].label);
        ct_hash_u64(key, run.high);
        ct_hash_u64(key, run.low);
    }
    return status;
}

/* ---- Threads: each takes the next unit; results lie in the units, so the order of ends does not
 * matter. ---- */

static struct unit *take_unit(struct plan *plan) {
    struct unit *unit = NULL;
    bool interrupted = run_is_interrupted(plan); /* short runs end before they ask */
    pthread_mutex_lock(&plan->lock);
    plan->stop |= interrupted;
    if (!plan->stop && plan->next < plan->queue_count)
        unit = &plan->queue[plan->next++];
    pthread_mutex_unlock(&plan->lock);
    return unit;
}

static void unit_is_over(struct plan *plan, const struct unit *unit) {
    pthread_mutex_lock(&plan->lock);
    plan->done++;
    plan->running -= unit->part;
    plan->stop |= !unit->done;
    tell_progress(plan);
    pthread_mutex_unlock(&plan->lock);
}

static void *worker(void *context) {
    struct plan *plan = context;
    for (struct unit *unit; (unit = take_unit(plan)) != NULL;) {
        take_or_run(plan, unit);
        unit_is_over(plan, unit);
    }
    return NULL;
}

static void run_units(struct plan *plan, struct unit *units, uint32_t count) {
    uint32_t wanted = plan->experiment->threads;
    plan->queue = units;
    plan->queue_count = count;
    plan->next = 0;
    thread_team_work(wanted < count ? wanted : count, worker, plan);
}

/* ---- The plan ---- */

static uint32_t units_per_replication(const struct experiment *e) {
    return e->setup->app_count + e->policy_count * (1 + has_batch_only(e->setup));
}

static void plan_replication(struct plan *plan, uint32_t replication, struct recorder *recorders) {
    const struct experiment *e = plan->experiment;
    bool no_alone = without_alone(e);
    ct_assert(plan->units);
    for (uint32_t a = 0; a < e->setup->app_count; a++)
        plan->units[plan->unit_count++] = (struct unit){.kind = UNIT_ALONE,
                                                        .replication = replication,
                                                        .app = a,
                                                        .left_out = no_alone,
                                                        .done = no_alone};
    for (uint32_t p = 0; p < e->policy_count; p++) {
        struct recorder *recorder =
            e->record ? &recorders[(size_t)p * e->replications + replication] : NULL;
        if (recorder)
            *recorder = (struct recorder){.parts = e->record};
        plan->units[plan->unit_count++] = (struct unit){
            .kind = UNIT_SHARED, .replication = replication, .policy = p, .recorder = recorder};
        if (has_batch_only(e->setup))
            plan->units[plan->unit_count++] = (struct unit){.kind = UNIT_BATCH_ONLY,
                                                            .replication = replication,
                                                            .policy = p,
                                                            .left_out = !wants_batch_only(e, p),
                                                            .done = !wants_batch_only(e, p)};
    }
}

static const struct sim_result *free_result(const struct plan *plan, uint32_t policy) {
    const struct experiment *e = plan->experiment;
    for (uint32_t i = plan->planned * units_per_replication(e); i < plan->unit_count; i++)
        if (plan->units[i].policy == policy && plan->units[i].done)
            return &plan->units[i].result;
    return NULL;
}

static const struct unit *unit_of(const struct plan *plan, uint32_t replication,
                                  enum unit_kind kind, uint32_t which) {
    const struct experiment *e = plan->experiment;
    const struct unit *first = plan->units + (size_t)replication * units_per_replication(e);
    if (kind == UNIT_ALONE)
        return first + which;
    return first + e->setup->app_count + which * (1 + has_batch_only(e->setup)) +
           (kind == UNIT_BATCH_ONLY);
}

static uint32_t complete_replications(const struct plan *plan) {
    uint32_t per = units_per_replication(plan->experiment), complete = 0;
    for (; complete < plan->planned; complete++)
        for (uint32_t i = 0; i < per; i++)
            if (!plan->units[complete * per + i].done)
                return complete;
    return complete;
}

/* ---- Reports ---- */

/* Copies of results by application, as report_runs wants them: shallow, the units own the vectors.
 */
static struct sim_result *alone_results(const struct plan *plan, uint32_t replication,
                                        struct ct_arena *arena) {
    uint32_t apps = plan->experiment->setup->app_count;
    struct sim_result *alone = ct_arena_array(arena, apps, sizeof *alone);
    for (uint32_t a = 0; alone && a < apps; a++)
        alone[a] = unit_of(plan, replication, UNIT_ALONE, a)->result;
    return alone;
}

/* All that decides this run's result. */
static struct ct_hash run_key(const struct plan *plan, uint32_t p, uint64_t replication,
                              ct_time_ps warmup_ps) {
    const struct experiment *e = plan->experiment;
    struct ct_hash hash = e->setup->workload->hash;
    const struct experiment_policy *policy = &e->policies[p];
    ct_hash_string(&hash, e->version);
    ct_hash_string(&hash, policy->policy->name);
    ct_hash_string(&hash, policy->label);
    ct_hash_u64(&hash, e->seed);
    ct_hash_u64(&hash, replication);
    run_key_gpu_files(&hash, &e->setup->gpu);
    for (size_t i = 0; uses_network(policy->policy) && i < THEMIS_WEIGHTS; i++)
        ct_hash_double(&hash, plan->network.weights[i]);
    if (has_pilots(e)) /* it depends on the other policies, too */
        ct_hash_u64(&hash, (uint64_t)warmup_ps);
    return hash;
}

/* What a policy's pooled report is made of; its runs are NULL when memory ran out. */
static struct report_input pooled_input(const struct plan *plan, uint32_t p, uint32_t complete,
                                        struct ct_arena *arena) {
    const struct experiment *e = plan->experiment;
    struct report_runs *runs = ct_arena_array(arena, complete, sizeof *runs);
    for (uint32_t r = 0; runs && r < complete; r++) {
        runs[r].warmup_s = ct_time_s(plan->warmups[r].end_ps);
        runs[r].settled = plan->warmups[r].settled;
        runs[r].shared = &unit_of(plan, r, UNIT_SHARED, p)->result;
        runs[r].alone = without_alone(e) ? NULL : alone_results(plan, r, arena);
        runs[r].batch_only_ps =
            wants_batch_only(e, p)
                ? report_batch_work(e->setup, &unit_of(plan, r, UNIT_BATCH_ONLY, p)->result)
                : e->policies[p].batch_only_ps;
        runs[r].free_of_charge = r == 0 ? free_result(plan, p) : NULL;
        if (!runs[r].alone && !without_alone(e))
            runs = NULL;
    }
    return (struct report_input){.setup = e->setup,
                                 .policy = e->policies[p].policy,
                                 .label = e->policies[p].label,
                                 .version = e->version,
                                 .seed = e->seed,
                                 .runs = runs,
                                 .run_count = complete,
                                 .precision = e->precision,
                                 .oracle = oracle_of(e) && uses_predictions(e->policies[p].policy)};
}

static int build_policy(const struct plan *plan, uint32_t p, uint32_t complete,
                        struct experiment_result *result, struct ct_diags *diags) {
    const struct experiment *e = plan->experiment;
    struct report_input input = pooled_input(plan, p, complete, &result->arena);
    if (!input.runs)
        return ct_out_of_memory(diags);
    int status = report_build(&input, &result->arena, &result->pooled[p], diags);
    for (uint32_t r = 0; r < complete && status == CT_OK; r++) {
        struct report_input one = input;
        one.runs = &input.runs[r];
        one.run_count = 1;
        one.precision = 0;
        size_t place = (size_t)p * complete + r;
        status = report_build(&one, &result->arena, &result->replications[place], diags);
        uint64_t number = e->first_replication + r;
        result->runs[place] =
            (struct result_run){.replication = (int64_t)number,
                                .report = result->replications[place],
                                .key = run_key(plan, p, number, plan->warmups[r].end_ps)};
        if (e->record)
            recorder_fill(unit_of(plan, r, UNIT_SHARED, p)->recorder, &result->runs[place]);
    }
    return status;
}

static int build_reports(const struct plan *plan, uint32_t complete,
                         struct experiment_result *result, struct ct_diags *diags) {
    const struct experiment *e = plan->experiment;
    result->pooled = ct_arena_array(&result->arena, e->policy_count, sizeof *result->pooled);
    result->replications =
        ct_arena_array(&result->arena, (size_t)e->policy_count * complete, sizeof *result->pooled);
    result->runs =
        ct_arena_array(&result->arena, (size_t)e->policy_count * complete, sizeof *result->runs);
    if (!result->pooled || !result->replications || !result->runs)
        return ct_out_of_memory(diags);
    int status = CT_OK;
    for (uint32_t p = 0; p < e->policy_count && status == CT_OK; p++)
        status = build_policy(plan, p, complete, result, diags);
    if (status == CT_OK && e->policy_count > 1)
        status = compare_policies(
            result->replications, e->policy_count, complete,
            e->baseline ? (size_t)(e->baseline - e->policies) : COMPARE_ALL_PAIRS, &result->arena,
            &result->differences, &result->difference_count, diags);
    return status;
}

/* The first failure in the order of the plan is the one that is told, at any number of threads. */
static int collect_status(const struct unit *units, uint32_t count, struct ct_diags *diags) {
    for (uint32_t i = 0; i < count; i++) {
        const struct unit *unit = &units[i];
        ct_diags_add(diags, &unit->diags);
        if (unit->status != CT_OK)
            return unit->status;
    }
    return CT_OK;
}

static void free_unit(struct unit *unit) {
    sim_result_free(&unit->result);
    ct_diags_free(&unit->diags);
    ct_vec_free(&unit->pilot.jobs);
}

static void free_plan(struct plan *plan) {
    for (uint32_t i = 0; i < plan->unit_count; i++)
        free_unit(&plan->units[i]);
    for (uint32_t i = 0; i < plan->pilot_count; i++)
        free_unit(&plan->pilots[i]);
    free(plan->units);
    free(plan->pilots);
    free(plan->warmups);
    for (uint32_t p = 0; plan->banks && p < plan->experiment->policy_count; p++)
        if (bank_owner(plan, p) == p)
            predict_bank_free(plan->banks[p]);
    free(plan->banks);
    pthread_mutex_destroy(&plan->lock);
    pthread_mutex_destroy(&plan->training);
}

static int train(struct plan *plan, struct ct_diags *diags) {
    const struct experiment *e = plan->experiment;
    bool opened = false;
    int status = CT_OK;
    for (uint32_t p = 0; p < e->policy_count && status == CT_OK; p++) {
        struct predict_bank *bank;
        if (uses_network(e->policies[p].policy) && !opened) {
            status = progress_open(e->setup, &plan->network, diags);
            opened = true;
        }
        if (status == CT_OK && !e->cache)
            status = find_bank(plan, p, &bank, diags);
    }
    return status;
}

/* Runs whose decisions cost nothing, as far as is known before; what a policy charges besides its
 * predictions shows in its first run. */
static uint32_t count_free(const struct experiment *e) {
    uint32_t count = 0;
    bool lost = false;
    for (uint32_t p = 0; p < e->policy_count; p++)
        count += !(e->policies[p].without & EXPERIMENT_FREE) &&
                 report_charge_ps(e->setup, e->policies[p].policy, NULL, &lost) > 0;
    return count;
}

uint64_t experiment_run_count(const struct experiment *experiment) {
    uint32_t pilots = has_pilots(experiment) ? experiment->policy_count : 0;
    return (uint64_t)experiment->replications * (units_per_replication(experiment) + pilots) +
           count_free(experiment);
}

/* ---- The warm-up ---- */

/* Services tell, or batch applications where there are none. */
static bool find_warmups(struct plan *plan) {
    const struct experiment *e = plan->experiment;
    const struct setup *setup = e->setup;
    ct_time_ps duration = ct_time_round(setup->workload->duration_s * (double)CT_PS_PER_S);
    int role = has_role(setup, WORKLOAD_SERVICE) ? WORKLOAD_SERVICE : WORKLOAD_BATCH;
    bool done = true;
    for (uint32_t i = 0; i < plan->pilot_count; i++)
        for (uint32_t a = 0; a < setup->app_count && plan->pilots[i].done; a++)
            if (setup->apps[a].spec->role == role)
                done &= pilot_find_warmup(&plan->pilots[i].pilot, a, duration,
                                          &plan->warmups[plan->pilots[i].replication]);
    return done;
}

/* Pilots of these replications; what is found is at least the warm-up that the workload gives. */
static int run_pilots(struct plan *plan, uint32_t first, uint32_t end, struct ct_diags *diags) {
    const struct experiment *e = plan->experiment;
    if (!has_pilots(e))
        return CT_OK;
    plan->pilot_count = 0;
    plan->pilots = calloc((size_t)(end - first) * e->policy_count, sizeof *plan->pilots);
    if (!plan->pilots)
        return ct_out_of_memory(diags);
    for (uint32_t r = first; r < end; r++)
        for (uint32_t p = 0; p < e->policy_count; p++)
            plan->pilots[plan->pilot_count++] =
                (struct unit){.kind = UNIT_PILOT, .replication = r, .policy = p};
    run_units(plan, plan->pilots, plan->pilot_count);
    int status = collect_status(plan->pilots, plan->pilot_count, diags);
    if (status == CT_OK && !find_warmups(plan))
        status = ct_out_of_memory(diags);
    for (uint32_t i = 0; i < plan->pilot_count; i++)
        free_unit(&plan->pilots[i]);
    free(plan->pilots);
    plan->pilots = NULL;
    plan->pilot_count = 0;
    return status;
}

/* ---- All of it ---- */

/* The replications up to `end`, after those that are planned already. */
static int run_replications(struct plan *plan, uint32_t end, struct experiment_result *result,
                            struct ct_diags *diags) {
    uint32_t first = plan->planned, before = plan->unit_count;
    int status = run_pilots(plan, first, end, diags);
    if (status != CT_OK)
        return status;
    for (; plan->planned < end; plan->planned++)
        plan_replication(plan, plan->planned, result->recorders);
    run_units(plan, plan->units + before, plan->unit_count - before);
    result->finished = complete_replications(plan);
    return collect_status(plan->units + before, plan->unit_count - before, diags);
}

/* How many replications to have, by the precision of the finished ones; 0: an error. */
static uint32_t next_end(const struct plan *plan, struct ct_diags *diags) {
    const struct experiment *e = plan->experiment;
    struct ct_arena arena = {0};
    struct ct_diags unheard = {0}; /* the last reports say it again */
    struct report *reports = ct_arena_array(&arena, e->policy_count, sizeof *reports);
    bool done = reports;
    for (uint32_t p = 0; done && p < e->policy_count; p++) {
        struct report_input input = pooled_input(plan, p, plan->planned, &arena);
        done = input.runs && report_build(&input, &arena, &reports[p], &unheard) == CT_OK;
    }
    uint32_t next = done ? precision_next(reports, e->policy_count, plan->planned, e->replications,
                                          e->precision)
                         : 0;
    if (!done)
        ct_out_of_memory(diags);
    ct_diags_free(&unheard);
    ct_arena_free(&arena);
    return next;
}

/* Of the policies whose decisions cost more than the median kernel takes. False: out of memory. */
static bool plan_free(struct plan *plan) {
    const struct experiment *e = plan->experiment;
    bool lost = false;
    for (uint32_t p = 0; p < e->policy_count && plan->planned > 0; p++) {
        const struct unit *first = unit_of(plan, 0, UNIT_SHARED, p);
        const struct sim_result *shared = first->done ? &first->result : NULL;
        if (!(e->policies[p].without & EXPERIMENT_FREE) &&
            report_charge_ps(e->setup, e->policies[p].policy, shared, &lost) > 0)
            plan->units[plan->unit_count++] = (struct unit){.kind = UNIT_FREE, .policy = p};
    }
    return !lost;
}

/* After the replications, whose number may follow from their results. */
static int run_free(struct plan *plan, struct ct_diags *diags) {
    uint32_t before = plan->unit_count;
    if (!plan_free(plan))
        return ct_out_of_memory(diags);
    run_units(plan, plan->units + before, plan->unit_count - before);
    return collect_status(plan->units + before, plan->unit_count - before, diags);
}

static int run_all(struct plan *plan, struct experiment_result *result, struct ct_diags *diags) {
    const struct experiment *e = plan->experiment;
    uint32_t end = e->replications;
    if (e->precision > 0 && end > FIRST_REPLICATIONS)
        end = FIRST_REPLICATIONS;
    for (;;) {
        int status = run_replications(plan, end, result, diags);
        if (status != CT_OK || result->finished < end || !(e->precision > 0))
            return status;
        end = next_end(plan, diags);
        if (end <= plan->planned)
            return end ? CT_OK : CT_DATA;
    }
}

static bool make_plan(struct plan *plan, struct experiment_result *result) {
    const struct experiment *e = plan->experiment;
    const struct workload *w = e->setup->workload;
    size_t units = (size_t)e->replications * units_per_replication(e) + e->policy_count;
    plan->units = calloc(units, sizeof *plan->units);
    plan->banks = calloc(e->policy_count, sizeof *plan->banks);
    plan->warmups = calloc(e->replications, sizeof *plan->warmups);
    result->recorder_count = (size_t)e->policy_count * e->replications;
    result->recorders = calloc(result->recorder_count, sizeof *result->recorders);
    pthread_mutex_init(&plan->lock, NULL);
    pthread_mutex_init(&plan->training, NULL);
    plan->arena = &result->arena;
    for (uint32_t r = 0; plan->warmups && r < e->replications; r++)
        plan->warmups[r] = (struct warmup){ct_time_round(w->warmup_s * (double)CT_PS_PER_S), true};
    return plan->units && plan->banks && plan->warmups && result->recorders;
}

int experiment_run(const struct experiment *experiment, struct experiment_result *result,
                   struct ct_diags *diags) {
    struct plan plan = {.experiment = experiment};
    *result = (struct experiment_result){0};
    int status = make_plan(&plan, result) ? CT_OK : ct_out_of_memory(diags);
    for (uint32_t p = 0; p < experiment->policy_count && status == CT_OK; p++)
        status = sim_check_needs(experiment->policies[p].policy, &experiment->setup->gpu, diags);
    if (status == CT_OK)
        status = train(&plan, diags);
    if (status == CT_OK)
        status = run_all(&plan, result, diags);
    if (status == CT_OK)
        status = run_free(&plan, diags);
    if (status == CT_OK && result->finished > 0)
        status = build_reports(&plan, result->finished, result, diags);
    if (status != CT_OK) /* replications without reports are of no use to anybody */
        result->finished = 0;
    bool more = experiment->precision > 0 || result->finished < experiment->replications;
    result->interrupted = status == CT_OK && plan.stop && more;
    free_plan(&plan);
    return result->interrupted ? CT_INTERRUPTED : status;
}

void experiment_result_free(struct experiment_result *result) {
    for (size_t i = 0; i < result->recorder_count && result->recorders; i++)
        recorder_free(&result->recorders[i]);
    free(result->recorders);
    ct_arena_free(&result->arena);
    *result = (struct experiment_result){0};
}
