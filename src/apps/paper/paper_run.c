#include "apps/paper/paper_run.h"

#include "apps/paper/paper_open.h"
#include "apps/paper/paper_service.h"
#include "apps/paper/paper_share.h"
#include "apps/paper/paper_until.h"
#include "base/ct_assert.h"
#include "experiment/experiment.h"
#include "experiment/thread_team.h"
#include "run/profiling.h"

#include <math.h>
#include <string.h>

struct work {
    const struct paper_plan *plan;
    struct paper_outcome *outcome;
    const char *policies;           /* "mps,baymax" */
    struct scenario first;          /* of the suite's first mix, which has its GPU */
    struct paper_service *services; /* by application; NULL: as in their objects */
    struct paper_share share;
    bool led; /* the turn of the cases that wait for another one's run; the others come first */
    struct thread_queue queue; /* of cases; its lock guards what follows */
    uint64_t done;
    int status;
    struct ct_diags *diags;
};

/* "mps,hsm-fair:restart=kernel"; NULL: memory ran out. */
static const char *join(const struct paper_plan *plan, struct ct_arena *arena) {
    const char *list = plan->policies[0];
    for (size_t i = 1; i < plan->policy_count && list; i++)
        list = ct_arena_format(arena, "%s,%s", list, plan->policies[i]);
    return list;
}

/* ---- One mix ---- */

static struct paper_case case_of(const struct work *work, uint64_t number, uint32_t *level) {
    const struct paper_suite *suite = work->plan->suite;
    const struct paper_outcome *o = work->outcome;
    *level = (uint32_t)(number / o->mix_count % o->levels);
    const struct paper_mix *mix = &o->mixes[number % o->mix_count];
    return (struct paper_case){.suite = suite,
                               .mix = mix,
                               .service = work->services ? &work->services[mix->apps[0]] : NULL,
                               .gpu = &work->first.setup.gpu,
                               .level = suite->level_count ? suite->levels[*level] : 0,
                               .seed = work->plan->seed,
                               .draw = number / o->mix_count / o->levels};
}

static void store(struct work *work, uint64_t number, const struct experiment_result *result) {
    size_t policies = work->plan->policy_count;
    for (size_t p = 0; p < policies; p++)
        work->outcome->values[number * policies + p] =
            paper_values_make(result, p, work->plan->needs[p]);
}

/* The mean error of the models of whole queries that the policy trains before its runs, all SMs. */
static int measure_queries(const struct setup *setup, const struct ct_policy *policy, uint64_t seed,
                           double *error, struct ct_diags *diags) {
    struct predict_bank *bank = NULL;
    double sum = 0;
    size_t known = 0;
    int status = profiling_train(setup, policy, seed, &bank, diags);
    for (size_t i = 0; status == CT_OK && i < predict_bank_count(bank); i++) {
        struct predict_info info = predict_bank_info(bank, i);
        if (info.key.kind != PREDICT_QUERY || info.share != CT_SHARE_FULL || !info.varies ||
            isnan(info.error))
            continue;
        sum += info.error;
        known++;
    }
    *error = known ? sum / (double)known : NAN;
    predict_bank_free(bank);
    return status;
}

static int measure_models(struct work *work, uint64_t number, const struct experiment *e,
                          struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    int status = CT_OK;
    for (size_t p = 0; p < plan->policy_count && status == CT_OK; p++)
        if (plan->needs[p] & 1u << PAPER_QUERY_ERROR)
            status = measure_queries(
                e->setup, e->policies[p].policy, e->seed,
                &work->outcome->values[number * plan->policy_count + p].measures[PAPER_QUERY_ERROR],
                diags);
    return status;
}

static unsigned all_needs(const struct paper_plan *plan) {
    unsigned needs = 0;
    for (size_t p = 0; p < plan->policy_count; p++)
        needs |= plan->needs[p];
    return needs;
}

static int run_mix(struct work *work, uint64_t number, struct scenario *scenario,
                   struct ct_arena *arena, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct experiment_result result = {0};
    struct experiment *e = &scenario->experiment;
    struct experiment_policy *policies = scenario->policies.items.items;
    if (!paper_share_begin(&work->share, number, e, arena))
        return ct_out_of_memory(diags);
    ct_assert(policies); /* there is at least one */
    e->baseline = policies;
    if (plan->suite->sequences)
        e->replications = plan->suite->sequences;
    e->unnamed = true;
    e->blame = plan->blame;
    e->blame_services = plan->suite->service_kind != NULL;
    e->first_runs = plan->suite->first_runs;
    e->record = paper_records(all_needs(plan));
    for (size_t p = 0; p < plan->policy_count; p++)
        policies[p].without = paper_without(plan->needs[p]);
    int status = experiment_run(e, &result, diags);
    if (status == CT_OK) {
        paper_share_end(&work->share, number, e);
        store(work, number, &result);
        status = measure_models(work, number, e, diags);
    }
    experiment_result_free(&result);
    return status;
}

/* Each draw has arrivals and decisions by lot of its own. */
static int run_case(struct work *work, uint64_t number, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct ct_arena arena = {0};
    struct scenario scenario = {0};
    uint32_t level;
    struct paper_case one = case_of(work, number, &level);
    const char *assignments[PAPER_ASSIGNMENTS_MOST];
    const struct paper_opening opening = {.apps = one.mix->apps,
                                          .app_count = one.mix->count,
                                          .assignments = assignments,
                                          .count = paper_assignments(&one, assignments, &arena),
                                          .policies = work->policies,
                                          .seed = plan->seed + one.draw};
    int status = opening.count > PAPER_ASSIGNMENTS_MOST
                     ? ct_out_of_memory(diags)
                     : paper_open(plan, &opening, &arena, &scenario, diags);
    if (status == CT_OK && plan->suite->quick)
        status = paper_until(plan, &scenario.experiment, one.draw,
                             &work->outcome->values[number * plan->policy_count], diags);
    else if (status == CT_OK)
        status = run_mix(work, number, &scenario, &arena, diags);
    scenario_close(&scenario);
    ct_arena_free(&arena);
    return status;
}

/* ---- All mixes ---- */

static void *worker(void *context) {
    struct work *work = context;
    const struct paper_plan *plan = work->plan;
    for (uint64_t number; thread_queue_take(&work->queue, &number);) {
        struct ct_diags diags = {0};
        if ((paper_share_leader(&work->share, number) != number) != work->led)
            continue;
        int status = run_case(work, number, &diags);
        pthread_mutex_lock(&work->queue.lock);
        if (work->status == CT_OK)
            work->status = status;
        work->queue.stop |= status != CT_OK;
        for (size_t i = 0; i < diags.count && status != CT_OK; i++)
            if (diags.items[i].severity == CT_ERROR)
                ct_error(work->diags, diags.items[i].where, "%s", diags.items[i].text);
        work->done++;
        if (plan->progress)
            plan->progress(plan->context, work->done);
        pthread_mutex_unlock(&work->queue.lock);
        ct_diags_free(&diags);
    }
    return NULL;
}

static int run_all(struct work *work) {
    const struct paper_plan *plan = work->plan;
    const struct paper_outcome *o = work->outcome;
    thread_queue_open(&work->queue, plan->interrupted, plan->context);
    work->queue.count = (uint64_t)o->draws * o->levels * o->mix_count;
    for (int led = 0; led <= 1; led++) {
        work->led = led;
        work->queue.next = 0;
        thread_team_work(plan->threads, worker, work);
    }
    thread_queue_close(&work->queue);
    return work->queue.stop && work->status == CT_OK ? CT_INTERRUPTED : work->status;
}

static int prepare(struct work *work, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct paper_outcome *o = work->outcome;
    int status = paper_mixes(plan->suite, plan->seed, &o->arena, &o->mixes, &o->mix_count, diags);
    if (status != CT_OK)
        return status;
    work->policies = join(plan, &o->arena);
    const struct paper_opening first = {.apps = o->mixes[0].apps,
                                        .app_count = o->mixes[0].count,
                                        .policies = work->policies,
                                        .seed = plan->seed};
    status = work->policies ? paper_open(plan, &first, &o->arena, &work->first, diags)
                            : ct_out_of_memory(diags);
    if (status != CT_OK)
        return status;
    if ((plan->suite->load > 0 || plan->suite->target > 0) &&
        (status = paper_services(plan, &o->arena, &work->services, diags)) != CT_OK)
        return status;
    o->levels = plan->suite->level_count ? plan->suite->level_count : 1;
    o->draws = plan->draws;
    o->policy_count = plan->policy_count;
    uint64_t total = (uint64_t)o->draws * o->levels * o->mix_count;
    o->values = ct_arena_array(&o->arena, total * o->policy_count, sizeof *o->values);
    work->share = (struct paper_share){.plan = plan,
                                       .outcome = o,
                                       .services = work->services,
                                       .work_ps = ct_arena_array(&o->arena, total, sizeof(double))};
    return o->values && work->share.work_ps ? CT_OK : ct_out_of_memory(diags);
}

uint64_t paper_case_count(const struct paper_plan *plan) {
    struct ct_arena arena = {0};
    struct ct_diags unheard = {0};
    struct paper_mix *mixes;
    size_t count = 0;
    (void)paper_mixes(plan->suite, plan->seed, &arena, &mixes, &count, &unheard);
    ct_diags_free(&unheard);
    ct_arena_free(&arena);
    uint32_t levels = plan->suite->level_count ? plan->suite->level_count : 1;
    return (uint64_t)count * levels * plan->draws;
}

int paper_run(const struct paper_plan *plan, struct paper_outcome *outcome,
              struct ct_diags *diags) {
    struct work work = {.plan = plan, .outcome = outcome, .diags = diags};
    *outcome = (struct paper_outcome){0};
    int status = prepare(&work, diags);
    if (status == CT_OK)
        status = run_all(&work);
    scenario_close(&work.first);
    return status;
}
void paper_outcome_free(struct paper_outcome *outcome) {
    ct_arena_free(&outcome->arena);
    *outcome = (struct paper_outcome){0};
}

const struct paper_values *paper_values_of(const struct paper_outcome *outcome, uint32_t draw,
                                           uint32_t level, size_t mix, size_t policy) {
    size_t number = ((size_t)draw * outcome->levels + level) * outcome->mix_count + mix;
    return &outcome->values[number * outcome->policy_count + policy];
}
