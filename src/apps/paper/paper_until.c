#include "apps/paper/paper_until.h"

#include "des/des_quantile.h"
#include "models/predict/predict_bank.h"
#include "run/arrivals.h"
#include "run/profiling.h"
#include "run/solo.h"

#include <math.h>
#include <stdlib.h>

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
    counter->stopped |= plan->interrupted && plan->interrupted(plan->context);
    return counter->stopped || (!counter->timed && counter->left == 0);
}

/* The blame of the slowest queries, as parts of their time; NAN: nobody asked. */
static void set_blame(const struct sim_app_result *app, double *blame) {
    double total = 0;
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        total += app->blame_ps[i];
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        blame[i] = total > 0 ? app->blame_ps[i] / total : NAN;
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

static struct paper_values values_of(const struct setup *setup, const struct sim_result *result,
                                     double solo_ms) {
    struct sim_app_result *service = &result->apps[0];
    struct paper_values v = {.broken = result->broken_law            ? "conservation"
                                       : !result->littles_law_ok     ? "Little's law"
                                       : !result->utilisation_law_ok ? "utilisation law"
                                                                     : NULL};
    paper_inputs(&setup->inputs, v.inputs);
    for (int i = 0; i < PAPER_RUN_MEASURES; i++)
        v.measures[i] = NAN;
    double target_ms = setup->apps[0].spec->qos_ms;
    double p99_ms = p99_ms_of(service->latency_ps.items, service->latency_ps.count);
    v.measures[PAPER_MEAN_TARGET] = mean_ms(service) / target_ms; /* selecting only reorders */
    v.measures[PAPER_P99] = p99_ms / target_ms;
    v.measures[PAPER_P99_MS] = p99_ms;
    v.measures[PAPER_P99_FROM_KERNEL] =
        p99_ms_of(service->service_ps.items, service->service_ps.count) / target_ms;
    v.measures[PAPER_SOLO_MS] = solo_ms;
    v.measures[PAPER_BATCH_BUSY] = result->batch_busy_fraction;
    set_blame(service, v.blame);
    return v;
}

static int run_policy(const struct paper_plan *plan, const struct experiment *e, size_t p,
                      uint64_t draw, const struct predict_bank *bank, double solo_ms,
                      struct paper_values *values, struct ct_diags *diags) {
    const struct setup *setup = e->setup;
    struct counter counter = {.plan = plan,
                              .left = paper_queries(plan->suite, draw),
                              .timed = arrivals_are_open(&setup->apps[0].spec->arrivals)};
    struct sim_observer observer = {.context = &counter, .job_ended = count_query};
    struct sim_params params = {
        .setup = setup,
        .policy = e->policies[p].policy,
        .policy_options = e->policies[p].options,
        .seed = e->seed,
        .only_app = SIM_ALL_APPS,
        .duration_ps = ct_time_round(setup->workload->duration_s * (double)CT_PS_PER_S),
        .decision_cost = setup->workload->decision_cost,
        .blame = plan->blame,
        .blame_services = setup->apps[0].spec->role == CT_SERVICE, /* no other is asked */
        .observer = &observer,
        .interrupted = may_end,
        .interrupt_context = &counter,
        .keeps_interrupted = true,
        .dump_at_ps = CT_TIME_NEVER};
    struct sim_result result;
    if (bank && !(params.predictor = predict_bank_copy(bank)))
        return ct_out_of_memory(diags);
    int status = sim_run(&params, &result, diags);
    if (status == CT_OK && counter.stopped)
        status = CT_INTERRUPTED;
    if (status == CT_OK)
        *values = values_of(setup, &result, solo_ms);
    sim_result_free(&result);
    predict_bank_free(params.predictor);
    return status;
}

/* The last bank serves the next policy too, where both learn the same. */
static int train(const struct experiment_policy *policy, const struct ct_policy **trained,
                 const struct setup *setup, uint64_t seed, struct predict_bank **bank,
                 struct ct_diags *diags) {
    bool learns = policy->policy->features & CT_PREDICTS;
    if (!learns || (*trained && profiling_same(*trained, policy->policy)))
        return CT_OK;
    predict_bank_free(*bank);
    *bank = NULL;
    *trained = policy->policy;
    return profiling_train(setup, policy->policy, seed, bank, diags);
}

int paper_until(const struct paper_plan *plan, const struct experiment *e, uint64_t draw,
                struct paper_values *values, struct ct_diags *diags) {
    struct predict_bank *bank = NULL;
    const struct ct_policy *trained = NULL;
    struct solo solo;
    int status = solo_measure(e->setup, 0, e->seed, NULL, &solo, diags);
    for (size_t p = 0; p < e->policy_count && status == CT_OK; p++) {
        bool learns = e->policies[p].policy->features & CT_PREDICTS;
        status = train(&e->policies[p], &trained, e->setup, e->seed, &bank, diags);
        if (status == CT_OK)
            status =
                run_policy(plan, e, p, draw, learns ? bank : NULL, solo.mean_ms, &values[p], diags);
    }
    predict_bank_free(bank);
    return status;
}
