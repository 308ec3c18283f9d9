#include "format/csv_text.h"
#include "results/report_band.h"
#include "results/report_fields.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* To whom the rows of one record go. */
struct rows {
    report_row_function *row;
    void *context;
    const char *scope, *name;
};

static void row_double(const struct rows *rows, const char *measure, double value) {
    rows->row(rows->context, &(struct report_row){rows->scope, rows->name, measure, NULL, value});
}

static void row_text(const struct rows *rows, const char *measure, const char *value) {
    rows->row(rows->context,
              &(struct report_row){rows->scope, rows->name, measure, value ? value : "", NAN});
}

/* Whole numbers as text: a double does not hold all of them. */
static void row_column(const struct rows *rows, const struct report_column *column,
                       const void *record) {
    struct value value = report_field_value(column->field, record, column->part);
    char text[24];
    if (value.kind == VALUE_TEXT) {
        row_text(rows, column->name, value.text);
    } else if (value.kind != VALUE_NUMBER) {
        snprintf(text, sizeof text, "%" PRId64, value.integer);
        row_text(rows, column->name, text);
    } else {
        row_double(rows, column->name, value.number);
    }
}

static void rows_of(struct rows rows, const struct report_level *level, const void *record) {
    const struct report_level alone[] = {*level, {0}};
    struct report_column columns[REPORT_COLUMNS_MOST];
    size_t count = report_columns(alone, columns);
    rows.scope = level->name;
    for (size_t i = 0; i < count; i++)
        if (!report_field_is_left_out(level->fields, columns[i].field, record))
            row_column(&rows, &columns[i], record);
}

static void row_named(const struct rows *rows, const char *of, const char *name, double value) {
    char measure[REPORT_FIELD_NAME];
    snprintf(measure, sizeof measure, "%s_%s", of, name);
    row_double(rows, measure, value);
}

static void rows_of_causes(const struct rows *rows, const char *of, const double *ms) {
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++)
        row_named(rows, of, ct_blame_key(cause), ms[cause]);
}

static void rows_of_delays(const struct rows *rows, const char *of, const struct report_delay *by,
                           size_t count) {
    for (size_t i = 0; i < count; i++)
        row_named(rows, of, by[i].app ? by[i].app : "", by[i].ms);
}

static void rows_of_app(struct rows rows, const struct report_app *app) {
    char size[24];
    const struct report_sharing *sharing = &app->sharing;
    const struct report_level behind_name = {"app", report_of_app->fields + 1};
    rows.scope = behind_name.name;
    rows.name = app->name;
    rows_of(rows, &behind_name, app);
    rows_of_causes(&rows, "blame_ms_p99", app->blame_ms_p99);
    for (size_t i = 0; i < app->batches_count; i++) {
        snprintf(size, sizeof size, "%" PRId64, app->batches[i].size);
        row_named(&rows, "batch_size", size, (double)app->batches[i].count);
    }
    rows_of_delays(&rows, "delayed_by", app->delayed_by, app->delayed_by_count);
    if (isnan(sharing->alone_ms))
        return;
    row_named(&rows, "sharing_ms_p99", REPORT_ALONE, sharing->alone_ms);
    rows_of_causes(&rows, "sharing_ms_p99", sharing->cause_ms);
    rows_of_delays(&rows, "sharing_by", sharing->by, sharing->by_count);
}

void report_rows(const struct report *report, report_row_function *row, void *context) {
    struct rows rows = {row, context, NULL, NULL};
    for (size_t i = 0; i < report->app_count; i++)
        rows_of_app(rows, &report->apps[i]);
    for (const struct report_level *level = report_sections; level->fields; level++)
        rows_of(rows, level, report);
    rows.scope = "checks";
    if (report->oracle == REPORT_YES)
        row_text(&rows, "oracle", "yes");
    rows.scope = "device";
    for (size_t i = 0; i < report->device_count; i++)
        row_text(&rows, report->device[i].key, report->device[i].value);
    rows.scope = "policy";
    for (size_t i = 0; i < report->policy_counter_count; i++)
        row_double(&rows, report->policy_counters[i].key, report->policy_counters[i].value);
}

/* ---- As CSV ---- */

/* Where rows go, and what starts each. */
struct csv {
    FILE *out;
    const struct report *report;
};

static void write_row(void *context, const struct report_row *row) {
    const struct csv *csv = context;
    const struct report *report = csv->report;
    csv_write_cells(csv->out, report->workload, report->gpu, report->policy, report->seed,
                    report->reps, row->scope, row->name, row->measure,
                    row->text ? value_of_text(row->text) : value_of_number(row->number));
    putc('\n', csv->out);
}

int report_write_csv(const struct report *reports, size_t count, FILE *out) {
    fputs("workload,gpu,policy,seed,reps,scope,name,measure,value\n", out);
    for (size_t i = 0; i < count; i++)
        report_rows(&reports[i], write_row, &(struct csv){out, &reports[i]});
    return ferror(out) ? CT_DATA : CT_OK;
}

/* Columns for each policy of a row: where its measure lies over draws of what nobody knows (low,
 * high), and in which part of the draws it is the best policy. */
enum { BAND_COLUMNS = 3 };
static const char band_header[] = "band_low_a,band_high_a,best_a,band_low_b,band_high_b,best_b";

static void add_band(const struct report_comparison *comparison, const char *policy,
                     const struct report_difference *difference, struct value *row) {
    for (size_t i = 0; i < comparison->report_count; i++) {
        const struct report *report = &comparison->reports[i];
        if (strcmp(report->policy, policy) != 0)
            continue;
        struct report_range range = report_band_of(report, difference->measure, difference->app);
        row[0] = value_of_number(range.low);
        row[1] = value_of_number(range.high);
        row[2] = value_of_number(report->system.band.best);
    }
}

static void write_difference(FILE *out, const struct report_column *columns, size_t count,
                             const struct report_comparison *comparison,
                             const struct report_difference *difference) {
    struct value row[REPORT_COLUMNS_MOST + 2 * BAND_COLUMNS + 1] = {VALUE_NONE};
    for (size_t i = 0; i < count; i++)
        row[i] = report_field_value(columns[i].field, difference, columns[i].part);
    for (size_t i = count; i < count + 2 * BAND_COLUMNS; i++)
        row[i] = value_of_number(NAN);
    add_band(comparison, difference->policy_a, difference, row + count);
    add_band(comparison, difference->policy_b, difference, row + count + BAND_COLUMNS);
    csv_write_values(out, row);
    putc('\n', out);
}

int report_write_comparison_csv(const struct report_comparison *comparison, FILE *out) {
    struct report_column columns[REPORT_COLUMNS_MOST];
    size_t count = report_columns(report_of_difference, columns);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s,", columns[i].name);
    fprintf(out, "%s\n", band_header);
    for (size_t i = 0; i < comparison->difference_count; i++)
        write_difference(out, columns, count, comparison, &comparison->differences[i]);
    return ferror(out) ? CT_DATA : CT_OK;
}
