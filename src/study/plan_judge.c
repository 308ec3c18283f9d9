/* What the replications of a point of a plan have shown, and the verdict that it allows. */
#include "base/ct_target.h"
#include "des/des_batch.h"
#include "study/plan_internal.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

double plan_target_ms(const struct workload_app *app, enum result_time of) {
    const struct workload_continuous *c = app->server ? app->server->continuous : NULL;
    const double targets[RESULT_TIMES] = {app->qos_ms, c ? c->ttft_ms : 0, c ? c->tpot_ms : 0};
    return app->role == CT_SERVICE ? targets[of] : 0;
}

uint32_t plan_target_count(const struct workload_app *app) {
    uint32_t count = 0;
    for (enum result_time of = RESULT_LATENCY; of < RESULT_TIMES; of++)
        count += plan_target_ms(app, of) > 0;
    return count;
}

const char *plan_target_key(enum result_time of) {
    static const char *const keys[] = {"qos_ms", "ttft_ms", "tpot_ms"};
    return keys[of];
}

bool plan_tally_make(struct plan_tally *tally, const struct workload *w) {
    *tally = (struct plan_tally){
        .workload = w, .targets = calloc(w->apps.count * RESULT_TIMES, sizeof *tally->targets)};
    for (uint32_t i = 0; tally->targets && i < w->apps.count * RESULT_TIMES; i++) {
        const struct workload_app *app = &w->apps.items[i / RESULT_TIMES];
        enum result_time of = i % RESULT_TIMES;
        double ms = plan_target_ms(app, of);
        if (ms > 0)
            tally->targets[tally->target_count++] = (struct plan_target){
                .app = i / RESULT_TIMES, .of = of, .name = app->name, .ms = ms};
    }
    return tally->targets;
}

void plan_tally_free(struct plan_tally *tally) {
    for (uint32_t t = 0; t < tally->target_count; t++) {
        ct_vec_free(&tally->targets[t].times_ms);
        ct_vec_free(&tally->targets[t].lengths);
        ct_vec_free(&tally->targets[t].late);
        ct_vec_free(&tally->targets[t].jobs);
        ct_vec_free(&tally->targets[t].dropped);
        ct_vec_free(&tally->targets[t].requests);
    }
    free(tally->targets);
}

/* Requests are counted that a server, or a stage before it, dropped. */
static bool add_times(struct plan_target *target, const struct result_run *run) {
    const struct report_app *app = &run->report.apps[target->app];
    const struct result_times *times = &run->requests[target->app].times[target->of];
    bool done = true;
    for (size_t i = 0; i < times->count && done; i++)
        done = ct_vec_push(&target->times_ms, times->ms[i]);
    if (times->count > 0)
        done = done && ct_vec_push(&target->lengths, times->count);
    double requests = (double)app->server.requests;
    if (requests > 0)
        done = done && ct_vec_push(&target->requests, requests) &&
               ct_vec_push(&target->dropped, app->server.lost_fraction * requests);
    return done;
}

static void add_requests(struct plan_tally *tally, const struct report *report) {
    for (size_t a = 0; a < report->app_count; a++)
        if (plan_is_request(tally->workload, a))
            tally->requests += report->apps[a].throughput_per_s;
}

/* How many jobs a replication counts for, and how many of them were late: the late part of those of
 * which that is known, by how many there were. Requests that were dropped are late ones of a
 * latency; of tokens nothing is known. */
static bool add_late(struct plan_target *target, const struct report_app *app,
                     const struct result_requests *requests) {
    bool known = !isnan(app->late_fraction);
    double jobs = known ? (double)app->jobs : 0, late = known ? jobs * app->late_fraction : 0;
    if (target->of != RESULT_LATENCY) {
        const struct result_times *times = &requests[target->app].times[target->of];
        jobs = (double)times->count;
        late = 0;
        for (size_t i = 0; i < times->count; i++)
            late += ct_is_beyond(times->ms[i], target->ms);
    }
    return ct_vec_push(&target->jobs, jobs) && ct_vec_push(&target->late, late);
}

/* What a report says of a target, which lists those that there are in the same order. */
static struct report_target told_of(const struct plan_target *target, const struct workload *w,
                                    const struct report_app *app) {
    struct report_target targets[REPORT_TARGETS];
    size_t place = 0;
    report_targets(app, targets);
    for (enum result_time of = RESULT_LATENCY; of < target->of; of++)
        place += plan_target_ms(&w->apps.items[target->app], of) > 0;
    return targets[place];
}

/* Where an application is overloaded: whether that is beside the point, as of tokens that came in
 * time; or whether what had not ended may yet keep the target, since no backlog grows. */
static void add_overload(struct plan_target *target, const struct workload *w,
                         const struct result_run *run) {
    const struct report_app *app = &run->report.apps[target->app];
    struct report_target told = told_of(target, w, app);
    bool grows = run->requests[target->app].grows;
    bool overloaded = app->overloaded == REPORT_YES && (grows || told.met != REPORT_YES);
    target->overloaded += overloaded;
    target->cut += overloaded && !grows && told.met != REPORT_NO;
    if (!isnan(told.ratio)) {
        target->told_sum += told.ratio;
        target->told++;
    }
}

bool plan_tally_add(struct plan_tally *tally, const struct result_run *run) {
    bool done = true;
    add_requests(tally, &run->report);
    for (uint32_t t = 0; t < tally->target_count; t++) {
        struct plan_target *target = &tally->targets[t];
        const struct report_app *app = &run->report.apps[target->app];
        add_overload(target, tally->workload, run);
        done = done && add_times(target, run) && add_late(target, app, run->requests);
    }
    tally->events += (double)run->report.engine.events + PLAN_APP_EVENTS * run->report.app_count;
    tally->utilisation += run->report.system.sm_utilisation;
    tally->replications++;
    if (!tally->broken)
        tally->broken = report_broken_check(&run->report.checks);
    return done;
}

/* ---- The verdict ---- */

/* A stable service is flagged in at most 5 % of replications: more than chance explains. */
static bool is_not_by_chance(uint32_t flagged, uint32_t replications) {
    return flagged > 0 && gsl_cdf_binomial_Q(flagged - 1, 0.05, replications) < 0.01;
}

/* Ratio estimator, Student's t (Law, Simulation Modeling and Analysis, section 9.5.3). */
struct plan_ratio plan_ratio(const double *parts, const double *wholes, size_t count,
                             double level) {
    double part = 0, whole = 0, squares = 0, n = (double)count;
    for (size_t r = 0; r < count; r++) {
        part += parts[r];
        whole += wholes[r];
    }
    if (!(whole > 0))
        return (struct plan_ratio){NAN, NAN};
    double ratio = part / whole;
    if (count < 2)
        return (struct plan_ratio){ratio, NAN};
    for (size_t r = 0; r < count; r++) {
        double residual = parts[r] - ratio * wholes[r];
        squares += residual * residual;
    }
    double deviation = sqrt(squares / (n - 1)) / (whole / n);
    return (struct plan_ratio){ratio, gsl_cdf_tdist_Pinv(level, n - 1) * deviation / sqrt(n)};
}

/* The part of late jobs is skewed to the right, which makes its lower bound hold more often than
 * asked. */
static bool are_surely_late(const struct plan_target *target, double level) {
    struct plan_ratio late =
        plan_ratio(target->late.items, target->jobs.items, target->jobs.count, level);
    return late.value - late.half > REPORT_MOST_LATE;
}

/* The part that was dropped. One replication does not say what chance would have of others, but
 * where none is dropped. */
static struct plan_ratio dropped_part(const struct plan_target *target, double level) {
    struct plan_ratio part =
        plan_ratio(target->dropped.items, target->requests.items, target->requests.count, level);
    if (isnan(part.half))
        part.half = part.value > 0 ? INFINITY : 0;
    return part;
}

/* Queries after which a periodic system is looked for to repeat itself (chosen), and how often it
 * must have. */
enum { LONGEST_PERIOD = 100, LEAST_PERIODS = 10 };

static bool has_period(const double *values, size_t count, size_t period) {
    for (size_t i = period; i < count; i++)
        if (values[i] != values[i - period])
            return false;
    return true;
}

/* Whether latencies repeat to the picosecond: nothing random is left. */
static bool repeats(const double *values, size_t count) {
    for (size_t period = 1; period <= LONGEST_PERIOD && period * LEAST_PERIODS <= count; period++)
        if (has_period(values, count, period))
            return true;
    return false;
}

/* Whether every replication repeats itself in its second half: each has a phase of its own, which
 * it never leaves, and would be as good if it were shorter. */
static bool is_periodic(const struct plan_target *target) {
    const double *values = target->times_ms.items;
    for (size_t r = 0; r < target->lengths.count; r++) {
        size_t count = target->lengths.items[r];
        if (!repeats(values + count / 2, count - count / 2))
            return false;
        values += count;
    }
    return target->lengths.count > 0;
}

struct plan_bounds plan_open_bounds(const struct plan_point *point) {
    if (point->reason != PLAN_DROPS_NOISY)
        return (struct plan_bounds){point->p99_over_qos, point->p99_low, point->p99_high};
    double value = point->dropped.value / REPORT_MOST_LATE,
           half = point->dropped.half / REPORT_MOST_LATE;
    return (struct plan_bounds){value, fmax(0, value - half), value + half};
}

static bool judge_target(const struct plan_target *target, uint32_t replications, double level,
                         struct plan_point *point) {
    struct des_batch_series series = {target->times_ms.items, target->lengths.items,
                                      target->lengths.count};
    struct des_batch_interval p99 = {NAN, NAN, NAN, NAN, 1, 0, 0};
    double p90_time = 1;
    if (series.runs &&
        !des_batch_quantile_beside(&series, 0.99, 0.9, 2 * level - 1, &p99, &p90_time))
        return false;
    /* Of jobs that the run cut off and that may yet keep the target, the p99 is a lower bound. */
    bool is_bound = is_not_by_chance(target->overloaded, replications),
         overloaded = is_not_by_chance(target->overloaded - target->cut, replications);
    point->service = target->name;
    point->target = target->of;
    point->jobs = target->times_ms.count;
    point->needed = p99.needed;
    point->settled = p99.needed * fmax(1, p90_time / p99.correlation_time);
    if (is_periodic(target))
        point->settled = 0;
    point->p99_over_qos = p99.estimate / target->ms;
    point->is_bound = is_bound && !overloaded;
    /* Reports have the age of jobs that had not ended, too. */
    if (point->is_bound && target->told_sum / target->told > point->p99_over_qos)
        point->p99_over_qos = target->told_sum / target->told;
    point->dropped = dropped_part(target, level);
    bool known = p99.batches > 0 && !is_bound;
    point->p99_low = known ? fmax(0, p99.low) / target->ms : NAN;
    point->p99_high = known ? p99.high / target->ms : NAN;
    if (overloaded) {
        point->verdict = PLAN_MISSES;
        point->reason = PLAN_BY_OVERLOAD;
    } else if (point->dropped.value - point->dropped.half > REPORT_MOST_LATE) {
        point->verdict = PLAN_MISSES;
        point->reason = PLAN_BY_LATE_JOBS;
    } else if (known) {
        point->verdict = ct_is_kept(point->p99_high, 1)    ? PLAN_HOLDS
                         : ct_is_beyond(point->p99_low, 1) ? PLAN_MISSES
                                                           : PLAN_OPEN;
        point->reason = point->verdict == PLAN_OPEN ? PLAN_TOO_NOISY : PLAN_BY_P99;
        if (point->verdict == PLAN_HOLDS &&
            point->dropped.value + point->dropped.half > REPORT_MOST_LATE) {
            point->verdict = PLAN_OPEN;
            point->reason = PLAN_DROPS_NOISY;
        }
    } else {
        bool late = are_surely_late(target, level);
        point->verdict = late ? PLAN_MISSES : PLAN_OPEN;
        point->reason = late ? PLAN_BY_LATE_JOBS : PLAN_TOO_FEW_JOBS;
    }
    return true;
}

/* Whether a target decides rather than another: one that misses before one that is open before one
 * that holds, then the slower one. */
static bool decides(const struct plan_point *a, const struct plan_point *b) {
    static const int rank[] = {[PLAN_HOLDS] = 0, [PLAN_MISSES] = 2, [PLAN_OPEN] = 1};
    if (rank[a->verdict] != rank[b->verdict])
        return rank[a->verdict] > rank[b->verdict];
    return a->p99_over_qos > b->p99_over_qos;
}

bool plan_tally_judge(const struct plan_tally *tally, double level, struct plan_point *point) {
    struct plan_point worst = *point;
    for (uint32_t t = 0; t < tally->target_count; t++) {
        struct plan_point own = *point;
        if (!judge_target(&tally->targets[t], tally->replications, level, &own))
            return false;
        if (t == 0 || decides(&own, &worst))
            worst = own;
    }
    *point = worst;
    point->replications = tally->replications;
    point->requests_per_s = tally->requests / tally->replications;
    point->sm_utilisation = tally->utilisation / tally->replications;
    point->broken = tally->broken;
    return true;
}
