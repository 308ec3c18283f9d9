#include "apps/paper/paper_run.h"

#include "apps/paper/paper_service.h"
#include "apps/paper/paper_share.h"
#include "apps/paper/paper_until.h"
#include "base/ct_assert.h"
#include "experiment/experiment.h"
#include "experiment/experiment_units.h"
#include "experiment/thread_team.h"
#include "run/profiling.h"

#include <math.h>
#include <string.h>

struct work {
    const struct paper_plan *plan;
    struct paper_outcome *outcome;
    struct scenario first;          /* of the suite's first mix, which has its GPU */
    struct paper_service *services; /* by application; NULL: as in their objects */
    struct paper_share share;
    bool led; /* the turn of the cases that wait for another one's run; the others come first */
    struct thread_queue queue; /* of mixes by draw; its lock guards what follows */
    uint64_t done;
    int status;
    struct ct_diags *diags;
};

/* Those that a case is run under, "mps,hsm-fair:restart=kernel", with their numbers in the plan;
 * the first one for a case that nobody needs, which is opened alone. */
struct chosen {
    const char *list; /* NULL: memory ran out */
    size_t *numbers, count;
};

static struct chosen choose(const struct work *work, uint64_t number, struct ct_arena *arena) {
    const struct paper_plan *plan = work->plan;
    const unsigned *needs = paper_case_needs(work->outcome, number);
    struct chosen chosen = {.numbers = ct_arena_array(arena, plan->policy_count, sizeof(size_t))};
    for (size_t p = 0; chosen.numbers && p < plan->policy_count; p++) {
        if (!needs[p])
            continue;
        chosen.list = chosen.count == 0
                          ? plan->policies[p]
                          : ct_arena_format(arena, "%s,%s", chosen.list, plan->policies[p]);
        if (!chosen.list)
            return chosen;
        chosen.numbers[chosen.count++] = p;
    }
    if (chosen.numbers && !chosen.count)
        chosen.list = plan->policies[0];
    return chosen;
}

/* ---- One mix ---- */

static struct paper_case case_of(const struct work *work, uint64_t number) {
    const struct paper_suite *suite = work->plan->suite;
    const struct paper_outcome *o = work->outcome;
    uint32_t level = (uint32_t)(number / o->mix_count % o->levels);
    const struct paper_mix *mix = &o->mixes[number % o->mix_count];
    return (struct paper_case){.suite = suite,
                               .mix = mix,
                               .service = work->services ? &work->services[mix->apps[0]] : NULL,
                               .gpu = &work->first.setup.gpu,
                               .level = paper_level(suite, level),
                               .seed = work->plan->seed,
                               .draw = number / o->mix_count / o->levels};
}

/* The mean error of the models of whole queries that the policy trains before its runs, all SMs. */
static int measure_queries(const struct setup *setup, const struct ct_policy *policy, uint64_t seed,
                           double *error, struct ct_diags *diags) {
    struct predict_bank *bank = NULL;
    double sum = 0;
    size_t known = 0;
    int status = profiling_train(setup, policy, seed, NULL, NULL, &bank, diags);
    if (status == CT_OK && !predict_bank_judge(bank))
        status = ct_out_of_memory(diags);
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

/* Makes the values of the chosen policies, in their order. */
static int run_mix(struct work *work, uint64_t number, struct scenario *scenario,
                   const struct chosen *chosen, struct paper_values *values, struct ct_arena *arena,
                   struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    const unsigned *needs = paper_case_needs(work->outcome, number);
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
    e->record = paper_records(paper_case_needs_any(work->outcome, number));
    for (size_t i = 0; i < chosen->count; i++)
        policies[i].without = paper_without(needs[chosen->numbers[i]]);
    int status = experiment_run(e, &result, diags);
    if (status == CT_OK)
        paper_share_end(&work->share, number, e);
    for (size_t i = 0; i < chosen->count && status == CT_OK; i++) {
        unsigned needed = needs[chosen->numbers[i]];
        values[i] = paper_values_make(&result, i, needed);
        if (needed & 1u << PAPER_QUERY_ERROR)
            status = measure_queries(e->setup, policies[i].policy, e->seed,
                                     &values[i].measures[PAPER_QUERY_ERROR], diags);
    }
    experiment_result_free(&result);
    return status;
}

/* Where nobody needs a run, its inputs are known. */
static void store(struct work *work, uint64_t number, const struct chosen *chosen,
                  const struct paper_values *values, const struct setup *setup) {
    struct paper_values *stored = &work->outcome->values[number * work->plan->policy_count];
    for (size_t p = 0; p < work->plan->policy_count; p++)
        stored[p] = paper_values_unknown(&setup->inputs);
    for (size_t i = 0; i < chosen->count; i++)
        stored[chosen->numbers[i]] = values[i];
}

/* The cases of a mix in one draw differ in their level: what policies predict by is learnt once. */
struct levels {
    struct ct_arena arena;
    struct scenario scenarios[PAPER_LEVELS_MOST];
    struct experiment_banks banks;
};

/* Each draw has arrivals and decisions by lot of its own. */
static int run_case(struct work *work, uint64_t number, uint32_t level, struct levels *levels,
                    struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct ct_arena *arena = &levels->arena;
    struct scenario *scenario = &levels->scenarios[level];
    struct paper_case one = case_of(work, number);
    const char *assignments[PAPER_ASSIGNMENTS_MOST];
    const struct chosen chosen = choose(work, number, arena);
    struct paper_values *values = ct_arena_array(arena, chosen.count + 1, sizeof *values);
    const struct paper_opening opening = {.apps = one.mix->apps,
                                          .app_count = one.mix->count,
                                          .assignments = assignments,
                                          .count = paper_assignments(&one, assignments, arena),
                                          .policies = chosen.list,
                                          .seed = plan->seed + one.draw};
    int status = opening.count > PAPER_ASSIGNMENTS_MOST || !chosen.list || !values
                     ? ct_out_of_memory(diags)
                     : paper_open(plan, &opening, arena, scenario, diags);
    scenario->experiment.banks = &levels->banks;
    if (status == CT_OK && chosen.count && plan->suite->quick)
        status = paper_until(plan, &scenario->experiment, one.draw, values, diags);
    else if (status == CT_OK && chosen.count)
        status = run_mix(work, number, scenario, &chosen, values, arena, diags);
    if (status == CT_OK)
        store(work, number, &chosen, values, &scenario->setup);
    return status;
}

/* ---- All mixes ---- */

static void end_case(struct work *work, int status, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    pthread_mutex_lock(&work->queue.lock);
    if (work->status == CT_OK)
        work->status = status;
    work->queue.stop |= status != CT_OK;
    for (size_t i = 0; i < diags->count && status != CT_OK; i++)
        if (diags->items[i].severity == CT_ERROR)
            ct_error(work->diags, diags->items[i].where, "%s", diags->items[i].text);
    work->done++;
    ct_tell_progress(&plan->listener, (double)work->done, 0);
    pthread_mutex_unlock(&work->queue.lock);
    ct_diags_free(diags);
}

static void *worker(void *context) {
    struct work *work = context;
    const struct paper_outcome *o = work->outcome;
    for (uint64_t taken; thread_queue_take(&work->queue, &taken);) {
        struct levels levels = {0};
        uint64_t first = taken / o->mix_count * o->levels * o->mix_count + taken % o->mix_count;
        int status = CT_OK;
        for (uint32_t level = 0; level < o->levels && status == CT_OK; level++) {
            struct ct_diags diags = {0};
            uint64_t number = first + level * o->mix_count;
            if ((paper_share_leader(&work->share, number) != number) != work->led)
                continue;
            status = run_case(work, number, level, &levels, &diags);
            end_case(work, status, &diags);
        }
        experiment_banks_free(&levels.banks);
        for (uint32_t level = 0; level < o->levels; level++)
            scenario_close(&levels.scenarios[level]);
        ct_arena_free(&levels.arena);
    }
    return NULL;
}

static int run_all(struct work *work) {
    const struct paper_plan *plan = work->plan;
    const struct paper_outcome *o = work->outcome;
    thread_queue_open(&work->queue, &plan->listener);
    work->queue.count = (uint64_t)o->draws * o->mix_count;
    for (int led = 0; led <= 1; led++) {
        work->led = led;
        work->queue.next = 0;
        thread_team_work(plan->threads, worker, work);
    }
    thread_queue_close(&work->queue);
    return work->queue.stop && work->status == CT_OK ? CT_INTERRUPTED : work->status;
}

/* NULL: memory ran out. */
static const unsigned *all_needs(const struct paper_plan *plan, struct paper_outcome *o) {
    unsigned *needs = ct_arena_array(&o->arena, (size_t)o->levels * o->mix_count * o->policy_count,
                                     sizeof *needs);
    unsigned *next = needs;
    for (uint32_t level = 0; needs && level < o->levels; level++)
        for (size_t m = 0; m < o->mix_count; m++)
            for (size_t p = 0; p < o->policy_count; p++)
                *next++ = paper_needs(plan, p, &o->mixes[m], paper_level(plan->suite, level));
    return needs;
}

static int prepare(struct work *work, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct paper_outcome *o = work->outcome;
    int status = paper_mixes(plan->suite, plan->seed, &o->arena, &o->mixes, &o->mix_count, diags);
    if (status != CT_OK)
        return status;
    const struct paper_opening first = {.apps = o->mixes[0].apps,
                                        .app_count = o->mixes[0].count,
                                        .policies = plan->policies[0],
                                        .seed = plan->seed};
    status = paper_open(plan, &first, &o->arena, &work->first, diags);
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
    o->needs = all_needs(plan, o);
    return o->needs && o->values && work->share.work_ps ? CT_OK : ct_out_of_memory(diags);
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
