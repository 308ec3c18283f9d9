#include "cmd/sweep_print.h"

#include "cmd/sweep_checks.h"
#include "format/csv_text.h"
#include "format/doc_writer.h"
#include "results/report_json.h"
#include "results/result_sweep.h"

#include <inttypes.h>
#include <string.h>

/* A point that was read back, and what it is called. */
struct shown_point {
    const struct sweep_job *job;
    uint64_t number; /* from 1, in the order of the file */
    const struct sweep_point *point;
    const struct result_set *set;
};

typedef void show_point(void *context, const struct shown_point *shown);

static int for_each_point(const struct sweep_job *job, show_point *show, void *context,
                          struct ct_diags *diags) {
    int status = CT_OK;
    for (uint64_t i = 0; i < job->file.points && status == CT_OK; i++) {
        struct ct_arena arena = {0};
        struct sweep_point point;
        struct result_set set = {0};
        status = sweep_point_make(&job->file, &job->shuffle, i, &arena, &point)
                     ? result_point_read(job->cache.store, job->numbers[i], &set, diags)
                     : ct_out_of_memory(diags);
        if (status == CT_OK)
            show(context, &(const struct shown_point){job, i + 1, &point, &set});
        result_set_free(&set);
        ct_arena_free(&arena);
    }
    return status;
}

/* ---- Text ---- */

/* One more step of the key before the part that is shown. */
static const char *longer(const char *key, const char *shown) {
    for (shown -= shown > key; shown > key && shown[-1] != '.'; shown--)
        ;
    return shown;
}

static bool ends_with(const char *key, const char *end) {
    size_t size = strlen(key), part = strlen(end);
    return size >= part && strcmp(key + size - part, end) == 0 &&
           (size == part || key[size - part - 1] == '.');
}

/* The last steps of a key that tell it from the other axes say enough beside its value. */
static const char *short_key(const struct sweep_point *point, size_t own) {
    const char *key = point->values[own].key, *shown = longer(key, key + strlen(key) + 1);
    for (size_t i = 0; i < point->value_count; i++)
        while (i != own && shown > key && ends_with(point->values[i].key, shown))
            shown = longer(key, shown);
    return shown;
}

static void label_of(const struct sweep_point *point, char *text, size_t size) {
    for (size_t i = 0, at = 0; i < point->value_count && at < size; i++)
        at += (size_t)snprintf(text + at, size - at, "%s%s=%s", i ? " " : "", short_key(point, i),
                               point->values[i].value);
}

static void text_row(struct doc *doc, const struct report *report, const struct report_app *app,
                     bool first) {
    char number[DOC_NUMBER];
    doc_cell(doc, "%s", first ? report->policy : " ");
    doc_cell(doc, "%s", app ? app->name : "");
    if (app)
        doc_cell(doc, "%s%s%s", app->overloaded == REPORT_YES ? ">" : "",
                 doc_format_number(
                     isnan(app->p99_over_qos) ? app->latency_ms.p99 : app->p99_over_qos, number),
                 isnan(app->p99_over_qos)    ? " ms"
                 : app->qos_met == REPORT_NO ? "!"
                                             : "");
    else
        doc_cell(doc, "-");
    doc_number(doc, app ? 100 * app->late_fraction : NAN);
    doc_number(doc, first ? report->system.batch_throughput_normalised : NAN);
    doc_number(doc, first ? report->system.stp : NAN);
}

/* Longer labels stand below the table, which has their numbers. */
enum { LONGEST_LABEL = 28, LABEL_SIZE = 400 };

struct text_sheet {
    struct doc doc;
    bool numbered;
    struct sweep_checks checks;
};

static void text_point(void *context, const struct shown_point *shown) {
    struct text_sheet *sheet = context;
    struct doc *doc = &sheet->doc;
    char label[LABEL_SIZE] = "";
    if (sheet->numbered)
        snprintf(label, sizeof label, "%" PRIu64, shown->number);
    else
        label_of(shown->point, label, sizeof label);
    sweep_checks_add(&sheet->checks, shown->number - 1, shown->set);
    for (size_t r = 0; r < shown->set->runs.count; r++) {
        const struct report *report = &shown->set->runs.items[r].report;
        bool first = true;
        for (size_t a = 0; a <= report->app_count; a++) {
            const struct report_app *app = a < report->app_count ? &report->apps[a] : NULL;
            if (app ? app->role != REPORT_SERVICE : !first)
                continue;
            doc_cell(doc, "%s", r == 0 && first ? label : " ");
            text_row(doc, report, app, first);
            first = false;
        }
    }
}

/* Calls `name` with the label of every point, as long as it returns true. */
static bool for_each_label(const struct sweep_job *job,
                           bool (*name)(struct doc *doc, uint64_t number, const char *label),
                           struct doc *doc) {
    bool go_on = true;
    for (uint64_t i = 0; i < job->file.points && go_on; i++) {
        struct ct_arena arena = {0};
        struct sweep_point point;
        char label[LABEL_SIZE] = "";
        if (sweep_point_make(&job->file, &job->shuffle, i, &arena, &point)) {
            label_of(&point, label, sizeof label);
            go_on = name(doc, i + 1, label);
        }
        ct_arena_free(&arena);
    }
    return go_on;
}

static bool is_short(struct doc *doc, uint64_t number, const char *label) {
    (void)doc, (void)number;
    return strlen(label) <= LONGEST_LABEL;
}

static bool name_number(struct doc *doc, uint64_t number, const char *label) {
    doc_item(doc, "%" PRIu64 ": %s", number, label);
    return true;
}

static int print_points(const struct sweep_job *job, struct text_sheet *sheet,
                        struct ct_diags *diags) {
    static const struct doc_column columns[] = {
        {"point", false}, {"policy", false}, {"service", false}, {"p99/tgt", true},
        {"late %", true}, {"batch", true},   {"STP", true},
    };
    struct doc *doc = &sheet->doc;
    doc_heading(doc, 1, "%s: %" PRIu64 " point%s", job->file.name, job->file.points,
                job->file.points == 1 ? "" : "s");
    doc_text(doc, "%" PRId64 " replication%s of each point and policy.", job->file.reps,
             job->file.reps == 1 ? "" : "s");
    doc_table_begin(doc, columns, CT_COUNT_OF(columns));
    int status = for_each_point(job, text_point, sheet, diags);
    doc_table_end(doc);
    doc_text(doc, "p99/tgt: ! violates the target, > is a lower bound, ms where there is no "
                  "target; batch: work per second over that without the services; STP: sum of "
                  "progress.");
    if (sheet->numbered) {
        for_each_label(job, name_number, doc);
        doc_gap(doc);
    }
    return status;
}

static int print_text(struct sweep_job *job, bool markdown, FILE *out, struct ct_diags *diags) {
    struct text_sheet sheet = {.doc = doc_start(out, markdown)};
    struct ct_arena arena = {0};
    const char *settings = NULL;
    sheet.numbered = !for_each_label(job, is_short, &sheet.doc);
    if (!sweep_checks_open(&sheet.checks, job))
        return ct_out_of_memory(diags);
    int status = print_points(job, &sheet, diags);
    if (status == CT_OK)
        status = sweep_job_settings(job, &arena, &settings, diags);
    if (status == CT_OK)
        sweep_checks_print(&sheet.doc, job, &sheet.checks, settings);
    if (status == CT_OK && sheet.checks.lost)
        status = ct_out_of_memory(diags);
    sweep_checks_close(&sheet.checks);
    ct_arena_free(&arena);
    int written = doc_finish(&sheet.doc);
    return status == CT_OK ? written : status;
}

/* ---- CSV: a row for each point, policy and application, the axes as columns ---- */

struct csv_sheet {
    FILE *out;
    const char **keys; /* of all designs, each once */
    size_t key_count;
};

static bool collect_keys(const struct sweep_file *file, struct ct_arena *arena,
                         struct csv_sheet *sheet) {
    size_t most = 0;
    for (size_t d = 0; d < file->design_count; d++)
        most += file->designs[d].axis_count;
    sheet->keys = ct_arena_array(arena, most + 1, sizeof *sheet->keys);
    for (size_t d = 0; sheet->keys && d < file->design_count; d++)
        for (size_t a = 0; a < file->designs[d].axis_count; a++) {
            const char *key = file->designs[d].axes[a].key;
            bool known = false;
            for (size_t i = 0; i < sheet->key_count; i++)
                known |= strcmp(sheet->keys[i], key) == 0;
            if (!known)
                sheet->keys[sheet->key_count++] = key;
        }
    return sheet->keys;
}

static void csv_values(const struct csv_sheet *sheet, const struct shown_point *shown) {
    fprintf(sheet->out, "%" PRIu64, shown->number);
    for (size_t k = 0; k < sheet->key_count; k++) {
        const char *text = NULL;
        for (size_t i = 0; i < shown->point->value_count; i++)
            if (strcmp(shown->point->values[i].key, sheet->keys[k]) == 0)
                text = shown->point->values[i].value;
        putc(',', sheet->out);
        csv_write_text(sheet->out, text);
    }
}

static void csv_row(FILE *out, const struct report *report, const struct report_app *app) {
    const double numbers[] = {app->qos_ms,
                              app->latency_ms.mean,
                              app->latency_ms.p99,
                              app->latency_ms.p99_low,
                              app->latency_ms.p99_high,
                              app->p99_over_qos,
                              app->late_fraction,
                              app->throughput_per_s,
                              app->normalised_progress,
                              report->system.batch_throughput_normalised,
                              report->system.stp,
                              report->system.antt,
                              report->system.fairness,
                              report->system.sm_utilisation};
    putc(',', out);
    csv_write_text(out, report->gpu);
    putc(',', out);
    csv_write_text(out, report->policy);
    putc(',', out);
    csv_write_text(out, app->name);
    fprintf(out, ",%s,%" PRId64 ",%s", report_role_name(app->role), report->reps,
            app->overloaded == REPORT_YES ? "yes" : "no");
    csv_write_more_doubles(out, numbers, CT_COUNT_OF(numbers));
    putc('\n', out);
}

static void csv_point(void *context, const struct shown_point *shown) {
    const struct csv_sheet *sheet = context;
    for (size_t r = 0; r < shown->set->runs.count; r++) {
        const struct report *report = &shown->set->runs.items[r].report;
        for (size_t a = 0; a < report->app_count; a++) {
            csv_values(sheet, shown);
            csv_row(sheet->out, report, &report->apps[a]);
        }
    }
}

static int print_csv(const struct sweep_job *job, FILE *out, struct ct_diags *diags) {
    struct ct_arena arena = {0};
    struct csv_sheet sheet = {.out = out};
    if (!collect_keys(&job->file, &arena, &sheet)) {
        ct_arena_free(&arena);
        return ct_out_of_memory(diags);
    }
    fputs("point", out);
    for (size_t i = 0; i < sheet.key_count; i++) {
        putc(',', out);
        csv_write_text(out, sheet.keys[i]);
    }
    fputs(",gpu_name,policy,app,role,reps,overloaded,qos_ms,mean_ms,p99_ms,p99_ms_low,p99_ms_high,"
          "p99_over_qos,late_fraction,throughput_per_s,normalised_progress,"
          "batch_throughput_normalised,stp,antt,fairness,sm_utilisation\n",
          out);
    int status = for_each_point(job, csv_point, &sheet, diags);
    ct_arena_free(&arena);
    return status;
}

/* ---- JSON: cotenant.comparison/1 with the point of each report and difference ---- */

struct json_sheet {
    struct json_writer json;
    bool differences;
};

static void json_point(void *context, const struct shown_point *shown) {
    struct json_sheet *sheet = context;
    struct result_comparison c = {0};
    struct report_point point = {shown->number, shown->point->values, shown->point->value_count};
    if (shown->set->comparisons.count)
        c = shown->set->comparisons.items[0];
    for (size_t r = 0; !sheet->differences && r < shown->set->runs.count; r++)
        report_json_report(&sheet->json, &shown->set->runs.items[r].report, &point);
    for (size_t d = 0; sheet->differences && d < c.difference_count; d++)
        report_json_difference(&sheet->json, &c.differences[d], &point);
}

static int print_json(const struct sweep_job *job, FILE *out, struct ct_diags *diags) {
    struct json_sheet sheet = {.json = json_writer_start(out, 2)};
    json_writer_begin_object(&sheet.json, NULL);
    json_writer_string(&sheet.json, "schema", REPORT_COMPARISON_SCHEMA);
    json_writer_string(&sheet.json, "sweep", job->file.name);
    json_writer_begin_array(&sheet.json, "reports");
    int status = for_each_point(job, json_point, &sheet, diags);
    json_writer_end_array(&sheet.json);
    json_writer_begin_array(&sheet.json, "comparisons");
    sheet.differences = true;
    if (status == CT_OK)
        status = for_each_point(job, json_point, &sheet, diags);
    json_writer_end_array(&sheet.json);
    json_writer_end_object(&sheet.json);
    return status;
}

int sweep_print(struct sweep_job *job, enum report_format format, FILE *out,
                struct ct_diags *diags) {
    if (format == REPORT_JSON)
        return print_json(job, out, diags);
    if (format == REPORT_CSV)
        return print_csv(job, out, diags);
    return print_text(job, format == REPORT_MARKDOWN, out, diags);
}
