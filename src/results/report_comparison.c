/* The comparison of policies as text and as Markdown. */
#include "base/ct_text.h"
#include "format/doc_writer.h"
#include "results/compare_stats.h"
#include "results/report.h"
#include "results/report_band.h"
#include "results/report_bounds.h"
#include "results/report_findings.h"
#include "results/result_given.h"

#include <gsl/gsl_cdf.h>
#include <inttypes.h>
#include <string.h>

/* Few digits: the intervals and differences below tell what they are worth. With the mark of its
 * bound, if it is one. */
static const char *short_number(struct table *table, const char *bound, double number) {
    double size = fabs(number);
    int digits = size < 9.995 ? 2 : size < 99.95 ? 1 : 0;
    return isnan(number) ? "-" : table_words(table, "%s%.*f", bound, digits, number);
}

static const char *interval_words(struct table *table, const struct report_app *app,
                                  const struct report_target *target) {
    if (target->what || isnan(app->p99_over_qos_low) || app->overloaded == REPORT_YES)
        return NULL;
    return table_words(table, "[%s, %s]", short_number(table, "", app->p99_over_qos_low),
                       short_number(table, "", app->p99_over_qos_high));
}

/* One line of the overview: a policy, and a target of one of its applications. Under the first one,
 * what is the policy's is left empty. */
static void overview_row(struct table *table, const struct report *r, const struct report_app *app,
                         const struct report_target *target, bool first) {
    const struct report_system *s = &r->system;
    const struct report_bounds bounds = report_bounds_of(r);
    const double shared[] = {s->batch_throughput_normalised, s->stp, s->antt, s->fairness};
    const char *const marks[] = {"", bounds.stp, bounds.antt, bounds.fairness};
    const char *words[CT_COUNT_OF(shared)];
    for (size_t i = 0; i < CT_COUNT_OF(shared); i++)
        words[i] = first ? short_number(table, marks[i], shared[i]) : " ";
    table_row(table, first ? r->policy : " ", report_target_name(table, app, target),
              report_target_p99(table, target, short_number(table, "", target->ratio)),
              interval_words(table, app, target),
              short_number(table, "", target->what ? NAN : 100 * app->late_fraction), words[0],
              words[1], words[2], words[3]);
}

static void overview_rows(struct table *table, const struct report *r) {
    const struct report_app none = report_app_unknown();
    bool first = true;
    for (size_t i = 0; i < r->app_count; i++) {
        struct report_target targets[REPORT_TARGETS];
        size_t count = report_targets(&r->apps[i], targets);
        for (size_t t = 0; t < count; t++, first = false)
            overview_row(table, r, &r->apps[i], &targets[t], first);
    }
    if (first)
        overview_row(table, r, &none,
                     &(struct report_target){NULL, NAN, NAN, NAN, REPORT_UNKNOWN, false}, true);
}

static void write_overview(struct doc *doc, const struct report_comparison *c) {
    struct table table = table_start("policy | service | p99/tgt:* | 95 % interval:* | late %:* | "
                                     "batch:* | STP:* | ANTT:* | fair:*");
    for (size_t i = 0; i < c->report_count; i++)
        overview_rows(&table, &c->reports[i]);
    doc_table(doc, &table);
}

/* A comparison of two policies, as one heading and one table. */
static bool same_pair(const struct report_difference *a, const struct report_difference *b) {
    return strcmp(a->policy_a, b->policy_a) == 0 && strcmp(a->policy_b, b->policy_b) == 0;
}

/* A measure as the text has it; JSON and CSV have the long name. */
static struct compare_measure measure_named(const char *name) {
    for (const struct compare_measure *measure = compare_measures; measure->name; measure++)
        if (strcmp(measure->name, name) == 0)
            return *measure;
    return (struct compare_measure){.title = name};
}

static void difference_row(struct table *table, const struct report_difference *d) {
    const struct compare_measure measure = measure_named(d->measure);
    const double unit = strchr(measure.title, '%') ? 100 : 1;
    const char *verdict = report_verdict_words(d);
    const bool of_before = isnan(d->p_adjusted); /* a store's, without simultaneous intervals */
    const double corrected = of_before ? d->p_holm : d->p_adjusted;
    struct value p = corrected < 0.001 ? value_of_text("<0.001") : value_of_number(corrected);
    if (d->more_reps != REPORT_UNKNOWN)
        verdict = table_words(table, "%s +%" PRId64, verdict, d->more_reps);
    table_row(table, measure.title, d->app, unit * d->difference,
              table_interval(table, unit * (of_before ? d->ci95_low : d->simultaneous_low),
                             unit * (of_before ? d->ci95_high : d->simultaneous_high)),
              p, verdict);
}

static void write_pair(struct doc *doc, const struct report_difference *pair, size_t count) {
    struct table table =
        table_start("measure | application | difference:* | 95 % interval:* | p:* | verdict");
    doc_heading(doc, 2, "%s against %s", pair->policy_b, pair->policy_a);
    for (size_t i = 0; i < count; i++)
        difference_row(&table, &pair[i]);
    doc_table(doc, &table);
}

static const struct report *report_named(const struct report_comparison *c, const char *policy) {
    for (size_t i = 0; i < c->report_count; i++)
        if (c->reports[i].policy && strcmp(c->reports[i].policy, policy) == 0)
            return &c->reports[i];
    return NULL;
}

static bool same_number(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Two runs had one schedule if latencies and work are equal in every application. */
static bool same_schedule(const struct report *a, const struct report *b) {
    bool same = a->app_count == b->app_count;
    for (size_t i = 0; same && i < a->app_count; i++) {
        const struct report_app *x = &a->apps[i], *y = &b->apps[i];
        same = x->jobs == y->jobs && same_number(x->latency_ms.mean, y->latency_ms.mean) &&
               same_number(x->latency_ms.p50, y->latency_ms.p50) &&
               same_number(x->latency_ms.p99, y->latency_ms.p99) &&
               same_number(x->service_p99_ms, y->service_p99_ms) &&
               same_number(x->throughput_per_s, y->throughput_per_s) &&
               same_number(x->normalised_progress, y->normalised_progress);
    }
    return same && same_number(a->system.sm_utilisation, b->system.sm_utilisation);
}

const char *report_why_identical(const struct report *a, const struct report *b) {
    if (!a || !b || !same_schedule(a, b))
        return NULL;
    return a->system.decisions == 0 && b->system.decisions == 0
               ? "neither decides anything in this workload (a cap of 100 %, or a priority that "
                 "nobody competes with, binds nothing)"
               : "they decide alike in this workload";
}

/* Instead of a table of noughts; false: they differ. */
static bool write_identical(struct doc *doc, const struct report_comparison *c, const char *first,
                            const char *second) {
    const char *why = report_why_identical(report_named(c, first), report_named(c, second));
    if (!why)
        return false;
    doc_heading(doc, 2, "%s against %s", second, first);
    doc_text(doc, "Identical: the same schedule in every replication, since %s.", why);
    return true;
}

/* How many times the distance of two replications the interval of their mean reaches to either
 * side: half of Student's t with one degree of freedom, corrected for all that was tested. */
static double reach_of_two(const struct report_comparison *c) {
    size_t tests = 0;
    for (size_t i = 0; i < c->difference_count; i++)
        tests += !isnan(c->differences[i].p) && c->differences[i].verdict != REPORT_SAME;
    return gsl_cdf_tdist_Pinv(1 - 0.025 / fmax(1, (double)tests), 1) / 2;
}

/* What the columns mean, and what so few replications can tell. */
static void write_legend(struct doc *doc, const struct report_comparison *c) {
    int64_t reps = c->report_count ? c->reports[0].reps : 0;
    bool unknown = false, untested = false;
    for (size_t i = 0; i < c->difference_count; i++) {
        unknown |= isnan(c->differences[i].difference);
        untested |= reps > 1 && !isnan(c->differences[i].difference) && isnan(c->differences[i].p);
    }
    doc_text(doc,
             "Difference: the policy named first minus the other one, replication by "
             "replication (of late jobs in percentage points; of a p99, of all jobs). Interval, p "
             "and verdict (paired t) are corrected together for all that was compared "
             "(Bonferroni): with 95 %% all intervals hold. open: 0 lies in the interval; +N: "
             "about N more replications would tell.");
    if (unknown)
        doc_text(doc, "A difference of \"-\" is not known in every replication; those that know it "
                      "are no fair sample.");
    if (untested)
        doc_text(doc, "too few: jobs for an interval of a p99, so that what chance did is unknown, "
                      "however large the difference: see the late jobs, and below how many jobs "
                      "it takes.");
    if (reps == 1)
        doc_text(doc, "One replication says nothing about chance: there are no intervals.");
    if (reps == 2)
        doc_text(
            doc,
            "Two replications tell only differences that are nearly the same in both: an interval "
            "reaches %.0f times their distance to either side, less within the bounds of a share. "
            "Five tell much more.",
            reach_of_two(c));
}

/* The pairs that start from the first policy or the baseline; JSON and CSV hold all of them. */
static void write_pairs(struct doc *doc, const struct report_comparison *c) {
    const char *first = c->difference_count ? c->differences[0].policy_a : NULL;
    for (size_t begin = 0, end; begin < c->difference_count; begin = end) {
        const struct report_difference *pair = &c->differences[begin];
        for (end = begin + 1; end < c->difference_count && same_pair(pair, &c->differences[end]);)
            end++;
        if (first && strcmp(pair->policy_a, first) == 0 &&
            !write_identical(doc, c, pair->policy_a, pair->policy_b))
            write_pair(doc, pair, end - begin);
    }
    if (c->difference_count)
        write_legend(doc, c);
}

static void write_title(struct doc *doc, const struct report *r) {
    doc_heading(doc, 1, "%s: policies compared", r->workload ? r->workload : "-");
    doc_text(doc, "GPU %s, %s, seed %" PRId64 ", %" PRId64 " replication%s of the same workloads.",
             r->gpu ? r->gpu : "-", r->fidelity ? r->fidelity : "-", r->seed, r->reps,
             r->reps == 1 ? "" : "s");
    result_given_write(doc, r);
}

/* The conclusion. */
static void write_findings(struct doc *doc, const struct report_comparison *c) {
    size_t before = doc->items;
    const struct report **reports =
        ct_arena_array(&doc->arena, c->report_count + 1, sizeof *reports);
    const char **names = ct_arena_array(&doc->arena, c->report_count + 1, sizeof *names);
    doc->failed |= !reports || !names;
    if (doc->failed)
        return;
    for (size_t i = 0; i < c->report_count; i++) {
        reports[i] = &c->reports[i];
        names[i] = c->reports[i].policy ? c->reports[i].policy : "-";
    }
    report_findings_write(doc, reports, names, c->report_count);
    if (doc->items > before)
        doc_gap(doc);
}

static void write_app_warnings(struct doc *doc, const struct report_app *app, const char *policy) {
    struct report_target targets[REPORT_TARGETS];
    const char *dropped = report_targets(app, targets) ? report_target_dropped(doc, app) : NULL;
    bool overloaded = app->overloaded == REPORT_YES;
    char backlog[DOC_NUMBER];
    if (overloaded && !report_queues_up(app))
        doc_item(doc, "UNFINISHED %s under %s: %s; its p99 is a lower bound", app->name, policy,
                 report_cut_words(app));
    else if (overloaded)
        doc_item(doc, "OVERLOADED %s under %s: %s jobs wait at the end; its p99 is a lower bound",
                 app->name, policy, doc_format_number(app->backlog_jobs, backlog));
    if (dropped)
        doc_item(doc, "DROPPED %s under %s: %s", app->name, policy, dropped);
}

static void write_warnings(struct doc *doc, const struct report_comparison *c) {
    size_t before = doc->items;
    for (size_t i = 0; i < c->report_count; i++) {
        const struct report *r = &c->reports[i];
        for (size_t a = 0; a < r->app_count; a++)
            write_app_warnings(doc, &r->apps[a], r->policy);
        if (r->oracle == REPORT_YES)
            doc_item(doc, "ORACLE %s was told the true durations: an upper bound", r->policy);
    }
    if (doc->items > before)
        doc_gap(doc);
}

/* What holds for every policy once, the rest with the policy that it is about. */
static void write_notices(struct doc *doc, const struct report_comparison *c) {
    size_t before = doc->items;
    for (size_t i = 0; i < c->report_count; i++) {
        const struct report *r = &c->reports[i];
        for (size_t n = 0; n < r->notice_count; n++) {
            size_t with = 0;
            for (const struct report *o = c->reports; o < c->reports + c->report_count; o++)
                with += ct_text_index(r->notices[n], o->notices, o->notice_count) < o->notice_count;
            if (with == c->report_count && i > 0)
                continue;
            if (with == c->report_count)
                doc_item(doc, "%s", r->notices[n]);
            else
                doc_item(doc, "%s: %s", r->policy, r->notices[n]);
        }
    }
    if (doc->items > before)
        doc_gap(doc);
}

/* What must hold in every run, in one line; what does not, with the policy. */
static void write_checks(struct doc *doc, const struct report_comparison *c) {
    bool broken = false;
    for (size_t i = 0; i < c->report_count; i++) {
        const struct report_checks *checks = &c->reports[i].checks;
        const char *name = report_broken_check(checks);
        broken |= name != NULL;
        if (name)
            doc_item(doc, "BROKEN under %s: %s", c->reports[i].policy, name);
    }
    if (!broken && c->report_count)
        doc_item(doc, "conservation ok, Little's law ok, utilisation law ok under every policy");
}

/* Whether an STP is one. */
static bool has_bounds(const struct report_comparison *c) {
    for (size_t i = 0; i < c->report_count; i++)
        if (*report_bounds_of(&c->reports[i]).stp)
            return true;
    return false;
}

static void write_overview_legend(struct doc *doc, const struct report_comparison *c) {
    const int64_t most = c->report_count ? report_most_stp(&c->reports[0]) : 0;
    doc_text(doc,
             "p99/tgt: ! violates the target, > is a lower bound; batch: work per second over "
             "that without the services; STP: sum of progress, %" PRId64
             " if nobody is slowed; ANTT: mean slowdown; fair: least over largest progress.",
             most);
    if (has_bounds(c))
        doc_text(doc, REPORT_BOUNDS_LEGEND);
}

int report_write_comparison_document(const struct report_comparison *c, bool markdown, FILE *out) {
    struct doc doc = doc_start(out, markdown);
    if (c->report_count)
        write_title(&doc, &c->reports[0]);
    write_overview(&doc, c);
    write_overview_legend(&doc, c);
    write_findings(&doc, c);
    write_warnings(&doc, c);
    report_band_write_comparison(&doc, c);
    write_pairs(&doc, c);
    write_checks(&doc, c);
    write_notices(&doc, c);
    return doc_finish(&doc);
}
