/*
 * Numbers that hang on the length of the run, as the latencies of an overloaded service do: their
 * marks. "<": the number is an upper bound; ">": a lower one; "": it is none.
 */
#ifndef REPORT_BOUNDS_H
#define REPORT_BOUNDS_H

#include "format/table.h"
#include "results/report.h"

/* Its progress is latencies alone over latencies (of batch work: work over work), and these grow.
 */
bool report_latencies_bound_progress(const struct report_app *app);

const char *report_bound_of_latency(const struct report_app *app);
const char *report_bound_of_progress(const struct report_app *app);

/* Of measures of the whole; none is known where a service is overloaded even alone. */
struct report_bounds {
    const char *stp, *antt, *fairness;
};
struct report_bounds report_bounds_of(const struct report *report);

/* Below a table in which some are. */
#define REPORT_BOUNDS_LEGEND                                                                       \
    "Where a service is overloaded, measures of progress are bounds: < upper, > lower ones."

/* A number of a table with its mark, if it has one. */
struct value report_bound_mark(struct table *table, struct value value, const char *bound);

#endif
