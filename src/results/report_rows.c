#include "results/report_rows.h"

#include "results/report_fields.h"

#include <inttypes.h>
#include <stdio.h>

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
        if (!report_field_is_left_out(columns[i].field, record))
            row_column(&rows, &columns[i], record);
}

static void rows_of_sharing(struct rows rows, const struct report_sharing *sharing) {
    char measure[REPORT_FIELD_NAME];
    if (isnan(sharing->alone_ms))
        return;
    row_double(&rows, "sharing_ms_p99_" REPORT_ALONE, sharing->alone_ms);
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        snprintf(measure, sizeof measure, "sharing_ms_p99_%s", ct_blame_key(cause));
        row_double(&rows, measure, sharing->cause_ms[cause]);
    }
    for (size_t i = 0; i < sharing->by_count; i++) {
        snprintf(measure, sizeof measure, "sharing_by_%s",
                 sharing->by[i].app ? sharing->by[i].app : "");
        row_double(&rows, measure, sharing->by[i].ms);
    }
}

static void rows_of_app(struct rows rows, const struct report_app *app) {
    char measure[REPORT_FIELD_NAME];
    const struct report_level behind_name = {"app", report_of_app->fields + 1};
    rows.scope = behind_name.name;
    rows.name = app->name;
    rows_of(rows, &behind_name, app);
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        snprintf(measure, sizeof measure, "blame_ms_p99_%s", ct_blame_key(cause));
        row_double(&rows, measure, app->blame_ms_p99[cause]);
    }
    for (size_t i = 0; i < app->batches_count; i++) {
        snprintf(measure, sizeof measure, "batch_size_%" PRId64, app->batches[i].size);
        row_double(&rows, measure, (double)app->batches[i].count);
    }
    for (size_t i = 0; i < app->delayed_by_count; i++) {
        snprintf(measure, sizeof measure, "delayed_by_%s", app->delayed_by[i].app);
        row_double(&rows, measure, app->delayed_by[i].ms);
    }
    rows_of_sharing(rows, &app->sharing);
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
