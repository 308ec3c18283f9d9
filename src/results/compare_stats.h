/*
 * Paired comparison of policies under common random numbers: every policy runs the same
 * replications, so the difference of two policies is taken per replication, and the paired t
 * interval and test apply (Law, Simulation Modeling and Analysis, section 10.2). p values of all
 * pairs and measures together are corrected by Holm's step-down method (Holm, Scandinavian Journal
 * of Statistics 6, 1979), so that one wrong "better" or "worse" in the whole table has a
 * probability of at most 5 %. The price grows with the number of pairs; whoever asks only how
 * policies differ from one of them names it as the baseline.
 */
#ifndef COMPARE_STATS_H
#define COMPARE_STATS_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "results/report.h"

/* What policies are compared by, in the order of a comparison. */
struct compare_measure {
    const char *name;  /* as JSON and CSV call it */
    const char *title; /* as the text calls it */
    bool larger_is_better, per_app;
    bool is_latency; /* of an overloaded application it is a lower bound */
    size_t offset;   /* of a double, in struct report_app or in struct report_system */
};
extern const struct compare_measure compare_measures[]; /* NULL as name ends it */

/* Student's paired comparison of b with a. */
struct compare_paired {
    size_t pairs; /* replications of which both values are known */
    double mean_a, mean_b;
    double difference;             /* mean of b - a; NAN without pairs */
    double deviation;              /* standard deviation of the differences; NAN below two pairs */
    double ci95_low, ci95_high, p; /* NAN below two pairs */
};

/*
 * values[i] of a and b come from the same replication; pairs with a NAN are left out. Differences
 * that are all the same have an interval of no width: p is 0, or 1 when the difference is 0.
 */
struct compare_paired compare_paired_test(const double *a, const double *b, size_t count);

/* Holm's adjusted p values, in place of the order of `p`; NAN stays NAN and does not count. False:
 * out of memory. */
bool compare_holm(const double *p, size_t count, double *adjusted);

/*
 * About how many replications beyond `pairs` would make the two-sided paired test of this
 * difference and deviation significant at `level`, if both stay as they are: the least n with t(1 -
 * level / 2, n - 1) s / sqrt(n) < |d|. 0 when it is already. REPORT_UNKNOWN when d is 0, unknown,
 * or n would exceed 10^6.
 */
int64_t compare_more_replications(double difference, double deviation, size_t pairs, double level);

#define COMPARE_ALL_PAIRS SIZE_MAX

/*
 * All pairs of `policies`, or `baseline` with each of the others, all measures.
 * `replications[policy * count + r]` is the report of replication r of a policy; every report has
 * the same applications in the same order. Measures that no replication knows are left out.
 * Latencies of an overloaded application are lower bounds: a verdict stands only where it is
 * against the overloaded side. 'More replications' counts with the level that Holm leaves to a row
 * while the other open ones stay open. The pairs with the first policy come first. The result lies
 * in the arena. enum ct_status: CT_DATA when memory ran out.
 */
int compare_policies(const struct report *replications, size_t policies, size_t count,
                     size_t baseline, struct ct_arena *arena,
                     const struct report_difference **differences, size_t *difference_count,
                     struct ct_diags *diags);

#endif
