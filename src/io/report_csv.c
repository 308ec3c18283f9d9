#include "csv_text.h"
#include "report_fields.h"

#include <inttypes.h>

/* What starts every row of one record. */
struct csv_rows {
    FILE *out;
    const struct report *report;
    const char *scope, *name;
};

static void begin_row(const struct csv_rows *rows, const char *measure) {
    const struct report *report = rows->report;
    csv_write_text(rows->out, report->workload);
    putc(',', rows->out);
    csv_write_text(rows->out, report->gpu);
    putc(',', rows->out);
    csv_write_text(rows->out, report->policy);
    fprintf(rows->out, ",%" PRId64 ",%" PRId64 ",%s,", report->seed, report->reps, rows->scope);
    csv_write_text(rows->out, rows->name);
    putc(',', rows->out);
    csv_write_text(rows->out, measure);
    putc(',', rows->out);
}

static void row_double(const struct csv_rows *rows, const char *measure, double value) {
    begin_row(rows, measure);
    csv_write_double(rows->out, value);
    putc('\n', rows->out);
}

static void row_text(const struct csv_rows *rows, const char *measure, const char *value) {
    begin_row(rows, measure);
    csv_write_text(rows->out, value);
    putc('\n', rows->out);
}

static void row_integer(const struct csv_rows *rows, const char *measure,
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

static void row_field(const struct csv_rows *rows, const struct report_field *field,
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

static void rows_of(FILE *out, const struct report *report, const char *scope, const char *name,
                    const struct report_field *fields, const void *record) {
    const struct csv_rows rows = {out, report, scope, name};
    for (const struct report_field *field = fields; field->path; field++)
        row_field(&rows, field, record);
}

static void rows_of_app(FILE *out, const struct report *report, const struct report_app *app) {
    const struct csv_rows rows = {out, report, "app", app->name};
    char measure[REPORT_FIELD_NAME];
    rows_of(out, report, "app", app->name, report_app_fields + 1, app); /* the first is the name */
    for (int cause = 0; cause < REPORT_BLAME_COUNT; cause++) {
        snprintf(measure, sizeof measure, "blame_ms_p99_%s", report_blame_name(cause));
        row_double(&rows, measure, app->blame_ms_p99[cause]);
    }
    for (size_t i = 0; i < app->delayed_by_count; i++) {
        snprintf(measure, sizeof measure, "delayed_by_%s", app->delayed_by[i].app);
        row_double(&rows, measure, app->delayed_by[i].ms);
    }
}

static void rows_of_report(FILE *out, const struct report *report) {
    for (size_t i = 0; i < report->app_count; i++)
        rows_of_app(out, report, &report->apps[i]);
    rows_of(out, report, "system", NULL, report_system_fields, report);
    rows_of(out, report, "inputs", NULL, report_input_fields, report);
    rows_of(out, report, "engine", NULL, report_engine_fields, report);
    rows_of(out, report, "checks", NULL, report_check_fields, report);
    if (report->oracle == REPORT_YES)
        row_text(&(const struct csv_rows){out, report, "checks", NULL}, "oracle", "yes");
    const struct csv_rows device = {out, report, "device", NULL};
    for (size_t i = 0; i < report->device_count; i++)
        row_text(&device, report->device[i].key, report->device[i].value);
    const struct csv_rows policy = {out, report, "policy", NULL};
    for (size_t i = 0; i < report->policy_counter_count; i++)
        row_double(&policy, report->policy_counters[i].key, report->policy_counters[i].value);
}

int report_write_csv(const struct report *reports, size_t count, FILE *out) {
    fputs("workload,gpu,policy,seed,reps,scope,name,measure,value\n", out);
    for (size_t i = 0; i < count; i++)
        rows_of_report(out, &reports[i]);
    return ferror(out) ? CT_DATA : CT_OK;
}

static void write_difference(FILE *out, const struct report_difference *d) {
    const double numbers[] = {d->mean_a,    d->mean_b, d->difference, d->ci95_low,
                              d->ci95_high, d->p,      d->p_holm};
    csv_write_text(out, d->measure);
    putc(',', out);
    csv_write_text(out, d->app);
    putc(',', out);
    csv_write_text(out, d->policy_a);
    putc(',', out);
    csv_write_text(out, d->policy_b);
    csv_write_more_doubles(out, numbers, CT_COUNT_OF(numbers));
    fprintf(out, ",%s,", report_verdict_name(d->verdict));
    if (d->more_reps != REPORT_UNKNOWN)
        fprintf(out, "%" PRId64, d->more_reps);
    putc('\n', out);
}

int report_write_comparison_csv(const struct report_comparison *comparison, FILE *out) {
    fputs("measure,app,policy_a,policy_b,mean_a,mean_b,difference,ci95_low,ci95_high,p,p_holm,"
          "verdict,more_reps\n",
          out);
    for (size_t i = 0; i < comparison->difference_count; i++)
        write_difference(out, &comparison->differences[i]);
    return ferror(out) ? CT_DATA : CT_OK;
}
