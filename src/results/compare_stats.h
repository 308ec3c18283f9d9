/*
 * Paired comparison of policies under common random numbers: every policy runs the same
 * replications, so the difference of two policies is taken per replication, and the paired t
 * interval and test apply (Law, Simulation Modeling and Analysis, section 10.2). A table
 * of m such tests has simultaneous intervals, each at 1 - 5 % / m (Bonferroni; Law, section 10.4):
 * with 95 % all of them hold, and a verdict is given where 0 lies outside. The price grows with the
 * number of tests, which are the pairs and measures that were asked for. Holm's step-down p values
 * (Scandinavian Journal of Statistics 6, 1979) are kept beside them; no simultaneous intervals
 * belong to these.
 *
 * Differences of shares lie within -1 and 1, and so do their intervals: by the score method
 * (Wilson, Journal of the American Statistical Association 22, 1927) for a quantity of variance
 * proportional to 1 - d^2, the most that one on [-1, 1] with mean d can have, scaled to the spread
 * that was seen. Where few are late the variance also grows with the share: to the side where it
 * does, the score interval takes the variance m (1 - m) of the level m that belongs to the
 * difference (Wedderburn, Biometrika 61, 1974), and is never shorter than Student's.
 */
#ifndef COMPARE_STATS_H
#define COMPARE_STATS_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "results/report.h"

/* What a longer run may say instead of a value: more, less. */
struct compare_bound {
    bool may_rise, may_fall;
};

/* What policies are compared by, in the order of a comparison. */
struct compare_measure {
    const char *name;  /* as JSON and CSV call it */
    const char *title; /* as the text calls it, in per cent where it says so */
    bool larger_is_better, per_app;
    /* Which bound the measure is in a report of one replication (of the whole: with any
     * application); NULL: it is never one. */
    struct compare_bound (*bound)(const struct report *report, size_t app);
    bool is_share; /* between 0 and 1: a part of the jobs or of the goals, or fairness */
    bool headline; /* a target, or how much work is done */
    size_t offset; /* of a double, in struct report_app or in struct report_system */
    size_t error;  /* of a quantile: of its struct report_error; 0: it is none */
    size_t target; /* of a headline's latency: of its target's double; 0: it has none */
};
extern const struct compare_measure compare_measures[]; /* NULL as name ends it */

/* Student's paired comparison of b with a. */
struct compare_paired {
    size_t pairs;          /* replications of which both values are known; of a quantile, groups */
    double mean_a, mean_b; /* of a quantile: of all jobs */
    double difference;     /* mean_b - mean_a; NAN without pairs */
    double deviation;      /* standard deviation of the differences; NAN below two pairs */
    double rise; /* of a share: how the variance grows with the difference, as part of it; or 0 */
    double ci95_low, ci95_high, p; /* NAN below two pairs */
};

/*
 * values[i] of a and b come from the same replication; pairs with a NAN are left out. Differences
 * that are all the same have an interval of no width: p is 0, or 1 when the difference is 0.
 */
struct compare_paired compare_paired_test(const double *a, const double *b, size_t count,
                                          bool shares);

/* The interval of compare_paired_test at 1 - level instead of 95 %. */
void compare_interval(const struct compare_paired *test, double level, bool shares, double *low,
                      double *high);

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

/* What is compared. */
struct compare_choice {
    size_t baseline; /* the policy that each of the others is compared with; COMPARE_ALL_PAIRS */
    bool headlines; /* only the measures that say whether targets are met and how much work is done:
                       latencies of applications without a target are left out, too */
};

/* What is compared with what: `replications[policy * count + r]` is the report of replication r of
 * a policy, `pooled[policy]` that of all. Every report has the same applications in the same order.
 */
struct compare_runs {
    const struct report *pooled, *replications;
    size_t policies, count;
};

/*
 * All pairs of policies, or the baseline with each of the others, by the measures chosen. Measures
 * that no replication knows are left out; of the system's, one that some do not know has no
 * difference. That of two p99s is of all jobs, and its spread that of the two intervals of them;
 * without these it has no test. Latencies of an overloaded application are lower bounds: a verdict
 * stands only where it is against the overloaded side. 'More replications' counts with the level of
 * the simultaneous intervals. A difference that is 0 in every replication is not a test and costs
 * no level. The pairs with the first policy come first. The result lies in the arena. enum
 * ct_status: CT_DATA when memory ran out.
 */
int compare_policies(const struct compare_runs *runs, const struct compare_choice *choice,
                     struct ct_arena *arena, const struct report_difference **differences,
                     size_t *difference_count, struct ct_diags *diags);

#endif
