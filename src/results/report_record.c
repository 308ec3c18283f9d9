#include "results/report_fields.h"

#include <string.h>

static void set_unknown(const struct report_field *field, void *record) {
    if (field->kind == REPORT_FIELD_TEXT) {
        report_field_set_text(field, record, NULL);
    } else if (report_field_is_integer(field)) {
        report_field_set_integer(field, record, REPORT_UNKNOWN);
    } else {
        report_field_set_double(field, record, 0, NAN);
        if (field->kind == REPORT_FIELD_INTERVAL)
            report_field_set_double(field, record, 1, NAN);
    }
}

void report_set_unknown(const struct report_level *levels, void *record) {
    for (; levels->fields; levels++)
        for (const struct report_field *field = levels->fields; field->path; field++)
            set_unknown(field, record);
}

struct report report_unknown(void) {
    struct report report = {0};
    report_set_unknown(report_head, &report);
    report_set_unknown(report_sections, &report);
    return report;
}

struct report_app report_app_unknown(void) {
    struct report_app app = {0};
    report_set_unknown(report_of_app, &app);
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        app.blame_ms_p99[cause] = app.sharing.cause_ms[cause] = NAN;
    app.sharing.alone_ms = app.alone_per_s = NAN;
    return app;
}

const struct report_app *report_app_named(const struct report *report, const char *name) {
    for (size_t i = 0; i < report->app_count; i++)
        if (strcmp(report->apps[i].name, name) == 0)
            return &report->apps[i];
    return NULL;
}

bool report_queues_up(const struct report_app *app) {
    bool may_keep = app->qos_met == REPORT_OPEN && app->p99_over_qos <= 1;
    return app->overloaded == REPORT_YES && app->backlog_jobs > (double)app->instances && !may_keep;
}

bool report_has_server(const struct report_app *app) {
    return app->server.batches != REPORT_UNKNOWN;
}

bool report_generates(const struct report_app *app) {
    return app->tokens.swaps != REPORT_UNKNOWN;
}

bool report_awaits_tokens(const struct report_app *app) {
    return app->overloaded == REPORT_YES && app->tokens.waiting != 0;
}

size_t report_targets(const struct report_app *app, struct report_target targets[REPORT_TARGETS]) {
    const struct report_tokens *tokens = &app->tokens;
    /* The times between tokens are not known before a request has ended. */
    const struct report_target all[REPORT_TARGETS] = {
        {NULL, app->latency_ms.p99, app->qos_ms, app->p99_over_qos, app->qos_met,
         app->overloaded == REPORT_YES},
        {"TTFT", tokens->first_p99_ms, tokens->first_target_ms,
         tokens->first_p99_ms / tokens->first_target_ms, tokens->first_met,
         report_awaits_tokens(app)},
        {"TPOT", tokens->each_p99_ms, tokens->each_target_ms,
         tokens->each_p99_ms / tokens->each_target_ms, tokens->each_met, false}};
    size_t count = 0;
    for (size_t i = 0; i < REPORT_TARGETS; i++)
        if (!isnan(all[i].ms))
            targets[count++] = all[i];
    return count;
}

double report_worst_late_pct(const struct report *report) {
    double worst = NAN;
    for (size_t i = 0; i < report->app_count; i++)
        if (!isnan(report->apps[i].qos_ms))
            worst = fmax(worst, 100 * report->apps[i].late_fraction);
    return worst;
}

size_t report_rank(const double *times, size_t count, size_t *order) {
    size_t ranked = 0;
    for (size_t i = 0; i < count; i++) {
        if (!(times[i] > 0))
            continue;
        size_t at = ranked++;
        for (; at > 0 && times[order[at - 1]] < times[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
    return ranked;
}

bool report_drops_too_many(double dropped, double requests) {
    return dropped > REPORT_MOST_LATE * requests;
}

const char *report_role_name(int64_t role) {
    return role == REPORT_SERVICE ? "service" : role == REPORT_BATCH ? "batch" : NULL;
}

const char *report_verdict_name(int64_t verdict) {
    static const char *const names[] = {"better", "worse", "open", "same"};
    bool known = verdict >= 0 && verdict < (int64_t)CT_COUNT_OF(names);
    return names[known ? verdict : REPORT_NOT_SEPARABLE];
}

const char *report_verdict_words(const struct report_difference *difference) {
    bool open = difference->verdict == REPORT_NOT_SEPARABLE && isnan(difference->p);
    return open ? "too few" : report_verdict_name(difference->verdict);
}

const char *report_broken_check(const struct report_checks *checks) {
    const char *const results[][2] = {{"conservation", checks->conservation},
                                      {"Little's law", checks->littles_law},
                                      {"utilisation law", checks->utilisation_law}};
    for (size_t i = 0; i < CT_COUNT_OF(results); i++)
        if (results[i][1] && strcmp(results[i][1], "ok") != 0)
            return results[i][0];
    return NULL;
}
