#include "format/csv_text.h"
#include "results/report_rows.h"

#include <inttypes.h>

/* Where rows go, and what starts each. */
struct csv_rows {
    FILE *out;
    const struct report *report;
};

static void write_row(void *context, const struct report_row *row) {
    const struct csv_rows *rows = context;
    const struct report *report = rows->report;
    csv_write_text(rows->out, report->workload);
    putc(',', rows->out);
    csv_write_text(rows->out, report->gpu);
    putc(',', rows->out);
    csv_write_text(rows->out, report->policy);
    fprintf(rows->out, ",%" PRId64 ",%" PRId64 ",%s,", report->seed, report->reps, row->scope);
    csv_write_text(rows->out, row->name);
    putc(',', rows->out);
    csv_write_text(rows->out, row->measure);
    putc(',', rows->out);
    if (row->text)
        csv_write_text(rows->out, row->text);
    else
        csv_write_double(rows->out, row->number);
    putc('\n', rows->out);
}

int report_write_csv(const struct report *reports, size_t count, FILE *out) {
    fputs("workload,gpu,policy,seed,reps,scope,name,measure,value\n", out);
    for (size_t i = 0; i < count; i++)
        report_rows(&reports[i], write_row, &(struct csv_rows){out, &reports[i]});
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
