/* The report as text and as Markdown: what a reader needs first comes first. */
#include "base/ct_text.h"
#include "format/doc_writer.h"
#include "results/report_band.h"
#include "results/report_bounds.h"
#include "results/report_fields.h"
#include "results/report_findings.h"
#include "results/result_given.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static void write_head(struct doc *doc, const struct report *r) {
    doc_heading(doc, 1, "%s under %s", r->workload ? r->workload : "-",
                r->policy ? r->policy : "-");
    doc_text(doc,
             "GPU %s, %s, %s s with a warm-up of %s s, seed %" PRId64 ", %" PRId64
             " replication%s, cotenant %s.",
             r->gpu ? r->gpu : "-", r->fidelity ? r->fidelity : "-", doc_number(doc, r->duration_s),
             doc_number(doc, r->warmup_s), r->seed, r->reps, r->reps == 1 ? "" : "s",
             r->version ? r->version : "-");
    result_given_write(doc, r);
    if (r->oracle == REPORT_YES)
        doc_text(doc, "ORACLE: the policy was told the true durations; this is an upper bound.");
}

static void overload_line(struct doc *doc, const struct report_app *app) {
    bool of_both = report_latencies_bound_progress(app) && app->alone_overloaded == REPORT_YES;
    const char *progress =
        of_both ? ", and so are they alone: its progress, and STP, ANTT and fairness with it, hang "
                  "on that length"
                : "";
    if (report_queues_up(app))
        doc_item(doc,
                 "OVERLOADED %s: %s %s at the end; its latencies are lower bounds that grow with "
                 "the length of the run%s",
                 app->name, doc_number(doc, app->backlog_jobs),
                 app->backlog_jobs == 1 ? "job waits" : "jobs wait", progress);
    else
        doc_item(doc, "UNFINISHED %s: %s; its latencies are lower bounds%s", app->name,
                 report_cut_words(app), progress);
}

static void write_targets(struct doc *doc, const struct report *r) {
    struct report_target targets[REPORT_TARGETS];
    size_t lines = 0;
    for (size_t i = 0; i < r->app_count; i++)
        lines += report_targets(&r->apps[i], targets) || r->apps[i].overloaded == REPORT_YES;
    if (!lines)
        return;
    doc_heading(doc, 2, "Targets");
    for (size_t i = 0; i < r->app_count; i++) {
        size_t count = report_targets(&r->apps[i], targets);
        for (size_t t = 0; t < count; t++)
            doc_item(doc, "%s", report_target_verdict(doc, &r->apps[i], &targets[t]));
        if (r->apps[i].overloaded == REPORT_YES)
            overload_line(doc, &r->apps[i]);
    }
    doc_gap(doc);
}

static bool is_word(const struct report_field *field) {
    return field->kind == REPORT_FIELD_TEXT || field->kind == REPORT_FIELD_NAMED ||
           field->kind == REPORT_FIELD_TRUTH;
}

static const char *system_bound(const struct report_field *field, struct report_bounds bounds) {
    switch (field->offset) {
    case offsetof(struct report, system.stp):
        return bounds.stp;
    case offsetof(struct report, system.antt):
        return bounds.antt;
    case offsetof(struct report, system.fairness):
        return bounds.fairness;
    default:
        return "";
    }
}

static const char *app_bound(const struct report_field *field, const struct report_app *app) {
    if (field->offset == offsetof(struct report_app, alone_p99_ms))
        return app->alone_overloaded == REPORT_YES ? ">" : "";
    if (field->offset == offsetof(struct report_app, normalised_progress))
        return report_bound_of_progress(app);
    if (field->offset == offsetof(struct report_app, tokens.first_p50_ms) ||
        field->offset == offsetof(struct report_app, tokens.first_p99_ms))
        return report_awaits_tokens(app) ? ">" : "";
    return field->kind == REPORT_FIELD_LATENCY ? report_bound_of_latency(app) : "";
}

/* A backlog that grows has no stable percentile: its latencies are lower bounds, which are marked,
 * and an interval of what grows with the run means nothing. */
static struct value cell_of(struct table *table, const struct report_field *field,
                            const struct report_app *app) {
    struct value value = report_field_value(field, app, 0);
    if (field->kind == REPORT_FIELD_INTERVAL)
        return value_of_text(
            app->overloaded == REPORT_YES
                ? NULL
                : table_interval(table, value.number, report_field_double(field, app, 1)));
    return report_bound_mark(table, value, app_bound(field, app));
}

/* A row for each application that the table is for, and its numbers as columns. */
static void write_apps(struct doc *doc, const struct report *r, enum report_table which,
                       const char *title) {
    const struct report_field *shown[REPORT_SHOWN_MOST];
    struct table_column columns[REPORT_SHOWN_MOST + 1] = {{title, NULL, TABLE_WORDS}};
    size_t count = report_fields_shown(report_of_app->fields, which, shown);
    for (size_t i = 0; i < count; i++)
        columns[i + 1] = (struct table_column){shown[i]->text.title, NULL,
                                               is_word(shown[i]) ? TABLE_WORDS : TABLE_NUMBER};
    struct table table = {.columns = columns, .column_count = count + 1};
    for (const struct report_app *app = r->apps; app < r->apps + r->app_count; app++) {
        if ((which == REPORT_IN_SERVERS && !report_has_server(app)) ||
            (which == REPORT_IN_TOKENS && !report_generates(app)))
            continue;
        struct value row[REPORT_SHOWN_MOST + 2] = {value_of_text(app->name)};
        for (size_t i = 0; i < count; i++)
            row[i + 1] = cell_of(&table, shown[i], app);
        table_add(&table, row);
    }
    doc_table(doc, &table);
}

/* Batch jobs have latencies too: how long an iteration takes. */
static void write_latencies(struct doc *doc, const struct report *r) {
    write_apps(doc, r, REPORT_IN_LATENCIES, "latency, ms");
    doc_text(doc, "From arrival; 'issued': p99 from the first kernel's issue; 'alone': p99 with "
                  "the same arrivals and no neighbours.");
}

/* What flows for kernels of unknown demand is in no sum of the memory's. */
static const char *words_of(struct table *table, const struct report_field *field,
                            const struct report *r) {
    const char *words = field->text.words ? field->text.words : field->meaning;
    if (field->offset == offsetof(struct report, system.stp))
        return table_words(table, "%s, %" PRId64 " if nobody is slowed", words, report_most_stp(r));
    double unknown = 100 * r->inputs.share[CT_INPUT_DEMAND][CT_UNKNOWN];
    if (!field->text.needed || !(unknown > 0))
        return words;
    if (unknown < 1)
        return table_words(table, "%s, at least: unknown for under 1 %% of the time", words);
    return table_words(table, "%s, at least: unknown for %.0f %% of the time", words, unknown);
}

static void write_progress(struct doc *doc, const struct report *r) {
    write_apps(doc, r, REPORT_IN_PROGRESS, "application");
    doc_text(doc,
             "solo ms: a job alone, from its first kernel's issue on; progress: of a service, "
             "latency alone over latency, both from arrival; of batch, work per second over that "
             "alone.");
}

static void write_system(struct doc *doc, const struct report *r) {
    const struct report_field *shown[REPORT_SHOWN_MOST];
    struct report_bounds bounds = report_bounds_of(r);
    struct table table = table_start("system | value:* | meaning");
    for (const struct report_level *level = report_sections; level->fields; level++) {
        size_t count = report_fields_shown(level->fields, REPORT_IN_SYSTEM, shown);
        for (size_t i = 0; i < count; i++) {
            double value = report_field_number(shown[i], r);
            if (!isnan(value))
                table_row(&table, shown[i]->text.title,
                          report_bound_mark(&table, value_of_number(value),
                                            system_bound(shown[i], bounds)),
                          words_of(&table, shown[i], r));
            else if (shown[i]->text.needed)
                table_row(&table, shown[i]->text.title, "unknown", shown[i]->text.words);
        }
    }
    doc_table(doc, &table);
}

enum { MOST_PARTS = 64, PARTS_SIZE = 1024 };

/* The parts of a sum that are more than nothing, the largest first. */
static void list_parts(char text[PARTS_SIZE], const char *const *names, const double *parts,
                       size_t count) {
    size_t order[MOST_PARTS], ranked = report_rank(parts, count, order);
    char number[DOC_NUMBER];
    *text = '\0';
    for (size_t i = 0; i < ranked; i++)
        ct_text_add(text, PARTS_SIZE, ", ", "%s %s", names[order[i]],
                    doc_format_plain(parts[order[i]], number));
}

/* False: none of them is known. */
static bool list_causes(char text[PARTS_SIZE], const double *ms) {
    const char *names[CT_BLAME_COUNT];
    bool known = false;
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        names[cause] = ct_blame_key(cause);
        known |= !isnan(ms[cause]);
    }
    list_parts(text, names, ms, CT_BLAME_COUNT);
    return known;
}

static void list_delays(char text[PARTS_SIZE], const struct report_delay *by, size_t count) {
    enum { MOST_DELAYS = 16 };
    const char *names[MOST_DELAYS];
    double ms[MOST_DELAYS];
    count = count < MOST_DELAYS ? count : MOST_DELAYS;
    for (size_t i = 0; i < count; i++) {
        names[i] = by[i].app ? by[i].app : "no application";
        ms[i] = by[i].ms;
    }
    list_parts(text, names, ms, count);
}

static void blame_line(struct doc *doc, const struct report_app *app) {
    char causes[PARTS_SIZE], others[PARTS_SIZE];
    if (!list_causes(causes, app->blame_ms_p99))
        return;
    list_delays(others, app->delayed_by, app->delayed_by_count);
    doc_item(doc, "%s: %s%s%s", app->name, causes, *others ? "; delayed by " : "", others);
}

/* "vit: 117.2 of 132, which would be 14.8 alone: device_queue 110, ...; due to qwen 60, ..." */
static void sharing_line(struct doc *doc, const struct report_app *app) {
    const struct report_sharing *sharing = &app->sharing;
    char causes[PARTS_SIZE], others[PARTS_SIZE];
    double sum = 0;
    if (isnan(sharing->alone_ms))
        return;
    for (size_t cause = 0; cause < CT_BLAME_COUNT; cause++)
        sum += sharing->cause_ms[cause];
    list_causes(causes, sharing->cause_ms);
    list_delays(others, sharing->by, sharing->by_count);
    doc_item(doc, "%s: %s of %s, alone %s%s%s%s%s", app->name, doc_number(doc, sum),
             doc_number(doc, sum + sharing->alone_ms), doc_number(doc, sharing->alone_ms),
             *causes ? ": " : "", causes, *others ? "; due to " : "", others);
}

/* The sizes that most batches had, in per cent of them. */
static void batches_line(struct doc *doc, const struct report_app *app) {
    const char *names[MOST_PARTS];
    char words[MOST_PARTS][32], sizes[PARTS_SIZE];
    double percent[MOST_PARTS];
    size_t count = app->batches_count < MOST_PARTS ? app->batches_count : MOST_PARTS;
    for (size_t i = 0; i < count; i++) {
        snprintf(words[i], sizeof words[i], "of %" PRId64 ":", app->batches[i].size);
        names[i] = words[i];
        percent[i] = 100 * (double)app->batches[i].count / (double)app->server.batches;
    }
    list_parts(sizes, names, percent, count);
    doc_item(doc, "%s: batches, in %% of all: %s%s", app->name, sizes,
             count < app->batches_count ? ", others" : "");
}

/* Where it is more than the server's own column says: of a stage, with what never came to it. */
static void lost_line(struct doc *doc, const struct report_app *app) {
    const struct report_server *server = &app->server;
    if (server->lost_fraction > fmax(0, server->dropped_fraction))
        doc_item(doc,
                 "%s: %s %% of the pipeline's %" PRId64
                 " requests were dropped, by it or by a stage before it",
                 app->name, doc_number(doc, 100 * server->lost_fraction), server->requests);
}

static void write_servers(struct doc *doc, const struct report *r) {
    size_t servers = 0, generating = 0;
    for (size_t i = 0; i < r->app_count; i++) {
        servers += report_has_server(&r->apps[i]);
        generating += report_generates(&r->apps[i]);
    }
    if (!servers)
        return;
    write_apps(doc, r, REPORT_IN_SERVERS, "server");
    if (generating)
        write_apps(doc, r, REPORT_IN_TOKENS, "tokens");
    for (size_t i = 0; i < r->app_count; i++)
        if (r->apps[i].batches_count)
            batches_line(doc, &r->apps[i]);
    for (size_t i = 0; i < r->app_count; i++)
        lost_line(doc, &r->apps[i]);
    doc_gap(doc);
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

static void write_sharing(struct doc *doc, const struct report *r) {
    bool known = false, open = false;
    for (size_t i = 0; i < r->app_count; i++) {
        known = known || !isnan(r->apps[i].sharing.alone_ms);
        open = open || r->apps[i].overloaded == REPORT_YES;
    }
    if (!known)
        return;
    doc_heading(doc, 2, "What sharing cost %s, ms per job",
                open ? "those of these jobs that have ended" : "these jobs");
    for (size_t i = 0; i < r->app_count; i++)
        sharing_line(doc, &r->apps[i]);
    doc_gap(doc);
}

static const char *check_text(const char *result) {
    return result ? result : "not checked";
}

/* Each kind of input, in per cent of the time on the device. */
static void write_inputs(struct doc *doc, const struct ct_coverage *inputs) {
    char parts[160];
    for (int kind = 0; kind < CT_INPUTS; kind++)
        if (!isnan(inputs->share[kind][CT_MEASURED]))
            doc_item(doc, "%s, by time on the device: %s", ct_input_names[kind],
                     ct_coverage_print(inputs, kind, parts, sizeof parts));
}

static void write_basis(struct doc *doc, const struct report *r) {
    doc_heading(doc, 2, "What it rests on");
    write_inputs(doc, &r->inputs);
    for (size_t i = 0; i < r->device_count; i++)
        doc_item(doc, "%s: %s", r->device[i].key, r->device[i].value);
    doc_item(doc, "conservation %s, Little's law %s, utilisation law %s",
             check_text(r->checks.conservation), check_text(r->checks.littles_law),
             check_text(r->checks.utilisation_law));
    doc_item(doc,
             "%" PRId64 " events, %" PRId64 " kernels, %" PRId64 " decisions, %" PRId64
             " rejected verbs",
             r->engine.events, r->engine.kernels, r->system.decisions, r->system.rejected_verbs);
    if (!isnan(r->engine.wall_s))
        doc_item(doc, "simulated in %s s, %s events/s", doc_number(doc, r->engine.wall_s),
                 doc_number(doc, r->engine.events_per_s));
    for (size_t i = 0; i < r->notice_count; i++)
        doc_item(doc, "%s", r->notices[i]);
    doc_gap(doc);
}

static void write_counters(struct doc *doc, const struct report *r) {
    if (!r->policy_counter_count)
        return;
    doc_heading(doc, 2, "The policy's own counters");
    for (size_t i = 0; i < r->policy_counter_count; i++)
        doc_item(doc, "%s: %s", r->policy_counters[i].key,
                 doc_number(doc, r->policy_counters[i].value));
    doc_gap(doc);
}

int report_write_document(const struct report *reports, size_t count, bool markdown, FILE *out) {
    struct doc doc = doc_start(out, markdown);
    for (size_t i = 0; i < count; i++) {
        write_head(&doc, &reports[i]);
        write_targets(&doc, &reports[i]);
        write_latencies(&doc, &reports[i]);
        write_progress(&doc, &reports[i]);
        write_servers(&doc, &reports[i]);
        write_system(&doc, &reports[i]);
        report_band_write(&doc, &reports[i]);
        write_blame(&doc, &reports[i]);
        write_sharing(&doc, &reports[i]);
        write_counters(&doc, &reports[i]);
        write_basis(&doc, &reports[i]);
    }
    return doc_finish(&doc);
}
