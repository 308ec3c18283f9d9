#include "results/report_band.h"

#include "base/ct_target.h"
#include "results/report_bounds.h"

#include <inttypes.h>
#include <string.h>

/* How many of its targets a report is not known to keep. */
static size_t count_missed(const struct report *report) {
    size_t missed = 0;
    for (size_t a = 0; a < report->app_count; a++) {
        struct report_target targets[REPORT_TARGETS];
        size_t count = report_targets(&report->apps[a], targets);
        for (size_t t = 0; t < count; t++)
            missed += targets[t].met != REPORT_YES;
    }
    return missed;
}

bool report_is_best(const struct report *reports, size_t count, size_t which) {
    size_t missed = count_missed(&reports[which]);
    for (size_t i = 0; i < count; i++) {
        size_t others = count_missed(&reports[i]);
        bool faster = reports[i].system.stp > reports[which].system.stp;
        if (others < missed || (others == missed && faster))
            return false;
    }
    return true;
}

#define OF_APP(member) true, offsetof(struct report_app, band.member)
#define OF_SYSTEM(member) false, offsetof(struct report_system, band.member)

/* The measures that ranges are made of. */
static const struct {
    const char *measure;
    bool per_app;
    size_t offset;
} ranges[] = {{"p99_ms", OF_APP(p99_ms)},
              {"stp", OF_SYSTEM(stp)},
              {"antt", OF_SYSTEM(antt)},
              {"batch_throughput_normalised", OF_SYSTEM(batch_throughput_normalised)}};

struct report_range report_band_of(const struct report *report, const char *measure,
                                   const char *app) {
    const void *record =
        app ? (const void *)report_app_named(report, app) : (const void *)&report->system;
    for (size_t i = 0; record && i < CT_COUNT_OF(ranges); i++)
        if (strcmp(ranges[i].measure, measure) == 0 && ranges[i].per_app == (app != NULL))
            return *(const struct report_range *)(const void *)((const char *)record +
                                                                ranges[i].offset);
    return (struct report_range){NAN, NAN, NAN};
}

static bool is_drawn(const struct report *report) {
    return report->system.band.draws != REPORT_UNKNOWN;
}

static const char *percent(struct table *table, double part) {
    return isnan(part) ? NULL : table_words(table, "%.0f %%", 100 * part);
}

/* Whether the p99 of the first replication, of which the draws are, is on the other side of its
 * target than that of all: the draws cannot tell then whether the target is kept. */
static bool is_apart(const struct report *report, const struct report_app *app) {
    double first = app->band.p99_ms.none;
    bool missed = app->qos_met == REPORT_NO || ct_is_beyond(app->latency_ms.p99, app->qos_ms);
    return report->reps > 1 && !isnan(first) && !isnan(app->qos_ms) &&
           missed != ct_is_beyond(first, app->qos_ms);
}

/* The applications of which this holds in one of the reports: "a, b"; NULL: none. */
static const char *apart(struct doc *doc, const struct report *reports, size_t count) {
    const char *names = NULL;
    for (size_t a = 0; a < reports[0].app_count; a++) {
        const char *name = reports[0].apps[a].name;
        bool found = false;
        for (size_t i = 0; i < count && !found; i++) {
            const struct report_app *app = report_app_named(&reports[i], name);
            found = app && is_apart(&reports[i], app);
        }
        if (found)
            names = doc_words(doc, "%s%s%s", names ? names : "", names ? ", " : "", name);
    }
    return names;
}

/* Writes what the draws are of; `apart`: names of the applications that are apart, or NULL. */
static void write_about(struct doc *doc, const struct report *report, const char *apart) {
    char parts[160];
    const char *side =
        apart ? doc_words(doc,
                          "; it shows how far the p99/target moves from where that demand is none, "
                          "but not on which side of the target it is (over all replications that "
                          "of %s is on the other side)",
                          apart)
              : "";
    doc_heading(doc, 2, "Over the unknown memory demand");
    doc_text(doc,
             "Of the memory demand, by time on the device, is %s. Here what is unknown is drawn "
             "%" PRId64 " times from what kernels of the same class were measured to ask for, and "
             "so are units that only a class tells of; everywhere else demand is none, and units "
             "are at the median. In the first replication, least and most%s%s:",
             ct_coverage_print(&report->inputs, CT_INPUT_DEMAND, parts, sizeof parts),
             report->system.band.draws,
             report->system.band.draws < 20 ? "" : ", without the twentieth at either end", side);
}

/* What its STP hangs on, or, where no class was looked at, which one to look at; `of` names the
 * policy where there are several. */
static void write_class(struct doc *doc, const struct report *report, const char *of) {
    const struct report_band *band = &report->system.band;
    const char *low = doc_number(doc, band->class_stp.low),
               *high = doc_number(doc, band->class_stp.high);
    if (band->class && strcmp(low, high) == 0) /* it moves nothing that would be read */
        return;
    if (band->class)
        doc_item(
            doc,
            "STP%s hangs most on kernels of class %s, of those looked at: %s to %s between the "
            "ends of what they may ask for, all others at their medians",
            of, band->class, low, high);
    else if (!isnan(band->class_stp.low))
        doc_item(doc, "no class of kernels that was looked at moves STP%s", of);
    else if (band->stake_class)
        doc_item(doc,
                 "most is at stake with kernels of class %s, which take %.0f %% of the time: "
                 "--bands 5 looks at what they do to STP",
                 band->stake_class, 100 * band->stake_time);
}

/* ---- One policy ---- */

/* `bound` is the mark of the number without draws. */
static void range_row(struct table *table, const char *measure, const char *app, const char *bound,
                      struct report_range range, double kept) {
    if (!isnan(range.low))
        table_row(table, measure, app, report_bound_mark(table, value_of_number(range.none), bound),
                  table_interval(table, range.low, range.high), percent(table, kept));
}

static void write_rows(struct doc *doc, const struct report *report) {
    const struct report_band *band = &report->system.band;
    const struct report_bounds bounds = report_bounds_of(report);
    struct table table = table_start("measure | application | none:* | drawn:* | target kept:*");
    range_row(&table, "STP", NULL, bounds.stp, band->stp, NAN);
    range_row(&table, "ANTT", NULL, bounds.antt, band->antt, NAN);
    range_row(&table, "batch throughput", NULL, "", band->batch_throughput_normalised, NAN);
    for (const struct report_app *app = report->apps; app < report->apps + report->app_count;
         app++) {
        range_row(&table, "p99, ms", app->name, report_bound_of_latency(app), app->band.p99_ms,
                  is_apart(report, app) ? NAN : app->band.qos_met);
        range_row(&table, "progress", app->name, report_bound_of_progress(app),
                  app->band.normalised_progress, NAN);
    }
    doc_table(doc, &table);
}

void report_band_write(struct doc *doc, const struct report *report) {
    if (!is_drawn(report))
        return;
    write_about(doc, report, apart(doc, report, 1));
    write_rows(doc, report);
    size_t before = doc->items;
    write_class(doc, report, "");
    if (doc->items > before)
        doc_gap(doc);
}

/* ---- Several ---- */

static const char *short_number(struct table *table, const char *bound, double number) {
    return isnan(number) ? NULL : table_words(table, "%s%.2f", bound, number);
}

static const char *short_range(struct table *table, struct report_range range, double unit) {
    return isnan(range.low)
               ? NULL
               : table_words(table, "[%.2f, %.2f]", range.low / unit, range.high / unit);
}

/* `judged`: with the columns of what is kept, and how often it is the best. */
static void policy_row(struct table *table, const struct report *report,
                       const struct report_app *app, bool first, bool judged) {
    const struct report_band *band = &report->system.band;
    const char *name = first ? report->policy : " ";
    const char *none =
        short_number(table, report_bound_of_latency(app), app->band.p99_ms.none / app->qos_ms);
    const char *drawn = short_range(table, app->band.p99_ms, app->qos_ms);
    const char *stp =
        first ? short_number(table, report_bounds_of(report).stp, band->stp.none) : " ";
    const char *stp_drawn = first ? short_range(table, band->stp, 1) : " ";
    if (judged)
        table_row(table, name, app->name, none, drawn, percent(table, app->band.qos_met), stp,
                  stp_drawn, first ? percent(table, band->best) : " ");
    else
        table_row(table, name, app->name, none, drawn, stp, stp_drawn);
}

static void policy_rows(struct table *table, const struct report *report, bool judged) {
    const struct report_app none = report_app_unknown();
    bool first = true;
    for (const struct report_app *app = report->apps; app < report->apps + report->app_count;
         app++) {
        if (isnan(app->qos_ms))
            continue;
        policy_row(table, report, app, first, judged);
        first = false;
    }
    if (first)
        policy_row(table, report, &none, true, judged);
}

/* Whether the verdict holds over the draws. */
static void write_best(struct doc *doc, const struct report_comparison *c) {
    size_t with = 0, without = 0;
    for (size_t i = 1; i < c->report_count; i++)
        if (c->reports[i].system.band.best > c->reports[with].system.band.best)
            with = i;
    while (without + 1 < c->report_count && !report_is_best(c->reports, c->report_count, without))
        without++;
    const struct report *best = &c->reports[with];
    bool same = report_is_best(c->reports, c->report_count, with);
    doc_item(doc,
             "%s is best in %.0f %% of the draws, STP %s to %s; where unknown demand is none, the "
             "best is %s",
             best->policy, 100 * best->system.band.best, doc_number(doc, best->system.band.stp.low),
             doc_number(doc, best->system.band.stp.high),
             same ? "the same" : c->reports[without].policy);
    write_class(doc, best, " of it");
}

void report_band_write_comparison(struct doc *doc, const struct report_comparison *c) {
    if (c->report_count < 2 || !is_drawn(&c->reports[0]))
        return;
    const char *names = apart(doc, c->reports, c->report_count);
    bool judged = !names;
    write_about(doc, &c->reports[0], names);
    struct table table = table_start(
        judged ? "policy | service | p99/tgt:* | drawn:* | kept:* | STP:* | drawn:* | best:*"
               : "policy | service | p99/tgt:* | drawn:* | STP:* | drawn:*");
    for (size_t i = 0; i < c->report_count; i++)
        policy_rows(&table, &c->reports[i], judged);
    doc_table(doc, &table);
    size_t before = doc->items;
    if (judged) {
        doc_text(doc, "kept: of the draws, those in which the p99 keeps its target; best: those "
                      "in which the policy misses the fewest targets and, of such, has the largest "
                      "STP.");
        write_best(doc, c);
    } else {
        write_class(doc, &c->reports[0], doc_words(doc, " under %s", c->reports[0].policy));
    }
    if (doc->items > before)
        doc_gap(doc);
}
