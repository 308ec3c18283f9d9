#include "experiment/experiment.h"

#include "base/ct_assert.h"
#include "experiment/experiment_units.h"
#include "experiment/recorder.h"
#include "experiment/report_builder.h"
#include "experiment/run_key.h"
#include "results/compare_stats.h"
#include "results/precision.h"
#include "run/chance.h"

#include <stdlib.h>

/* Before the first look at what they reached; Law (Simulation Modeling and Analysis, section 9.4.1)
 * starts from ten, too. */
#define FIRST_REPLICATIONS 10

/*
 * What runs, in order: of each replication private runs, then that of the batch applications alone,
 * then each policy's. Those of the first replication in which decisions cost nothing come behind
 * it, or at the end where only a result tells that there is a cost. Pilots, which are apart, look
 * for the end of the warm-up.
 */
struct plan {
    struct experiment_runs runs;
    struct experiment_unit *units;
    uint32_t unit_count, planned;
    uint32_t free_behind_first; /* free runs between the first replication and the second */
};

static bool has_role(const struct setup *setup, int role) {
    for (uint32_t a = 0; a < setup->app_count; a++)
        if (setup->apps[a].spec->role == role)
            return true;
    return false;
}

/* The end of the warm-up is found by pilot runs. */
static bool has_pilots(const struct experiment *e) {
    return e->setup->workload->warmup_by == WORKLOAD_WARMUP_MSER5;
}

/* Whether every policy does without these runs. */
static bool all_without(const struct experiment *e, enum experiment_extra extra) {
    unsigned without = extra;
    for (uint32_t p = 0; p < e->policy_count; p++)
        without &= e->policies[p].without;
    return without;
}

/* The measure of batch throughput needs batch work and something that it was shared with. */
static bool has_batch_only(const struct experiment *e) {
    return has_role(e->setup, CT_BATCH) && has_role(e->setup, CT_SERVICE) &&
           !all_without(e, EXPERIMENT_BATCH_ONLY) && e->batch_only_ps == 0;
}

/* The key of a policy's run in a replication. */
static int find_key(const struct experiment_runs *runs, uint32_t policy, uint32_t replication,
                    struct ct_hash *key, struct ct_diags *diags) {
    const struct experiment *e = runs->experiment;
    struct experiment_unit unit = {
        .kind = EXPERIMENT_UNIT_SHARED, .policy = policy, .replication = replication};
    struct sim_params params = experiment_unit_params(runs, &unit, NULL);
    return run_key_make(&params, e->version, e->policies[policy].code, key)
               ? CT_OK
               : ct_out_of_memory(diags);
}

/* The key of the first replication stands for all. */
int experiment_key(const struct experiment *e, struct ct_hash *key, struct ct_diags *diags) {
    struct warmup none = {0};
    struct experiment_runs runs = {.experiment = e, .warmups = &none};
    int status = CT_OK;
    *key = ct_hash_start();
    ct_hash_u64(key, e->replications);
    for (uint32_t p = 0; p < e->policy_count && status == CT_OK; p++) {
        struct ct_hash run = {0, 0};
        status = experiment_open_network(&runs, e->policies[p].policy, diags);
        if (status == CT_OK)
            status = find_key(&runs, p, 0, &run, diags);
        ct_hash_string(key, e->policies[p].label);
        ct_hash_add(key, run);
    }
    return status;
}

/* ---- The plan ---- */

/* Private runs of an application: where chance decides nothing, one stands for all instances. */
static uint32_t alone_runs(const struct setup *setup, uint32_t app) {
    return chance_in_instances(setup, app) ? (uint32_t)setup->apps[app].spec->instances : 1;
}

static uint32_t all_alone_runs(const struct setup *setup) {
    uint32_t count = 0;
    for (uint32_t a = 0; a < setup->app_count; a++)
        count += alone_runs(setup, a);
    return count;
}

static uint32_t units_per_replication(const struct experiment *e) {
    return all_alone_runs(e->setup) + has_batch_only(e) + e->policy_count;
}

static void plan_alone(struct plan *plan, uint32_t replication) {
    const struct experiment *e = plan->runs.experiment;
    bool left_out = all_without(e, EXPERIMENT_ALONE);
    for (uint32_t a = 0; a < e->setup->app_count; a++)
        for (uint32_t i = 0; i < alone_runs(e->setup, a); i++)
            plan->units[plan->unit_count++] =
                (struct experiment_unit){.kind = EXPERIMENT_UNIT_ALONE,
                                         .replication = replication,
                                         .app = a,
                                         .instance = i,
                                         .left_out = left_out,
                                         .done = left_out};
}

static void plan_replication(struct plan *plan, uint32_t replication, struct recorder *recorders) {
    const struct experiment *e = plan->runs.experiment;
    ct_assert(plan->units);
    plan_alone(plan, replication);
    if (has_batch_only(e))
        plan->units[plan->unit_count++] = (struct experiment_unit){
            .kind = EXPERIMENT_UNIT_BATCH_ONLY, .replication = replication};
    for (uint32_t p = 0; p < e->policy_count; p++) {
        struct recorder *recorder =
            e->record ? &recorders[(size_t)p * e->replications + replication] : NULL;
        if (recorder)
            *recorder = (struct recorder){.parts = e->record};
        plan->units[plan->unit_count++] = (struct experiment_unit){.kind = EXPERIMENT_UNIT_SHARED,
                                                                   .replication = replication,
                                                                   .policy = p,
                                                                   .recorder = recorder};
    }
}

/* NULL: none is planned. */
static const struct experiment_unit *free_unit(const struct plan *plan, uint32_t policy) {
    for (uint32_t i = 0; i < plan->unit_count; i++)
        if (plan->units[i].kind == EXPERIMENT_UNIT_FREE && plan->units[i].policy == policy)
            return &plan->units[i];
    return NULL;
}

static const struct sim_result *free_result(const struct plan *plan, uint32_t policy) {
    const struct experiment_unit *unit = free_unit(plan, policy);
    return unit && unit->done ? &unit->result : NULL;
}

static const struct experiment_unit *first_unit(const struct plan *plan, uint32_t replication) {
    return plan->units + (size_t)replication * units_per_replication(plan->runs.experiment) +
           (replication > 0 ? plan->free_behind_first : 0);
}

/* The run of the batch applications alone, if there is one. */
static const struct experiment_unit *batch_only_unit(const struct plan *plan,
                                                     uint32_t replication) {
    return first_unit(plan, replication) + all_alone_runs(plan->runs.experiment->setup);
}

/* A policy's own run. */
static const struct experiment_unit *unit_of(const struct plan *plan, uint32_t replication,
                                             uint32_t policy) {
    return batch_only_unit(plan, replication) + has_batch_only(plan->runs.experiment) + policy;
}

static uint32_t complete_replications(const struct plan *plan) {
    uint32_t per = units_per_replication(plan->runs.experiment), complete = 0;
    for (; complete < plan->planned; complete++)
        for (uint32_t i = 0; i < per; i++)
            if (!first_unit(plan, complete)[i].done)
                return complete;
    return complete;
}

/* ---- Reports ---- */

/* As report_runs wants them: copies of results are shallow, the units own the vectors. NULL: memory
 * ran out. */
static struct report_alone *alone_results(const struct plan *plan, uint32_t replication,
                                          struct ct_arena *arena) {
    const struct setup *setup = plan->runs.experiment->setup;
    const struct experiment_unit *unit = first_unit(plan, replication);
    struct report_alone *alone = ct_arena_array(arena, setup->app_count, sizeof *alone);
    struct sim_result *results = ct_arena_array(arena, all_alone_runs(setup), sizeof *results);
    for (uint32_t a = 0; alone && results && a < setup->app_count; a++) {
        alone[a] = (struct report_alone){results, alone_runs(setup, a)};
        for (uint32_t i = 0; i < alone[a].count; i++)
            *results++ = unit++->result;
    }
    return results ? alone : NULL;
}

/* What is known beforehand is of a run as long as the policy's own. */
static void set_batch_only(const struct plan *plan, uint32_t replication,
                           struct report_runs *runs) {
    const struct experiment *e = plan->runs.experiment;
    runs->batch_only_ps = e->batch_only_ps;
    runs->batch_only_window_ps = runs->shared->window_ps;
    if (has_batch_only(e)) {
        const struct sim_result *alone = &batch_only_unit(plan, replication)->result;
        runs->batch_only_ps = report_batch_work(e->setup, alone);
        runs->batch_only_window_ps = alone->window_ps;
    }
}

static double batch_only_ps(const struct report_runs *runs) {
    double part = (double)runs->shared->window_ps / (double)runs->batch_only_window_ps;
    return runs->batch_only_ps > 0 ? runs->batch_only_ps * part : 0;
}

/* What a policy's pooled report is made of; its runs or configuration are NULL when memory ran out.
 */
static struct report_input pooled_input(const struct plan *plan, uint32_t p, uint32_t complete,
                                        struct ct_arena *arena) {
    const struct experiment *e = plan->runs.experiment;
    struct report_runs *runs = ct_arena_array(arena, complete, sizeof *runs);
    for (uint32_t r = 0; runs && r < complete; r++) {
        runs[r].warmup_s = ct_time_s(plan->runs.warmups[r].end_ps);
        runs[r].settled = plan->runs.warmups[r].settled;
        runs[r].shared = &unit_of(plan, r, p)->result;
        runs[r].alone = all_without(e, EXPERIMENT_ALONE) ? NULL : alone_results(plan, r, arena);
        set_batch_only(plan, r, &runs[r]);
        runs[r].free_of_charge = r == 0 ? free_result(plan, p) : NULL;
        if (!runs[r].alone && !all_without(e, EXPERIMENT_ALONE))
            runs = NULL;
    }
    return (struct report_input){.setup = e->setup,
                                 .policy = e->policies[p].policy,
                                 .label = e->policies[p].label,
                                 .version = e->version,
                                 .config = e->unnamed ? "" : run_config(e, &e->policies[p], arena),
                                 .seed = e->seed,
                                 .unblamed = e->blame && !experiment_blames(e),
                                 .runs = runs,
                                 .run_count = complete,
                                 .first_runs = e->first_runs,
                                 .precision = e->precision,
                                 .oracle = experiment_has_oracle(e) &&
                                           experiment_uses_predictions(e->policies[p].policy)};
}

/* Keeps the times that are known, but for those whose indices are in `but`. False when memory ran
 * out. */
static bool set_times(const double *ps, size_t count, const uint64_t *but, size_t but_count,
                      struct ct_arena *arena, struct result_times *times) {
    double *ms = ct_arena_array(arena, count + 1, sizeof *ms);
    times->ms = ms;
    for (size_t i = 0; ms && i < count; i++)
        ms[i] = ps[i] / (double)CT_PS_PER_MS;
    for (size_t i = 0; ms && i < but_count; i++)
        ms[but[i]] = NAN;
    for (size_t i = 0; ms && i < count; i++)
        if (!isnan(ms[i]))
            ms[times->count++] = ms[i];
    return ms;
}

/* What jobs took, or servers' requests, of which the age tells where they did not end. False when
 * memory ran out. */
static bool set_requests(const struct setup *setup, const struct sim_result *sim,
                         struct ct_arena *arena, struct result_run *run) {
    struct result_requests *requests = ct_arena_array(arena, setup->app_count, sizeof *requests);
    bool set = requests;
    for (uint32_t a = 0; a < setup->app_count && set; a++) {
        const struct sim_app_result *app = &sim->apps[a];
        struct result_times *times = requests[a].times;
        requests[a].work_ps = app->work_ps;
        requests[a].grows = report_backlog_grows(setup, sim, a);
        size_t aged = setup->apps[a].spec->server ? 0 : app->aged.count;
        set = set_times(app->latency_ps.items, app->latency_ps.count, app->aged.items, aged, arena,
                        &times[RESULT_LATENCY]) &&
              set_times(app->tokens.first_ps.items, app->tokens.first_ps.count, NULL, 0, arena,
                        &times[RESULT_FIRST_TOKEN]) &&
              set_times(app->tokens.each_ps.items, app->tokens.each_ps.count, NULL, 0, arena,
                        &times[RESULT_EACH_TOKEN]);
    }
    run->requests = requests;
    return set;
}

static int build_policy(const struct plan *plan, uint32_t p, uint32_t complete,
                        struct experiment_result *result, struct ct_diags *diags) {
    const struct experiment *e = plan->runs.experiment;
    struct report_input input = pooled_input(plan, p, complete, &result->arena);
    if (!input.runs || !input.config)
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
        result->runs[place] = (struct result_run){.replication = (int64_t)number,
                                                  .report = result->replications[place],
                                                  .batch_only_ps = batch_only_ps(one.runs)};
        if (status == CT_OK && !e->unnamed)
            status = find_key(&plan->runs, p, r, &result->runs[place].key, diags);
        if (e->record)
            recorder_fill(unit_of(plan, r, p)->recorder, &result->runs[place]);
        if (status == CT_OK && e->times &&
            !set_requests(e->setup, &unit_of(plan, r, p)->result, &result->arena,
                          &result->runs[place]))
            status = ct_out_of_memory(diags);
    }
    return status;
}

static int build_reports(const struct plan *plan, uint32_t complete,
                         struct experiment_result *result, struct ct_diags *diags) {
    const struct experiment *e = plan->runs.experiment;
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
    const struct compare_choice choice = {
        e->baseline ? (size_t)(e->baseline - e->policies) : COMPARE_ALL_PAIRS, e->headlines};
    const struct compare_runs runs = {result->pooled, result->replications, e->policy_count,
                                      complete};
    if (status == CT_OK && e->policy_count > 1)
        status = compare_policies(&runs, &choice, &result->arena, &result->differences,
                                  &result->difference_count, diags);
    return status;
}

static void free_plan(struct plan *plan) {
    for (uint32_t i = 0; i < plan->unit_count; i++)
        experiment_unit_free(&plan->units[i]);
    free(plan->units);
    experiment_runs_free(&plan->runs);
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

/* Services tell, or batch applications where there are none. False: memory ran out. */
static bool find_warmup(const struct setup *setup, const struct experiment_unit *pilot,
                        struct warmup *warmup) {
    ct_time_ps duration = ct_time_of_s(setup->workload->duration_s);
    int role = has_role(setup, CT_SERVICE) ? CT_SERVICE : CT_BATCH;
    bool done = true;
    for (uint32_t a = 0; a < setup->app_count && pilot->done; a++)
        if (setup->apps[a].spec->role == role)
            done &= pilot_find_warmup(&pilot->pilot, a, duration, warmup);
    return done;
}

/* Pilots of these replications; what is found is at least the warm-up that the workload gives. */
static int run_pilots(struct plan *plan, uint32_t first, uint32_t end, struct ct_diags *diags) {
    const struct experiment *e = plan->runs.experiment;
    uint32_t count = 0;
    bool found = true;
    if (!has_pilots(e))
        return CT_OK;
    struct experiment_unit *pilots =
        calloc((size_t)(end - first) * e->policy_count, sizeof *pilots);
    if (!pilots)
        return ct_out_of_memory(diags);
    for (uint32_t r = first; r < end; r++)
        for (uint32_t p = 0; p < e->policy_count; p++)
            pilots[count++] = (struct experiment_unit){
                .kind = EXPERIMENT_UNIT_PILOT, .replication = r, .policy = p};
    int status = experiment_units_run(&plan->runs, pilots, count, diags);
    for (uint32_t i = 0; i < count; i++) {
        if (status == CT_OK)
            found &= find_warmup(e->setup, &pilots[i], &plan->runs.warmups[pilots[i].replication]);
        experiment_unit_free(&pilots[i]);
    }
    free(pilots);
    return found ? status : ct_out_of_memory(diags);
}

/* ---- All of it ---- */

/* Plans the runs without that cost for policies whose decisions cost more than the median kernel
 * takes, as far as that is known by now. False: out of memory. */
static bool plan_free(struct plan *plan) {
    const struct experiment *e = plan->runs.experiment;
    bool lost = false;
    for (uint32_t p = 0; p < e->policy_count && plan->planned > 0; p++) {
        const struct experiment_unit *first = unit_of(plan, 0, p);
        const struct sim_result *shared = first->done ? &first->result : NULL;
        if (!(e->policies[p].without & EXPERIMENT_FREE) && !free_unit(plan, p) &&
            report_charge_ps(e->setup, e->policies[p].policy, shared, &lost) > 0)
            plan->units[plan->unit_count++] =
                (struct experiment_unit){.kind = EXPERIMENT_UNIT_FREE, .policy = p};
    }
    return !lost;
}

static bool plan_first(struct plan *plan, struct recorder *recorders) {
    plan_replication(plan, plan->planned++, recorders);
    uint32_t before = plan->unit_count;
    bool done = plan_free(plan);
    plan->free_behind_first = plan->unit_count - before;
    return done;
}

/* The replications up to `end`, after those that are planned already. */
static int run_replications(struct plan *plan, uint32_t end, struct experiment_result *result,
                            struct ct_diags *diags) {
    uint32_t first = plan->planned, before = plan->unit_count;
    int status = run_pilots(plan, first, end, diags);
    if (status != CT_OK)
        return status;
    if (first == 0 && !plan_first(plan, result->recorders))
        return ct_out_of_memory(diags);
    for (; plan->planned < end; plan->planned++)
        plan_replication(plan, plan->planned, result->recorders);
    status =
        experiment_units_run(&plan->runs, plan->units + before, plan->unit_count - before, diags);
    result->finished = complete_replications(plan);
    return status;
}

/* How many replications to have, by the precision of the finished ones; 0: an error. */
static uint32_t next_end(const struct plan *plan, struct ct_diags *diags) {
    const struct experiment *e = plan->runs.experiment;
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

/* Does the runs whose decisions cost nothing, for which only finished results ask. */
static int run_free(struct plan *plan, struct ct_diags *diags) {
    uint32_t before = plan->unit_count;
    if (!plan_free(plan))
        return ct_out_of_memory(diags);
    return experiment_units_run(&plan->runs, plan->units + before, plan->unit_count - before,
                                diags);
}

static int run_all(struct plan *plan, struct experiment_result *result, struct ct_diags *diags) {
    const struct experiment *e = plan->runs.experiment;
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

static int make_plan(struct plan *plan, const struct experiment *e,
                     struct experiment_result *result, struct ct_diags *diags) {
    size_t units = (size_t)e->replications * units_per_replication(e) + e->policy_count;
    int status = experiment_runs_open(&plan->runs, e, &result->arena, diags);
    plan->units = calloc(units, sizeof *plan->units);
    result->recorder_count = (size_t)e->policy_count * e->replications;
    result->recorders = calloc(result->recorder_count, sizeof *result->recorders);
    if (status == CT_OK && (!plan->units || !result->recorders))
        status = ct_out_of_memory(diags);
    return status;
}

int experiment_run(const struct experiment *experiment, struct experiment_result *result,
                   struct ct_diags *diags) {
    struct plan plan = {0};
    *result = (struct experiment_result){0};
    int status = make_plan(&plan, experiment, result, diags);
    for (uint32_t p = 0; p < experiment->policy_count && status == CT_OK; p++)
        status = sim_check_needs(experiment->policies[p].policy, experiment->policies[p].options,
                                 &experiment->setup->gpu, diags);
    if (status == CT_OK)
        status = experiment_runs_train(&plan.runs, diags);
    if (status == CT_OK)
        status = run_all(&plan, result, diags);
    if (status == CT_OK)
        status = run_free(&plan, diags);
    if (status == CT_OK && result->finished > 0)
        status = build_reports(&plan, result->finished, result, diags);
    if (status != CT_OK) /* replications without reports are of no use to anybody */
        result->finished = 0;
    bool more = experiment->precision > 0 || result->finished < experiment->replications;
    result->interrupted = (status == CT_OK && plan.runs.queue.stop && more) ||
                          status == CT_INTERRUPTED; /* while predictors were trained */
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

/* ---- In a result store ---- */

/* A single replication is its own pool. */
static int store_policy(struct result_store *store, const struct experiment_result *result,
                        uint32_t p, int64_t *number, struct ct_diags *diags) {
    uint32_t finished = result->finished;
    struct result_run pooled = {.replication = RESULT_POOLED, .report = result->pooled[p]};
    if (finished == 1)
        return result_store_add_run(store, &result->runs[p], number, diags);
    int status = result_store_add_run(store, &pooled, number, diags);
    for (uint32_t r = 0; r < finished && status == CT_OK; r++) {
        struct result_run run = result->runs[(size_t)p * finished + r];
        run.pool = *number;
        status = result_store_add_run(store, &run, NULL, diags);
    }
    return status;
}

int experiment_add(const struct experiment *e, const struct experiment_result *result,
                   struct result_store *store, int64_t *numbers, struct ct_diags *diags) {
    uint32_t policies = e->policy_count;
    int status = CT_OK;
    for (uint32_t p = 0; p < policies && status == CT_OK; p++)
        status = store_policy(store, result, p, &numbers[p], diags);
    if (status == CT_OK && policies > 1) {
        struct result_comparison comparison = {numbers, policies, result->differences,
                                               result->difference_count};
        status = result_store_add_comparison(store, &comparison, diags);
    }
    return status;
}

/* Half a comparison would look like a whole one to whoever reads the store later. */
static int add_together(const struct experiment *e, const struct experiment_result *result,
                        struct result_store *store, struct ct_diags *diags) {
    int64_t *numbers = calloc(e->policy_count, sizeof *numbers);
    if (!numbers)
        return ct_out_of_memory(diags);
    int status = result_store_begin(store, diags);
    if (status == CT_OK) {
        status = experiment_add(e, result, store, numbers, diags);
        int ended = result_store_end(store, status == CT_OK, diags);
        status = status == CT_OK ? ended : status;
    }
    free(numbers);
    return status;
}

int experiment_store(const struct experiment *e, const struct experiment_result *result,
                     const char *path, struct ct_diags *diags) {
    struct result_store *store = result_store_open(path, RESULT_WRITE, diags);
    int status = store ? add_together(e, result, store, diags) : CT_DATA;
    result_store_close(store);
    return status;
}
