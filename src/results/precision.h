/*
 * How many replications make the interval of every service's p99 as narrow as asked. What is
 * decided follows from finished replications alone, so the number of threads does not change it.
 */
#ifndef PRECISION_H
#define PRECISION_H

#include "results/report.h"

/* Half the width of the p99's interval over the p99; NAN without an interval. */
double precision_reached(const struct report_app *app);

/*
 * About how many replications beyond `replications` bring the half width to `wanted` times the p99,
 * if the spread stays as it is (it falls with the root of their number). 0: reached.
 * REPORT_UNKNOWN: no replication helps, the application is overloaded or has no jobs. Without an
 * interval: as many again.
 */
int64_t precision_more(const struct report_app *app, int64_t replications, double wanted);

/*
 * The number of replications to have next, for the services of these pooled reports: at most twice
 * as many as there are, and at most `most`. The same number: enough, or no more would help.
 */
uint32_t precision_next(const struct report *reports, size_t count, uint32_t replications,
                        uint32_t most, double wanted);

#endif
