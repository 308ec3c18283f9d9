#include "results/compare_stats.h"

#include "base/ct_search.h"
#include "base/ct_sort.h"
#include "base/ct_vec.h"
#include "results/report_bounds.h"

#include <gsl/gsl_cdf.h>
#include <stdlib.h>

#define LEVEL 0.05

#define APP(member) true, .offset = offsetof(struct report_app, member)
#define TARGET(member) .headline = true, .target = offsetof(struct report_app, member)
#define ERROR(member) .error = offsetof(struct report_app, member)
#define SYSTEM(member) false, .offset = offsetof(struct report_system, member)

/* ---- What hangs on the length of the run ---- */

static struct compare_bound bound_of_latency(const struct report *report, size_t app) {
    return (struct compare_bound){.may_rise = report->apps[app].overloaded == REPORT_YES};
}

static struct compare_bound bound_of_first(const struct report *report, size_t app) {
    return (struct compare_bound){.may_rise = report_awaits_tokens(&report->apps[app])};
}

/* The bound of a measure as the report marks it; where an overloaded service is not marked nothing
 * is known. */
static struct compare_bound bound_of_mark(struct report_bounds bounds, const char *mark) {
    return (struct compare_bound){bounds.any && *mark != '<', bounds.any && *mark != '>'};
}

static struct compare_bound bound_of_stp(const struct report *report, size_t app) {
    (void)app;
    const struct report_bounds bounds = report_bounds_of(report);
    return bound_of_mark(bounds, bounds.stp);
}

static struct compare_bound bound_of_antt(const struct report *report, size_t app) {
    (void)app;
    const struct report_bounds bounds = report_bounds_of(report);
    return bound_of_mark(bounds, bounds.antt);
}

static struct compare_bound bound_of_fairness(const struct report *report, size_t app) {
    (void)app;
    const struct report_bounds bounds = report_bounds_of(report);
    return bound_of_mark(bounds, bounds.fairness);
}

/* ---- The measures ---- */

const struct compare_measure compare_measures[] = {
    {"p99_ms", "p99, ms", false, APP(latency_ms.p99), ERROR(latency_ms.p99_error), TARGET(qos_ms),
     .bound = bound_of_latency},
    {"mean_ms", "mean, ms", false, APP(latency_ms.mean), .bound = bound_of_latency},
    {"ttft_p99_ms", "TTFT p99, ms", false, APP(tokens.first_p99_ms), ERROR(tokens.first_error),
     TARGET(tokens.first_target_ms), .bound = bound_of_first},
    {"tpot_p99_ms", "TPOT p99, ms", false, APP(tokens.each_p99_ms), ERROR(tokens.each_error),
     TARGET(tokens.each_target_ms)},
    {"late_fraction", "late, %", false, APP(late_fraction),
     .is_share = true, /* unknown without a target */
     .headline = true},
    {"batch_throughput_normalised", "batch", true, SYSTEM(batch_throughput_normalised),
     .headline = true},
    {"stp", "STP", true, SYSTEM(stp), .headline = true, .bound = bound_of_stp},
    {"antt", "ANTT", false, SYSTEM(antt), .bound = bound_of_antt},
    {"fairness", "fair", true, SYSTEM(fairness), .is_share = true, .bound = bound_of_fairness},
    {"turnaround_ms", "turnaround, ms", false, SYSTEM(turnaround_ms)},
    {"goals_met", "goals met, %", true, SYSTEM(goals_met), .is_share = true, .headline = true,
     .bound = bound_of_stp},
    {0},
};

static bool is_pair(double a, double b) {
    return isfinite(a) && isfinite(b);
}

static double deviation_of(const double *a, const double *b, size_t count,
                           const struct compare_paired *t) {
    double squares = 0;
    for (size_t i = 0; i < count; i++) {
        double off = is_pair(a[i], b[i]) ? b[i] - a[i] - t->difference : 0;
        squares += off * off;
    }
    return sqrt(squares / (double)(t->pairs - 1));
}

static double half_width(double deviation, size_t pairs, double level) {
    double n = (double)pairs;
    return gsl_cdf_tdist_Pinv(1 - level / 2, n - 1) * deviation / sqrt(n);
}

/* What the spread of a share's differences would be around `difference` instead of 0, as part of
 * that around 0. */
static double share_scale(double difference) {
    return sqrt(fmax(0, 1 - difference * difference));
}

/* How the variance of a share's differences grows with the difference, as part of it: it is that of
 * m (1 - m) at a level m of both policies, which follows the difference as it does from replication
 * to replication. Of two replications every slope is chance. */
static double rise_of(const double *a, const double *b, size_t count,
                      const struct compare_paired *t) {
    double level = (t->mean_a + t->mean_b) / 2, together = 0;
    double squares = t->deviation * t->deviation * (double)(t->pairs - 1);
    if (t->pairs < 3 || !(squares > 0) || !(level > 0 && level < 1))
        return 0;
    for (size_t i = 0; i < count; i++)
        if (is_pair(a[i], b[i]))
            together += ((a[i] + b[i]) / 2 - level) * (b[i] - a[i] - t->difference);
    return together / squares * (1 / level - 1 / (1 - level));
}

/* The x for which x^2 = half^2 (1 + rise x), but never less than half. */
static double stretched(double half, double rise) {
    double k = half * fmax(0, rise);
    return half * (k + sqrt(k * k + 4)) / 2;
}

/* The half width whose interval ends at 0. */
static double half_to_zero(const struct compare_paired *t, bool shares) {
    double reach = fabs(t->difference) * (shares ? share_scale(t->difference) : 1);
    double rise = t->difference > 0 ? -t->rise : t->rise;
    return reach / sqrt(1 + fmax(0, rise) * reach);
}

static double p_value(const struct compare_paired *t, bool shares) {
    double n = (double)t->pairs, half = half_to_zero(t, shares);
    if (!(t->deviation > 0) || (shares && !(share_scale(t->difference) > 0)))
        return t->difference == 0 ? 1 : 0;
    return 2 * gsl_cdf_tdist_Q(half / (t->deviation / sqrt(n)), n - 1);
}

/* The d to one side for which (difference - d)^2 = h^2 (1 - d^2) / (1 - difference^2). */
static double score_end(double difference, double half, double side) {
    double k = half / share_scale(difference), square = k * k;
    double around = k * sqrt(fmax(0, 1 + square - difference * difference));
    return fmax(-1, fmin(1, (difference + side * around) / (1 + square)));
}

static double end_of(const struct compare_paired *t, double half, double side, bool shares) {
    double reach = stretched(half, side * t->rise);
    if (shares && half > 0 && share_scale(t->difference) > 0)
        return score_end(t->difference, reach, side);
    return t->difference + side * reach;
}

void compare_interval(const struct compare_paired *test, double level, bool shares, double *low,
                      double *high) {
    *low = *high = NAN;
    if (test->pairs < 2)
        return;
    double half = half_width(test->deviation, test->pairs, level);
    *low = end_of(test, half, -1, shares);
    *high = end_of(test, half, 1, shares);
}

/* The interval and the p value of what is known of difference and deviation. */
static void set_test(bool shares, struct compare_paired *t) {
    t->ci95_low = t->ci95_high = t->p = NAN;
    if (t->pairs < 2 || isnan(t->deviation))
        return;
    compare_interval(t, LEVEL, shares, &t->ci95_low, &t->ci95_high);
    t->p = p_value(t, shares);
}

static struct compare_paired means_of(const double *a, const double *b, size_t count) {
    struct compare_paired t = {0, NAN, NAN, NAN, NAN, 0, NAN, NAN, NAN};
    double sum_a = 0, sum_b = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        if (is_pair(a[i], b[i])) {
            t.pairs++;
            sum_a += a[i];
            sum_b += b[i];
            sum += b[i] - a[i];
        }
    if (!t.pairs)
        return t;
    t.mean_a = sum_a / (double)t.pairs;
    t.mean_b = sum_b / (double)t.pairs;
    t.difference = sum / (double)t.pairs;
    return t;
}

struct compare_paired compare_paired_test(const double *a, const double *b, size_t count,
                                          bool shares) {
    struct compare_paired t = means_of(a, b, count);
    if (t.pairs >= 2) {
        t.deviation = deviation_of(a, b, count, &t);
        t.rise = shares ? rise_of(a, b, count, &t) : 0;
    }
    set_test(shares, &t);
    return t;
}

bool compare_holm(const double *p, size_t count, double *adjusted) {
    struct ct_ranked *order = calloc(count + 1, sizeof *order);
    size_t known = 0;
    double largest = 0;
    if (!order)
        return false;
    for (size_t i = 0; i < count; i++) {
        adjusted[i] = NAN;
        if (!isnan(p[i]))
            order[known++] = (struct ct_ranked){p[i], i};
    }
    ct_sort_ranked(order, known);
    for (size_t i = 0; i < known; i++) {
        double own = fmin(1, (double)(known - i) * order[i].value);
        largest = fmax(largest, own);
        adjusted[order[i].index] = largest;
    }
    free(order);
    return true;
}

struct interval {
    double deviation, level;
    size_t least; /* pairs */
};

/* The half width of `least + i` pairs falls with i. */
static bool is_too_wide(const void *interval, size_t i, const void *size) {
    const struct interval *of = interval;
    return !(half_width(of->deviation, of->least + i, of->level) < *(const double *)size);
}

int64_t compare_more_replications(double difference, double deviation, size_t pairs, double level) {
    enum { MOST = 1000000 };
    double size = fabs(difference);
    const struct interval of = {deviation, level, pairs < 2 ? 2 : pairs};
    if (!(size > 0) || isnan(deviation) || !(half_width(deviation, MOST, level) < size))
        return REPORT_UNKNOWN;
    if (of.least > MOST)
        return 0;
    return (int64_t)(of.least + ct_lower_bound(&of, MOST - of.least, is_too_wide, &size) - pairs);
}

static double number_at(const void *record, size_t offset) {
    return *(const double *)(const void *)((const char *)record + offset);
}

static double value_of(const struct report *report, const struct compare_measure *measure,
                       size_t app) {
    const void *record =
        measure->per_app ? (const void *)&report->apps[app] : (const void *)&report->system;
    return number_at(record, measure->offset);
}

struct compared {
    struct report_difference row;
    struct compare_paired test;
    const struct compare_measure *measure;
    struct compare_bound bound_a, bound_b;
};

/* A comparison under way. */
struct comparing {
    const struct compare_runs *runs;
    size_t count; /* replications per policy */
    bool headlines;
    double *a, *b; /* one value per replication */
    CT_VEC(struct compared) rows;
    bool failed;
};

static const struct report *report_of(const struct comparing *c, size_t policy, size_t r) {
    return &c->runs->replications[policy * c->count + r];
}

static void collect(const struct comparing *c, size_t policy, const struct compare_measure *measure,
                    size_t app, double *values) {
    for (size_t r = 0; r < c->count; r++)
        values[r] = value_of(report_of(c, policy, r), measure, app);
}

static struct compare_bound bound_of(const struct comparing *c, size_t policy,
                                     const struct compare_measure *measure, size_t app) {
    struct compare_bound any = {false, false};
    for (size_t r = 0; r < c->count && measure->bound; r++) {
        struct compare_bound own = measure->bound(report_of(c, policy, r), app);
        any.may_rise |= own.may_rise;
        any.may_fall |= own.may_fall;
    }
    return any;
}

static bool is_bound(struct compare_bound bound) {
    return bound.may_rise || bound.may_fall;
}

static const struct report_error *error_of(const struct comparing *c, size_t policy,
                                           const struct compare_measure *measure, size_t app) {
    const char *record = (const char *)&c->runs->pooled[policy].apps[app];
    return (const void *)(record + measure->error);
}

/* The spread of a difference of two quantiles by those that they have themselves, as if they were
 * independent: with the same jobs under both policies they vary together, and their difference
 * less. NAN where one is unknown. */
static void set_quantile_spread(const struct report_error *a, const struct report_error *b,
                                size_t replications, struct compare_paired *t) {
    int64_t groups = a->groups < b->groups ? a->groups : b->groups;
    t->deviation = NAN;
    if (groups == 0)
        return;
    t->pairs = (size_t)groups < replications ? (size_t)groups : replications;
    t->deviation = hypot(a->deviation, b->deviation) * sqrt((double)t->pairs);
}

static bool is_everywhere(const struct comparing *c, double difference) {
    bool same = true;
    for (size_t i = 0; i < c->count; i++)
        same &= !is_pair(c->a[i], c->b[i]) || c->b[i] - c->a[i] == difference;
    return same;
}

/* A quantile of a replication alone is too small where that has few jobs, and so is their mean: the
 * difference is that of all jobs. Where it is the same in every replication chance has no part. */
static struct compare_paired test_quantile(const struct comparing *c, size_t a, size_t b,
                                           const struct compare_measure *measure, size_t app) {
    struct compare_paired t = compare_paired_test(c->a, c->b, c->count, false);
    if (!t.pairs)
        return t;
    t.mean_a = value_of(&c->runs->pooled[a], measure, app);
    t.mean_b = value_of(&c->runs->pooled[b], measure, app);
    t.difference = t.mean_b - t.mean_a;
    bool grows = is_bound(bound_of(c, a, measure, app)) || is_bound(bound_of(c, b, measure, app));
    if (is_everywhere(c, t.difference))
        t.deviation = 0;
    else if (!grows)
        set_quantile_spread(error_of(c, a, measure, app), error_of(c, b, measure, app), c->count,
                            &t);
    set_test(false, &t);
    return t;
}

static struct compare_paired test_one(const struct comparing *c, size_t a, size_t b,
                                      const struct compare_measure *measure, size_t app) {
    const struct compare_paired unknown = {c->count, NAN, NAN, NAN, NAN, 0, NAN, NAN, NAN};
    collect(c, a, measure, app, c->a);
    collect(c, b, measure, app, c->b);
    if (measure->error)
        return test_quantile(c, a, b, measure, app);
    struct compare_paired test = compare_paired_test(c->a, c->b, c->count, measure->is_share);
    /* What is known of some replications alone hangs on what happened in them. */
    bool selected = !measure->per_app && test.pairs && test.pairs < c->count;
    return selected ? unknown : test;
}

static void compare_one(struct comparing *c, size_t a, size_t b,
                        const struct compare_measure *measure, size_t app) {
    const struct report *first = report_of(c, a, 0);
    struct compare_paired test = test_one(c, a, b, measure, app);
    struct report_difference row = {
        .measure = measure->name,
        .app = measure->per_app ? first->apps[app].name : NULL,
        .policy_a = first->policy,
        .policy_b = report_of(c, b, 0)->policy,
        .mean_a = test.mean_a,
        .mean_b = test.mean_b,
        .difference = test.difference,
        .ci95_low = test.ci95_low,
        .ci95_high = test.ci95_high,
        .p = test.p,
        .p_holm = NAN,
        .simultaneous_low = NAN,
        .simultaneous_high = NAN,
        .p_adjusted = NAN,
        .verdict = REPORT_NOT_SEPARABLE,
        .more_reps = REPORT_UNKNOWN,
    };
    struct compared one = {row, test, measure, bound_of(c, a, measure, app),
                           bound_of(c, b, measure, app)};
    if (test.pairs && !ct_vec_push(&c->rows, one))
        c->failed = true;
}

static bool is_headline(const struct compare_measure *measure, const struct report *report,
                        size_t app) {
    return measure->headline &&
           !(measure->target && isnan(number_at(&report->apps[app], measure->target)));
}

static void compare_pair(struct comparing *c, size_t a, size_t b) {
    for (const struct compare_measure *measure = compare_measures; measure->name; measure++) {
        const struct report *first = report_of(c, a, 0);
        size_t apps = measure->per_app ? first->app_count : 1;
        for (size_t app = 0; app < apps; app++)
            if (!c->headlines || is_headline(measure, first, app))
                compare_one(c, a, b, measure, app);
    }
}

/* Whether chance had a part in it: a difference that is 0 in every replication is no test. */
static bool is_tested(const struct compared *one) {
    return !isnan(one->row.p) && (one->test.deviation > 0 || one->test.difference != 0);
}

static bool correct_p(struct comparing *c) {
    size_t count = c->rows.count;
    double *p = calloc(2 * count + 1, sizeof *p);
    if (!p)
        return false;
    for (size_t i = 0; i < count; i++)
        p[i] = is_tested(&c->rows.items[i]) ? c->rows.items[i].row.p : NAN;
    bool corrected = compare_holm(p, count, p + count);
    for (size_t i = 0; corrected && i < count; i++) {
        struct report_difference *row = &c->rows.items[i].row;
        row->p_holm = isnan(p[i]) ? row->p : p[count + i];
    }
    free(p);
    return corrected;
}

/* A difference of b from a of which nothing that a longer run may say takes anything away. */
static bool is_sure(const struct compared *one) {
    if (one->row.difference > 0)
        return !one->bound_a.may_rise && !one->bound_b.may_fall;
    return !one->bound_a.may_fall && !one->bound_b.may_rise;
}

/* Better and worse are policy b's. */
static void judge_one(struct compared *one, size_t replications, double level) {
    struct report_difference *row = &one->row;
    if (!isnan(row->p))
        compare_interval(&one->test, level, one->measure->is_share, &row->simultaneous_low,
                         &row->simultaneous_high);
    row->p_adjusted = isnan(row->p) ? NAN : fmin(1, row->p * LEVEL / level);
    if (!isnan(row->p) && !is_tested(one) && !is_bound(one->bound_a) && !is_bound(one->bound_b))
        row->verdict = REPORT_SAME;
    if (!is_tested(one) || !is_sure(one))
        return;
    if (row->p < level)
        row->verdict =
            (row->difference > 0) == one->measure->larger_is_better ? REPORT_BETTER : REPORT_WORSE;
    else
        row->more_reps = compare_more_replications(half_to_zero(&one->test, one->measure->is_share),
                                                   one->test.deviation, one->test.pairs, level);
    if (row->more_reps > 0) /* of a p99 the pairs may be groups of replications */
        row->more_reps =
            (int64_t)ceil((double)row->more_reps * (double)replications / (double)one->test.pairs);
}

static void judge(struct comparing *c) {
    size_t tests = 0;
    for (size_t i = 0; i < c->rows.count; i++)
        tests += is_tested(&c->rows.items[i]);
    for (size_t i = 0; i < c->rows.count; i++)
        judge_one(&c->rows.items[i], c->count, LEVEL / fmax(1, (double)tests));
}

/* The rows in the arena; NULL when memory ran out. */
static const struct report_difference *hand_over(const struct comparing *c,
                                                 struct ct_arena *arena) {
    struct report_difference *rows = ct_arena_array(arena, c->rows.count + 1, sizeof *rows);
    for (size_t i = 0; rows && i < c->rows.count; i++)
        rows[i] = c->rows.items[i].row;
    return rows;
}

static void compare_all(struct comparing *c, size_t baseline) {
    for (size_t b = 0; b < c->runs->policies && c->count && baseline != COMPARE_ALL_PAIRS; b++)
        if (b != baseline)
            compare_pair(c, baseline, b);
    for (size_t a = 0; a + 1 < c->runs->policies && c->count && baseline == COMPARE_ALL_PAIRS; a++)
        for (size_t b = a + 1; b < c->runs->policies; b++)
            compare_pair(c, a, b);
    c->failed = c->failed || !correct_p(c);
    if (!c->failed)
        judge(c);
}

int compare_policies(const struct compare_runs *runs, const struct compare_choice *choice,
                     struct ct_arena *arena, const struct report_difference **differences,
                     size_t *difference_count, struct ct_diags *diags) {
    struct comparing c = {.runs = runs, .count = runs->count, .headlines = choice->headlines};
    c.a = calloc(c.count + 1, sizeof *c.a);
    c.b = calloc(c.count + 1, sizeof *c.b);
    c.failed = !c.a || !c.b;
    if (!c.failed)
        compare_all(&c, choice->baseline);
    *difference_count = c.rows.count;
    *differences = c.failed ? NULL : hand_over(&c, arena);
    free(c.a);
    free(c.b);
    ct_vec_free(&c.rows);
    return *differences ? CT_OK : ct_out_of_memory(diags);
}
