#include "apps/paper/paper_measure.h"

#include "base/ct_sort.h"
#include "base/ct_target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NEEDS_DECISIONS = 1 << PAPER_NP_ERROR | 1 << PAPER_QUOTA | 1 << PAPER_QUOTA_RAISED_TO |
                      1 << PAPER_QUOTA_RAISED | 1 << PAPER_COMPLETION_ERROR
};

enum {
    NEEDS_ALONE = 1 << PAPER_FAIRNESS | 1 << PAPER_STP | 1 << PAPER_ANTT | 1 << PAPER_GOALS |
                  1 << PAPER_HIGH_NP | 1 << PAPER_SOLO_MS | 1 << PAPER_NP_ERROR
};

unsigned paper_without(unsigned needs) {
    return EXPERIMENT_FREE | (needs & NEEDS_ALONE ? 0 : EXPERIMENT_ALONE) |
           (needs & 1 << PAPER_BATCH_THROUGHPUT ? 0 : EXPERIMENT_BATCH_ONLY);
}

unsigned paper_records(unsigned needs) {
    return (needs & NEEDS_DECISIONS ? RESULT_DECISIONS : 0) |
           (needs & 1 << PAPER_COMPLETION_ERROR ? RESULT_TASKS : 0);
}

/* ---- Predictions ---- */

/* The policy's predictions for a client, against its true progress; NAN: it made none. */
static double prediction_error(const struct result_run *run, const struct report *report,
                               size_t app) {
    double sum = 0, client = -1, truth = report->apps[app].normalised_progress;
    size_t count = 0;
    for (size_t d = 0; d < run->decision_count; d++)
        for (size_t n = 0; n < run->decisions[d].note_count; n++) {
            const struct result_note *note = &run->decisions[d].notes[n];
            if (strcmp(note->key, "client") == 0)
                client = note->value;
            if (strcmp(note->key, "np") != 0 || client != (double)app)
                continue;
            sum += note->value;
            count++;
        }
    return count ? fabs(sum / (double)count - truth) / truth : NAN;
}

static double mean_prediction_error(const struct result_run *run, const struct report *report) {
    double sum = 0;
    size_t known = 0;
    for (size_t a = 0; a < report->app_count; a++) {
        double error = prediction_error(run, report, a);
        if (!isnan(error)) {
            sum += error;
            known++;
        }
    }
    return known ? sum / (double)known : NAN;
}

static double worst_p99(const struct report *report) {
    double worst = NAN;
    for (size_t a = 0; a < report->app_count; a++)
        worst = fmax(worst, report->apps[a].p99_over_qos);
    return worst;
}

/* The parts of the time of each application's slowest jobs; applications that were asked count
 * alike. */
static void set_blame(const struct report *report, double *blame) {
    size_t known = 0;
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        blame[i] = 0;
    for (size_t a = 0; a < report->app_count; a++) {
        double total = 0;
        for (int i = 0; i < CT_BLAME_COUNT; i++)
            total += report->apps[a].blame_ms_p99[i];
        if (!(total > 0))
            continue;
        known++;
        for (int i = 0; i < CT_BLAME_COUNT; i++)
            blame[i] += report->apps[a].blame_ms_p99[i] / total;
    }
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        blame[i] = known ? blame[i] / (double)known : NAN;
}

/* ---- A query's quota (Laius Fig. 14) ---- */

/* Quotas of the queries of the first application, one after the other. */
struct quotas {
    int64_t job;            /* -1: none yet */
    double first, most;     /* of this query, per mille */
    double *decided, *high; /* of all; of those that were raised */
    size_t queries, raised;
};

static void end_query(struct quotas *q) {
    if (q->job < 0)
        return;
    q->decided[q->queries++] = q->first;
    if (q->most > q->first)
        q->high[q->raised++] = q->most;
}

static void add_quota(struct quotas *q, int64_t job, double quota) {
    if (job != q->job) {
        end_query(q);
        q->job = job;
        q->first = q->most = quota;
    }
    q->most = fmax(q->most, quota);
}

static double noted(const struct result_decision *decision, const char *key) {
    for (size_t n = 0; n < decision->note_count; n++)
        if (strcmp(decision->notes[n].key, key) == 0)
            return decision->notes[n].value;
    return NAN;
}

/* Parts of the SMs: what a query gets at first, what one gets whose quota is raised (medians), and
 * the part of the queries that are raised. */
static void set_quotas(const struct result_run *run, double *measures) {
    double *values = calloc(2 * run->decision_count + 1, sizeof *values);
    if (!values)
        return;
    struct quotas q = {.job = -1, .decided = values, .high = values + run->decision_count};
    for (size_t d = 0; d < run->decision_count; d++) {
        const struct result_decision *decision = &run->decisions[d];
        double quota = noted(decision, "quota_per_mille");
        if (decision->app == 0 && !isnan(quota))
            add_quota(&q, decision->job, quota);
    }
    end_query(&q);
    measures[PAPER_QUOTA] = ct_sort_median(q.decided, q.queries) / 1000;
    measures[PAPER_QUOTA_RAISED_TO] = ct_sort_median(q.high, q.raised) / 1000;
    measures[PAPER_QUOTA_RAISED] = q.queries ? (double)q.raised / (double)q.queries : NAN;
    free(values);
}

/* ---- Completion (C-QoS Fig. 6) ---- */

static const struct result_task *find_task(const struct result_run *run,
                                           const struct result_decision *decision) {
    for (size_t t = 0; t < run->task_count; t++)
        if (run->tasks[t].app == (uint32_t)decision->app &&
            run->tasks[t].instance == (uint32_t)decision->instance &&
            run->tasks[t].job == (uint64_t)decision->job &&
            run->tasks[t].index == (uint32_t)decision->task)
            return &run->tasks[t];
    return NULL;
}

/* Whether a later decision, before the end of the task, gives its application other SMs. Every
 * application of these runs has one client of the same number. */
static bool keeps_sms(const struct result_run *run, size_t d, const struct result_task *task) {
    double sms = noted(&run->decisions[d], "completion_sms"), client = -1;
    for (size_t i = d + 1; i < run->decision_count; i++) {
        const struct result_decision *later = &run->decisions[i];
        if (later->time_ps >= task->ended_ps)
            break;
        for (size_t n = 0; n < later->note_count; n++) {
            const struct result_note *note = &later->notes[n];
            if (strcmp(note->key, "client") == 0)
                client = note->value;
            if (strcmp(note->key, "sms") == 0 && client == (double)task->app && note->value != sms)
                return false;
        }
    }
    return true;
}

/* |predicted - measured| / measured of each kernel that keeps its SMs, from its start to its end:
 * the mean. */
static double completion_error(const struct result_run *run) {
    double sum = 0;
    size_t count = 0;
    for (size_t d = 0; d < run->decision_count; d++) {
        double predicted = noted(&run->decisions[d], "completion_ps");
        const struct result_task *task =
            isnan(predicted) ? NULL : find_task(run, &run->decisions[d]);
        if (!task || task->ended_ps <= task->started_ps || !keeps_sms(run, d, task))
            continue;
        double measured = (double)(task->ended_ps - task->started_ps);
        sum += fabs(predicted - measured) / measured;
        count++;
    }
    return count ? sum / (double)count : NAN;
}

/* ---- Goals (C-QoS Fig. 9) ---- */

/* The part of the applications with a target whose latency, on average over the replications, keeps
 * it; NAN: none has one. */
static double goals_met(const struct report *replications, uint32_t count) {
    uint32_t goals = 0, met = 0;
    for (size_t a = 0; a < replications[0].app_count; a++) {
        double target = replications[0].apps[a].np_target, slowdown = 0;
        for (uint32_t r = 0; r < count; r++)
            slowdown += 1 / replications[r].apps[a].normalised_progress;
        goals += !isnan(target);
        met += ct_is_kept(slowdown / count, 1 / target);
    }
    return goals ? (double)met / goals : NAN;
}

/* Mean latency of an application's runs that ended, of those that run again and again; NAN: one of
 * them has ended none. */
static double mean_turnaround_ms(const struct report *report) {
    double sum = 0;
    for (size_t a = 0; a < report->app_count; a++)
        sum += report->apps[a].latency_ms.mean;
    return sum / (double)report->app_count;
}

/* ---- All ---- */

void paper_inputs(const struct ct_coverage *coverage, double inputs[3]) {
    inputs[0] = ct_coverage_mean(coverage, CT_MEASURED);
    inputs[1] = ct_coverage_mean(coverage, CT_DERIVED) + ct_coverage_mean(coverage, CT_SHAPES);
    inputs[2] = ct_coverage_mean(coverage, CT_ASSUMED) + ct_coverage_mean(coverage, CT_GIVEN) +
                ct_coverage_mean(coverage, CT_UNKNOWN);
}

struct paper_values paper_values_unknown(const struct ct_coverage *coverage) {
    struct paper_values v = {.broken = NULL};
    paper_inputs(coverage, v.inputs);
    for (int m = 0; m < PAPER_RUN_MEASURES; m++)
        v.measures[m] = NAN;
    for (int b = 0; b < CT_BLAME_COUNT; b++)
        v.blame[b] = NAN;
    return v;
}

struct paper_values paper_values_make(const struct experiment_result *result, size_t policy,
                                      unsigned needs) {
    const struct report *report = &result->pooled[policy];
    const struct report *replications = &result->replications[policy * result->finished];
    const struct result_run *run = &result->runs[policy * result->finished];
    const struct report_system *s = &report->system;
    struct paper_values v = paper_values_unknown(&report->inputs);
    v.broken = report_broken_check(&report->checks);
    v.measures[PAPER_FAIRNESS] = s->fairness;
    v.measures[PAPER_STP] = s->stp;
    v.measures[PAPER_ANTT] = isinf(s->antt) ? NAN : s->antt; /* one made no progress at all */
    v.measures[PAPER_GOALS] = goals_met(replications, result->finished);
    v.measures[PAPER_TURNAROUND] =
        isnan(s->turnaround_ms) ? mean_turnaround_ms(report) : s->turnaround_ms;
    v.measures[PAPER_HIGH_NP] = report->apps[0].normalised_progress;
    v.measures[PAPER_P99] = worst_p99(report);
    v.measures[PAPER_BATCH_THROUGHPUT] = s->batch_throughput_normalised;
    v.measures[PAPER_BATCH_BUSY] = s->batch_busy_fraction;
    v.measures[PAPER_P99_MS] = report->apps[0].latency_ms.p99;
    v.measures[PAPER_MEAN_TARGET] = report->apps[0].latency_ms.mean / report->apps[0].qos_ms;
    v.measures[PAPER_SOLO_MS] = report->apps[0].solo_ms;
    v.measures[PAPER_P99_FROM_KERNEL] = report->apps[0].service_p99_ms / report->apps[0].qos_ms;
    if (needs & 1 << PAPER_NP_ERROR)
        v.measures[PAPER_NP_ERROR] = mean_prediction_error(run, report);
    if (needs & (1 << PAPER_QUOTA | 1 << PAPER_QUOTA_RAISED_TO | 1 << PAPER_QUOTA_RAISED))
        set_quotas(run, v.measures);
    if (needs & 1 << PAPER_COMPLETION_ERROR)
        v.measures[PAPER_COMPLETION_ERROR] = completion_error(run);
    set_blame(report, v.blame);
    return v;
}

/* ---- From many mixes to one number ---- */

static double value_of(enum paper_reduction reduction, double value, double against,
                       double at_least) {
    switch (reduction) {
    case PAPER_SHARE:
        return isnan(value) ? NAN : value >= at_least;
    case PAPER_SHARE_OVER:
        return isnan(value) ? NAN : value > at_least;
    case PAPER_MEAN_OVER:
        return value > at_least ? value : NAN;
    case PAPER_GAIN:
    case PAPER_GAIN_MOST:
        return against > 0 ? value / against - 1 : NAN;
    case PAPER_SAVING:
    case PAPER_SAVING_MOST:
        return against > 0 ? 1 - value / against : NAN;
    case PAPER_RATIO_MOST:
        return against > 0 ? value / against : NAN;
    case PAPER_MEAN:
    case PAPER_LEAST:
    case PAPER_MOST:
        break;
    }
    return value;
}

double paper_reduce(enum paper_reduction reduction, const double *values, const double *against,
                    size_t count, double at_least, size_t *used) {
    double sum = 0, least = INFINITY, most = -INFINITY;
    *used = 0;
    for (size_t i = 0; i < count; i++) {
        double value = value_of(reduction, values[i], against ? against[i] : NAN, at_least);
        if (isnan(value))
            continue;
        sum += value;
        least = fmin(least, value);
        most = fmax(most, value);
        ++*used;
    }
    if (*used == 0)
        return NAN;
    if (reduction == PAPER_LEAST)
        return least;
    if (reduction == PAPER_MOST || reduction == PAPER_GAIN_MOST || reduction == PAPER_SAVING_MOST ||
        reduction == PAPER_RATIO_MOST)
        return most;
    return sum / (double)*used;
}

struct paper_spread paper_spread_of(double *values, size_t count) {
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (!isnan(values[i]))
            values[known++] = values[i];
    if (known == 0)
        return (struct paper_spread){NAN, NAN, NAN};
    double median = ct_sort_median(values, known);
    return (struct paper_spread){median, values[0], values[known - 1]};
}
