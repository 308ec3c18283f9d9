#include "apps/paper/paper_until.h"

#include "des/des_statistics.h"
#include "experiment/experiment_units.h"
#include "experiment/run_key.h"
#include "models/predict/predict_bank.h"
#include "run/arrivals.h"
#include "run/solo.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct counter {
    const struct paper_plan *plan;
    uint64_t left; /* queries; 0: the run may end */
    bool timed;    /* it ends by the clock */
    bool stopped;  /* by the user */
};

static void count_query(void *context, const struct sim_job_record *job) {
    struct counter *counter = context;
    if (job->app == 0 && counter->left > 0)
        counter->left--;
}

static bool may_end(void *context, double part) {
    struct counter *counter = context;
    (void)part;
    const struct paper_plan *plan = counter->plan;
    counter->stopped |= ct_is_interrupted(&plan->listener);
    return counter->stopped || (!counter->timed && counter->left == 0);
}

/* The blame of the slowest queries, as parts of their time; NAN: nobody asked. False: memory ran
 * out. */
static bool set_blame(const struct sim_result *result, double *blame) {
    const struct sim_app_result *service = result->apps;
    double *mean = calloc(sim_row_length(result->app_count), sizeof *mean);
    bool made = mean && sim_slowest_mean(&service, 1, result->app_count, mean);
    double total = 0;
    for (int i = 0; made && i < CT_BLAME_COUNT; i++)
        total += mean[SIM_ROW_PARTS + i];
    for (int i = 0; made && i < CT_BLAME_COUNT; i++)
        blame[i] = total > 0 ? mean[SIM_ROW_PARTS + i] / total : NAN;
    free(mean);
    return made;
}

static double mean_ms(const struct sim_app_result *app) {
    double sum = 0;
    for (size_t i = 0; i < app->latency_ps.count; i++)
        sum += app->latency_ps.items[i];
    return app->latency_ps.count ? sum / (double)app->latency_ps.count / (double)CT_PS_PER_MS : NAN;
}

static double p99_ms_of(double *times_ps, size_t count) {
    return count ? des_quantile_select(times_ps, count, 0.99) / (double)CT_PS_PER_MS : NAN;
}

/* False: memory ran out. */
static bool set_values(const struct setup *setup, const struct sim_result *result, double solo_ms,
                       struct paper_values *values) {
    struct sim_app_result *service = &result->apps[0];
    struct paper_values v = paper_values_unknown(&setup->inputs);
    v.broken = result->broken_law            ? "conservation"
               : !result->littles_law_ok     ? "Little's law"
               : !result->utilisation_law_ok ? "utilisation law"
                                             : NULL;
    double target_ms = setup->apps[0].spec->qos_ms;
    double p99_ms = p99_ms_of(service->latency_ps.items, service->latency_ps.count);
    v.measures[PAPER_MEAN_TARGET] = mean_ms(service) / target_ms; /* selecting only reorders */
    v.measures[PAPER_P99] = p99_ms / target_ms;
    v.measures[PAPER_P99_MS] = p99_ms;
    v.measures[PAPER_P99_FROM_KERNEL] =
        p99_ms_of(service->service_ps.items, service->service_ps.count) / target_ms;
    v.measures[PAPER_SOLO_MS] = solo_ms;
    v.measures[PAPER_BATCH_BUSY] = result->batch_busy_fraction;
    *values = v;
    return set_blame(result, values->blame);
}

/* A case under one policy after the other. */
struct until {
    const struct paper_plan *plan;
    const struct experiment *e;
    uint64_t queries;
    struct experiment_banks banks;
    struct solo solo;
    bool measured; /* solo is known */
};

static struct sim_params params_of(const struct until *u, size_t p) {
    const struct setup *setup = u->e->setup;
    return (struct sim_params){.setup = setup,
                               .policy = u->e->policies[p].policy,
                               .policy_options = u->e->policies[p].options,
                               .seed = u->e->seed,
                               .only_app = SIM_ALL_APPS,
                               .duration_ps = ct_time_of_s(setup->workload->duration_s),
                               .decision_cost = setup->workload->decision_cost,
                               .blame = u->plan->blame,
                               .blame_services =
                                   setup->apps[0].spec->role == CT_SERVICE, /* no other is asked */
                               .keeps_interrupted = true,
                               .dump_at_ps = CT_TIME_NEVER};
}

/* What comes before the first run that is not kept, and what a policy learns beforehand. */
static int learn(struct until *u, size_t p, struct predict_bank **bank, struct ct_diags *diags) {
    if (!u->measured) {
        int status = solo_measure(u->e->setup, 0, u->e->seed, NULL, &u->solo, diags);
        if (status != CT_OK)
            return status;
        u->measured = true;
    }
    return experiment_banks_find(&u->banks, u->e, u->e->policies[p].policy, bank, diags);
}

static int run_policy(struct until *u, size_t p, struct paper_values *values,
                      struct ct_diags *diags) {
    const struct setup *setup = u->e->setup;
    struct counter counter = {.plan = u->plan,
                              .left = u->queries,
                              .timed = arrivals_are_open(&setup->apps[0].spec->arrivals)};
    struct sim_observer observer = {.context = &counter, .job_ended = count_query};
    struct sim_params params = params_of(u, p);
    struct sim_result result;
    struct predict_bank *bank;
    int status = learn(u, p, &bank, diags);
    if (status != CT_OK)
        return status;
    params.observer = &observer;
    params.interrupted = may_end;
    params.interrupt_context = &counter;
    if (bank && !(params.predictor = predict_bank_copy(bank)))
        return ct_out_of_memory(diags);
    status = sim_run(&params, &result, diags);
    if (status == CT_OK && counter.stopped)
        status = CT_INTERRUPTED;
    if (status == CT_OK && !set_values(setup, &result, u->solo.mean_ms, values))
        status = CT_DATA;
    sim_result_free(&result);
    predict_bank_free(params.predictor);
    return status;
}

/* All that decides the values besides the run: when it ends. False: memory ran out. */
static bool key_of(const struct until *u, size_t p, struct ct_hash *key) {
    struct sim_params params = params_of(u, p);
    if (!run_key_make(&params, u->plan->version, u->e->policies[p].code, key))
        return false;
    ct_hash_string(key, "values of a paper's run until so many queries have ended");
    ct_hash_u64(key, u->queries);
    return true;
}

/* Values are kept as they lie in memory: results of another build are never asked for. */
static int take_or_run(struct until *u, size_t p, struct paper_values *values,
                       struct ct_diags *diags) {
    const struct run_cache *cache = u->plan->cache;
    unsigned char *bytes = NULL;
    struct ct_hash key;
    size_t size = 0;
    if (!cache)
        return run_policy(u, p, values, diags);
    if (!key_of(u, p, &key))
        return ct_out_of_memory(diags);
    int status = cache->take(cache->context, key, &bytes, &size, diags);
    if (status == CT_OK && bytes && size == sizeof *values) {
        memcpy(values, bytes, size);
        paper_inputs(&u->e->setup->inputs, values->inputs);
    } else if (status == CT_OK) {
        status = run_policy(u, p, values, diags);
        bool sound = status == CT_OK && !values->broken;
        int given = cache->give(cache->context, key, sound ? (unsigned char *)values : NULL,
                                sound ? sizeof *values : 0, diags);
        status = status == CT_OK ? given : status;
    }
    free(bytes);
    return status;
}

int paper_until(const struct paper_plan *plan, const struct experiment *e, uint64_t draw,
                struct paper_values *values, struct ct_diags *diags) {
    struct until u = {.plan = plan, .e = e, .queries = paper_queries(plan->suite, draw)};
    int status = CT_OK;
    for (size_t p = 0; p < e->policy_count && status == CT_OK; p++)
        status = take_or_run(&u, p, &values[p], diags);
    experiment_banks_free(&u.banks);
    return status;
}
