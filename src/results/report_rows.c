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
static void row_integer(const struct rows *rows, const char *measure,
                        const struct report_field *field, int64_t value) {
    char text[24] = "";
    if (field->kind == REPORT_FIELD_ROLE) {
        row_text(rows, measure, report_role_name(value));
        return;
    }
    if (value != REPORT_UNKNOWN)
        snprintf(text, sizeof text, "%" PRId64, value);
    row_text(rows, measure, text);
}

static void row_field(const struct rows *rows, const struct report_field *field,
                      const void *record) {
    char name[REPORT_FIELD_NAME];
    report_field_column(field, "", name);
    if (field->kind == REPORT_FIELD_INTERVAL) {
        report_field_column(field, "_low", name);
        row_double(rows, name, report_field_double(field, record, 0));
        report_field_column(field, "_high", name);
        row_double(rows, name, report_field_double(field, record, 1));
    } else if (field->kind == REPORT_FIELD_TEXT) {
        row_text(rows, name, report_field_text(field, record));
    } else if (report_field_is_integer(field)) {
        row_integer(rows, name, field, report_field_integer(field, record));
    } else if (field->kind != REPORT_FIELD_OPTIONAL ||
               !isnan(report_field_double(field, record, 0))) {
        row_double(rows, name, report_field_double(field, record, 0));
    }
}

static void rows_of(struct rows rows, const char *scope, const char *name,
                    const struct report_field *fields, const void *record) {
    rows.scope = scope;
    rows.name = name;
    for (const struct report_field *field = fields; field->path; field++)
        row_field(&rows, field, record);
}

static void rows_of_app(struct rows rows, const struct report_app *app) {
    char measure[REPORT_FIELD_NAME];
    rows.scope = "app";
    rows.name = app->name;
    rows_of(rows, "app", app->name, report_app_fields + 1, app); /* the first is the name */
    for (int cause = 0; cause < CT_BLAME_COUNT; cause++) {
        snprintf(measure, sizeof measure, "blame_ms_p99_%s", ct_blame_key(cause));
        row_double(&rows, measure, app->blame_ms_p99[cause]);
    }
    for (size_t i = 0; i < app->delayed_by_count; i++) {
        snprintf(measure, sizeof measure, "delayed_by_%s", app->delayed_by[i].app);
        row_double(&rows, measure, app->delayed_by[i].ms);
    }
}

void report_rows(const struct report *report, report_row_function *row, void *context) {
    struct rows rows = {row, context, NULL, NULL};
    for (size_t i = 0; i < report->app_count; i++)
        rows_of_app(rows, &report->apps[i]);
    rows_of(rows, "system", NULL, report_system_fields, report);
    rows_of(rows, "inputs", NULL, report_input_fields, report);
    rows_of(rows, "engine", NULL, report_engine_fields, report);
    rows_of(rows, "checks", NULL, report_check_fields, report);
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
