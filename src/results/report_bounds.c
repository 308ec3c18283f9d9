#include "results/report_bounds.h"

#include "base/ct_target.h"

bool report_latencies_bound_progress(const struct report_app *app) {
    return app->role == REPORT_SERVICE && app->overloaded == REPORT_YES;
}

/* What grows while the application alone keeps up: its progress falls. */
static bool progress_is_bound(const struct report_app *app) {
    return report_latencies_bound_progress(app) && app->alone_overloaded != REPORT_YES;
}

const char *report_bound_of_latency(const struct report_app *app) {
    return app->overloaded == REPORT_YES ? ">" : "";
}

const char *report_bound_of_progress(const struct report_app *app) {
    return progress_is_bound(app) ? "<" : "";
}

const char *report_cut_words(const struct report_app *app) {
    return app->role == REPORT_BATCH ? "a job at the end has taken longer than any that ended"
                                     : "a job had not ended when the run did";
}

/* Which bound fairness is can be told where the largest progress is no bound. */
struct report_bounds report_bounds_of(const struct report *report) {
    bool any = false, open = false;
    double exact = 0, bound = 0;
    for (const struct report_app *app = report->apps; app < report->apps + report->app_count;
         app++) {
        double *largest = progress_is_bound(app) ? &bound : &exact;
        *largest = fmax(*largest, app->normalised_progress);
        any |= progress_is_bound(app);
        open |= report_latencies_bound_progress(app) && !progress_is_bound(app);
    }
    bool sums = any && !open;
    return (struct report_bounds){sums ? "<" : "", sums ? ">" : "",
                                  sums && exact >= bound ? "<" : "", any || open};
}

struct value report_bound_mark(struct table *table, struct value value, const char *bound) {
    char text[DOC_NUMBER];
    if (!*bound || isnan(value.number))
        return value;
    return value_of_text(table_words(table, "%s%s", bound, doc_format_number(value.number, text)));
}

const char *report_target_name(struct table *table, const struct report_app *app,
                               const struct report_target *target) {
    return target->what ? table_words(table, "%s %s", app->name, target->what) : app->name;
}

const char *report_target_p99(struct table *table, const struct report_target *target,
                              const char *number) {
    return table_words(table, "%s%s%s", target->is_bound ? ">" : "", number,
                       target->met == REPORT_NO ? "!" : "");
}

const char *report_target_dropped(struct doc *doc, const struct report_app *app) {
    const struct report_server *server = &app->server;
    if (!report_drops_too_many(server->lost_fraction, 1))
        return NULL;
    return doc_words(doc, "%s %% of %s requests were dropped",
                     doc_number(doc, 100 * server->lost_fraction),
                     server->requests == app->jobs ? "its" : "the pipeline's");
}

/* Why what is known within the target does not keep it: a backlog that grows, for which it is
 * missed, or jobs that have not ended. */
static const char *bound_words(const struct report_app *app, const struct report_target *target) {
    bool open = target->is_bound || target->met == REPORT_OPEN;
    bool drops = report_drops_too_many(app->server.lost_fraction, 1);
    if (app->overloaded != REPORT_YES || !open || ct_is_beyond(target->ratio, 1))
        return "";
    return report_queues_up(app) || (target->met == REPORT_NO && !drops) ? "; overloaded"
                                                                         : "; unfinished";
}

/* What its p99 is; that there is none is no number. */
static const char *p99_words(struct doc *doc, const struct report_app *app,
                             const struct report_target *target) {
    const char *bound = target->is_bound ? ">" : "";
    if (isnan(target->p99_ms))
        return doc_words(doc, "no p99 to hold against its target of %s ms, since %s",
                         doc_number(doc, target->ms),
                         isnan(app->latency_ms.p99) ? "no job that came after the warm-up has ended"
                                                    : "it is known of no job");
    return doc_words(doc, "p99 of %s%s ms is %s%s of its target of %s ms", bound,
                     doc_number(doc, target->p99_ms), bound, doc_number(doc, target->ratio),
                     doc_number(doc, target->ms));
}

const char *report_target_verdict(struct doc *doc, const struct report_app *app,
                                  const struct report_target *target) {
    const char *dropped = report_target_dropped(doc, app);
    const char *word = target->met == REPORT_YES  ? "met"
                       : target->met == REPORT_NO ? "VIOLATED"
                                                  : "open";
    char late[64] = "";
    if (!target->what && !isnan(app->late_fraction))
        snprintf(late, sizeof late, "; %s %% of its jobs are late%s",
                 doc_number(doc, 100 * app->late_fraction),
                 app->server.dropped_fraction > 0 ? ", dropped ones among them" : "");
    return doc_words(doc, "%s %s%s%s: %s%s%s%s%s", word, app->name, target->what ? ", " : "",
                     target->what ? target->what : "", p99_words(doc, app, target),
                     bound_words(app, target), late, dropped ? "; " : "", dropped ? dropped : "");
}
