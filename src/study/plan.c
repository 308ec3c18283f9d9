/* The search for the largest load that holds: bisection between decided points. */
#include "study/plan.h"

#include "base/ct_target.h"
#include "experiment/bands.h"
#include "run/arrivals.h"
#include "study/plan_internal.h"
#include "workload/setup.h"

/* A rate is looked for from a 32nd of the workload's own, below which its runs have few jobs, to
 * 1024 times as much. */
#define LEAST_RATE (1 / 32.0)
#define MOST_RATE 1024.0
/* A point gets this part of what is left of the budget: so much for the next ones, which are near
 * the boundary (chosen). */
#define PART_OF_POINT (1 / 4.0)
/* The first looks of a search at what is changed take this part of its budget at most (chosen). */
#define PART_OF_FIRST (1 / 8.0)
/* A rate under other memory demands is looked for in these steps first. */
#define STEP_OF_DRAWS 1.2
/* Events that a core simulates in a second, where a budget in seconds begins before any was
 * measured (assumed). */
#define SPEED_ASSUMED 1e6
/* Where the first rate and all lighter ones miss, so many times the first is tried, too (chosen): a
 * batch that waits to be full is late under a light load. */
#define RETRIED_RATE 8.0
enum { PROGRESS_OF_SEARCH = 1000 };
/* Replications of a point: until they grow longer, and where they must not (chosen). */
enum { USUAL_MOST = 40, DATED_MOST = 1000 };
struct search {
    const struct plan *plan;
    const struct experiment_policy *policy;
    struct plan_answer *answer;
    struct ct_arena *arena;
    struct ct_diags *diags;
    double start, step; /* the first load, and the factor from one to the next (of a rate) */
    double budget;      /* events */
    double until_s;     /* 0: no time was given */
    bool ended;         /* the budget ended a look */
    struct plan_batch_only batch_only;
    uint64_t progress_before, progress_total;
};

/* ---- Loads ---- */

static double own_rate(const struct plan *plan) {
    return arrivals_mean_rate(&plan->workload->apps.items[plan->app].arrivals);
}

/* The most GPUs that work, or instances. */
static double most_amount(const struct plan *plan) {
    return (double)plan->most - plan->spare;
}

/* Answers that show what another one leans on. */
static bool is_changed(const struct plan_answer *answer) {
    return answer->scale != 1 || answer->draw > 0;
}

/* The next harder load; NAN: none is tried. */
static double harder(const struct search *s, double load) {
    const struct plan *plan = s->plan;
    if (plan->goal == PLAN_RATE)
        return load >= own_rate(plan) * MOST_RATE ? NAN : load * s->step;
    if (is_changed(s->answer))
        return load >= (plan->goal == PLAN_GPUS ? -1 : most_amount(plan)) ? NAN : load + 1;
    if (plan->goal == PLAN_GPUS)
        return load >= -1 ? NAN : -floor(-load / 2);
    double next = load < 1 ? 1 : 2 * load;
    return load >= plan->most ? NAN : next < plan->most ? next : plan->most;
}

static double easier(const struct search *s, double load) {
    const struct plan *plan = s->plan;
    if (plan->goal == PLAN_RATE)
        return load <= own_rate(plan) * LEAST_RATE ? NAN : load / s->step;
    if (load <= (plan->goal == PLAN_GPUS ? -most_amount(plan) : 0))
        return NAN;
    if (is_changed(s->answer))
        return load - 1;
    return plan->goal == PLAN_GPUS ? fmax(2 * load, -most_amount(plan)) : floor(load / 2);
}

/* The load to look at between two loads; NAN: they are close enough. */
static double between(const struct plan *plan, double low, double high) {
    if (plan->goal == PLAN_RATE)
        return high <= low * (1 + plan->tolerance) ? NAN : sqrt(low * high);
    return high - low > 1 ? floor((low + high) / 2) : NAN;
}

/* ---- Points ---- */

struct plan_answer *plan_answer_at(const struct plan_result *result, uint32_t policy, uint32_t n) {
    size_t changed = PLAN_FASTER + result->draws;
    if (n == PLAN_AS_IT_IS)
        return &result->answers[policy];
    return n <= changed ? &result->changed[policy * changed + n - 1] : NULL;
}

const struct plan_point *plan_point_at(const struct plan_answer *answer, double load) {
    for (size_t i = 0; i < answer->points.count; i++)
        if (answer->points.items[i].load == load)
            return &answer->points.items[i];
    return NULL;
}

/* Puts a point in its place, instead of one at the same load. */
static bool insert_point(struct plan_answer *answer, struct plan_point point) {
    struct plan_point *same = (struct plan_point *)plan_point_at(answer, point.load);
    if (same) {
        *same = point;
        return true;
    }
    if (!ct_vec_push(&answer->points, point))
        return false;
    size_t place = answer->points.count - 1;
    for (; place > 0 && answer->points.items[place - 1].load > point.load; place--)
        answer->points.items[place] = answer->points.items[place - 1];
    answer->points.items[place] = point;
    return true;
}

bool plan_may_hold(const struct plan_point *point) {
    return point->verdict == PLAN_HOLDS ||
           (point->verdict == PLAN_OPEN && ct_is_kept(point->p99_over_qos, 1) &&
            !report_drops_too_many(point->dropped.value, 1));
}

/* The guess is at least what surely holds, and goes on from there as far as estimates keep the
 * targets. */
static void find_guess(struct plan_answer *answer) {
    bool ended = false;
    answer->guess = NAN;
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        if (point->load <= answer->below)
            continue;
        if (point->load >= answer->misses)
            break;
        if (point->verdict == PLAN_HOLDS || (!ended && plan_may_hold(point)))
            answer->guess = point->load;
        ended = point->verdict != PLAN_HOLDS && (ended || ct_is_beyond(point->p99_over_qos, 1));
    }
}

/* The guess itself where it is open, else the next harder load that is. */
static void find_wanted(struct plan_answer *answer) {
    answer->wanted = 0;
    answer->open = NAN;
    for (size_t i = answer->points.count; i-- > 0;) {
        const struct plan_point *point = &answer->points.items[i];
        if (point->verdict != PLAN_OPEN || point->load < answer->guess ||
            point->load >= answer->misses)
            continue;
        answer->wanted = point->wanted;
        answer->open = point->load;
    }
}

/* The hardest load that misses below all that may hold; NAN: none does, or nothing may hold. */
static double miss_below(const struct plan_answer *answer) {
    double below = NAN;
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        if (plan_may_hold(point))
            return below;
        if (point->verdict == PLAN_MISSES)
            below = point->load;
    }
    return NAN;
}

/* The answer is below the least load that misses, even where a harder one holds; but for those that
 * are too light. */
static void conclude(struct plan_answer *answer) {
    answer->holds = answer->misses = answer->above = NAN;
    answer->below = miss_below(answer);
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        if (point->load <= answer->below)
            continue;
        if (point->verdict == PLAN_MISSES && isnan(answer->misses))
            answer->misses = point->load;
        if (point->verdict == PLAN_HOLDS && isnan(answer->misses))
            answer->holds = point->load;
        if (point->verdict == PLAN_HOLDS && !isnan(answer->misses))
            answer->above = point->load;
    }
    find_guess(answer);
    find_wanted(answer);
}

/* The answer of a plan over presets: the first that holds counts. */
static void conclude_presets(struct plan_answer *answer) {
    answer->holds = answer->misses = answer->above = answer->below = answer->guess = NAN;
    answer->open = NAN;
    answer->wanted = 0;
    for (size_t i = answer->points.count; i-- > 0;) {
        const struct plan_point *point = &answer->points.items[i];
        if (point->verdict == PLAN_HOLDS)
            answer->holds = point->load;
        if (plan_may_hold(point)) {
            answer->guess = point->load;
            answer->wanted = point->verdict == PLAN_OPEN ? point->wanted : 0;
            answer->open = point->verdict == PLAN_OPEN ? point->load : NAN;
        }
    }
}

/* Runs that must not be longer may be more, where nobody has said how many. */
static uint32_t most_replications(const struct plan *plan, bool dated) {
    if (plan->most_replications > 0)
        return plan->most_replications;
    uint32_t most = dated ? DATED_MOST : USUAL_MOST;
    return most > plan->replications ? most : plan->replications;
}

/* `part` of what is left of the budget; 0: the first look alone. */
static int evaluate(struct search *s, double load, double part) {
    struct plan_point point;
    struct plan_answer *answer = s->answer;
    bool same_batch = s->plan->goal == PLAN_RATE || s->plan->goal == PLAN_GPUS;
    double left = s->budget - answer->events;
    bool counted = !(s->plan->budget_s > 0) && !is_changed(answer) && isfinite(left);
    bool dated = plan_has_dates(s->plan->workload);
    struct plan_effort effort = {.most = most_replications(s->plan, dated),
                                 .events = fmax(0, part * left),
                                 .most_events = counted ? fmax(1, left) : 0,
                                 .until_s = s->until_s,
                                 .strict = true,
                                 .longer = !dated,
                                 .batch_only = &s->batch_only};
    if (!same_batch)
        s->batch_only.ps.count = 0;
    int status = plan_point_run(s->plan, s->policy, load, answer->scale, &effort, &point, s->arena,
                                s->diags);
    s->ended |= status == CT_OK && point.cut;
    answer->stopped |= s->ended;
    if (status != CT_OK || (point.cut && point.replications == 0))
        return status;
    if (!insert_point(answer, point))
        return ct_out_of_memory(s->diags);
    answer->events += point.events;
    answer->dearest = fmax(answer->dearest, point.first_events);
    s->plan->goal == PLAN_PRESET ? conclude_presets(answer) : conclude(answer);
    return CT_OK;
}

/* Whether another point may be looked at, if only for as long as the budget lasts: the first, and
 * as long as there is no answer at all; else one whose first look is thought to fit. */
static bool may_go_on(struct search *s) {
    struct plan_answer *answer = s->answer;
    bool needed = answer->points.count == 0 || (isnan(answer->guess) && !is_changed(answer));
    double dearest = needed ? 0 : answer->dearest;
    answer->stopped = s->ended || (answer->points.count > 0 && answer->events >= s->budget) ||
                      answer->events + dearest > s->budget ||
                      (s->until_s > 0 && s->plan->seconds_now() >= s->until_s);
    return !answer->stopped;
}

/* ---- Whether an answer is settled ---- */

/* A p99 of too few jobs for an interval says nothing, on whichever side of the target it lies. */
static bool is_seen(const struct plan_point *point) {
    return point->verdict != PLAN_OPEN || !isnan(point->p99_high);
}

/* Whether all presets up to the guess were seen; without a guess, all that there are. */
static bool are_presets_seen(const struct plan *plan, const struct plan_answer *answer) {
    for (size_t i = 0; i < answer->points.count; i++) {
        const struct plan_point *point = &answer->points.items[i];
        if (!is_seen(point) || point->load == answer->guess)
            return is_seen(point);
    }
    return answer->points.count == plan->preset_count;
}

/* The guess, and the next harder point; NULL: there is none. */
struct edge {
    const struct plan_point *guess, *next;
};

static struct edge edge_of(const struct plan_answer *answer) {
    struct edge edge = {NULL, NULL};
    for (size_t i = 0; i < answer->points.count && !edge.next; i++) {
        const struct plan_point *point = &answer->points.items[i];
        *(point->load <= answer->guess ? &edge.guess : &edge.next) = point;
    }
    return edge;
}

/* Whether both were seen, or there is nothing to be seen in the place of one. */
static bool is_seen_through(const struct search *s) {
    struct edge edge = edge_of(s->answer);
    if (s->plan->goal == PLAN_PRESET)
        return are_presets_seen(s->plan, s->answer);
    if (edge.guess && edge.next)
        return is_seen(edge.guess) && is_seen(edge.next);
    if (edge.guess)
        return is_seen(edge.guess) && isnan(harder(s, edge.guess->load));
    return edge.next && is_seen(edge.next) && isnan(easier(s, edge.next->load));
}

/* Whether nothing is left to look for between them. */
static bool is_close(const struct search *s) {
    struct edge edge = edge_of(s->answer);
    return s->plan->goal == PLAN_PRESET || !edge.guess || !edge.next ||
           isnan(between(s->plan, edge.guess->load, edge.next->load));
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

/* A rate between the one that comes nearest to the targets, where all lighter ones are too light,
 * and the next, which is too much. So is each from the first on that misses with a p99 that keeps
 * them, by what it drops. NAN: there are none, or they are close. */
static double past_nearest(const struct search *s) {
    const struct plan_point *points = s->answer->points.items;
    size_t nearest = 0;
    for (size_t i = 1; i < s->answer->points.count && points[i].p99_over_qos > 1; i++)
        if (points[i].p99_over_qos < points[nearest].p99_over_qos)
            nearest = i;
    return nearest == 0 || nearest + 1 == s->answer->points.count
               ? NAN
               : between(s->plan, points[nearest].load, points[nearest + 1].load);
}

/* What is tried where all loads from the easiest one on miss: a rate doubled a few times, until it
 * is too much, then rates past the nearest; and numbers of GPUs between those that were doubled.
 * NAN: all of that was. */
static double retried(const struct search *s) {
    const struct plan_answer *answer = s->answer;
    const struct plan_point *last = &answer->points.items[answer->points.count - 1];
    if (is_changed(answer))
        return NAN;
    bool doubled = last->reason == PLAN_BY_OVERLOAD || last->load >= s->start * RETRIED_RATE;
    if (s->plan->goal == PLAN_RATE)
        return doubled ? past_nearest(s) : harder(s, last->load);
    uint32_t most = s->plan->goal == PLAN_GPUS ? s->plan->most - s->plan->spare : 0;
    for (uint32_t gpus = 3; gpus < most; gpus *= 2)
        if (!plan_point_at(answer, -(double)gpus))
            return -(double)gpus;
    return NAN;
}

/* The load to try next; NAN: nothing more to learn. */
static double next_load(const struct search *s) {
    const struct plan_answer *answer = s->answer;
    if (answer->points.count == 0)
        return s->start;
    double above = harder(s, answer->points.items[answer->points.count - 1].load),
           lighter = easier(s, answer->points.items[0].load);
    if (!isnan(answer->below) && !isnan(lighter))
        return lighter; /* what holds there comes first */
    if (isnan(answer->misses) && !(isnan(answer->holds) && isnan(above)))
        return above; /* an open point may have too few jobs, and harder ones have more */
    if (isnan(answer->holds))
        return isnan(lighter) && isnan(answer->guess) ? retried(s) : lighter;
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
    ct_tell_progress(&s->plan->listener,
                     (double)(s->progress_before +
                              (uint64_t)(PROGRESS_OF_SEARCH * done / (done + points_left(s)))),
                     (double)s->progress_total);
}

/* Whether the search has its answer: of what is changed the guess alone is asked. */
static bool is_found(const struct search *s) {
    return is_changed(s->answer) && is_seen_through(s) && is_close(s);
}

static int bisect(struct search *s) {
    int status = CT_OK;
    for (double load; status == CT_OK && !is_found(s) && !isnan(load = next_load(s)) &&
                      !plan_point_at(s->answer, load) && may_go_on(s);) {
        status = evaluate(s, load, PART_OF_POINT);
        tell(s);
    }
    return status;
}

static int add_point(struct search *s, double load) {
    return plan_point_at(s->answer, load) ? CT_OK : evaluate(s, load, 0);
}

/* Points away from the boundary, which the frontier shows, and where a hole would be seen. */
static int add_frontier(struct search *s) {
    static const double parts[] = {0.25, 0.5, 0.75};
    const struct plan_answer *answer = s->answer;
    double answer_load = answer->guess;
    int status = CT_OK;
    if (isnan(answer_load))
        return CT_OK;
    for (size_t i = 0; i < CT_COUNT_OF(parts) && status == CT_OK; i++) {
        double load =
            s->plan->goal == PLAN_GPUS ? answer_load - (double)i - 1 : answer_load * parts[i];
        if (s->plan->goal == PLAN_INSTANCES)
            load = floor(load);
        if ((s->plan->goal != PLAN_GPUS || -load <= most_amount(s->plan)) && may_go_on(s))
            status = add_point(s, load);
    }
    if (status == CT_OK && s->plan->goal == PLAN_RATE && !isnan(answer->misses) && may_go_on(s))
        status = add_point(s, answer->misses * 1.1);
    return status;
}

/* Presets have no order but the user's: all are tried, and the first that holds is the answer. */
static int try_presets(struct search *s) {
    int status = CT_OK;
    for (uint32_t i = 0; i < s->plan->preset_count && status == CT_OK && may_go_on(s); i++) {
        status = evaluate(s, i, PART_OF_POINT);
        tell(s);
    }
    return status;
}

/* What the search has left goes to the open point that matters most, as long as it is thought to
 * be enough. */
static int settle(struct search *s) {
    struct plan_answer *answer = s->answer;
    int status = CT_OK;
    for (double last = NAN; status == CT_OK && !s->ended && answer->wanted > 0 &&
                            answer->open != last && answer->wanted <= s->budget - answer->events;) {
        last = answer->open;
        status = evaluate(s, last, 1);
        if (status == CT_OK && s->plan->goal != PLAN_PRESET)
            status = bisect(s);
        tell(s);
    }
    return status;
}

static int search(struct search *s, bool frontier) {
    bool presets = s->plan->goal == PLAN_PRESET;
    int status = presets ? try_presets(s) : bisect(s);
    if (status == CT_OK && (frontier || !is_seen_through(s)))
        status = settle(s);
    if (status == CT_OK && frontier && !presets)
        status = add_frontier(s);
    if (status == CT_OK && frontier && !presets)
        status = bisect(s); /* a point of the frontier may have shown a hole */
    return status;
}

static double first_load(const struct plan *plan) {
    switch (plan->goal) {
    case PLAN_RATE:
        return own_rate(plan);
    case PLAN_INSTANCES: {
        double given = (double)plan->workload->apps.items[plan->app].instances;
        return fmin(given, plan->most);
    }
    case PLAN_GPUS:
        return -1;
    default:
        return 0;
    }
}

/* What is changed is looked at from the answer on, in steps that are about as large as the change
 * moves it. */
static double step_of(const struct plan *plan, const struct plan_answer *answer) {
    return answer->draw > 0 ? STEP_OF_DRAWS : answer->scale != 1 ? 1 + 4 * plan->error : 2;
}

static uint32_t searches_before_draws(const struct plan *plan) {
    return plan->policy_count * (plan->error > 0 ? 3 : 1);
}

/* Where a search begins, what it may cost, and how many searches were before it. */
struct share {
    double start, budget, until_s;
    uint64_t progress;
};

/* Whose scale and draw are set. */
static int answer_one(const struct plan *plan, uint32_t p, struct share share,
                      struct plan_answer *answer, struct plan_result *result,
                      struct ct_diags *diags) {
    uint64_t searches = searches_before_draws(plan) + (uint64_t)plan->policy_count * result->draws;
    struct search s = {.plan = plan,
                       .policy = &plan->policies[p],
                       .answer = answer,
                       .arena = &result->arena,
                       .diags = diags,
                       .start = share.start,
                       .step = step_of(plan, answer),
                       .budget = share.budget,
                       .until_s = share.until_s,
                       .progress_before = share.progress * PROGRESS_OF_SEARCH,
                       .progress_total = searches * PROGRESS_OF_SEARCH};
    answer->policy = plan->policies[p].label;
    answer->holds = answer->misses = answer->above = answer->below = NAN;
    answer->guess = answer->open = NAN;
    int status = search(&s, !is_changed(answer));
    ct_vec_free(&s.batch_only.ps);
    answer->complete = status == CT_OK;
    answer->settled = status == CT_OK && is_seen_through(&s) && (is_close(&s) || !answer->stopped);
    const struct plan_point *least = answer->points.count ? &answer->points.items[0] : NULL;
    if (plan->goal == PLAN_PRESET && least)
        least = &answer->points.items[answer->points.count - 1];
    bool missed = !is_changed(answer) && isnan(answer->guess) && least &&
                  least->verdict == PLAN_MISSES && !least->no_fit;
    if (status == CT_OK && missed)
        status = plan_cause_find(plan, &plan->policies[p], least, answer->scale, s.until_s,
                                 &answer->cause, &result->arena, diags);
    return status;
}

/* The answer where every load misses for a reason that is known beforehand, said of the easiest. */
static int answer_ruled_out(const struct plan *plan, uint32_t p, const struct plan_cause *cause,
                            struct plan_answer *answer, struct ct_diags *diags) {
    const struct search s = {.plan = plan, .answer = answer, .step = step_of(plan, answer)};
    struct plan_point point = plan_point_unknown;
    answer->policy = plan->policies[p].label;
    point.load = first_load(plan);
    for (double lighter; !isnan(lighter = easier(&s, point.load));)
        point.load = lighter;
    point.verdict = PLAN_MISSES;
    point.reason = PLAN_BY_TIME_ALONE;
    point.service = cause->service;
    point.target = cause->target;
    if (!insert_point(answer, point))
        return ct_out_of_memory(diags);
    conclude(answer);
    answer->complete = answer->settled = true;
    answer->cause = *cause;
    return CT_OK;
}

/* Events that the p-th policy may take; of a budget in seconds, what its share of the time that is
 * left comes to at the speed so far. */
static double budget_of(const struct plan *plan, uint32_t p, const struct plan_result *result,
                        double began_s) {
    double events = 0, searches = (plan->error > 0 ? 2 : 1) * (result->draws ? 1 + BANDS_COST : 1);
    if (!(plan->budget_s > 0))
        return plan->budget;
    double spent_s = plan->seconds_now() - began_s;
    for (uint32_t before = 0; before < p; before++)
        events += result->answers[before].events;
    double speed = events > 0 ? events / fmax(spent_s, 1e-3) : SPEED_ASSUMED * plan->threads;
    return fmax(0, plan->budget_s / searches - spent_s) / (plan->policy_count - p) * speed;
}

/* When the next of so many searches is to end, which share the time until a part of it is over;
 * 0: no time was given. */
static double until_of(const struct plan *plan, double began_s, double part, double searches) {
    if (!(plan->budget_s > 0))
        return 0;
    double now_s = plan->seconds_now(), end_s = began_s + part * plan->budget_s;
    return now_s + fmax(0, end_s - now_s) / searches;
}

/* The part of the budget for searches under the demand as it is. */
static double part_without_draws(const struct plan_result *result) {
    return result->draws ? 1.0 / (1 + BANDS_COST) : 1;
}

/* How long runs are whose first look is to cost at most so many events: as long as those that the
 * guess rests on, so that what is changed is judged as the answer was, else shorter, but no shorter
 * than the workload's. */
static double length_from(const struct plan *plan, const struct plan_point *guess, double events) {
    const struct workload *w = plan->workload;
    double first = guess->events * plan->replications / guess->replications;
    double part = fmin(1, events / first);
    return fmax(w->duration_s, w->warmup_s + part * (guess->duration_s - w->warmup_s));
}

/* Searches again what is changed, from the policy's guess on. Nothing is searched where there is
 * none. */
static int answer_again(const struct plan *plan, uint32_t p, struct share share,
                        struct plan_answer *again, struct plan_result *result,
                        struct ct_diags *diags) {
    const struct plan_answer *answer = &result->answers[p];
    struct workload workload = *plan->workload;
    struct plan longer = *plan;
    if (isnan(answer->guess))
        return CT_OK;
    share.start = answer->guess;
    workload.duration_s =
        length_from(plan, plan_point_at(answer, answer->guess), PART_OF_FIRST * share.budget);
    longer.workload = &workload;
    return answer_one(&longer, p, share, again, result, diags);
}

static int answer_changed(const struct plan *plan, uint32_t p, double began_s,
                          struct plan_result *result, struct ct_diags *diags) {
    const struct plan_answer *answer = &result->answers[p];
    struct share share = {.budget = answer->events / 2, .progress = 3 * (uint64_t)p};
    int status = CT_OK;
    for (uint32_t n = PLAN_SLOWER; n <= PLAN_FASTER && status == CT_OK; n++) {
        struct plan_answer *changed = plan_answer_at(result, p, n);
        changed->scale = n == PLAN_SLOWER ? 1 + plan->error : 1 - plan->error;
        share.progress++;
        share.until_s = until_of(plan, began_s, part_without_draws(result),
                                 2.0 * (plan->policy_count - p) - (n - PLAN_SLOWER));
        status = answer_again(plan, p, share, changed, result, diags);
    }
    return status;
}

static int answer_all(const struct plan *plan, double began_s, struct plan_result *result,
                      struct ct_diags *diags) {
    double part = part_without_draws(result) / (plan->error > 0 ? 2 : 1);
    uint64_t progress = 0;
    struct plan_cause cause;
    int status = plan_rule_out(plan, &cause, diags);
    for (uint32_t p = 0; p < plan->policy_count && status == CT_OK; p++) {
        struct plan_answer *answer = &result->answers[p];
        struct share share = {first_load(plan), budget_of(plan, p, result, began_s),
                              until_of(plan, began_s, part, plan->policy_count - p), progress};
        result->finished++;
        answer->scale = 1;
        status = cause.service ? answer_ruled_out(plan, p, &cause, answer, diags)
                               : answer_one(plan, p, share, answer, result, diags);
        progress += plan->error > 0 ? 3 : 1;
    }
    for (uint32_t p = 0; p < plan->policy_count && plan->error > 0 && status == CT_OK; p++)
        status = answer_changed(plan, p, began_s, result, diags);
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
        if (status == CT_OK) {
            unknown = demand_unknown_of(&setup, file);
            result->draws = bands_draws(plan->draws, &unknown);
        }
    }
    if (status != CT_OK)
        ct_diags_add(diags, &own);
    setup_free(&setup);
    ct_diags_free(&own);
    return status;
}

/* The few draws that are made by themselves cost together so many times what was spent without
 * them, at most; of more draws each has as much. */
static double budget_of_draw(const struct plan_result *result, uint32_t p) {
    double spent = 0;
    for (uint32_t n = 0; n < PLAN_DRAWN; n++)
        spent += plan_answer_at(result, p, n)->events;
    return BANDS_COST * spent / fmin(result->draws, BANDS_DRAWS);
}

/* Searches each policy again under draws that all policies share, from the policy's answer on. */
static int answer_draws(const struct plan *plan, const struct demand_file *file, double began_s,
                        struct plan_result *result, struct ct_diags *diags) {
    struct share share = {.progress = searches_before_draws(plan)};
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
            struct plan_answer *answer = plan_answer_at(result, p, PLAN_DRAWN + i);
            answer->scale = 1;
            answer->draw = i + 1;
            share.budget = budget_of_draw(result, p);
            share.until_s =
                until_of(plan, began_s, 1, (double)plan->policy_count * (result->draws - i) - p);
            status = answer_again(&drawn, p, share, answer, result, diags);
            share.progress++;
        }
    }
    return status;
}

int plan_run(const struct plan *plan, struct plan_result *result, struct ct_diags *diags) {
    *result = (struct plan_result){0};
    struct demand_file file;
    double began_s = plan->budget_s > 0 ? plan->seconds_now() : 0;
    int status = plan->draws != 0 ? count_draws(plan, &file, result, diags) : CT_OK;
    size_t count = plan->policy_count, size = sizeof *result->answers;
    result->answers = ct_arena_array(&result->arena, count, size);
    result->changed =
        ct_arena_array(&result->arena, count * (PLAN_FASTER + (size_t)result->draws), size);
    if (!result->answers || !result->changed)
        return ct_out_of_memory(diags);
    if (status == CT_OK)
        status = answer_all(plan, began_s, result, diags);
    if (status == CT_OK)
        status = answer_draws(plan, &file, began_s, result, diags);
    if (status != CT_OK && status != CT_INTERRUPTED)
        return status;
    int made = plan_envelope(plan, result, diags);
    return made == CT_OK ? status : made;
}

double plan_events(const struct plan_result *result) {
    double events = 0;
    const struct plan_answer *answer;
    for (uint32_t p = 0; p < result->finished; p++)
        for (uint32_t n = 0; (answer = plan_answer_at(result, p, n)); n++)
            events += answer->events;
    return events;
}

void plan_result_free(struct plan_result *result) {
    struct plan_answer *answer;
    for (uint32_t p = 0; p < result->finished; p++)
        for (uint32_t n = 0; (answer = plan_answer_at(result, p, n)); n++)
            ct_vec_free(&answer->points);
    ct_vec_free(&result->caveats);
    ct_arena_free(&result->arena);
    *result = (struct plan_result){0};
}
