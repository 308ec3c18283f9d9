/* A report as a list of measures, one at a time: what CSV writes line by line. */
#ifndef REPORT_ROWS_H
#define REPORT_ROWS_H

#include "results/report.h"

struct report_row {
    const char *scope;   /* "app", "system", "inputs", "engine", "checks", "device", "policy" */
    const char *name;    /* of the application; NULL: of no one */
    const char *measure; /* "latency_ms_p99" */
    const char *text;    /* NULL: it is a number */
    double number;       /* NAN: unknown, or a text */
};

/* Calls `row` for every measure; what it gets is valid until it returns. */
typedef void report_row_function(void *context, const struct report_row *row);
void report_rows(const struct report *report, report_row_function *row, void *context);

#endif
