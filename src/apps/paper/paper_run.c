#include "apps/paper/paper_run.h"

#include "apps/paper/paper_service.h"
#include "apps/paper/paper_share.h"
#include "apps/paper/paper_until.h"
#include "base/ct_option_value.h"
#include "experiment/experiment.h"
#include "experiment/thread_team.h"
#include "policies/policies.h"
#include "run/profiling.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct work {
    const struct paper_plan *plan;
    struct paper_outcome *outcome;
    struct experiment_policy *policies;
    struct gpu gpu;                 /* of the suite */
    struct paper_service *services; /* by application; NULL: as in their objects */
    struct paper_share share;
    bool led; /* the turn of the cases that wait for another one's run; the others come first */
    struct thread_queue queue; /* of cases; its lock guards what follows */
    uint64_t done;
    int status;
    struct ct_diags *diags;
};

/* ---- Policies ---- */

int paper_policy(const char *label, struct ct_arena *arena, struct experiment_policy *out,
                 struct ct_diags *diags) {
    char *text = ct_arena_strdup(arena, label);
    if (!text)
        return ct_out_of_memory(diags);
    char *option = strchr(text, ':');
    if (option)
        *option++ = '\0';
    const struct ct_policy *policy = policies_find(text);
    if (!policy) {
        ct_error(diags, label, "no such policy");
        return CT_DATA;
    }
    void *options = ct_arena_alloc(arena, policy->options_size);
    if (!options)
        return ct_out_of_memory(diags);
    ct_options_default(policy->options, options);
    int status = CT_OK;
    for (char *next; option && status == CT_OK; option = next) {
        if ((next = strchr(option, ':')) != NULL)
            *next++ = '\0';
        char *equals = strchr(option, '=');
        if (equals)
            *equals = '\0';
        status = ct_option_set(policy->options, option, equals ? equals + 1 : "", options, arena,
                               label, diags);
    }
    *out = (struct experiment_policy){.policy = policy, .options = options, .label = label};
    return status;
}

static int resolve_all(struct work *work, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct ct_arena *arena = &work->outcome->arena;
    work->policies = ct_arena_array(arena, plan->policy_count, sizeof *work->policies);
    if (!work->policies)
        return ct_out_of_memory(diags);
    int status = CT_OK;
    for (size_t i = 0; i < plan->policy_count && status == CT_OK; i++) {
        status = paper_policy(plan->policies[i], arena, &work->policies[i], diags);
        work->policies[i].without = paper_without(plan->needs[i]);
    }
    return status;
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
                               .gpu = &work->gpu,
                               .level = suite->level_count ? suite->levels[*level] : 0,
                               .seed = work->plan->seed,
                               .draw = number / o->mix_count / o->levels};
}

static int read_case(const struct paper_case *one, struct ct_arena *arena, struct workload *w,
                     struct ct_diags *diags) {
    const char *assignments[PAPER_ASSIGNMENTS_MOST];
    const char *text = paper_mix_document(one->suite, one->mix->apps, one->mix->count, arena);
    size_t count = text ? paper_assignments(one, assignments, arena) : 0;
    if (!text || count > PAPER_ASSIGNMENTS_MOST)
        return ct_out_of_memory(diags);
    return workload_read_text(one->suite->name, text, assignments, count, w, diags);
}

static void store(struct work *work, uint64_t number, const struct experiment_result *result) {
    size_t policies = work->plan->policy_count;
    for (size_t p = 0; p < policies; p++)
        work->outcome->values[number * policies + p] =
            paper_values_make(&result->pooled[p], &result->runs[p], work->plan->needs[p]);
}

/* Of the models that the policy trains before its runs, all SMs. */
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

static int measure_models(struct work *work, uint64_t number, const struct setup *setup,
                          uint64_t seed, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    int status = CT_OK;
    for (size_t p = 0; p < plan->policy_count && status == CT_OK; p++)
        if (plan->needs[p] & 1u << PAPER_QUERY_ERROR)
            status = measure_queries(
                setup, work->policies[p].policy, seed,
                &work->outcome->values[number * plan->policy_count + p].measures[PAPER_QUERY_ERROR],
                diags);
    return status;
}

static int run_until(struct work *work, uint64_t number, uint64_t draw, const struct setup *setup,
                     struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    return paper_until(plan, work->policies, setup, draw,
                       &work->outcome->values[number * plan->policy_count], diags);
}

static unsigned all_needs(const struct paper_plan *plan) {
    unsigned needs = 0;
    for (size_t p = 0; p < plan->policy_count; p++)
        needs |= plan->needs[p];
    return needs;
}

/* Each draw has arrivals and decisions by lot of its own. */
static int run_setup(struct work *work, uint64_t number, uint64_t draw, const struct setup *setup,
                     struct ct_arena *arena, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct experiment_result result = {0};
    struct experiment_policy *policies =
        ct_arena_array(arena, plan->policy_count, sizeof *policies);
    if (!policies)
        return ct_out_of_memory(diags);
    memcpy(policies, work->policies, plan->policy_count * sizeof *policies);
    if (!paper_share_begin(&work->share, number, policies, arena))
        return ct_out_of_memory(diags);
    struct experiment e = {.setup = setup,
                           .policies = policies,
                           .policy_count = (uint32_t)plan->policy_count,
                           .baseline = policies,
                           .replications = 1,
                           .threads = 1,
                           .seed = plan->seed + draw,
                           .blame = plan->blame,
                           .blame_services = plan->suite->service_kind != NULL,
                           .first_runs = plan->suite->first_runs,
                           .record = paper_records(all_needs(plan)),
                           .dump_at_ps = CT_TIME_NEVER,
                           .version = plan->version,
                           .interrupted = plan->interrupted,
                           .context = plan->context};
    int status = experiment_run(&e, &result, diags);
    if (status == CT_OK) {
        paper_share_end(&work->share, number, policies);
        store(work, number, &result);
    }
    if (status == CT_OK)
        status = measure_models(work, number, setup, e.seed, diags);
    experiment_result_free(&result);
    return status;
}

static int run_case(struct work *work, uint64_t number, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct workload workload = {0};
    struct setup setup;
    uint32_t level;
    struct paper_case one = case_of(work, number, &level);
    int status = read_case(&one, &arena, &workload, diags);
    if (status == CT_OK && (status = setup_make(&workload, &setup, diags)) == CT_OK) {
        status = work->plan->suite->quick
                     ? run_until(work, number, one.draw, &setup, diags)
                     : run_setup(work, number, one.draw, &setup, &arena, diags);
        setup_free(&setup);
    }
    workload_free(&workload);
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

static void run_all(struct work *work, bool led) {
    work->led = led;
    work->queue.next = 0;
    thread_team_work(work->plan->threads, worker, work);
}

/* The GPU as the suite's workload overrides it. */
static int suite_gpu(struct work *work, struct ct_diags *diags) {
    const struct paper_suite *suite = work->plan->suite;
    struct paper_outcome *o = work->outcome;
    struct workload workload = {0};
    const char *text = paper_mix_document(suite, o->mixes[0].apps, o->mixes[0].count, &o->arena);
    if (!text)
        return ct_out_of_memory(diags);
    int status = workload_read_text(suite->name, text, NULL, 0, &workload, diags);
    if (status == CT_OK)
        status = setup_gpu(workload.gpu, suite->name, &workload.gpu_settings, &o->arena, &work->gpu,
                           diags);
    if (status == CT_OK)
        status = setup_gpu_files(NULL, &work->gpu, &o->arena, diags);
    workload_free(&workload);
    return status;
}

static int prepare(struct work *work, struct ct_diags *diags) {
    const struct paper_plan *plan = work->plan;
    struct paper_outcome *o = work->outcome;
    int status = paper_mixes(plan->suite, plan->seed, &o->arena, &o->mixes, &o->mix_count, diags);
    if (status == CT_OK)
        status = suite_gpu(work, diags);
    if (status == CT_OK)
        status = resolve_all(work, diags);
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
    work->share = (struct paper_share){
        .plan = plan,
        .outcome = o,
        .services = work->services,
        .work_ps = ct_arena_array(&o->arena, total * o->policy_count, sizeof(double))};
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
    if (status != CT_OK)
        return status;
    thread_queue_open(&work.queue, plan->interrupted, plan->context);
    work.queue.count = (uint64_t)outcome->draws * outcome->levels * outcome->mix_count;
    run_all(&work, false);
    run_all(&work, true);
    thread_queue_close(&work.queue);
    return work.queue.stop && work.status == CT_OK ? CT_INTERRUPTED : work.status;
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
