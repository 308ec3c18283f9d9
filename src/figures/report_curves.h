/* What the figures and the page draw of stored jobs and samples, as points, and where runs ran: a
 * workload on a GPU, named as far as the runs differ in it. */
#ifndef REPORT_CURVES_H
#define REPORT_CURVES_H

#include "base/ct_vec.h"
#include "results/result_apart.h"

/* Latencies in ms, of one run or of several; those of jobs that have not ended are their ages,
 * lower bounds, as in the report. Zero-initialise; free with ct_vec_free. */
struct report_latencies {
    CT_VEC(double);
    size_t unfinished;
};

/* Appends those of an application's jobs that arrived while the run was measured. False when memory
 * ran out. */
bool report_latencies_add(const struct result_run *run, const char *app,
                          struct report_latencies *latencies);

struct report_latency_point {
    double ms, share; /* of the jobs that took longer */
};

/* Zero-initialise; free with ct_vec_free. */
struct report_latency_curve {
    CT_VEC(struct report_latency_point);
};

/*
 * Sorts the latencies and makes a curve of them: where it moves by less than a two-hundredth of a
 * decade of the tail, points are left out. False when memory ran out.
 */
bool report_latencies_curve(struct report_latencies *latencies, struct report_latency_curve *curve);

/* As many bins as a figure can show. */
enum { REPORT_BINS = 300 };

/*
 * A stored curve's mean in each bin from 0 to `end_ps`: it holds its value until its next sample
 * and is at 0 before the first. `app` as in struct result_sample. `bins` are zeroed by the caller;
 * false when there is no such curve.
 */
bool report_sample_bins(const struct result_run *run, const char *name, int64_t app, double end_ps,
                        double bins[REPORT_BINS]);

/* What all runs have in common; NULL: they differ in it, or there are none. Zero-initialise. */
struct report_places {
    size_t count;
    const char *workload, *gpu;
};

void report_places_add(struct report_places *places, const struct report *report);

/* What tells this one's place from the others': "", "mix", "v100" or "mix on v100". NULL when
 * memory ran out. */
const char *report_place_name(const struct report_places *places, const struct report *report,
                              struct ct_arena *arena);

/* Names with what tells apart those that are alike: settings that not all of them have, then, as
 * after an edit of the workload, "1 of 2". False when memory ran out. */
bool report_names_apart(const struct result_named *named, size_t count, struct ct_arena *arena,
                        const char **names);

/* Whether both are of the same workload on the same GPU, whatever was set. */
bool report_same_place(const struct report *a, const struct report *b);

/* The first report that was run alike, but for the policy, of each. False when memory ran out. */
bool report_list_settings(const struct report *const *reports, size_t count, struct ct_arena *arena,
                          size_t *firsts);

/* The trade-off of system throughput against late jobs: `a` is at least as good in both and better
 * in one. That says something of reports of the same setting alone. */
bool report_dominates(const struct report *a, const struct report *b);

#endif
