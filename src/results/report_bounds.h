/*
 * Numbers that hang on the length of the run, as the latencies of an overloaded service do: their
 * marks. "<": the number is an upper bound; ">": a lower one; "": it is none. And targets in a row
 * of a table, whose the words are then, or in a sentence.
 */
#ifndef REPORT_BOUNDS_H
#define REPORT_BOUNDS_H

#include "format/doc_writer.h"
#include "results/report.h"

/* Whether an application's progress is but a bound because its latencies grow: progress is
 * latencies alone over latencies (of batch work: work over work). */
bool report_latencies_bound_progress(const struct report_app *app);

const char *report_bound_of_latency(const struct report_app *app);
const char *report_bound_of_progress(const struct report_app *app);

/* Why the latencies of one that does not queue up are bounds: "a job had not ended when the run
 * did".
 */
const char *report_cut_words(const struct report_app *app);

/* Which measures of the whole are bounds, as their marks; none is known where a service is
 * overloaded even alone. */
struct report_bounds {
    const char *stp, *antt, *fairness;
    bool any; /* a service is overloaded: what is not marked is no number that can be relied on */
};
struct report_bounds report_bounds_of(const struct report *report);

/* Below a table in which some are. */
#define REPORT_BOUNDS_LEGEND                                                                       \
    "Where a service is overloaded, measures of progress are bounds: < upper, > lower ones."

/* A number of a table with its mark, if it has one. */
struct value report_bound_mark(struct table *table, struct value value, const char *bound);

/* Whose it is: "chat", or "chat TTFT". */
const char *report_target_name(struct table *table, const struct report_app *app,
                               const struct report_target *target);

/* A p99, or its ratio to the target, with its marks: "1.32!" violates the target, ">9.81!" is a
 * lower bound besides. */
const char *report_target_p99(struct table *table, const struct report_target *target,
                              const char *number);

/* How many requests were dropped, here or at a stage before, where they are so many that no target
 * is kept; NULL: they are not. */
const char *report_target_dropped(struct doc *doc, const struct report_app *app);

/* Whether a target is kept, and by how much, with what was dropped and is late: "met imc: p99 of
 * 8.1 ms is 0.81 of its target of 10 ms; 0 % of its jobs are late". */
const char *report_target_verdict(struct doc *doc, const struct report_app *app,
                                  const struct report_target *target);

#endif
