/* The forms of an explanation: text and Markdown say the same, JSON adds the numbers. */
#include "explain/explain_internal.h"

#include "format/csv_text.h"
#include "format/doc_writer.h"
#include "format/json_writer.h"
#include "format/table.h"

#include <inttypes.h>
#include <math.h>

/* ---- Text and Markdown ---- */

const char *explain_run_name(const struct result_run *run, struct ct_arena *arena) {
    const char *name = ct_arena_format(
        arena, "%s, replication %" PRId64 ", seed %" PRId64 ", on %s (--run %" PRId64 ")",
        run->report.policy, run->replication, run->report.seed, run->report.gpu, run->number);
    return name ? name : "";
}

static void write_lines(struct doc *doc, const struct explain_lines *lines) {
    for (size_t i = 0; i < lines->count; i++)
        doc_item(doc, "%s", lines->items[i]);
    doc_gap(doc);
}

/* A neutral stand-in takes part in every number that follows. */
static void write_unknown_demand(struct doc *doc, const struct ct_coverage *inputs) {
    char parts[160];
    if (ct_coverage_lacks_demand(inputs))
        doc_text(doc,
                 "Memory demand, by time on the device: %s. What is unknown counts as none, and "
                 "what jobs lose to memory is a lower bound ('cotenant trace demand').",
                 ct_coverage_print(inputs, CT_INPUT_DEMAND, parts, sizeof parts));
}

/* ", 0.31 of the units, from class"; nothing in stores of before. */
static const char *units_words(struct doc *doc, const struct report_kernels *k) {
    if (!k->units_source)
        return "";
    if (isnan(k->unit_fraction))
        return doc_words(doc, "; units %s", k->units_source);
    return doc_words(doc, "; %.2f of the units, %s", k->unit_fraction, k->units_source);
}

static const char *share_words(struct doc *doc, const struct report_kernels *k) {
    return isnan(k->dram_fraction)
               ? ""
               : doc_words(doc, "%.2f of the peak DRAM bandwidth, ", k->dram_fraction);
}

/* Classes with less of the time, which rounds to 0 %, are not listed. */
static const double LEAST_TIME = 0.005;

static bool has_kernels(const struct report *report) {
    bool any = false;
    for (size_t a = 0; a < report->app_count; a++)
        any = any || report->apps[a].kernels_count;
    return any;
}

static void write_kernels(struct doc *doc, const struct report *report) {
    if (!has_kernels(report))
        return;
    doc_heading(doc, 2, "What kernels ask of memory and units, alone");
    for (size_t a = 0; a < report->app_count; a++)
        for (size_t i = 0; i < report->apps[a].kernels_count; i++) {
            const struct report_kernels *k = &report->apps[a].kernels[i];
            if (k->time_fraction >= LEAST_TIME)
                doc_item(doc, "%s: %s, %s launches, %.0f %% of the kernel time: %s%s%s",
                         report->apps[a].name, k->class, k->launch, 100 * k->time_fraction,
                         share_words(doc, k), k->source, units_words(doc, k));
        }
    doc_gap(doc);
}

static int write_document(const struct explanation *e, bool markdown, FILE *out) {
    struct doc doc = doc_start(out, markdown);
    const struct result_run *run = e->run;
    doc_heading(&doc, 1, "Why the slow jobs of %s were slow under %s", run->report.workload,
                run->report.policy);
    doc_text(&doc, "%s.", explain_run_name(run, &doc.arena));
    write_unknown_demand(&doc, &run->report.inputs);
    for (size_t a = 0; a < e->app_count; a++) {
        const struct explain_app *app = &e->apps[a];
        if (app->lines.count) {
            doc_heading(&doc, 2, "The tail of %s", app->app->name);
            write_lines(&doc, &app->lines);
        }
        for (size_t i = 0; i < app->slowest_count; i++) {
            doc_heading(&doc, 3, "%s", app->slowest[i].name);
            write_lines(&doc, &app->slowest[i].lines);
        }
    }
    write_kernels(&doc, &run->report);
    return doc_finish(&doc);
}

/* ---- JSON ---- */

static void json_job(struct json_writer *json, const struct explanation *e,
                     const struct explain_app *app, const struct explain_job *x) {
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "job", x->name, "instance", x->job->instance, "number",
                        x->job->number, "arrival_ms", ct_time_ms(x->job->arrival_ps), "latency_ms",
                        ct_time_ms(x->latency_ps), "unfinished", (bool)(x->job->end_ps < 0),
                        "qos_ms", explain_target_ms(app->app), "solo_ms", app->app->solo_ms,
                        "queue_began_with", x->began_name);
    json_writer_begin_object(json, "blame_ms");
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        json_writer_double(json, ct_blame_key(cause), ct_time_ms(x->job->blame_ps[cause]));
    json_writer_end_object(json);
    json_writer_begin_object(json, "delayed_by_ms");
    for (size_t i = 0; x->job->delayed_by_ps && i < e->run->report.app_count; i++)
        if (x->job->delayed_by_ps[i])
            json_writer_double(json, e->run->report.apps[i].name,
                               ct_time_ms(x->job->delayed_by_ps[i]));
    json_writer_end_object(json);
    json_writer_strings(json, "sentences", x->lines.items, x->lines.count);
    json_writer_end_object(json);
}

static void json_app(struct json_writer *json, const struct explanation *e,
                     const struct explain_app *app) {
    json_writer_begin_object(json, NULL);
    json_writer_members(json, "name", app->app->name, "role", report_role_name(app->app->role),
                        "jobs", app->jobs, "tail_jobs", app->tail);
    json_writer_strings(json, "tail", app->lines.items, app->lines.count);
    json_writer_begin_array(json, "slowest");
    for (size_t i = 0; i < app->slowest_count; i++)
        json_job(json, e, app, &app->slowest[i]);
    json_writer_end_array(json);
    json_writer_end_object(json);
}

static void json_kernels(struct json_writer *json, const struct report *report) {
    json_writer_begin_array(json, "kernels");
    for (size_t a = 0; a < report->app_count; a++)
        for (size_t i = 0; i < report->apps[a].kernels_count; i++) {
            const struct report_kernels *k = &report->apps[a].kernels[i];
            json_writer_object(json, NULL, "app", report->apps[a].name, "class", k->class, "launch",
                               k->launch, "time_fraction", k->time_fraction, "dram_fraction",
                               k->dram_fraction, "source", k->source, "unit_fraction",
                               k->unit_fraction, "units_source", k->units_source);
        }
    json_writer_end_array(json);
}

static void write_json(const struct explanation *e, FILE *out) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "schema", "cotenant.explanation/1", "run", e->run->number,
                        "workload", e->run->report.workload, "gpu", e->run->report.gpu, "policy",
                        e->run->report.policy, "seed", e->run->report.seed, "replication",
                        e->run->replication, "memory_demand_unknown",
                        e->run->report.inputs.share[CT_INPUT_DEMAND][CT_UNKNOWN]);
    json_writer_begin_array(&json, "apps");
    for (size_t i = 0; i < e->app_count; i++)
        json_app(&json, e, &e->apps[i]);
    json_writer_end_array(&json);
    json_kernels(&json, &e->run->report);
    json_writer_end_object(&json);
    fputc('\n', out);
}

/* ---- CSV ---- */

static void csv_job(FILE *out, const struct explain_app *app, const struct explain_job *x) {
    csv_write_cells(out, app->app->name, x->job->instance, x->job->number,
                    ct_time_ms(x->job->arrival_ps), ct_time_ms(x->latency_ps),
                    explain_target_ms(app->app), app->app->solo_ms, x->began_name);
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        fputc(',', out);
        csv_write_double(out, ct_time_ms(x->job->blame_ps[cause]));
    }
    fputs(x->job->end_ps < 0 ? ",yes" : ",no", out);
    fputc('\n', out);
}

static void write_csv(const struct explanation *e, FILE *out) {
    fputs("app,instance,number,arrival_ms,latency_ms,qos_ms,solo_ms,queue_began_with", out);
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        fprintf(out, ",%s_ms", ct_blame_key(cause));
    fputs(",unfinished\n", out);
    for (size_t a = 0; a < e->app_count; a++)
        for (size_t i = 0; i < e->apps[a].slowest_count; i++)
            csv_job(out, &e->apps[a], &e->apps[a].slowest[i]);
}

int explain_write(int format, const struct explanation *e, FILE *out) {
    if (format == REPORT_TEXT || format == REPORT_MARKDOWN)
        return write_document(e, format == REPORT_MARKDOWN, out);
    if (format == REPORT_JSON)
        write_json(e, out);
    else
        write_csv(e, out);
    return ferror(out) ? CT_DATA : CT_OK;
}

/* ---- The decision log ---- */

/* NAN: it is about none. */
static double known(int64_t number) {
    return number < 0 ? NAN : (double)number;
}

int explain_log(const struct result_run *run, int format, FILE *out) {
    struct ct_arena arena = {0};
    struct table table = table_start("n=number:0 | ms=time_ms:3 | =hook | =verb | app | "
                                     "=instance:0 | job:0 | task:0 | what it did, and why=words");
    for (size_t i = 0; i < run->decision_count; i++) {
        const struct result_decision *d = &run->decisions[i];
        const char *words = explain_decision(run, d, &arena);
        table.failed |= !words;
        table_row(&table, (double)d->number, ct_time_ms(d->time_ps), d->hook,
                  ct_verb_text(d->verb, d->outcome),
                  d->app < 0 ? NULL : run->report.apps[d->app].name, known(d->instance),
                  known(d->job), known(d->task), words);
        if (arena.bytes > 1 << 20)
            ct_arena_free(&arena);
    }
    ct_arena_free(&arena);
    return table_print(&table, out, (enum table_format)format);
}
