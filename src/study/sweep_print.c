/* A stored sweep as text, JSON, CSV and Markdown. */
#include "base/ct_text.h"
#include "study/sweep_job.h"

#include "experiment/settings.h"
#include "format/doc_writer.h"
#include "results/report_bounds.h"
#include "results/report_json.h"
#include "results/result_sweep.h"

#include <inttypes.h>
#include <stdlib.h>
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
    for (uint64_t i = 0; i < job->finished && status == CT_OK; i++) {
        if (!job->numbers[i]) /* it failed */
            continue;
        struct ct_arena arena = {0};
        struct sweep_point point;
        struct result_set set = {0};
        status = sweep_point_make(&job->file, job->shuffle, i, &arena, &point)
                     ? result_point_read(job->cache.store, job->numbers[i], &set, diags)
                     : ct_out_of_memory(diags);
        if (status == CT_OK)
            show(context, &(const struct shown_point){job, i + 1, &point, &set});
        result_set_free(&set);
        ct_arena_free(&arena);
    }
    return status;
}

/* ---- The self-check: what must hold in every run, and which axes and settings change nothing ----
 */

/* What the points have shown. */
struct checks {
    struct ct_hash *results; /* hash of all that was measured at each point */
    uint64_t reports;
    const char *broken; /* the first check that does not hold; NULL: all hold */
    uint64_t broken_at; /* point, from 1 */
    bool lost;          /* memory ran out */
};

static bool checks_open(struct checks *checks, const struct sweep_job *job) {
    *checks = (struct checks){.results = calloc(job->file.points, sizeof *checks->results)};
    return checks->results;
}

/* Takes the reports of a point, numbered from 0. */
static void checks_add(struct checks *checks, uint64_t index, const struct result_set *set) {
    struct ct_hash hash = ct_hash_start();
    for (size_t r = 0; r < set->runs.count; r++) {
        const struct report *report = &set->runs.items[r].report;
        const char *broken = report_broken_check(&report->checks);
        char *text = settings_measured(report);
        checks->lost |= !text;
        ct_hash_string(&hash, text);
        free(text);
        checks->reports++;
        if (broken && !checks->broken) {
            checks->broken = broken;
            checks->broken_at = index + 1;
        }
    }
    checks->results[index] = hash;
}

/* Whether two points of a grid that differ in one axis alone, `stride` apart, ever differ. */
static bool axis_acts(const struct ct_hash *results, uint64_t points, uint64_t stride,
                      uint64_t values) {
    for (uint64_t i = 0; i + stride < points; i++)
        if (i / stride % values + 1 < values && (results[i].high != results[i + stride].high ||
                                                 results[i].low != results[i + stride].low))
            return true;
    return false;
}

/* Checks a grid, whose last axis is the fastest. A random design has no points that differ in one
 * axis alone. */
static void check_design(struct doc *doc, const struct sweep_design *design,
                         const struct ct_hash *results) {
    uint64_t stride = 1;
    if (design->random)
        return;
    for (size_t a = design->axis_count; a > 0; a--) {
        const struct sweep_axis *axis = &design->axes[a - 1];
        if (axis->value_count > 1 && !axis_acts(results, design->points, stride, axis->value_count))
            doc_item(doc, "the axis '%s' changes nothing at any point", axis->key);
        stride *= axis->value_count;
    }
}

/* Whether all these points are in the store: none failed, and nobody stopped the sweep. */
static bool is_there(const struct sweep_job *job, uint64_t first, uint64_t points) {
    for (uint64_t i = first; i < first + points; i++)
        if (i >= job->finished || !job->numbers[i])
            return false;
    return true;
}

/* Prints it, with what became of the settings under "set" (may be NULL). */
static void checks_print(struct doc *doc, const struct sweep_job *job, const struct checks *checks,
                         const char *settings) {
    uint64_t first = 0;
    if (checks->broken)
        doc_item(doc, "BROKEN at point %" PRIu64 ": %s", checks->broken_at, checks->broken);
    else
        doc_item(doc,
                 "conservation ok, Little's law ok, utilisation law ok in all %" PRIu64 " results",
                 checks->reports);
    for (size_t d = 0; d < job->file.design_count; d++) {
        const struct sweep_design *design = &job->file.designs[d];
        if (is_there(job, first, design->points))
            check_design(doc, design, checks->results + first);
        first += design->points;
    }
    if (settings)
        doc_item(doc, "%s", settings);
}

/* ---- Text ---- */

static bool sweep_is_whole(const struct sweep_job *job) {
    return job->finished == job->file.points;
}

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
    for (size_t i = 0; i < point->value_count; i++)
        ct_text_add(text, size, " ", "%s=%s", short_key(point, i), point->values[i].value);
}

/* A target of a service, or its latency without one. */
static void text_row(struct table *table, const char *label, const struct report *report,
                     const struct report_app *app, const struct report_target *target, bool first) {
    char number[DOC_NUMBER];
    bool ms = isnan(target->ms);
    doc_format_number(ms ? target->p99_ms : target->ratio, number);
    const char *p99 = report_target_p99(table, target, number);
    table_row(table, label, first ? report->policy : " ", report_target_name(table, app, target),
              ms && app->name ? table_words(table, "%s ms", p99) : p99,
              target->what ? NAN : 100 * app->late_fraction,
              first ? report->system.batch_throughput_normalised : NAN,
              first ? report_bound_mark(table, value_of_number(report->system.stp),
                                        report_bounds_of(report).stp)
                    : value_of_number(NAN));
}

/* The targets of an application; without any its latency is shown. */
static size_t targets_or_latency(const struct report_app *app,
                                 struct report_target targets[REPORT_TARGETS]) {
    size_t count = report_targets(app, targets);
    if (count)
        return count;
    targets[0] = (struct report_target){NULL, app->latency_ms.p99, NAN,
                                        NAN,  REPORT_UNKNOWN,      app->overloaded == REPORT_YES};
    return 1;
}

/* Longer labels stand below the table, which has their numbers: what a line of TABLE_LINE columns
 * has room for beside a policy and the other columns; a longer line has more. */
enum { LONGEST_LABEL = 28, LABEL_AND_POLICY = 36, LABEL_SIZE = 400 };

struct text_sheet {
    struct doc doc;
    struct table table;
    bool numbered, bounded; /* some STP is a bound */
    struct checks checks;
};

static void text_point(void *context, const struct shown_point *shown) {
    struct text_sheet *sheet = context;
    const struct report_app none = report_app_unknown();
    char label[LABEL_SIZE] = "";
    if (sheet->numbered)
        snprintf(label, sizeof label, "%" PRIu64, shown->number);
    else
        label_of(shown->point, label, sizeof label);
    checks_add(&sheet->checks, shown->number - 1, shown->set);
    for (size_t r = 0; r < shown->set->runs.count; r++) {
        const struct report *report = &shown->set->runs.items[r].report;
        bool first = true;
        sheet->bounded |= *report_bounds_of(report).stp;
        for (size_t a = 0; a <= report->app_count; a++) {
            const struct report_app *app = a < report->app_count ? &report->apps[a] : &none;
            if (app == &none ? !first : app->role != REPORT_SERVICE)
                continue;
            struct report_target targets[REPORT_TARGETS];
            size_t count = targets_or_latency(app, targets);
            for (size_t t = 0; t < count; t++, first = false)
                text_row(&sheet->table, r == 0 && first ? label : " ", report, app, &targets[t],
                         first);
        }
    }
}

/* The label of a point; false: it failed. */
static bool label_at(const struct sweep_job *job, uint64_t index, char label[LABEL_SIZE]) {
    struct ct_arena arena = {0};
    struct sweep_point point;
    bool made =
        job->numbers[index] && sweep_point_make(&job->file, job->shuffle, index, &arena, &point);
    *label = '\0';
    if (made)
        label_of(&point, label, LABEL_SIZE);
    ct_arena_free(&arena);
    return made;
}

/* Columns that labels may take: in Markdown those of a line of TABLE_LINE columns, wherever it is
 * read. */
static size_t room_for_labels(const struct sweep_job *job, bool markdown) {
    size_t longest = 0;
    for (size_t i = 0; i < job->file.policy_count; i++) {
        size_t length = strlen(job->file.policies[i]);
        longest = length > longest ? length : longest;
    }
    size_t more = markdown ? 0 : table_line_width() - TABLE_LINE, both = LABEL_AND_POLICY + more;
    size_t room = longest < both ? both - longest : 0;
    return room < LONGEST_LABEL + more ? room : LONGEST_LABEL + more;
}

static bool labels_fit(const struct sweep_job *job, bool markdown) {
    char label[LABEL_SIZE];
    size_t room = room_for_labels(job, markdown);
    for (uint64_t i = 0; i < job->finished; i++)
        if (label_at(job, i, label) && strlen(label) > room)
            return false;
    return true;
}

static int print_points(const struct sweep_job *job, struct text_sheet *sheet,
                        struct ct_diags *diags) {
    struct doc *doc = &sheet->doc;
    if (job->failures.count)
        doc_heading(doc, 1, "%s: %" PRIu64 " of %" PRIu64 " points; %zu failed", job->file.name,
                    sweep_job_stored(job), job->file.points, job->failures.count);
    else if (sweep_is_whole(job))
        doc_heading(doc, 1, "%s: %" PRIu64 " point%s", job->file.name, job->file.points,
                    job->file.points == 1 ? "" : "s");
    else
        doc_heading(doc, 1, "%s: stopped after %" PRIu64 " of %" PRIu64 " points", job->file.name,
                    job->finished, job->file.points);
    doc_text(doc, "%" PRId64 " replication%s of each point and policy.", job->file.reps,
             job->file.reps == 1 ? "" : "s");
    sheet->table = table_start("point | policy | service | p99/tgt:* | late %:* | batch:* | STP:*");
    int status = for_each_point(job, text_point, sheet, diags);
    doc_table(doc, &sheet->table);
    doc_text(doc, "p99/tgt: ! violates the target, > is a lower bound, ms where there is no "
                  "target; batch: work per second over that without the services; STP: sum of "
                  "progress.");
    if (sheet->bounded)
        doc_text(doc, REPORT_BOUNDS_LEGEND);
    for (uint64_t i = 0; sheet->numbered && i < job->finished; i++) {
        char label[LABEL_SIZE];
        if (label_at(job, i, label))
            doc_item(doc, "%" PRIu64 ": %s", i + 1, label);
    }
    if (sheet->numbered)
        doc_gap(doc);
    return status;
}

static int print_text(struct sweep_job *job, bool markdown, FILE *out, struct ct_diags *diags) {
    struct text_sheet sheet = {.doc = doc_start(out, markdown)};
    struct ct_arena arena = {0};
    const char *settings = NULL;
    sheet.numbered = !labels_fit(job, markdown);
    if (!checks_open(&sheet.checks, job))
        return ct_out_of_memory(diags);
    int status = print_points(job, &sheet, diags);
    if (status == CT_OK && sweep_is_whole(job)) /* who stopped it wants no more runs */
        status = sweep_job_settings(job, &arena, &settings, diags);
    if (status == CT_OK)
        checks_print(&sheet.doc, job, &sheet.checks, settings);
    if (status == CT_OK && sheet.checks.lost)
        status = ct_out_of_memory(diags);
    free(sheet.checks.results);
    ct_arena_free(&arena);
    int written = doc_finish(&sheet.doc);
    return status == CT_OK ? written : status;
}

/* ---- CSV: a row for each point, policy and application, the axes as columns ---- */

/* The number of the point, the axes of all designs, each once, and what was measured. */
struct csv_sheet {
    FILE *out;
    struct table table;
    size_t axes;
    struct value *values; /* of a row, and the end */
};

static bool is_column(const struct table_column *columns, size_t count, const char *key) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(columns[i].key, key) == 0)
            return true;
    return false;
}

static bool csv_start(const struct sweep_file *file, struct csv_sheet *sheet) {
    struct table *t = &sheet->table;
    *t = table_start("=point:0 | =gpu_name | =policy | =app | =role | =reps:0 | =overloaded | "
                     "=qos_ms:* | =mean_ms:* | =p99_ms:* | =p99_ms_low:* | =p99_ms_high:* | "
                     "=p99_over_qos:* | =late_fraction:* | =throughput_per_s:* | "
                     "=normalised_progress:* | =batch_throughput_normalised:* | =stp:* | =antt:* | "
                     "=fairness:* | =sm_utilisation:* | =dropped_fraction:* | =tokens_per_s:* | "
                     "=ttft_p99_ms:* | =ttft_p99_over_target:* | =tpot_p99_ms:* | "
                     "=tpot_p99_over_target:*");
    size_t most = t->column_count, count = 1;
    for (size_t d = 0; d < file->design_count; d++)
        most += file->designs[d].axis_count;
    struct table_column *columns = ct_arena_array(&t->heading, most, sizeof *columns);
    sheet->values = ct_arena_array(&t->heading, most + 1, sizeof *sheet->values);
    if (t->failed || !columns || !sheet->values)
        return false;
    columns[0] = t->columns[0];
    for (size_t d = 0; d < file->design_count; d++)
        for (size_t a = 0; a < file->designs[d].axis_count; a++) {
            const char *key = file->designs[d].axes[a].key;
            if (!is_column(columns + 1, count - 1, key))
                columns[count++] = (struct table_column){NULL, key, TABLE_WORDS};
        }
    sheet->axes = count - 1;
    memcpy(columns + count, t->columns + 1, (t->column_count - 1) * sizeof *columns);
    t->columns = columns;
    t->column_count += sheet->axes;
    return true;
}

static const char *value_at(const struct sweep_point *point, const char *key) {
    const char *text = NULL;
    for (size_t i = 0; i < point->value_count; i++)
        if (strcmp(point->values[i].key, key) == 0)
            text = point->values[i].value;
    return text;
}

static void add_values(struct csv_sheet *sheet, const struct value *values) {
    memcpy(sheet->values + 1 + sheet->axes, values,
           (sheet->table.column_count - sheet->axes) * sizeof *values);
    table_add(&sheet->table, sheet->values);
}

static void csv_row(struct csv_sheet *sheet, const struct report *r, const struct report_app *app) {
    const struct report_latency *ms = &app->latency_ms;
    const struct report_tokens *tokens = &app->tokens;
    add_values(sheet, VALUES(r->gpu, r->policy, app->name, report_role_name(app->role), r->reps,
                             (bool)(app->overloaded == REPORT_YES), app->qos_ms, ms->mean, ms->p99,
                             ms->p99_low, ms->p99_high, app->p99_over_qos, app->late_fraction,
                             app->throughput_per_s, app->normalised_progress,
                             r->system.batch_throughput_normalised, r->system.stp, r->system.antt,
                             r->system.fairness, r->system.sm_utilisation,
                             app->server.dropped_fraction, tokens->per_s, tokens->first_p99_ms,
                             tokens->first_p99_ms / tokens->first_target_ms, tokens->each_p99_ms,
                             tokens->each_p99_ms / tokens->each_target_ms));
}

static void csv_point(void *context, const struct shown_point *shown) {
    struct csv_sheet *sheet = context;
    struct table *table = &sheet->table;
    sheet->values[0] = value_of_integer((int64_t)shown->number);
    for (size_t c = 1; c <= sheet->axes; c++)
        sheet->values[c] = value_of_text(value_at(shown->point, table->columns[c].key));
    for (size_t r = 0; r < shown->set->runs.count; r++) {
        const struct report *report = &shown->set->runs.items[r].report;
        for (size_t a = 0; a < report->app_count; a++)
            csv_row(sheet, report, &report->apps[a]);
    }
    table_flush_csv(table, sheet->out);
}

static int print_csv(const struct sweep_job *job, FILE *out, struct ct_diags *diags) {
    struct csv_sheet sheet = {.out = out};
    int status = csv_start(&job->file, &sheet) ? CT_OK : ct_out_of_memory(diags);
    if (status == CT_OK) {
        table_flush_csv(&sheet.table, out);
        status = for_each_point(job, csv_point, &sheet, diags);
    }
    if (sheet.table.failed)
        status = ct_out_of_memory(diags);
    table_free(&sheet.table);
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
    json_writer_members(&sheet.json, "schema", REPORT_COMPARISON_SCHEMA, "sweep", job->file.name,
                        "points", job->file.points, "points_finished", sweep_job_stored(job),
                        "points_failed", job->failures.count);
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
