#include "format/csv_text.h"
#include "results/report_band.h"
#include "results/report_fields.h"
#include "results/report_rows.h"

#include <math.h>
#include <string.h>

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
