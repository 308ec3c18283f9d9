/* One point of a capacity plan: the workload at a load, and replications until it is decided. */
#include "base/ct_target.h"
#include "des/des_batch.h"
#include "run/arrivals.h"
#include "run/solo.h"
#include "study/plan_internal.h"
#include "study/prices.h"
#include "workload/setup_memory.h"

#include <math.h>
#include <string.h>

/* ---- The workload at a load ---- */

double plan_amount(const struct plan *plan, double load) {
    return plan->goal == PLAN_GPUS ? plan->spare - load : load;
}

double plan_price_per_h(const struct plan *plan, double load) {
    if (!plan->prices_per_h)
        return NAN;
    if (plan->goal == PLAN_PRESET)
        return plan->prices_per_h[(size_t)load];
    return plan->prices_per_h[0] * (plan->goal == PLAN_GPUS ? plan_amount(plan, load) : 1);
}

double plan_price_per_million(const struct plan *plan, const struct plan_point *point) {
    double working = plan->goal == PLAN_GPUS ? -point->load : 1;
    return price_per_million(plan_price_per_h(plan, point->load), point->requests_per_s * working);
}

/* Bursts keep their lengths and their ratio to the quiet rate, recorded stamps their pattern. */
static void scale_rate(struct workload_arrivals *arrivals, double factor) {
    if (arrivals->process == WORKLOAD_TRACE && !(arrivals->rate_per_s > 0))
        arrivals->rate_per_s = factor * arrivals_recorded_rate(arrivals);
    else
        arrivals->rate_per_s *= factor;
    arrivals->burst_rate_per_s *= factor;
}

/* Sets the instances of an application, which without any is taken out of the workload. */
static void set_instances(struct workload *w, uint32_t app, uint32_t instances) {
    w->apps.items[app].instances = instances;
    if (instances > 0)
        return;
    w->apps.count--;
    memmove(&w->apps.items[app], &w->apps.items[app + 1],
            (w->apps.count - app) * sizeof *w->apps.items);
}

bool plan_workload(const struct plan *plan, double load, double scale, struct workload *w,
                   struct ct_arena *arena) {
    *w = *plan->workload;
    w->apps.items = ct_arena_array(arena, w->apps.count, sizeof *w->apps.items);
    if (!w->apps.items)
        return false;
    memcpy(w->apps.items, plan->workload->apps.items, w->apps.count * sizeof *w->apps.items);
    for (size_t a = 0; a < w->apps.count; a++) {
        struct workload_app *app = &w->apps.items[a];
        app->duration_scale *= scale;
        if (app->role == CT_SERVICE && plan->growth != 1)
            scale_rate(&app->arrivals, plan->growth);
        if (app->role == CT_SERVICE && plan->goal == PLAN_GPUS)
            app->arrivals.split *= (int64_t)-load;
    }
    if (plan->goal == PLAN_RATE) {
        struct workload_arrivals *arrivals = &w->apps.items[plan->app].arrivals;
        scale_rate(arrivals, load / arrivals_mean_rate(arrivals));
    }
    if (plan->goal == PLAN_INSTANCES)
        set_instances(w, plan->app, (uint32_t)load);
    if (plan->goal == PLAN_PRESET)
        w->gpu = plan->presets[(size_t)load];
    return true;
}

/* ---- Looks ---- */

/* Jobs that a look is thought to need are as often too few as too many: a fourth more (chosen). */
#define MARGIN 1.25
/* A look at what is near its target has this many times the jobs of the one before at least, and at
 * most (chosen); one that has too few jobs for an interval gets them at once. */
enum { GROWTH_LEAST = 2, GROWTH_MOST = 4, GROWTH_UNSEEN = 32 };
/* Simulated time of a replication (a number of picoseconds has no room for much more). */
#define LONGEST_S 1e6

/* When a run of the plan is to end: where somebody interrupts it, or its time is over. */
struct run_end {
    const struct plan *plan;
    double until_s;
};

static bool is_over(void *context) {
    const struct run_end *end = context;
    return ct_is_interrupted(&end->plan->listener) ||
           (end->until_s > 0 && end->plan->seconds_now() >= end->until_s);
}

/* Whether it was the budget that ended an experiment. */
static bool is_cut(const struct plan *plan, int status) {
    return status == CT_INTERRUPTED && !ct_is_interrupted(&plan->listener);
}

/* A point on its way to a verdict. */
struct course {
    const struct plan *plan;
    struct run_end end;
    bool cut; /* by the budget */
    const struct plan_effort *effort;
    struct workload *workload;
    struct experiment experiment;
    struct experiment_policy policy;
    struct plan_tally tally; /* of the replications of the present length */
    uint32_t added;          /* looks since they have it */
    double doubt;            /* chance of a wrong verdict that looks to come may share */
    double events;           /* of all looks so far */
    uint32_t runs;           /* in all looks */
    const char *broken;      /* check of one of them that does not hold */
    /* Batch work of the first look by replication, and what it is a part of. */
    CT_VEC(double) done, whole;
    bool finds_only; /* what batch applications do without services is found out beside it */
};

/* Seeds of the looks: the first has the user's own, so that `compare` gives the same runs. */
static uint64_t look_seed(const struct plan *plan, uint32_t look) {
    return (plan->seed + look * UINT64_C(0x9E3779B97F4A7C15)) & INT64_MAX;
}

static struct experiment look_of(const struct run_end *end, const struct experiment_policy *policy,
                                 const struct setup *setup) {
    const struct plan *plan = end->plan;
    return (struct experiment){.setup = setup,
                               .policies = policy,
                               .policy_count = 1,
                               .replications = plan->replications,
                               .threads = plan->threads,
                               .seed = plan->seed,
                               .unnamed = true,
                               .dump_at_ps = CT_TIME_NEVER,
                               .cache = plan->cache,
                               .version = plan->version,
                               .listener = {is_over, NULL, (struct run_end *)end}};
}

/* Whether a replication has fewer jobs than a group of the interval of a p99, so that what is seen
 * is how the queue begins. */
static bool are_short(const struct course *c, const struct plan_point *point) {
    return (double)point->jobs * DES_BATCH_LEAST_GROUPS < point->settled * c->tally.replications;
}

/* How many times the jobs that an interval asks for a p99 near its target has: where the p99 came
 * out low, so did the correlation time by which they are counted, and intervals of about as many
 * jobs as needed are the wrong ones (docs/statistics.md, coverage). */
#define JOBS_TO_HOLD 2

/* Whether a point's jobs, in all replications, are too few to trust that it holds. */
static bool are_few(const struct plan_point *point) {
    return (double)point->jobs < JOBS_TO_HOLD * point->settled;
}

/* Whether a point holds by twice the distance between its p99 and the upper bound (chosen): a p99
 * far below its target, whose replications may be short. */
static bool holds_widely(const struct plan_point *point) {
    return ct_is_kept(2 * point->p99_high - point->p99_over_qos, 1);
}

/* Seconds of batch work alone that a replication does in a second. */
static double weigh(const struct plan_solo *solo, const struct result_run *run, uint32_t r) {
    double window_s = run->report.duration_s - run->report.warmup_s, sum = 0;
    for (size_t a = 0; a < run->report.app_count; a++)
        if (run->report.apps[a].role == REPORT_BATCH && solo[a].ps_per_s[r] > 0)
            sum += solo[a].busy * run->requests[a].work_ps / window_s / solo[a].ps_per_s[r];
    return sum;
}

static double batch_ps(const struct result_run *run) {
    double sum = 0;
    for (size_t a = 0; a < run->report.app_count; a++)
        if (run->report.apps[a].role == REPORT_BATCH)
            sum += run->requests[a].work_ps;
    return sum;
}

/* The batch work of a replication of the first look, whose draws what it is measured by has, too.
 * False when memory ran out. */
static bool add_batch(struct course *c, const struct result_run *run, uint32_t r) {
    const struct plan_solo *solo = c->plan->solo;
    struct plan_batch_only *only = c->effort->batch_only;
    if (solo)
        return ct_vec_push(&c->done, weigh(solo, run, r)) && ct_vec_push(&c->whole, 1);
    if (c->finds_only && !ct_vec_push(&only->ps, run->batch_only_ps))
        return false;
    if (!only || r >= only->ps.count)
        return true;
    return ct_vec_push(&c->done, batch_ps(run)) && ct_vec_push(&c->whole, only->ps.items[r]);
}

/* Adds replications until there are so many, or as the budget has, and judges. A p99 of
 * replications that are too short is too low, and holds nothing that is near its target. */
static int look(struct course *c, uint32_t replications, struct plan_point *point,
                struct ct_diags *diags) {
    struct experiment_result result;
    bool last = !c->effort->longer && replications >= c->effort->most;
    double doubt = last ? c->doubt : c->doubt / 2, before = c->tally.events;
    c->experiment.replications = replications - c->tally.replications;
    c->experiment.seed = look_seed(c->plan, c->added++);
    c->experiment.most_events =
        c->effort->most_events > 0 ? fmax(1, c->effort->most_events - c->events) : 0;
    int status = experiment_run(&c->experiment, &result, diags);
    c->cut = is_cut(c->plan, status);
    status = c->cut ? CT_OK : status;
    c->runs += result.finished;
    for (uint32_t r = 0; r < result.finished && status == CT_OK; r++)
        if (!plan_tally_add(&c->tally, &result.runs[r]) ||
            (c->events == 0 && !add_batch(c, &result.runs[r], r)))
            status = ct_out_of_memory(diags);
    experiment_result_free(&result);
    c->policy.without |= EXPERIMENT_BATCH_ONLY;
    if (status != CT_OK || c->tally.replications == 0)
        return status;
    c->doubt -= doubt;
    c->broken = c->broken ? c->broken : c->tally.broken;
    c->events += c->tally.events - before;
    point->first_events =
        c->added == 1 && point->first_events == 0 ? c->events : point->first_events;
    if (!plan_tally_judge(&c->tally, 1 - doubt, point))
        return ct_out_of_memory(diags);
    point->duration_s = c->workload->duration_s;
    bool begins = c->effort->longer && are_short(c, point);
    if (c->effort->strict && point->verdict == PLAN_HOLDS && (begins || are_few(point)) &&
        !holds_widely(point)) {
        point->verdict = PLAN_OPEN;
        point->reason = PLAN_TOO_FEW_JOBS;
    }
    return CT_OK;
}

/* An interval holds what may be. */
static bool is_noisy(const struct plan_point *point) {
    return point->reason == PLAN_TOO_NOISY || point->reason == PLAN_DROPS_NOISY;
}

/*
 * How many times the jobs so far would decide a point that is open, by what they show. Half the
 * interval must come below the distance to the target; that is as uncertain as the interval says,
 * which is some 2.5 standard errors wide to either side.
 */
static double growth_wanted(const struct course *c, const struct plan_point *point) {
    struct plan_bounds open = plan_open_bounds(point);
    double half = (open.high - open.low) / 2;
    double apart = hypot(open.estimate - 1, half / 2.5);
    double jobs = (double)point->jobs;
    double needed = c->effort->strict ? point->settled : (double)point->needed;
    if (isinf(half))
        return GROWTH_MOST;
    if (is_noisy(point))
        return MARGIN * (half / apart) * (half / apart);
    if (point->jobs == 0)
        return GROWTH_UNSEEN;
    if (c->effort->strict)
        needed *= JOBS_TO_HOLD;
    if (c->effort->longer) /* each replication has a group */
        needed *= fmax(1, c->tally.replications / (double)DES_BATCH_LEAST_GROUPS / JOBS_TO_HOLD);
    return MARGIN * needed / jobs;
}

/* Nobody asks for more. */
static bool is_at_target(const struct course *c, const struct plan_point *point) {
    struct plan_bounds open = plan_open_bounds(point);
    return c->effort->strict && is_noisy(point) && open.high - open.low <= 2 * c->plan->tolerance;
}

/* Whether it is not worth going on: the p99 is the target to within the tolerance; so many times
 * the jobs would not give an interval; or with a few more replications the interval, half as wide
 * as it is then, still holds the target. */
static bool is_hopeless(const struct course *c, const struct plan_point *point, double possible) {
    struct plan_bounds open = plan_open_bounds(point);
    double half = (open.high - open.low) / 2;
    if (!is_noisy(point))
        return c->effort->strict && growth_wanted(c, point) > possible;
    if (isinf(half)) /* of one replication */
        return false;
    return c->effort->strict ? is_at_target(c, point)
                             : fabs(open.estimate - 1) < half / sqrt(possible) / 2;
}

/* Starts again with replications that are so many times as long: what begins them counts less. */
static int lengthen(struct course *c, double times, struct ct_diags *diags) {
    struct workload *w = c->workload;
    double length = w->warmup_s + times * (w->duration_s - w->warmup_s);
    plan_tally_free(&c->tally);
    c->added = 0;
    w->duration_s = fmin(length, LONGEST_S);
    return plan_tally_make(&c->tally, w) ? CT_OK : ct_out_of_memory(diags);
}

/* How many replications the next look has, which may be longer ones; 0: no further one is worth it.
 * enum ct_status. */
static int choose_next(struct course *c, const struct plan_point *point, uint32_t *next,
                       struct ct_diags *diags) {
    uint32_t now = c->tally.replications, most = c->effort->most;
    bool longer = c->effort->longer && (are_short(c, point) || GROWTH_LEAST * now > most);
    double left = (c->effort->events - c->events) / c->tally.events + !longer;
    double possible = c->effort->longer ? left : fmin(left, (double)most / now);
    double least = c->effort->longer ? GROWTH_LEAST : 1 + 1.0 / now;
    *next = 0;
    if (possible < least || is_hopeless(c, point, possible))
        return CT_OK;
    double growth = fmin(growth_wanted(c, point), is_noisy(point) ? GROWTH_MOST : GROWTH_UNSEEN);
    growth =
        fmin(fmax(growth, GROWTH_LEAST), longer ? possible : fmin(possible, (double)most / now));
    *next = longer ? now : (uint32_t)(growth * now);
    return longer ? lengthen(c, growth, diags) : CT_OK;
}

static int run_course(struct course *c, struct plan_point *point, struct ct_diags *diags) {
    int status = CT_OK;
    for (uint32_t next = c->plan->replications; next > 0 && status == CT_OK;) {
        status = look(c, next, point, diags);
        next = 0;
        if (status != CT_OK || point->verdict != PLAN_OPEN || c->tally.replications == 0)
            continue;
        point->wanted = is_at_target(c, point) ? 0 : growth_wanted(c, point) * c->tally.events;
        if (!c->cut)
            status = choose_next(c, point, &next, diags);
    }
    point->events = c->events;
    point->runs = c->runs;
    point->broken = c->broken;
    point->cut = c->cut;
    return status;
}

const struct plan_point plan_point_unknown = {.p99_over_qos = NAN,
                                              .p99_low = NAN,
                                              .p99_high = NAN,
                                              .dropped = {NAN, NAN},
                                              .batch_work = NAN,
                                              .batch_low = NAN,
                                              .batch_high = NAN,
                                              .requests_per_s = NAN,
                                              .sm_utilisation = NAN};

/* What becomes of a point that could not be run. Among presets, and with instances, it misses, and
 * says why by its first error; else its errors are handed on. enum ct_status. */
static int refuse(const struct plan *plan, struct plan_point *point, int status,
                  const struct ct_diags *from, const struct plan_tally *tally,
                  struct ct_arena *arena, struct ct_diags *diags) {
    if (from->lost || from->no_memory)
        return ct_out_of_memory(diags);
    bool has_instances = plan->goal == PLAN_INSTANCES && point->load > 0;
    if ((plan->goal != PLAN_PRESET && !has_instances && !plan->excuses) || from->count == 0) {
        ct_diags_add(diags, from);
        return status;
    }
    double load = point->load;
    *point = plan_point_unknown;
    point->load = load;
    point->verdict = PLAN_MISSES;
    point->reason = PLAN_BY_NO_FIT;
    point->service = tally->targets[0].name;
    point->target = tally->targets[0].of;
    point->no_fit = ct_arena_strdup(arena, from->items[0].text);
    return point->no_fit ? CT_OK : ct_out_of_memory(diags);
}

/* The GPU made ready for the workload, if it can run it under the policy. */
static int make_ready(const struct experiment_policy *policy, const struct workload *workload,
                      struct setup *setup, struct ct_diags *diags) {
    int status = setup_make(workload, setup, diags);
    if (status != CT_OK)
        return status;
    status = setup_memory_check(workload, &setup->gpu, diags);
    if (status == CT_OK)
        status = sim_check_needs(policy->policy, policy->options, &setup->gpu, diags);
    if (status != CT_OK)
        setup_free(setup);
    return status;
}

/* The looks at a GPU that is ready for the workload. */
static int run_ready(struct course *c, const struct setup *setup, struct plan_point *point,
                     struct ct_diags *diags) {
    double own_s = c->workload->duration_s;
    c->experiment = look_of(&c->end, &c->policy, setup);
    c->experiment.times = true;
    int status = run_course(c, point, diags);
    c->workload->duration_s = own_s;
    return status;
}

static void set_batch(const struct course *c, struct plan_point *point) {
    struct plan_ratio ratio =
        plan_ratio(c->done.items, c->whole.items, c->done.count, c->plan->confidence);
    point->batch_work = ratio.value;
    point->batch_low = isnan(ratio.half) ? NAN : fmax(0, ratio.value - ratio.half);
    point->batch_high = ratio.value + ratio.half;
}

int plan_point_run(const struct plan *plan, const struct experiment_policy *policy, double load,
                   double scale, const struct plan_effort *effort, struct plan_point *point,
                   struct ct_arena *arena, struct ct_diags *diags) {
    struct ct_diags own = {.files = diags->files};
    struct workload workload;
    struct setup setup;
    struct course course = {.plan = plan,
                            .end = {plan, effort->until_s},
                            .effort = effort,
                            .workload = &workload,
                            .policy = *policy,
                            .doubt = 1 - plan->confidence};
    course.finds_only = effort->batch_only && effort->batch_only->ps.count == 0;
    course.policy.without = EXPERIMENT_ALONE | EXPERIMENT_FREE;
    course.policy.without |= course.finds_only ? 0 : EXPERIMENT_BATCH_ONLY;
    *point = (struct plan_point){.load = load, .verdict = PLAN_OPEN};
    if (!plan_workload(plan, load, scale, &workload, arena) ||
        !plan_tally_make(&course.tally, &workload))
        return ct_out_of_memory(diags);
    int status = make_ready(policy, &workload, &setup, &own);
    bool unready = status != CT_OK;
    if (!unready) {
        status = run_ready(&course, &setup, point, plan->excuses ? &own : diags);
        setup_free(&setup);
    }
    if (status != CT_OK && status != CT_INTERRUPTED && (unready || plan->excuses))
        status = refuse(plan, point, status, &own, &course.tally, arena, diags);
    if (status == CT_OK && !point->no_fit)
        set_batch(&course, point);
    if (status == CT_OK && point->service &&
        !(point->service = ct_arena_strdup(arena, point->service)))
        status = ct_out_of_memory(diags);
    ct_diags_free(&own);
    ct_vec_free(&course.done);
    ct_vec_free(&course.whole);
    plan_tally_free(&course.tally);
    return status;
}

/* ---- Why a load misses ---- */

static bool fill_cause(const struct report_app *app, const struct plan_point *point,
                       struct plan_cause *cause, struct ct_arena *arena) {
    const double p99_ms[RESULT_TIMES] = {app->latency_ms.p99, app->tokens.first_p99_ms,
                                         app->tokens.each_p99_ms};
    const struct report_sharing *sharing = &app->sharing;
    const struct report_delay *delay = NULL, *due = NULL;
    cause->service = point->service;
    cause->target = point->target;
    cause->alone_p99_ms = point->target == RESULT_LATENCY ? app->alone_p99_ms : NAN;
    cause->p99_ms = p99_ms[point->target];
    cause->blame = CT_BLAME_OWN_QUEUE;
    for (int i = CT_BLAME_SOLO_WORK + 1; i < CT_BLAME_COUNT; i++)
        if (app->blame_ms_p99[i] > app->blame_ms_p99[cause->blame])
            cause->blame = i;
    cause->blame_ms = app->blame_ms_p99[cause->blame];
    for (size_t i = 0; i < app->delayed_by_count; i++)
        if (app->delayed_by[i].ms > (delay ? delay->ms : 0))
            delay = &app->delayed_by[i];
    cause->delayed_by = delay ? ct_arena_strdup(arena, delay->app) : NULL;
    cause->sharing_ms = 0;
    for (int i = 0; i < CT_BLAME_COUNT; i++) {
        cause->sharing_ms += sharing->cause_ms[i];
        if (sharing->cause_ms[i] > sharing->cause_ms[cause->cost])
            cause->cost = i;
    }
    cause->cost_ms = sharing->cause_ms[cause->cost];
    for (size_t i = 0; i < sharing->by_count; i++)
        if (sharing->by[i].app && sharing->by[i].ms > (due ? due->ms : 0))
            due = &sharing->by[i];
    cause->cost_by = due ? ct_arena_strdup(arena, due->app) : NULL;
    return (!delay || cause->delayed_by) && (!due || cause->cost_by);
}

int plan_cause_find(const struct plan *plan, const struct experiment_policy *policy,
                    const struct plan_point *point, double scale, double until_s,
                    struct plan_cause *cause, struct ct_arena *arena, struct ct_diags *diags) {
    const struct run_end end = {plan, until_s};
    struct workload workload;
    struct setup setup;
    struct experiment_result result;
    if (!plan_workload(plan, point->load, scale, &workload, arena))
        return ct_out_of_memory(diags);
    int status = setup_make(&workload, &setup, diags);
    if (status != CT_OK)
        return status;
    struct experiment experiment = look_of(&end, policy, &setup);
    experiment.blame = true;
    status = experiment_run(&experiment, &result, diags);
    const struct report *report = status == CT_OK ? &result.pooled[0] : NULL;
    const struct report_app *app = report ? report_app_named(report, point->service) : NULL;
    if (app) {
        cause->target_ms = plan_target_ms(&workload.apps.items[app - report->apps], point->target);
        if (!fill_cause(app, point, cause, arena))
            status = ct_out_of_memory(diags);
    }
    experiment_result_free(&result);
    setup_free(&setup);
    return is_cut(plan, status) ? CT_OK : status;
}

/* ---- A target that no load keeps ---- */

/* Whether no job of an application is faster than alone, whatever the load. */
static bool is_fastest_alone(const struct workload_app *app) {
    return !app->server || (!app->server->continuous && app->server->max_batch == 1);
}

int plan_rule_out(const struct plan *plan, struct plan_cause *cause, struct ct_diags *diags) {
    struct ct_diags own = {.files = diags->files};
    struct setup setup;
    uint64_t events = SOLO_EVENTS;
    *cause = (struct plan_cause){0};
    if (plan->goal == PLAN_PRESET || plan->workload->fidelity != DEVICE_FLUID)
        return CT_OK;
    int status = setup_make(plan->workload, &setup, &own);
    bool made = status == CT_OK;
    for (uint32_t a = 0; made && status == CT_OK && !cause->service && a < setup.app_count; a++) {
        const struct workload_app *app = setup.apps[a].spec;
        double target_ms = plan_target_ms(app, RESULT_LATENCY);
        struct solo solo = {NAN, NAN, NAN};
        if (target_ms > 0 && is_fastest_alone(app))
            status = solo_measure(&setup, a, plan->seed, &events, &solo, &own);
        if (solo.median_ms > target_ms)
            *cause = (struct plan_cause){.service = app->name,
                                         .target = RESULT_LATENCY,
                                         .alone_p99_ms = NAN,
                                         .p99_ms = NAN,
                                         .target_ms = target_ms,
                                         .blame_ms = NAN,
                                         .median_alone_ms = solo.median_ms};
    }
    if (made)
        setup_free(&setup);
    bool lost = own.lost || own.no_memory;
    ct_diags_free(&own);
    return lost ? ct_out_of_memory(diags) : CT_OK; /* what else is wrong the points say */
}
