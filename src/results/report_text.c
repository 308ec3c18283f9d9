/* The report as text and as Markdown: what a reader needs first comes first. */
#include "format/doc_writer.h"
#include "results/report_fields.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

/* Lower bounds are marked: a backlog that grows has no stable percentile. */
static void latency_cell(struct doc *doc, const struct report_app *app, double ms) {
    char text[DOC_NUMBER];
    bool bound = app->overloaded == REPORT_YES && !isnan(ms);
    doc_cell(doc, "%s%s", bound ? ">" : "", doc_format_number(ms, text));
}

static void count_cell(struct doc *doc, int64_t count) {
    if (count == REPORT_UNKNOWN)
        doc_cell(doc, "-");
    else
        doc_cell(doc, "%" PRId64, count);
}

static void write_head(struct doc *doc, const struct report *r) {
    char duration[DOC_NUMBER], warmup[DOC_NUMBER];
    doc_heading(doc, 1, "%s under %s", r->workload ? r->workload : "-",
                r->policy ? r->policy : "-");
    doc_text(doc,
             "GPU %s, %s, %s s with a warm-up of %s s, seed %" PRId64 ", %" PRId64
             " replication%s, cotenant %s.",
             r->gpu ? r->gpu : "-", r->fidelity ? r->fidelity : "-",
             doc_format_plain(r->duration_s, duration), doc_format_plain(r->warmup_s, warmup),
             r->seed, r->reps, r->reps == 1 ? "" : "s", r->version ? r->version : "-");
    if (r->oracle == REPORT_YES)
        doc_text(doc, "ORACLE: the policy was told the true durations; this is an upper bound.");
}

static void verdict_line(struct doc *doc, const struct report_app *app) {
    char p99[DOC_NUMBER], qos[DOC_NUMBER], ratio[DOC_NUMBER], late[DOC_NUMBER];
    const char *bound = app->overloaded == REPORT_YES ? ">" : "";
    const char *word = app->qos_met == REPORT_YES  ? "met"
                       : app->qos_met == REPORT_NO ? "VIOLATED"
                                                   : "open";
    doc_item(doc,
             "%s %s: p99 of %s%s ms is %s%s of its target of %s ms; %s %% of its jobs are late",
             word, app->name, bound, doc_format_plain(app->latency_ms.p99, p99), bound,
             doc_format_plain(app->p99_over_qos, ratio), doc_format_plain(app->qos_ms, qos),
             doc_format_plain(100 * app->late_fraction, late));
}

static void overload_line(struct doc *doc, const struct report_app *app) {
    char backlog[DOC_NUMBER];
    doc_item(doc,
             "OVERLOADED %s: %s jobs wait at the end; its latencies are lower bounds that grow "
             "with the length of the run",
             app->name, doc_format_plain(app->backlog_jobs, backlog));
}

static void write_targets(struct doc *doc, const struct report *r) {
    size_t lines = 0;
    for (size_t i = 0; i < r->app_count; i++)
        lines += !isnan(r->apps[i].qos_ms) || r->apps[i].overloaded == REPORT_YES;
    if (!lines)
        return;
    doc_heading(doc, 2, "Targets");
    for (size_t i = 0; i < r->app_count; i++) {
        if (!isnan(r->apps[i].qos_ms))
            verdict_line(doc, &r->apps[i]);
        if (r->apps[i].overloaded == REPORT_YES)
            overload_line(doc, &r->apps[i]);
    }
    doc_gap(doc);
}

static void interval_cell(struct doc *doc, const struct report_app *app, double low, double high) {
    if (app->overloaded == REPORT_YES) /* an interval of what grows with the run means nothing */
        doc_cell(doc, "-");
    else
        doc_interval(doc, low, high);
}

static const char *truth_word(int64_t truth) {
    return truth == REPORT_YES ? "yes" : truth == REPORT_NO ? "no" : "";
}

static const char *text_of(const struct report_field *field, const struct report_app *app) {
    if (field->kind == REPORT_FIELD_TEXT)
        return report_field_text(field, app);
    int64_t value = report_field_integer(field, app);
    return field->kind == REPORT_FIELD_ROLE ? report_role_name(value) : truth_word(value);
}

static bool is_word(const struct report_field *field) {
    return field->kind == REPORT_FIELD_TEXT || field->kind == REPORT_FIELD_ROLE ||
           field->kind == REPORT_FIELD_TRUTH;
}

static void app_cell(struct doc *doc, const struct report_field *field,
                     const struct report_app *app) {
    if (is_word(field)) {
        const char *word = text_of(field, app);
        doc_cell(doc, "%s", word ? word : "");
    } else if (report_field_is_integer(field)) {
        count_cell(doc, report_field_integer(field, app));
    } else if (field->kind == REPORT_FIELD_INTERVAL) {
        interval_cell(doc, app, report_field_double(field, app, 0),
                      report_field_double(field, app, 1));
    } else if (field->kind == REPORT_FIELD_LATENCY) {
        latency_cell(doc, app, report_field_double(field, app, 0));
    } else {
        doc_number(doc, report_field_double(field, app, 0));
    }
}

/* A row for each application, and its numbers as columns. */
static void write_apps(struct doc *doc, const struct report *r, enum report_table table,
                       const char *title) {
    const struct report_field *shown[REPORT_SHOWN_MOST];
    struct doc_column columns[REPORT_SHOWN_MOST + 1] = {{title, false}};
    size_t count = report_fields_shown(report_of_app->fields, table, shown);
    for (size_t i = 0; i < count; i++)
        columns[i + 1] = (struct doc_column){shown[i]->text.title, !is_word(shown[i])};
    doc_table_begin(doc, columns, count + 1);
    for (size_t a = 0; a < r->app_count; a++) {
        doc_cell(doc, "%s", r->apps[a].name);
        for (size_t i = 0; i < count; i++)
            app_cell(doc, shown[i], &r->apps[a]);
    }
    doc_table_end(doc);
}

/* Batch jobs have latencies too: how long an iteration takes. */
static void write_latencies(struct doc *doc, const struct report *r) {
    write_apps(doc, r, REPORT_IN_LATENCIES, "latency, ms");
    doc_text(doc, "From arrival; 'issued': p99 from the first kernel's issue; 'alone': p99 with "
                  "the same arrivals and no neighbours.");
}

static void system_row(struct doc *doc, const struct report_field *field, const struct report *r) {
    double value = report_field_number(field, r);
    if (isnan(value))
        return;
    doc_cell(doc, "%s", field->text.title);
    doc_number(doc, value);
    doc_cell(doc, "%s", field->text.words ? field->text.words : field->meaning);
}

static void write_system(struct doc *doc, const struct report *r) {
    static const struct doc_column columns[] = {
        {"system", false}, {"value", true}, {"meaning", false}};
    const struct report_field *shown[REPORT_SHOWN_MOST];
    doc_table_begin(doc, columns, CT_COUNT_OF(columns));
    for (const struct report_level *level = report_sections; level->fields; level++) {
        size_t count = report_fields_shown(level->fields, REPORT_IN_SYSTEM, shown);
        for (size_t i = 0; i < count; i++)
            system_row(doc, shown[i], r);
    }
    doc_table_end(doc);
}

/* A part of a sum, to list the largest first. */
struct part {
    const char *name;
    double ms;
    size_t order;
};

static int compare_parts(const void *a, const void *b) {
    const struct part *x = a, *y = b;
    if (x->ms != y->ms)
        return x->ms < y->ms ? 1 : -1;
    return x->order < y->order ? -1 : x->order > y->order;
}

static void append_parts(char *text, size_t size, struct part *parts, size_t count) {
    size_t used = strlen(text), shown = 0;
    qsort(parts, count, sizeof *parts, compare_parts);
    for (size_t i = 0; i < count && used + 1 < size; i++) {
        char number[DOC_NUMBER];
        if (!(parts[i].ms > 0))
            continue;
        int more = snprintf(text + used, size - used, "%s%s %s", shown++ ? ", " : "", parts[i].name,
                            doc_format_plain(parts[i].ms, number));
        used += more > 0 ? (size_t)more : 0;
    }
}

enum { MOST_DELAYS = 16 };

static void blame_line(struct doc *doc, const struct report_app *app) {
    struct part parts[CT_BLAME_COUNT], culprits[MOST_DELAYS] = {{0}};
    char causes[1024] = "", others[1024] = "";
    size_t known = 0, count = app->delayed_by_count;
    for (size_t cause = 0; cause < CT_BLAME_COUNT; cause++)
        if (!isnan(app->blame_ms_p99[cause]))
            parts[known++] =
                (struct part){ct_blame_key((int)cause), app->blame_ms_p99[cause], cause};
    if (!known)
        return;
    count = count < MOST_DELAYS ? count : MOST_DELAYS;
    for (size_t i = 0; i < count; i++)
        culprits[i] = (struct part){app->delayed_by[i].app, app->delayed_by[i].ms, i};
    append_parts(causes, sizeof causes, parts, known);
    append_parts(others, sizeof others, culprits, count);
    doc_item(doc, "%s: %s%s%s", app->name, causes, *others ? "; delayed by " : "", others);
}

static void write_blame(struct doc *doc, const struct report *r) {
    bool known = false;
    for (size_t i = 0; i < r->app_count; i++)
        known = known || !isnan(r->apps[i].blame_ms_p99[CT_BLAME_SOLO_WORK]);
    if (!known)
        return;
    doc_heading(doc, 2, "Where the slowest 1 %% of jobs spend their time, ms per job");
    for (size_t i = 0; i < r->app_count; i++)
        blame_line(doc, &r->apps[i]);
    doc_gap(doc);
}

static const char *check_text(const char *result) {
    return result ? result : "not checked";
}

static void write_engine_line(struct doc *doc, const struct report *r) {
    char wall[DOC_NUMBER], rate[DOC_NUMBER];
    if (!isnan(r->engine.wall_s))
        doc_item(doc, "simulated in %s s, %s events/s", doc_format_plain(r->engine.wall_s, wall),
                 doc_format_plain(r->engine.events_per_s, rate));
}

static void write_basis(struct doc *doc, const struct report *r) {
    char a[DOC_NUMBER], b[DOC_NUMBER], c[DOC_NUMBER];
    doc_heading(doc, 2, "What it rests on");
    if (!isnan(r->inputs.measured))
        doc_item(doc, "inputs: %s %% measured, %s %% derived, %s %% assumed",
                 doc_format_plain(100 * r->inputs.measured, a),
                 doc_format_plain(100 * r->inputs.derived, b),
                 doc_format_plain(100 * r->inputs.assumed, c));
    for (size_t i = 0; i < r->device_count; i++)
        doc_item(doc, "%s: %s", r->device[i].key, r->device[i].value);
    doc_item(doc, "conservation %s, Little's law %s, utilisation law %s, %" PRId64 " stale events",
             check_text(r->checks.conservation), check_text(r->checks.littles_law),
             check_text(r->checks.utilisation_law), r->checks.stale_events);
    doc_item(doc,
             "%" PRId64 " events, %" PRId64 " kernels, %" PRId64 " decisions, %" PRId64
             " rejected verbs",
             r->engine.events, r->engine.kernels, r->system.decisions, r->system.rejected_verbs);
    write_engine_line(doc, r);
    for (size_t i = 0; i < r->notice_count; i++)
        doc_item(doc, "%s", r->notices[i]);
    doc_gap(doc);
}

static void write_counters(struct doc *doc, const struct report *r) {
    if (!r->policy_counter_count)
        return;
    doc_heading(doc, 2, "The policy's own counters");
    for (size_t i = 0; i < r->policy_counter_count; i++) {
        char number[DOC_NUMBER];
        doc_item(doc, "%s: %s", r->policy_counters[i].key,
                 doc_format_plain(r->policy_counters[i].value, number));
    }
    doc_gap(doc);
}

static int write_reports(const struct report *reports, size_t count, FILE *out, bool markdown) {
    struct doc doc = doc_start(out, markdown);
    for (size_t i = 0; i < count; i++) {
        write_head(&doc, &reports[i]);
        write_targets(&doc, &reports[i]);
        write_latencies(&doc, &reports[i]);
        write_apps(&doc, &reports[i], REPORT_IN_PROGRESS, "application");
        write_system(&doc, &reports[i]);
        write_blame(&doc, &reports[i]);
        write_counters(&doc, &reports[i]);
        write_basis(&doc, &reports[i]);
    }
    return doc_finish(&doc);
}

int report_write_text(const struct report *reports, size_t count, FILE *out) {
    return write_reports(reports, count, out, false);
}

int report_write_markdown(const struct report *reports, size_t count, FILE *out) {
    return write_reports(reports, count, out, true);
}
