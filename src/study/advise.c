/* The rounds of an advice. */
#include "study/advise.h"

#include "base/ct_target.h"
#include "base/ct_text.h"
#include "experiment/bands.h"
#include "experiment/thread_team.h"
#include "run/arrivals.h"
#include "run/solo.h"
#include "study/plan_internal.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One of four of each way's candidates goes on from round to round: no theory says how few, and
 * `every` shows what is lost. */
enum { ROUNDS = 3, ONE_OF = 4, LEAST = 2, REPLICATIONS_MOST = 40 };

/* The shortest round has so many queries of each service, and so many jobs of each batch
 * application as if it were alone: with fewer the rates of two candidates differ by how jobs fall.
 */
enum { QUERIES_LEAST = 50, BATCH_JOBS_LEAST = 30 };

/* A guess this far above the target is not worth more replications. */
static const double hopeless = 1.5;

struct tournament {
    const struct advise *advise;
    struct advise_offer *offer;
    struct plan plan; /* of the present round */
    struct plan_solo *solo;
    struct ct_arena *arena; /* of the result */
    uint32_t round;
    uint32_t most;                   /* replications of a candidate in this round */
    struct advise_candidate **going; /* those that are still in; room for all */
    size_t count;
    struct thread_queue queue;
    double lengths[ROUNDS + 1]; /* of each round, as parts of the run; the last one's judges */
    double done, total;         /* runs, each as the part of a full one that it is */
    int status;
    struct ct_diags *diags;
};

/* ---- Which of two is better ---- */

/* Below 0: `a` is better. Verdicts of all replications before guesses only where they differ in
 * what they say: what holds, what may, what does not; then the most batch work, or the nearest
 * miss. */
static int compare(const struct advise_candidate *a, const struct advise_candidate *b) {
    bool holds[2] = {a->judged && a->point.verdict == PLAN_HOLDS,
                     b->judged && b->point.verdict == PLAN_HOLDS};
    bool good[2] = {plan_may_hold(&a->point), plan_may_hold(&b->point)};
    double work[2] = {advise_step_of(a->point.batch_work), advise_step_of(b->point.batch_work)};
    double p99[2] = {a->point.p99_over_qos, b->point.p99_over_qos};
    if (holds[0] != holds[1])
        return holds[1] - holds[0];
    if (good[0] != good[1])
        return good[1] - good[0];
    if (good[0] && work[0] != work[1])
        return work[0] > work[1] ? -1 : 1;
    if (isnan(p99[0]) != isnan(p99[1])) /* what cannot be run at all is last */
        return isnan(p99[0]) - isnan(p99[1]);
    double step[2] = {advise_step_of(p99[0]), advise_step_of(p99[1])};
    return (step[0] > step[1]) - (step[0] < step[1]);
}

/* ---- A round ---- */

/* The workload with what the candidate changes of it. */
static const struct workload *workload_of(const struct tournament *t,
                                          const struct advise_candidate *candidate) {
    return candidate->change ? &candidate->change->scenario.workload : t->plan.workload;
}

/* Whether a round as long as this one has shown what this one would. */
static bool was_tried(const struct tournament *t, const struct advise_candidate *candidate) {
    return candidate->round > 0 && t->round <= ROUNDS &&
           t->lengths[candidate->round - 1] == t->lengths[t->round - 1];
}

/* How long a run of the round lasts. */
static double duration_of(const struct tournament *t, const struct workload *w) {
    return w->warmup_s + (w->duration_s - w->warmup_s) * t->lengths[t->round - 1];
}

/* Runs at most so many replications of a candidate, by the plan, on a workload of its kind. */
static int see(const struct tournament *t, const struct plan *plan, uint32_t most,
               const struct advise_candidate *candidate, struct plan_point *point,
               struct ct_arena *arena, struct ct_diags *diags) {
    const struct plan_effort effort = {.most = most, .events = INFINITY};
    return plan_point_run(plan, &plan->policies[candidate->number], -(double)t->offer->gpus, 1,
                          &effort, point, arena, diags);
}

static int try_one(struct tournament *t, struct advise_candidate *candidate,
                   struct ct_diags *diags) {
    struct plan plan = t->plan;
    struct workload workload = *workload_of(t, candidate);
    workload.duration_s = duration_of(t, &workload);
    plan.workload = &workload;
    ct_arena_free(&candidate->arena);
    return see(t, &plan, t->most, candidate, &candidate->point, &candidate->arena, diags);
}

static void tell(struct tournament *t) {
    t->done += t->lengths[t->round - 1] * t->most;
    if (t->done < t->total)
        ct_tell_progress(&t->advise->listener, t->done / t->total, 0);
}

static void *work(void *context) {
    struct tournament *t = context;
    for (uint64_t i; thread_queue_take(&t->queue, &i);) {
        struct ct_diags diags = {0};
        bool again = was_tried(t, t->going[i]);
        int status = again ? CT_OK : try_one(t, t->going[i], &diags);
        t->going[i]->round = t->round;
        pthread_mutex_lock(&t->queue.lock);
        if (status != CT_OK && t->status == CT_OK) {
            t->status = status;
            t->queue.stop = true;
            ct_diags_add(t->diags, &diags);
        }
        if (!again)
            tell(t);
        pthread_mutex_unlock(&t->queue.lock);
        ct_diags_free(&diags);
    }
    return NULL;
}

static int run_round(struct tournament *t) {
    t->status = advise_alone(&t->plan, &t->offer->scenario->setup, duration_of(t, t->plan.workload),
                             t->plan.replications, t->solo, t->arena, t->diags);
    if (t->status != CT_OK)
        return t->status;
    thread_queue_open(&t->queue, &t->advise->listener);
    t->queue.count = t->count;
    thread_team_work(t->advise->threads, work, t);
    if (t->queue.stop && t->status == CT_OK)
        t->status = CT_INTERRUPTED;
    thread_queue_close(&t->queue);
    return t->status;
}

/* ---- Who goes on ---- */

static int by_rank(const void *a, const void *b) {
    const struct advise_candidate *first = *(struct advise_candidate *const *)a,
                                  *second = *(struct advise_candidate *const *)b;
    if (first->way != second->way)
        return first->way < second->way ? -1 : 1;
    int order = compare(first, second);
    return order ? order : (first > second) - (first < second); /* both lie in one array */
}

/* How many of these candidates, which are sorted by way, are of the first one's. */
static size_t count_way(struct advise_candidate *const *of, size_t count) {
    size_t same = 1;
    while (same < count && of[same]->way == of[0]->way)
        same++;
    return same;
}

/* The best part of each way goes on, and at least a few. */
static void leave_out(struct tournament *t) {
    size_t kept = 0;
    qsort(t->going, t->count, sizeof *t->going, by_rank);
    for (size_t i = 0, same; i < t->count; i += same) {
        same = count_way(&t->going[i], t->count - i);
        size_t part = (same + ONE_OF - 1) / ONE_OF, least = same < LEAST ? same : LEAST;
        size_t go_on = part > least ? part : least;
        memmove(&t->going[kept], &t->going[i], go_on * sizeof(struct advise_candidate *));
        kept += go_on;
    }
    t->count = kept;
}

/* ---- Who is judged ---- */

/* What one replication must show of another setting, where this one was judged and does not hold:
 * the arrivals are the same, and what chance had hidden of this one it has hidden of others. */
static double guess_wanted(const struct advise_candidate *judged) {
    const struct plan_point *point = &judged->point;
    double seen = isnan(point->p99_high) ? point->p99_over_qos : point->p99_high;
    return judged->guess / fmax(1, seen);
}

/* Whether more replications than it had may give it an interval. */
static bool lacks_jobs(const struct advise_candidate *candidate) {
    return candidate->point.jobs > 0 &&
           (!candidate->judged || candidate->point.reason == PLAN_TOO_FEW_JOBS);
}

/* What had too few jobs for its verdict is judged again, with as many as that told, once. */
static bool is_to_be_judged_again(const struct advise_candidate *candidate) {
    return candidate->judged == 1 && lacks_jobs(candidate) && plan_may_hold(&candidate->point) &&
           candidate->point.replications < REPLICATIONS_MOST;
}

/* The first to be judged of a way: the best of the last round, unless it is hopeless. */
static struct advise_candidate *find_first(struct advise_candidate *const *of, size_t count) {
    size_t i = 0;
    while (i < count && of[i]->round < ROUNDS)
        i++;
    return i < count && of[i]->point.p99_over_qos <= hopeless ? of[i] : NULL;
}

/* The next to be judged of `count` candidates of one way, the best first, also of those that were
 * left out: the best that what was seen lets hold, else the one furthest from its target; NULL: one
 * holds, or no other may. */
static struct advise_candidate *find_next(struct advise_candidate *const *of, size_t count) {
    struct advise_candidate *furthest = NULL;
    double wanted = INFINITY, least = INFINITY; /* of the guess; of those that are judged */
    for (size_t i = 0; i < count; i++) {
        if (!of[i]->judged)
            continue;
        if (of[i]->point.verdict == PLAN_HOLDS)
            return NULL;
        if (is_to_be_judged_again(of[i]))
            return of[i];
        wanted = fmin(wanted, guess_wanted(of[i]));
        least = fmin(least, of[i]->guess);
    }
    if (isinf(wanted))
        return find_first(of, count);
    for (size_t i = 0; i < count; i++) {
        double guess = of[i]->point.p99_over_qos;
        if (of[i]->judged || !plan_may_hold(&of[i]->point) || !(guess < least))
            continue;
        if (guess <= wanted)
            return of[i];
        if (!furthest || guess < furthest->point.p99_over_qos)
            furthest = of[i];
    }
    return furthest;
}

/* Lets those go on that are to be judged, of all candidates, which are sorted. */
static void choose(struct tournament *t, struct advise_candidate *const *all, size_t count) {
    t->count = 0;
    for (size_t i = 0, same; i < count; i += same) {
        same = count_way(&all[i], count - i);
        struct advise_candidate *next = find_next(&all[i], same);
        if (next)
            t->going[t->count++] = next;
    }
}

/* What refines those that have gone on comes in. */
static void bring_in(struct tournament *t) {
    size_t kept = t->count;
    for (size_t i = 0; i < t->offer->candidates.count; i++)
        for (size_t k = 0; k < kept; k++)
            if (t->offer->candidates.items[i].parent != ADVISE_FIRST &&
                &t->offer->candidates.items[t->offer->candidates.items[i].parent] == t->going[k])
                t->going[t->count++] = &t->offer->candidates.items[i];
}

static void find_best(struct advise_offer *offer) {
    for (size_t i = 0; i < offer->candidates.count; i++) {
        const struct advise_candidate *candidate = &offer->candidates.items[i];
        const struct advise_candidate **best = &offer->best_of[candidate->way];
        bool further = *best && candidate->round > (*best)->round;
        bool same = *best && candidate->round == (*best)->round;
        if (candidate->round > 0 && (!*best || further || (same && compare(candidate, *best) < 0)))
            *best = candidate;
    }
    for (int way = 0; way < ADVISE_WAYS; way++) {
        const struct advise_candidate *candidate = offer->best_of[way];
        if (!candidate)
            continue;
        if (!offer->best || compare(candidate, offer->best) < 0) {
            offer->second = offer->best;
            offer->best = candidate;
        } else if (!offer->second || compare(candidate, offer->second) < 0) {
            offer->second = candidate;
        }
    }
}

/* The first round as short as it may be, the third whole, the second half way between them by
 * ratio. */
static void set_lengths(struct tournament *t, const double *solo_s) {
    const struct workload *w = t->plan.workload;
    double least_s = 0, part;
    for (size_t a = 0; a < w->apps.count; a++) {
        const struct workload_app *app = &w->apps.items[a];
        double rate = arrivals_mean_rate(&app->arrivals);
        double queries_s = QUERIES_LEAST * t->offer->gpus / rate;
        double jobs_s = BATCH_JOBS_LEAST * solo_s[a];
        least_s = fmax(least_s, app->role == CT_SERVICE && !isnan(rate) ? queries_s : jobs_s);
    }
    part = fmin(1, fmax(1 / 16.0, least_s / (w->duration_s - w->warmup_s)));
    if (plan_has_dates(w))
        part = 1;
    t->lengths[0] = part;
    t->lengths[1] = sqrt(part);
    t->lengths[2] = t->lengths[3] = 1;
}

/* Runs of all rounds, as `tell` counts them. */
static double count_runs(const struct tournament *t, uint32_t first) {
    double count = (double)t->count, sum = 0;
    for (uint32_t round = first; round <= ROUNDS; round++) {
        bool repeats = round > first && t->lengths[round - 1] == t->lengths[round - 2];
        sum += repeats ? 0 : count * t->lengths[round - 1];
        count /= ONE_OF;
    }
    return sum + (double)ADVISE_WAYS * t->advise->replications;
}

/* Replications after which those that go have jobs enough for a verdict, by what each of them had;
 * no fewer than now. A verdict after several looks asks for more than one after a single run: half
 * as much again. */
static void set_replications(struct tournament *t) {
    double most = fmax(t->plan.replications, t->advise->replications);
    for (size_t i = 0; i < t->count; i++) {
        const struct plan_point *point = &t->going[i]->point;
        double times =
            t->lengths[t->going[i]->round - 1] * (double)point->needed / (double)point->jobs;
        if (lacks_jobs(t->going[i]))
            most = fmax(most, ceil(1.5 * times * point->replications));
    }
    uint32_t bounded = most < REPLICATIONS_MOST ? (uint32_t)most : REPLICATIONS_MOST;
    t->plan.replications = bounded;
    t->most = bounded > t->advise->most_replications ? bounded : t->advise->most_replications;
    t->plan.most_replications = t->most;
}

/* Gives verdicts, to the best of each way first. */
static int judge(struct tournament *t) {
    int status = CT_OK;
    size_t count = 0;
    struct advise_candidate **all =
        ct_arena_array(t->arena, t->offer->candidates.count, sizeof *all);
    if (!all)
        return ct_out_of_memory(t->diags);
    for (size_t i = 0; i < t->offer->candidates.count; i++)
        if (t->offer->candidates.items[i].round > 0)
            all[count++] = &t->offer->candidates.items[i];
    qsort(all, count, sizeof *all, by_rank);
    choose(t, all, count);
    for (int turn = 0; turn < ADVISE_JUDGED_MOST && t->count > 0 && status == CT_OK; turn++) {
        for (size_t i = 0; i < t->count; i++)
            if (!t->going[i]->judged)
                t->going[i]->guess = t->going[i]->point.p99_over_qos;
        set_replications(t);
        status = run_round(t);
        for (size_t i = 0; i < t->count && status == CT_OK; i++)
            t->going[i]->judged++;
        set_replications(t); /* for the next */
        choose(t, all, count);
    }
    for (size_t i = 0; i < t->count; i++)
        t->offer->cut[t->going[i]->way] = true;
    return status;
}

static int run_rounds(struct tournament *t, const double *solo_s) {
    const struct advise *advise = t->advise;
    uint32_t first = advise->every ? ROUNDS : 1;
    set_lengths(t, solo_s);
    t->total = count_runs(t, first);
    t->plan.replications = t->plan.most_replications = t->most = 1;
    for (t->round = first; t->round <= ROUNDS; t->round++) {
        int status = run_round(t);
        if (status != CT_OK)
            return status;
        if (t->round < ROUNDS)
            leave_out(t);
        if (t->round == 1)
            bring_in(t);
    }
    return judge(t);
}

/* ---- What every candidate is measured by ---- */

/* A plan of the scenario, with who may interrupt the advice. */
static struct plan plan_of(const struct advise *advise, const struct scenario *scenario) {
    struct plan plan = plan_standard();
    plan_take(&plan, scenario);
    plan.listener = advise->listener;
    plan.listener.progress = NULL;
    return plan;
}

static int measure_solo(const struct setup *setup, uint64_t seed, double *solo_s,
                        struct ct_diags *diags) {
    int status = CT_OK;
    for (uint32_t a = 0; a < setup->app_count && status == CT_OK; a++) {
        struct solo solo = {0};
        status = solo_measure(setup, a, seed, NULL, &solo, diags);
        solo_s[a] = solo.mean_ms / 1000;
    }
    return status;
}

/* What batch applications do with a GPU for each instance, as a candidate's work is counted. */
static int measure_batch(const struct scenario *scenario, const struct advise *advise, double *work,
                         struct ct_arena *arena, struct ct_diags *diags) {
    const struct workload *w = &scenario->workload;
    struct plan_solo *solo = ct_arena_array(arena, w->apps.count, sizeof *solo);
    struct plan plan = plan_of(advise, scenario);
    if (!solo)
        return ct_out_of_memory(diags);
    int status = advise_alone(&plan, &scenario->setup, w->duration_s, advise->replications, solo,
                              arena, diags);
    for (size_t a = 0; a < w->apps.count; a++)
        *work += w->apps.items[a].role == CT_BATCH
                     ? (double)w->apps.items[a].instances * solo[a].busy
                     : 0;
    return status;
}

/* Each instance on a GPU of its own: what the private runs of any policy say. */
static int measure_apart(const struct scenario *scenario, const struct advise *advise,
                         struct advise_apart *apart, struct ct_arena *arena,
                         struct ct_diags *diags) {
    struct experiment_policy alone = scenario->experiment.policies[0];
    struct experiment experiment = scenario->experiment;
    alone.without = EXPERIMENT_BATCH_ONLY | EXPERIMENT_FREE;
    experiment.policies = &alone;
    experiment.policy_count = 1;
    experiment.blame = false;
    experiment.cache = advise->cache;
    experiment.listener = advise->listener;
    experiment.listener.progress = NULL;
    struct experiment_result result;
    int status = experiment_run(&experiment, &result, diags);
    for (size_t a = 0; status == CT_OK && a < result.pooled[0].app_count; a++) {
        const struct report_app *app = &result.pooled[0].apps[a];
        double p99 = app->alone_p99_ms / app->qos_ms;
        apart->gpus += (uint32_t)app->instances;
        if (plan_is_request(&scenario->workload, a))
            apart->requests_per_s += app->alone_per_s;
        if (app->qos_ms > 0 && !(p99 <= apart->p99_over_qos)) {
            apart->p99_over_qos = p99;
            apart->service = ct_arena_strdup(arena, app->name);
        }
    }
    experiment_result_free(&result);
    if (status == CT_OK)
        status = measure_batch(scenario, advise, &apart->batch_work, arena, diags);
    return status;
}

/* ---- Over the unknown memory demand ---- */

/* One replication of a candidate on a workload of its kind. */
static int see_once(struct tournament *t, const struct advise_candidate *candidate,
                    const struct workload *workload, struct plan_point *point,
                    struct ct_arena *arena, struct ct_diags *diags) {
    struct plan plan = t->plan;
    plan.workload = workload;
    plan.replications = plan.most_replications = 1;
    plan.threads = t->advise->threads;
    return see(t, &plan, 1, candidate, point, arena, diags);
}

/* The best of a way, if it ran; NULL: there is none. */
static struct advise_candidate *ran_of(const struct advise_offer *offer, int way) {
    struct advise_candidate *candidate = (struct advise_candidate *)offer->best_of[way];
    return candidate && !candidate->point.no_fit ? candidate : NULL;
}

/* The replication that draws are compared with, of the best of each way. */
static int try_undrawn(struct tournament *t, struct ct_arena *arena, struct ct_diags *diags) {
    int status = CT_OK;
    for (int way = 0; way < ADVISE_WAYS && status == CT_OK; way++) {
        struct advise_candidate *candidate = ran_of(t->offer, way);
        struct plan_point point;
        if (!candidate)
            continue;
        status = see_once(t, candidate, workload_of(t, candidate), &point, arena, diags);
        candidate->undrawn = point.p99_over_qos;
    }
    return status;
}

/* The replication of a draw, with its demand, of the best of each way. */
static int try_draw(struct tournament *t, const struct demand_file *file, uint32_t draw,
                    struct ct_arena *arena, struct ct_diags *diags) {
    struct advise_offer *offer = t->offer;
    const struct advise_candidate *best = NULL;
    struct advise_candidate seen[ADVISE_WAYS];
    int status = CT_OK;
    for (int way = 0; way < ADVISE_WAYS && status == CT_OK; way++) {
        struct advise_candidate *candidate = ran_of(offer, way);
        struct demand_look look = {.draws = offer->draws, .draw = draw};
        struct workload workload;
        if (!candidate)
            continue;
        if (!demand_look_workload(&look, workload_of(t, candidate), file, t->plan.seed, arena,
                                  &workload))
            return ct_out_of_memory(diags);
        seen[way] = (struct advise_candidate){.way = candidate->way};
        struct plan_point *point = &seen[way].point;
        status = see_once(t, candidate, &workload, point, arena, diags);
        double p99 = point->p99_over_qos;
        candidate->drawn_low = candidate->drawn ? fmin(candidate->drawn_low, p99) : p99;
        candidate->drawn_high = candidate->drawn ? fmax(candidate->drawn_high, p99) : p99;
        candidate->drawn++;
        candidate->drawn_keeps += plan_may_hold(point);
        if (!best || compare(&seen[way], best) < 0)
            best = &seen[way];
    }
    offer->draws_best += status == CT_OK && best && offer->best && best->way == offer->best->way;
    return status;
}

/* How the answer moves with what nobody knows: draws that all candidates share. */
static int try_draws(struct tournament *t, struct ct_arena *arena, struct ct_diags *diags) {
    const struct setup *setup = &t->offer->scenario->setup;
    struct demand_file file;
    struct demand_unknown unknown;
    if (t->advise->draws == 0 || !demand_is_unknown(setup))
        return CT_OK;
    int status = demand_file_shipped(&file, arena, diags);
    if (status == CT_OK) {
        unknown = demand_unknown_of(setup, &file);
        t->offer->draws = bands_draws(t->advise->draws, &unknown);
    }
    if (status == CT_OK && t->offer->draws > 0)
        status = try_undrawn(t, arena, diags);
    for (uint32_t i = 0; status == CT_OK && i < t->offer->draws; i++)
        status = try_draw(t, &file, i, arena, diags);
    return status;
}

/* ---- A type of GPU ---- */

/* The request on this GPU. False when memory ran out. */
static bool request_on(const struct advise *advise, const struct advise_gpu *gpu,
                       struct ct_arena *arena, struct scenario_request *request) {
    const char *const sets[] = {gpu->name ? ct_arena_format(arena, "gpu=%s", gpu->name) : NULL,
                                NULL};
    return !gpu->name == !sets[0] && advise_request_with(advise->request, sets, arena, request);
}

/* The workload on this GPU under every candidate, whose texts are in `offer`. */
static int open_all(const struct advise *advise, const struct advise_gpu *gpu, const char *policies,
                    struct ct_arena *arena, struct scenario *scenario, struct ct_diags *diags) {
    struct scenario_request request;
    if (!policies || !request_on(advise, gpu, arena, &request))
        return ct_out_of_memory(diags);
    request.policies = policies;
    request.one_policy = false;
    return scenario_open(scenario, &request, diags);
}

/* The candidates' policies, which are alike for every number of GPUs, as a list. */
static const char *list_policies(const struct advise_offer *offer, struct ct_arena *arena) {
    size_t size = 1;
    for (size_t i = 0; i < offer->candidates.count; i++)
        size += strlen(offer->candidates.items[i].policy) + 1;
    char *list = ct_arena_alloc(arena, size);
    for (size_t i = 0; list && i < offer->candidates.count; i++)
        if (!offer->candidates.items[i].change)
            ct_text_add(list, size, ",", "%s", offer->candidates.items[i].policy);
    return list;
}

static void free_offer(struct advise_offer *offer) {
    for (size_t i = 0; i < offer->candidates.count; i++)
        ct_arena_free(&offer->candidates.items[i].arena);
    ct_vec_free(&offer->candidates);
}

static int run_offer(const struct advise *advise, const double *solo_s, struct advise_offer *offer,
                     struct ct_arena *arena, struct ct_diags *diags) {
    const struct scenario *scenario = offer->scenario;
    struct tournament t = {.advise = advise,
                           .offer = offer,
                           .plan = plan_of(advise, scenario),
                           .arena = arena,
                           .diags = diags};
    t.plan.goal = PLAN_GPUS;
    t.plan.confidence = advise->confidence;
    t.plan.solo = t.solo = ct_arena_array(arena, scenario->setup.app_count, sizeof *t.solo);
    t.plan.excuses = true;
    t.plan.cache = advise->cache;
    t.going = malloc((offer->candidates.count + 1) * sizeof(struct advise_candidate *));
    for (size_t i = 0; t.going && i < offer->candidates.count; i++)
        if (advise->every || offer->candidates.items[i].parent == ADVISE_FIRST)
            t.going[t.count++] = &offer->candidates.items[i];
    int status = t.going && t.solo ? run_rounds(&t, solo_s) : ct_out_of_memory(diags);
    free(t.going);
    if (status == CT_OK) {
        find_best(offer);
        status = try_draws(&t, arena, diags);
    }
    return status;
}

bool advise_is_sure(const struct advise_offer *offer) {
    return offer->best && offer->best->judged && offer->best->point.verdict == PLAN_HOLDS;
}

/* One number of GPUs of a type. */
static int try_number(const struct advise *advise, const struct advise_changes *changes,
                      const double *solo_s, struct advise_offer offer, struct advise_result *result,
                      struct ct_diags *diags) {
    int status = advise_ways_make(&offer.scenario->setup, changes, &offer, &result->arena, diags);
    if (status == CT_OK)
        status = run_offer(advise, solo_s, &offer, &result->arena, diags);
    if (status == CT_OK && ct_vec_push(&result->offers, offer))
        return CT_OK;
    free_offer(&offer);
    return status != CT_OK ? status : ct_out_of_memory(diags);
}

/* Checks that there is a target, and rates where arrivals are to be split over several GPUs. */
static int check(const struct advise *advise, const struct scenario *scenario,
                 struct ct_diags *diags) {
    struct plan plan = plan_of(advise, scenario);
    plan.goal = advise->most_gpus > 1 ? PLAN_GPUS : PLAN_PRESET;
    return plan_check(&plan, "--most", diags);
}

/* The workload on a type of GPU under every candidate. */
static int open_gpu(const struct advise *advise, const struct advise_gpu *gpu,
                    struct scenario *scenario, struct ct_arena *arena, struct ct_diags *diags) {
    struct scenario first = {0};
    struct advise_offer all = {0};
    const struct advise_changes none = {0};
    int status = open_all(advise, gpu, "mps", arena, &first, diags);
    if (status == CT_OK)
        status = check(advise, &first, diags);
    if (status == CT_OK)
        status = advise_ways_make(&first.setup, &none, &all, arena, diags);
    if (status == CT_OK)
        status = open_all(advise, gpu, list_policies(&all, arena), arena, scenario, diags);
    for (uint32_t p = 0; status == CT_OK && p < scenario->experiment.policy_count; p++)
        scenario->policies.items.items[p].without =
            EXPERIMENT_ALONE | EXPERIMENT_BATCH_ONLY | EXPERIMENT_FREE;
    free_offer(&all);
    scenario_close(&first);
    return status;
}

static int try_gpu(const struct advise *advise, const struct advise_gpu *gpu,
                   struct scenario *scenario, struct advise_result *result,
                   struct ct_diags *diags) {
    struct advise_offer offer = {.gpu = gpu, .scenario = scenario, .apart = {.p99_over_qos = NAN}};
    bool sure = false;
    double *solo_s = ct_arena_array(&result->arena, scenario->setup.app_count, sizeof *solo_s);
    struct advise_changes *changes = &result->changes[scenario - result->scenarios];
    struct scenario_request request;
    if (!solo_s || !request_on(advise, gpu, &result->arena, &request))
        return ct_out_of_memory(diags);
    request.known = &scenario->workload;
    int status = measure_solo(&scenario->setup, scenario->experiment.seed, solo_s, diags);
    if (status == CT_OK)
        status = measure_apart(scenario, advise, &offer.apart, &result->arena, diags);
    if (status == CT_OK)
        status = advise_changes_make(&request, scenario, changes, &result->arena, diags);
    for (uint32_t gpus = 1; gpus <= advise->most_gpus && status == CT_OK && !sure; gpus++) {
        offer.gpus = gpus;
        status = try_number(advise, changes, solo_s, offer, result, diags);
        sure = status == CT_OK && advise_is_sure(&result->offers.items[result->offers.count - 1]);
    }
    return status;
}

/* Opens every type; of several, one that the workload does not fit is left out. */
static int open_gpus(const struct advise *advise, struct advise_result *result,
                     struct ct_diags *diags) {
    uint32_t good = 0;
    int status = CT_OK;
    for (uint32_t g = 0; g < advise->gpu_count; g++) {
        const struct advise_gpu *gpu = &advise->gpus[g];
        struct ct_diags own = {.files = diags->files};
        struct gpu preset;
        const struct workload_settings none = {0};
        if (gpu->name && (status = setup_gpu(gpu->name, "--gpus", &none, &result->arena, &preset,
                                             diags)) != CT_OK)
            return status;
        result->scenario_count++;
        status = open_gpu(advise, gpu, &result->scenarios[g], &result->arena, &own);
        result->opened[g] = status == CT_OK;
        good += status == CT_OK;
        if (status != CT_OK && advise->gpu_count > 1 && own.count) {
            ct_warning(diags, gpu->name, "is left out: %s", own.items[0].text);
            result->left_out[g] = ct_arena_strdup(&result->arena, own.items[0].text);
        } else
            ct_diags_add(diags, &own);
        ct_diags_free(&own);
    }
    if (good == 0 && advise->gpu_count > 1)
        ct_error(diags, "--gpus", "none of these GPUs can run the workload");
    return good ? CT_OK : status;
}

/* ---- All ---- */

double advise_step_of(double work) {
    return work > 0 ? nearbyint(log(work) / log(1.01)) : -INFINITY;
}

const struct advise_offer *advise_shown(const struct advise_result *result) {
    return result->best ? result->best : result->guess;
}

double advise_price_per_h(const struct advise_offer *offer) {
    return offer->gpu->price_per_h * offer->gpus;
}

/* The cheaper offer, or with a price unknown the one of fewer GPUs; then that with more work. */
static bool is_cheaper(const struct advise_offer *a, const struct advise_offer *b) {
    double price[2] = {advise_price_per_h(a), advise_price_per_h(b)};
    bool known = !isnan(price[0]) && !isnan(price[1]);
    if (known && price[0] != price[1])
        return price[0] < price[1];
    if (!known && a->gpus != b->gpus)
        return a->gpus < b->gpus;
    return advise_step_of(a->best->point.batch_work * a->gpus) >
           advise_step_of(b->best->point.batch_work * b->gpus);
}

static void conclude(struct advise_result *result) {
    for (size_t i = 0; i < result->offers.count; i++) {
        const struct advise_offer *offer = &result->offers.items[i];
        for (size_t c = 0; c < offer->candidates.count; c++) {
            const struct plan_point *point = &offer->candidates.items[c].point;
            result->runs += point->replications;
            result->broken = result->broken ? result->broken : point->broken;
        }
        if (advise_is_sure(offer) && (!result->best || is_cheaper(offer, result->best)))
            result->best = offer;
        if (offer->best && (!result->guess || compare(offer->best, result->guess->best) < 0))
            result->guess = offer;
    }
}

/* Why what comes nearest misses, where nothing holds. */
static int find_cause(const struct advise *advise, struct advise_result *result,
                      struct ct_diags *diags) {
    const struct advise_offer *offer = result->guess;
    const struct advise_candidate *best = offer->best;
    struct plan plan = plan_of(advise, offer->scenario);
    struct experiment_policy policy = plan.policies[best->number];
    if (result->best || best->point.no_fit ||
        !(best->point.verdict == PLAN_MISSES || ct_is_beyond(best->point.p99_over_qos, 1)))
        return CT_OK;
    struct workload workload = *(best->change ? &best->change->scenario.workload : plan.workload);
    workload.duration_s = best->point.duration_s;
    plan.goal = PLAN_GPUS;
    plan.workload = &workload;
    plan.replications = best->point.replications;
    plan.threads = advise->threads;
    plan.cache = advise->cache;
    policy.without = EXPERIMENT_BATCH_ONLY | EXPERIMENT_FREE;
    return plan_cause_find(&plan, &policy, &best->point, 1, 0, &result->cause, &result->arena,
                           diags);
}

int advise_run(const struct advise *advise, struct advise_result *result, struct ct_diags *diags) {
    *result = (struct advise_result){0};
    result->scenarios =
        ct_arena_array(&result->arena, advise->gpu_count, sizeof *result->scenarios);
    result->opened = ct_arena_array(&result->arena, advise->gpu_count, sizeof *result->opened);
    result->changes = ct_arena_array(&result->arena, advise->gpu_count, sizeof *result->changes);
    result->left_out = ct_arena_array(&result->arena, advise->gpu_count, sizeof *result->left_out);
    if (!result->scenarios || !result->opened || !result->left_out || !result->changes)
        return ct_out_of_memory(diags);
    int status = open_gpus(advise, result, diags);
    for (uint32_t g = 0; g < advise->gpu_count && status == CT_OK; g++)
        if (result->opened[g])
            status = try_gpu(advise, &advise->gpus[g], &result->scenarios[g], result, diags);
    conclude(result);
    result->interrupted = status == CT_INTERRUPTED;
    if (status != CT_OK)
        return status;
    struct plan plan = plan_of(advise, advise_shown(result)->scenario);
    plan.goal = PLAN_GPUS;
    status = find_cause(advise, result, diags);
    return status == CT_OK ? plan_envelope(&plan, &result->envelope, diags) : status;
}

void advise_result_free(struct advise_result *result) {
    for (size_t i = 0; i < result->offers.count; i++)
        free_offer(&result->offers.items[i]);
    ct_vec_free(&result->offers);
    plan_result_free(&result->envelope);
    for (uint32_t g = 0; g < result->scenario_count; g++) {
        advise_changes_free(&result->changes[g]);
        scenario_close(&result->scenarios[g]);
    }
    ct_arena_free(&result->arena);
    *result = (struct advise_result){0};
}
