/* The search for the largest load that holds: bisection between decided points. */
#include "study/plan.h"

#include "base/ct_text.h"
#include "experiment/bands.h"
#include "experiment/demand_look.h"
#include "run/arrivals.h"
#include "study/plan_internal.h"
#include "workload/setup.h"

#include <stdlib.h>

/* A rate is looked for from a 32nd of the workload's own, below which its runs have few jobs, to
 * 1024 times as much. */
#define LEAST_RATE (1 / 32.0)
#define MOST_RATE 1024.0
/* A rate under other memory demands is looked for in these steps first. */
#define STEP_OF_DRAWS 1.2
enum { PROGRESS_OF_SEARCH = 1000 };

struct search {
    const struct plan *plan;
    const struct experiment_policy *policy;
    struct plan_answer *answer;
    struct ct_arena *arena;
    struct ct_diags *diags;
    double start, step; /* the first load, and the factor from one to the next (of a rate) */
    uint64_t progress_before, progress_total;
};

/* ---- Loads ---- */

static double own_rate(const struct plan *plan) {
    return arrivals_mean_rate(&plan->workload->apps.items[plan->app].arrivals);
}

/* The next harder load; NAN: none is tried. */
static double harder(const struct search *s, double load) {
    const struct plan *plan = s->plan;
    if (plan->goal == PLAN_RATE)
        return load >= own_rate(plan) * MOST_RATE ? NAN : load * s->step;
    if (plan->goal == PLAN_GPUS)
        return load >= -1 ? NAN : -floor(-load / 2);
    double next = load < 1 ? 1 : 2 * load;
    return load >= plan->most ? NAN : next < plan->most ? next : plan->most;
}

static double easier(const struct search *s, double load) {
    const struct plan *plan = s->plan;
    if (plan->goal == PLAN_RATE)
        return load <= own_rate(plan) * LEAST_RATE ? NAN : load / s->step;
    if (plan->goal == PLAN_GPUS)
        return -load >= plan->most ? NAN : fmax(2 * load, -(double)plan->most);
    return load < 1 ? NAN : floor(load / 2);
}

/* The load to look at between two loads; NAN: they are close enough. */
static double between(const struct plan *plan, double low, double high) {
    if (plan->goal == PLAN_RATE)
        return high <= low * (1 + plan->tolerance) ? NAN : sqrt(low * high);
    return high - low > 1 ? floor((low + high) / 2) : NAN;
}

/* ---- Points ---- */

static bool is_known(const struct plan_answer *answer, double load) {
    for (size_t i = 0; i < answer->points.count; i++)
        if (answer->points.items[i].load == load)
            return true;
    return false;
}

static bool insert_point(struct plan_answer *answer, struct plan_point point) {
    if (!ct_vec_push(&answer->points, point))
        return false;
    size_t place = answer->points.count - 1;
    for (; place > 0 && answer->points.items[place - 1].load > point.load; place--)
        answer->points.items[place] = answer->points.items[place - 1];
    answer->points.items[place] = point;
    return true;
}

/* The answer is below the least load that misses, even where a harder one holds. */
static void conclude(struct plan_answer *answer) {
    answer->holds = answer->misses = answer->above = NAN;
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        if (point->verdict == PLAN_MISSES && isnan(answer->misses))
            answer->misses = point->load;
        if (point->verdict == PLAN_HOLDS && isnan(answer->misses))
            answer->holds = point->load;
        if (point->verdict == PLAN_HOLDS && !isnan(answer->misses))
            answer->above = point->load;
    }
}

static int evaluate(struct search *s, double load, uint32_t most) {
    struct plan_point point;
    const char *service = NULL;
    if (is_known(s->answer, load))
        return CT_OK;
    int status = plan_point_run(s->plan, s->policy, load, s->answer->scale, most, &point, s->arena,
                                s->diags);
    if (status != CT_OK)
        return status;
    if (point.service)
        service = ct_arena_strdup(s->arena, point.service);
    point.service = service;
    if (!service || !insert_point(s->answer, point))
        return ct_out_of_memory(s->diags);
    conclude(s->answer);
    return CT_OK;
}

/* ---- The search ---- */

/* The nearest points that are open, from below and from above; the bounds where none is. */
static void open_range(const struct plan_answer *answer, double *first, double *last) {
    *first = answer->misses;
    *last = answer->holds;
    for (size_t i = answer->points.count; i-- > 0;) {
        const struct plan_point *point = &answer->points.items[i];
        if (point->load <= answer->holds || point->load >= answer->misses)
            continue;
        *first = point->load;
        *last = *last == answer->holds ? point->load : *last;
    }
}

/* The load to try next; NAN: nothing more to learn. */
static double next_load(const struct search *s) {
    const struct plan_answer *answer = s->answer;
    if (answer->points.count == 0)
        return s->start;
    double above = harder(s, answer->points.items[answer->points.count - 1].load);
    if (isnan(answer->misses) && !(isnan(answer->holds) && isnan(above)))
        return above; /* an open point may have too few jobs, and harder ones have more */
    if (isnan(answer->holds))
        return easier(s, answer->points.items[0].load);
    double first, last;
    open_range(answer, &first, &last);
    double next = between(s->plan, answer->holds, first);
    return isnan(next) ? between(s->plan, last, answer->misses) : next;
}

/* Roughly how many points are still ahead. */
static double points_left(const struct search *s) {
    const struct plan_answer *answer = s->answer;
    if (s->plan->goal == PLAN_PRESET)
        return (double)(s->plan->preset_count - answer->points.count);
    if (isnan(answer->holds) || isnan(answer->misses))
        return s->plan->goal == PLAN_RATE ? 8 : 4;
    double gap = s->plan->goal == PLAN_RATE
                     ? log(answer->misses / answer->holds) / log1p(s->plan->tolerance)
                     : answer->misses - answer->holds;
    return fmax(0, log2(gap));
}

static void tell(const struct search *s) {
    double done = (double)s->answer->points.count;
    if (s->plan->progress)
        s->plan->progress(s->plan->context,
                          s->progress_before +
                              (uint64_t)(PROGRESS_OF_SEARCH * done / (done + points_left(s))),
                          s->progress_total);
}

static int bisect(struct search *s) {
    int status = CT_OK;
    for (double load;
         status == CT_OK && !isnan(load = next_load(s)) && !is_known(s->answer, load);) {
        status = evaluate(s, load, s->plan->most_replications);
        tell(s);
    }
    return status;
}

/* Points away from the boundary, which the frontier shows, and where a hole would be seen. */
static int add_frontier(struct search *s) {
    static const double parts[] = {0.25, 0.5, 0.75};
    const struct plan_answer *answer = s->answer;
    double answer_load = answer->holds;
    int status = CT_OK;
    if (isnan(answer_load))
        return CT_OK;
    for (size_t i = 0; i < CT_COUNT_OF(parts) && status == CT_OK; i++) {
        double load =
            s->plan->goal == PLAN_GPUS ? answer_load - (double)i - 1 : answer_load * parts[i];
        if (s->plan->goal == PLAN_INSTANCES)
            load = floor(load);
        if (s->plan->goal != PLAN_GPUS || -load <= s->plan->most)
            status = evaluate(s, load, s->plan->replications);
    }
    if (status == CT_OK && s->plan->goal == PLAN_RATE && !isnan(answer->misses))
        status = evaluate(s, answer->misses * 1.1, s->plan->replications);
    return status;
}

/* Presets have no order but the user's: all are tried, and the first that holds is the answer. */
static int try_presets(struct search *s) {
    struct plan_answer *answer = s->answer;
    int status = CT_OK;
    for (uint32_t i = 0; i < s->plan->preset_count && status == CT_OK; i++) {
        status = evaluate(s, i, s->plan->most_replications);
        tell(s);
    }
    answer->holds = answer->misses = answer->above = NAN;
    for (size_t i = answer->points.count; i-- > 0;)
        if (answer->points.items[i].verdict == PLAN_HOLDS)
            answer->holds = answer->points.items[i].load;
    return status;
}

static int search(struct search *s, bool frontier) {
    if (s->plan->goal == PLAN_PRESET)
        return try_presets(s);
    int status = bisect(s);
    if (status == CT_OK && frontier)
        status = add_frontier(s);
    if (status == CT_OK && frontier)
        status = bisect(s); /* a point of the frontier may have shown a hole */
    return status;
}

static double first_load(const struct plan *plan) {
    switch (plan->goal) {
    case PLAN_RATE:
        return own_rate(plan);
    case PLAN_INSTANCES: {
        double given = (double)plan->workload->apps.items[plan->app].instances;
        return given < plan->most ? given : plan->most;
    }
    case PLAN_GPUS:
        return -1;
    default:
        return 0;
    }
}

/* Answers that show what another one leans on. */
static bool is_changed(const struct plan_answer *answer) {
    return answer->scale != 1 || answer->draw > 0;
}

/* What is changed is looked at from the answer on, in steps that are about as large as the change
 * moves it. */
static double step_of(const struct plan *plan, const struct plan_answer *answer) {
    return answer->draw > 0 ? STEP_OF_DRAWS : answer->scale != 1 ? 1 + 4 * plan->error : 2;
}

static uint32_t searches_before_draws(const struct plan *plan) {
    return plan->policy_count * (plan->error > 0 ? 3 : 1);
}

/* Whose scale and draw are set. */
static int answer_one(const struct plan *plan, uint32_t p, double start, uint64_t progress,
                      struct plan_answer *answer, struct plan_result *result,
                      struct ct_diags *diags) {
    uint64_t searches = searches_before_draws(plan) + (uint64_t)plan->policy_count * result->draws;
    struct search s = {.plan = plan,
                       .policy = &plan->policies[p],
                       .answer = answer,
                       .arena = &result->arena,
                       .diags = diags,
                       .start = start,
                       .step = step_of(plan, answer),
                       .progress_before = progress * PROGRESS_OF_SEARCH,
                       .progress_total = searches * PROGRESS_OF_SEARCH};
    answer->policy = plan->policies[p].label;
    answer->holds = answer->misses = answer->above = NAN;
    int status = search(&s, !is_changed(answer));
    answer->complete = status == CT_OK;
    const struct plan_point *least = answer->points.count ? &answer->points.items[0] : NULL;
    if (plan->goal == PLAN_PRESET && least)
        least = &answer->points.items[answer->points.count - 1];
    bool missed = !is_changed(answer) && isnan(answer->holds) && least &&
                  least->verdict == PLAN_MISSES && !least->no_fit;
    if (status == CT_OK && missed)
        status = plan_cause_find(plan, &plan->policies[p], least, answer->scale, &answer->cause,
                                 &result->arena, diags);
    return status;
}

static int answer_all(const struct plan *plan, struct plan_result *result, struct ct_diags *diags) {
    uint64_t progress = 0;
    int status = CT_OK;
    for (uint32_t p = 0; p < plan->policy_count && status == CT_OK; p++) {
        struct plan_answer *answer = &result->answers[p];
        result->finished++;
        answer->scale = 1;
        status = answer_one(plan, p, first_load(plan), progress, answer, result, diags);
        progress += plan->error > 0 ? 3 : 1;
    }
    for (uint32_t p = 0; p < plan->policy_count && plan->error > 0 && status == CT_OK; p++) {
        double start = result->answers[p].holds;
        if (isnan(start))
            continue;
        result->slower[p].scale = 1 + plan->error;
        result->faster[p].scale = 1 - plan->error;
        status = answer_one(plan, p, start, 3 * (uint64_t)p + 1, &result->slower[p], result, diags);
        if (status == CT_OK)
            status =
                answer_one(plan, p, start, 3 * (uint64_t)p + 2, &result->faster[p], result, diags);
    }
    return status;
}

/* ---- Over the unknown memory demand ---- */

/* Counts the draws by the workload on its own GPU, which is also asked for presets. */
static int count_draws(const struct plan *plan, struct demand_file *file,
                       struct plan_result *result, struct ct_diags *diags) {
    struct ct_diags own = {.files = diags->files};
    struct demand_unknown unknown;
    struct setup setup;
    int status = setup_make(plan->workload, &setup, &own);
    if (status == CT_OK && demand_is_unknown(&setup)) {
        status = demand_file_shipped(file, &result->arena, &own);
        if (status == CT_OK && !demand_unknown_of(&setup, file, &unknown))
            status = ct_out_of_memory(&own);
        if (status == CT_OK)
            result->draws = bands_draws(plan->draws, &unknown);
    }
    if (status != CT_OK)
        ct_diags_add(diags, &own);
    setup_free(&setup);
    ct_diags_free(&own);
    result->drawn = ct_arena_array(&result->arena, (size_t)plan->policy_count * result->draws + 1,
                                   sizeof *result->drawn);
    return status == CT_OK && !result->drawn ? ct_out_of_memory(diags) : status;
}

/* Every policy gets the same draws, each searched from the policy's answer on. */
static int answer_draws(const struct plan *plan, const struct demand_file *file,
                        struct plan_result *result, struct ct_diags *diags) {
    uint64_t progress = searches_before_draws(plan);
    int status = CT_OK;
    for (uint32_t i = 0; i < result->draws && status == CT_OK; i++) {
        struct demand_look look = {.draws = result->draws, .draw = i};
        struct workload workload;
        struct plan drawn = *plan;
        drawn.workload = &workload;
        if (!demand_look_workload(&look, plan->workload, file, plan->seed, &result->arena,
                                  &workload))
            return ct_out_of_memory(diags);
        for (uint32_t p = 0; p < plan->policy_count && status == CT_OK; p++) {
            struct plan_answer *answer = &result->drawn[(size_t)p * result->draws + i];
            answer->scale = 1;
            answer->draw = i + 1;
            if (!isnan(result->answers[p].holds))
                status = answer_one(&drawn, p, result->answers[p].holds, progress, answer, result,
                                    diags);
            progress++;
        }
    }
    return status;
}

int plan_run(const struct plan *plan, struct plan_result *result, struct ct_diags *diags) {
    *result = (struct plan_result){0};
    size_t size = sizeof *result->answers;
    result->answers = ct_arena_array(&result->arena, plan->policy_count, size);
    result->slower = ct_arena_array(&result->arena, plan->policy_count, size);
    result->faster = ct_arena_array(&result->arena, plan->policy_count, size);
    if (!result->answers || !result->slower || !result->faster)
        return ct_out_of_memory(diags);
    struct demand_file file;
    int status = plan->draws != 0 ? count_draws(plan, &file, result, diags) : CT_OK;
    if (status == CT_OK)
        status = answer_all(plan, result, diags);
    if (status == CT_OK)
        status = answer_draws(plan, &file, result, diags);
    if (status != CT_OK && status != CT_INTERRUPTED)
        return status;
    int made = plan_envelope(plan, result, diags);
    return made == CT_OK ? status : made;
}

void plan_result_free(struct plan_result *result) {
    for (uint32_t p = 0; p < result->finished; p++) {
        ct_vec_free(&result->answers[p].points);
        ct_vec_free(&result->slower[p].points);
        ct_vec_free(&result->faster[p].points);
    }
    for (size_t i = 0; result->drawn && i < (size_t)result->finished * result->draws; i++)
        ct_vec_free(&result->drawn[i].points);
    ct_vec_free(&result->caveats);
    ct_arena_free(&result->arena);
    *result = (struct plan_result){0};
}

/* ---- What can be planned ---- */

static void check_app(const struct plan *plan, struct ct_diags *diags) {
    const struct workload_app *app = &plan->workload->apps.items[plan->app];
    if (plan->goal == PLAN_INSTANCES && app->role != CT_BATCH)
        ct_error(diags, "--find", "'%s' is a service: batch-instances is about batch work",
                 app->name);
    if (plan->goal == PLAN_RATE && app->role != CT_SERVICE)
        ct_error(diags, "--find", "'%s' is batch work: max-rate is about services", app->name);
    else if (plan->goal == PLAN_RATE && isnan(arrivals_mean_rate(&app->arrivals)))
        ct_error(diags, "--find",
                 "'%s' has no arrival rate: its clients wait for answers (closed) or come once",
                 app->name);
}

static void check_spread(const struct plan *plan, struct ct_diags *diags) {
    for (size_t a = 0; a < plan->workload->apps.count; a++) {
        const struct workload_app *app = &plan->workload->apps.items[a];
        if (app->role == CT_SERVICE && isnan(arrivals_mean_rate(&app->arrivals)))
            ct_error(diags, "--find",
                     "'%s' has no arrival rate that could be split over GPUs: its clients wait for "
                     "answers (closed) or come once",
                     app->name);
    }
}

int plan_check(const struct plan *plan, struct ct_diags *diags) {
    size_t targets = 0, errors = diags->errors;
    for (size_t a = 0; a < plan->workload->apps.count; a++) {
        const struct workload_app *app = &plan->workload->apps.items[a];
        bool service = app->role == CT_SERVICE;
        targets += service && app->qos_ms > 0;
        if (service && !(app->qos_ms > 0))
            ct_notice(diags, plan->workload->path,
                      "'%s' has no target 'qos_ms', and nothing is asked of it", app->name);
    }
    if (!targets)
        ct_error(diags, plan->workload->path,
                 "no service has a target 'qos_ms' that a plan could keep");
    if (plan->goal == PLAN_RATE || plan->goal == PLAN_INSTANCES)
        check_app(plan, diags);
    if (plan->goal == PLAN_GPUS)
        check_spread(plan, diags);
    return diags->errors == errors ? CT_OK : CT_USAGE;
}
