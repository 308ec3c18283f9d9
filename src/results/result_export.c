#include "results/result_export.h"

#include "format/csv_text.h"
#include "format/output_file.h"
#include "results/glossary.h"
#include "results/report_fields.h"
#include "results/result_sweep.h"
#include "trace/trace.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

enum sheet_kind { RUNS, APPLICATIONS, JOBS, TASKS, DECISIONS, NOTES, POINTS };

/* A table: its own columns, then the report's of these levels, then one for each part of a job's
 * time. */
static const struct sheet {
    const char *name;
    const struct glossary_word *columns; /* NULL: none */
    const struct report_level *levels[2];
    const char *before, *after, *part_meaning; /* of a part's key; NULL: it has no parts */
} sheets[RESULT_EXPORT_TABLES] = {
    [RUNS] = {.name = "runs", .columns = glossary_runs, .levels = {report_head, report_sections}},
    [APPLICATIONS] = {"applications",
                      NULL,
                      {report_of_app},
                      "blame_ms_p99_",
                      "",
                      "mean over its slowest 1 % of jobs"},
    [JOBS] = {"jobs", glossary_jobs, {NULL}, "", "_ms", "part of its latency"},
    [TASKS] = {.name = "tasks", .columns = glossary_tasks},
    [DECISIONS] = {.name = "decisions", .columns = glossary_decisions},
    [NOTES] = {.name = "decision_notes", .columns = glossary_notes},
    [POINTS] = {.name = "points", .columns = glossary_points}};

/* A run on its way into the tables. */
struct export {
    struct output_file files[RESULT_EXPORT_TABLES + 1]; /* the last one: the dictionary */
    const char *paths[RESULT_EXPORT_TABLES + 1];
    struct result_exported *exported;
    struct result_set set; /* one run */
    const struct result_run *run;
};

/* ---- The columns: what the dictionary says ---- */

/* A column at the head of its table, and in the dictionary. */
static void tell(const struct export *export, enum sheet_kind kind,
                 const struct glossary_word *column) {
    FILE *dictionary = export->files[RESULT_EXPORT_TABLES].file;
    fprintf(export->files[kind].file, "%s%s", column == glossary_identity ? "" : ",", column->key);
    csv_write_cells(dictionary, sheets[kind].name, column->key, column->unit, column->meaning);
    putc('\n', dictionary);
}

static void tell_level(const struct export *export, enum sheet_kind kind,
                       const struct report_level *levels) {
    struct report_column columns[REPORT_COLUMNS_MOST];
    size_t count = levels ? report_columns(levels, columns) : 0;
    for (size_t i = 0; i < count; i++) {
        const struct report_field *field = columns[i].field;
        const char *name = strcmp(columns[i].name, "name") == 0 ? "app" : columns[i].name;
        if (strcmp(name, "policy") != 0) /* every table begins with it */
            tell(export, kind,
                 &(struct glossary_word){.key = name,
                                         .unit = field->unit ? field->unit : "",
                                         .meaning = field->meaning});
    }
}

static void tell_columns(const struct export *export, enum sheet_kind kind) {
    const struct sheet *sheet = &sheets[kind];
    for (const struct glossary_word *c = glossary_identity; c->key; c++)
        tell(export, kind, c);
    for (const struct glossary_word *c = sheet->columns; c && c->key; c++)
        tell(export, kind, c);
    for (size_t i = 0; i < CT_COUNT_OF(sheet->levels); i++)
        tell_level(export, kind, sheet->levels[i]);
    for (int part = 0; sheet->before && part < CT_BLAME_COUNT; part++) {
        char name[REPORT_FIELD_NAME], meaning[200];
        snprintf(name, sizeof name, "%s%s%s", sheet->before, ct_blame_key(part), sheet->after);
        snprintf(meaning, sizeof meaning, "%s: %s", sheet->part_meaning, ct_blame_words[part].part);
        tell(export, kind, &(struct glossary_word){.key = name, .unit = "ms", .meaning = meaning});
    }
    putc('\n', export->files[kind].file);
}

/* ---- Rows ---- */

static double time_ms(ct_time_ps time) {
    return time < 0 ? NAN : (double)time / (double)CT_PS_PER_MS;
}

/* What every table begins with; other cells follow. */
static FILE *start_row(struct export *export, enum sheet_kind kind) {
    FILE *out = export->files[kind].file;
    const struct result_run *run = export->run;
    csv_write_cells(out, run->number, run->report.policy,
                    run->replication == RESULT_POOLED ? value_of_text(NULL)
                                                      : value_of_integer(run->replication));
    putc(',', out);
    export->exported[kind].rows++;
    return out;
}

static void write_levels(FILE *out, const struct report_level *levels, const void *record) {
    struct report_column columns[REPORT_COLUMNS_MOST];
    size_t count = report_columns(levels, columns), cells = 0;
    for (size_t i = 0; i < count; i++) {
        if (strcmp(columns[i].name, "policy") == 0)
            continue;
        fputs(cells++ ? "," : "", out);
        csv_write_cells(out, report_field_value(columns[i].field, record, columns[i].part));
    }
}

static void write_run(struct export *export) {
    FILE *out = start_row(export, RUNS);
    fprintf(out, "%" PRId64 ",", export->run->pool);
    write_levels(out, report_head, &export->run->report);
    putc(',', out);
    write_levels(out, report_sections, &export->run->report);
    putc('\n', out);
}

static void write_apps(struct export *export) {
    const struct report *report = &export->run->report;
    for (size_t i = 0; i < report->app_count; i++) {
        FILE *out = start_row(export, APPLICATIONS);
        write_levels(out, report_of_app, &report->apps[i]);
        for (int part = 0; part < CT_BLAME_COUNT; part++) {
            putc(',', out);
            csv_write_double(out, report->apps[i].blame_ms_p99[part]);
        }
        putc('\n', out);
    }
}

static const char *app_name(const struct export *export, int64_t app) {
    const struct report *report = &export->run->report;
    return app >= 0 && (size_t)app < report->app_count ? report->apps[app].name : NULL;
}

static void write_jobs(struct export *export) {
    for (size_t i = 0; i < export->run->job_count; i++) {
        const struct result_job *job = &export->run->jobs[i];
        ct_time_ps until = result_job_until(job);
        FILE *out = start_row(export, JOBS);
        csv_write_cells(out, app_name(export, job->app), job->instance, job->number,
                        time_ms(job->arrival_ps), time_ms(job->first_issue_ps),
                        time_ms(job->end_ps), time_ms(until < 0 ? -1 : until - job->arrival_ps));
        for (int part = 0; part < CT_BLAME_COUNT; part++) {
            putc(',', out);
            csv_write_double(out, job->blame_ps ? time_ms(job->blame_ps[part]) : NAN);
        }
        putc('\n', out);
    }
}

static void write_tasks(struct export *export) {
    for (size_t i = 0; i < export->run->task_count; i++) {
        const struct result_task *t = &export->run->tasks[i];
        FILE *out = start_row(export, TASKS);
        bool copy = t->kind == TRACE_COPY;
        csv_write_cells(
            out, app_name(export, t->app), t->instance, t->job, t->index, t->stream,
            trace_kind_names[t->kind], copy ? trace_direction_names[t->direction] : NULL, t->name,
            t->blocks, t->bytes, (double)t->share / 10, time_ms(t->ready_ps), time_ms(t->issued_ps),
            time_ms(t->queued_ps), time_ms(t->started_ps), time_ms(t->ended_ps));
        putc('\n', out);
    }
}

static void write_decisions(struct export *export) {
    for (size_t i = 0; i < export->run->decision_count; i++) {
        const struct result_decision *d = &export->run->decisions[i];
        FILE *out = start_row(export, DECISIONS);
        csv_write_cells(out, d->number, time_ms(d->time_ps), d->hook,
                        ct_verb_text(d->verb, d->outcome), app_name(export, d->app), d->instance,
                        d->job, d->task);
        putc('\n', out);
        for (size_t n = 0; n < d->note_count; n++) {
            out = start_row(export, NOTES);
            csv_write_cells(out, d->number, d->notes[n].key, d->notes[n].value);
            putc('\n', out);
        }
    }
}

/* What the run's point of a sweep is, if it belongs to the newest one. */
static void write_point(struct export *export, const struct result_points *points) {
    for (size_t p = 0; p < points->count; p++) {
        const struct result_point *point = &points->items[p];
        bool own = false;
        for (size_t r = 0; r < point->run_count; r++)
            own |= point->runs[r] == export->run->number || point->runs[r] == export->run->pool;
        for (size_t v = 0; own && v < point->value_count; v++) {
            FILE *out = start_row(export, POINTS);
            csv_write_cells(out, p + 1, point->values[v].key, point->values[v].value);
            putc('\n', out);
        }
    }
}

static int write_numbered(struct export *export, struct result_store *store, int64_t number,
                          const struct result_points *points, struct ct_diags *diags) {
    enum { PARTS = RESULT_JOBS | RESULT_TASKS | RESULT_DECISIONS };
    int status = result_store_read(store, number, PARTS, &export->set, diags);
    if (status == CT_OK) {
        export->run = &export->set.runs.items[0];
        write_run(export);
        write_apps(export);
        write_jobs(export);
        write_tasks(export);
        write_decisions(export);
        write_point(export, points);
    }
    result_set_free(&export->set);
    return status;
}

/* ---- The files ---- */

static int open_files(struct export *export, const char *folder, struct ct_arena *arena,
                      struct ct_diags *diags) {
    for (int i = 0; i <= RESULT_EXPORT_TABLES; i++) {
        const char *name = i < RESULT_EXPORT_TABLES ? sheets[i].name : "dictionary";
        export->paths[i] = ct_arena_format(arena, "%s/%s.csv", folder, name);
        if (!export->paths[i])
            return ct_out_of_memory(diags);
        if (!output_file_open(&export->files[i], export->paths[i], diags))
            return CT_DATA;
    }
    return CT_OK;
}

static void write_headings(struct export *export) {
    fputs("table,column,unit,meaning\n", export->files[RESULT_EXPORT_TABLES].file);
    for (int i = 0; i < RESULT_EXPORT_TABLES; i++) {
        export->exported[i] = (struct result_exported){sheets[i].name, 0};
        tell_columns(export, (enum sheet_kind)i);
    }
}

int result_export(struct result_store *store, const char *folder,
                  struct result_exported exported[RESULT_EXPORT_TABLES], struct ct_diags *diags) {
    struct export export = {.exported = exported};
    struct ct_arena arena = {0};
    struct result_set heads = {0};
    struct result_points points = {0};
    int status = result_store_read(store, 0, 0, &heads, diags);
    if (status == CT_OK)
        status = result_points_read(store, &arena, &points, diags);
    if (status == CT_OK)
        status = open_files(&export, folder, &arena, diags);
    if (status == CT_OK)
        write_headings(&export);
    for (size_t i = 0; i < heads.runs.count && status == CT_OK; i++)
        if (!heads.runs.items[i].purpose)
            status = write_numbered(&export, store, heads.runs.items[i].number, &points, diags);
    for (int i = 0; i <= RESULT_EXPORT_TABLES; i++)
        status = output_file_close(&export.files[i], status, diags);
    ct_vec_free(&points);
    result_set_free(&heads);
    ct_arena_free(&arena);
    return status;
}
