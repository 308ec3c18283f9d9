#include "format/csv_text.h"
#include "results/report_fields.h"
#include "results/report_rows.h"

/* Where rows go, and what starts each. */
struct csv_rows {
    FILE *out;
    const struct report *report;
};

static void write_row(void *context, const struct report_row *row) {
    const struct csv_rows *rows = context;
    const struct report *report = rows->report;
    csv_write_cells(rows->out, report->workload, report->gpu, report->policy, report->seed,
                    report->reps, row->scope, row->name, row->measure,
                    row->text ? value_of_text(row->text) : value_of_number(row->number));
    putc('\n', rows->out);
}

int report_write_csv(const struct report *reports, size_t count, FILE *out) {
    fputs("workload,gpu,policy,seed,reps,scope,name,measure,value\n", out);
    for (size_t i = 0; i < count; i++)
        report_rows(&reports[i], write_row, &(struct csv_rows){out, &reports[i]});
    return ferror(out) ? CT_DATA : CT_OK;
}

static void write_difference(FILE *out, const struct report_column *columns, size_t count,
                             const struct report_difference *difference) {
    struct value row[REPORT_COLUMNS_MOST + 1] = {VALUE_NONE};
    for (size_t i = 0; i < count; i++)
        row[i] = report_field_value(columns[i].field, difference, columns[i].part);
    csv_write_values(out, row);
    putc('\n', out);
}

int report_write_comparison_csv(const struct report_comparison *comparison, FILE *out) {
    struct report_column columns[REPORT_COLUMNS_MOST];
    size_t count = report_columns(report_of_difference, columns);
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%s%c", columns[i].name, i + 1 < count ? ',' : '\n');
    for (size_t i = 0; i < comparison->difference_count; i++)
        write_difference(out, columns, count, &comparison->differences[i]);
    return ferror(out) ? CT_DATA : CT_OK;
}
