/*
 * The experiments of a paper as data (workloads/papers/NAME.json): applications, suites of mixes
 * made of them, and items, each a published number beside the measure that stands for it here.
 */
#ifndef PAPER_FILE_H
#define PAPER_FILE_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"

enum {
    PAPER_MIX_MOST = 12,
    PAPER_LEVELS_MOST = 8,
    PAPER_VARIANT_MOST = 32,
    PAPER_COPIES_MOST = 64,
    /* Mixes of a suite; assumed to be more than anybody waits for. */
    PAPER_MIXES_MOST = 100000,
    /* Draws, queries and what else is counted. */
    PAPER_COUNT_MOST = 1000000
};

/* Measures: name, how files call it, the axis of a figure. Of every mix under a policy. */
/* clang-format off */
#define PAPER_OF_MIXES(X)                                                                          \
    X(FAIRNESS, "fairness", "fairness")                                                            \
    X(STP, "stp", "system throughput (STP)")                                                       \
    X(ANTT, "antt", "normalised turnaround (ANTT)")                                                \
    X(GOALS, "goals_met", "goals met") /* applications that meet their level, of all */            \
    /* ms, mean of the first runs; of all where none ends with its first */                        \
    X(TURNAROUND, "turnaround_ms", "turnaround, ms")                                               \
    X(HIGH_NP, "high_np", "progress of the high-priority application") /* normalised progress */   \
    /* |predicted - true| / true, mean over applications */                                        \
    X(NP_ERROR, "np_error", "error of predicted progress")                                         \
    X(P99, "p99_target", "p99 latency / target") /* over the target, of the service */             \
    X(BATCH_THROUGHPUT, "batch_throughput_normalised", "batch throughput / without services")      \
    X(BATCH_BUSY, "batch_busy_fraction", "part of the time with batch work")                       \
    X(QUOTA, "quota", "quota") /* part of the SMs that a query gets at first, median */            \
    /* the most that one gets whose quota is raised, median */                                     \
    X(QUOTA_RAISED_TO, "quota_raised_to", "quota_raised_to")                                       \
    X(QUOTA_RAISED, "quota_raised", "quota_raised") /* queries whose quota is raised, of all */    \
    /* |predicted - measured| / measured, mean over kernels that keep SMs */                       \
    X(COMPLETION_ERROR, "completion_error", "error of predicted kernel durations")                 \
    /* of the policy's models of queries, on held-out ones, mean */                                \
    X(QUERY_ERROR, "query_error", "error of predicted query durations")                            \
    X(P99_MS, "p99_ms", "p99 latency, ms") /* of the service */                                    \
    X(MEAN_TARGET, "mean_target", "mean latency / target") /* its mean latency over the target */  \
    X(SOLO_MS, "solo_ms", "mean latency alone, ms") /* a query of the service alone, mean */       \
    /* from the issue of a query's first kernel, over the target */                                \
    X(P99_FROM_KERNEL, "p99_from_kernel", "p99 from the first kernel / target")

/* Measures that belong to no mix; an axis is called as files call it. */
#define PAPER_OF_NO_MIX(X)                                                                         \
    X(DRAM_USE, "dram_use") /* at `row_hits` */                                                    \
    X(DRAM_GB_S, "dram_gb_s")                                                                      \
    X(ROW_HIT_SHIFT, "row_hit_shift") /* in company minus alone, mean absolute */                  \
    X(EQ5_ERROR, "eq5_error") /* of a pair on the bank-level model, mean absolute; */              \
    X(EQ5_BIAS, "eq5_bias") /* mean */                                                             \
    /* of a pair before one queue: bandwidths, first over second; first over what it offers */     \
    X(MEMORY_RATIO, "memory_ratio")                                                                \
    X(MEMORY_SERVED, "memory_served")                                                              \
    /* of a line by two drawn localities: deviation / mean; variance of shares of the peak */      \
    X(LINE_C1_SPREAD, "line_c1_spread")                                                            \
    X(LINE_C2_SPREAD, "line_c2_spread")                                                            \
    X(LINE_C1_VARIANCE, "line_c1_variance")                                                        \
    X(LINE_C2_VARIANCE, "line_c2_variance")                                                        \
    X(COPY_MB_S, "copy_mb_s") /* of one copy beside others on the host link */                     \
    X(PREDICTION, "prediction_error") /* on recorded durations, Baymax Eq. 6 */                    \
    /* of a cluster's co-locations: part with a p99 above 1.4 targets, above 1; p99 / target */    \
    X(CLUSTER_SEVERE, "cluster_severe")                                                            \
    X(CLUSTER_VIOLATED, "cluster_violated")                                                        \
    X(CLUSTER_WORST, "cluster_worst")                                                              \
    X(CLUSTER_BUSY, "cluster_busy")

#define PAPER_ENUMERATOR(name, ...) PAPER_##name,
enum paper_measure {
    PAPER_OF_MIXES(PAPER_ENUMERATOR) PAPER_RUN_MEASURES,
    PAPER_LAST_OF_MIXES = PAPER_RUN_MEASURES - 1,
    PAPER_OF_NO_MIX(PAPER_ENUMERATOR) PAPER_MEASURES
};
/* clang-format on */

/* How the values of a row's mixes become one number; `against` is the value of the same mix under
 * another policy. */
enum paper_reduction {
    PAPER_MEAN,
    PAPER_LEAST,
    PAPER_MOST,
    /* Part of the mixes whose value is `at_least` or more. */
    PAPER_SHARE,
    /* Part of the mixes whose value is above `at_least`. */
    PAPER_SHARE_OVER,
    /* Mean over the mixes whose value is above `at_least`. */
    PAPER_MEAN_OVER,
    /* Mean, and largest, of value / against - 1. */
    PAPER_GAIN,
    PAPER_GAIN_MOST,
    /* Mean, and largest, of 1 - value / against. */
    PAPER_SAVING,
    PAPER_SAVING_MOST,
    /* Largest of value / against. */
    PAPER_RATIO_MOST
};

/* Where an application is made up from counts: instructions per cycle and SM it reaches at most. */
struct paper_roofline {
    double instructions, mpki, ipc; /* thread instructions of all kernels; accesses of 128 bytes per
                                       1000 of them; warp instructions; NAN: no roofline */
    double kernels;
    double row_hits;  /* NAN: drawn */
    int fills_memory; /* alone, if it can issue as much: `ipc` is the least that it can */
};

/* A number that nobody published: each draw has its own, the same in all mixes. */
struct paper_range {
    const char *key; /* of the application in a workload: "duration_scale" */
    double low, high;
    bool logarithmic; /* else uniform */
};

struct paper_app {
    const char *name, *kind; /* kind: one letter, the paper's class */
    const char *text;        /* its object in a workload */
    double solo_ms;          /* NAN: unknown */
    struct paper_roofline roofline;
    const struct paper_range *ranges;
    uint32_t range_count;
};

/* One reading of what the paper leaves open: changes of the workload, as of `--set`. */
struct paper_variant {
    const char *name;
    const char *const *assignments;
    uint32_t count;
    uint32_t queries; /* instead of the suite's */
};

struct paper_suite {
    const char *name, *title, *note;
    const char *text; /* the workload without its applications, JSON */
    const struct paper_app *apps;
    uint32_t app_count, mix_size, mix_count; /* mix_count 0: all combinations, else drawn by seed */
    uint32_t draws;                /* of row hits and arrivals, as standard; 0: nothing is drawn */
    double hits_most, issue_width; /* of the draws; warp instructions per cycle and SM */
    double high_target;            /* np_target of the high-priority one; 0: none */
    const char *high_kind;         /* in mixes of two kinds; else drawn by seed */
    double gap; /* the second arrives after an exponential part of the shorter solo time; 0: none */
    uint32_t sequences;               /* of arrivals, over which latencies are averaged; 0: one */
    double levels[PAPER_LEVELS_MOST]; /* np_target of all, one after the other; none: as they are */
    uint32_t level_count;
    const char *service_kind; /* a mix is one application of this kind, and others; NULL: none */
    double load, target;      /* of the services: part of the GPU's time alone that Poisson arrivals
                                 take, and qos_ms over their p99 alone; 0: as in their objects, a
                                 target without a load is over the latency alone */
    uint32_t queries;         /* on average in a run; 0: the workload's duration */
    /* A closed service's run ends after so many queries; nothing runs alone beside it. */
    int quick;
    int first_runs;                       /* as in struct experiment */
    const struct paper_variant *variants; /* draw d has number d modulo their count */
    uint32_t variant_count;
};

/* A copy beside others that never end, all in one direction. */
struct paper_copy {
    const char *gpu;
    int pinned, others_pinned;
    uint32_t others;
};

/* Which error of which recordings: names of a trace, of enum predict_kind and accuracy_model. */
struct paper_prediction {
    const char *trace, *apps; /* apps: beginning of their names */
    const char *kind, *model;
    int long_only; /* samples above 2 ms */
};

struct paper_cluster {
    const char *file, *placement;
};

/* One of two applications that share the memory. */
struct paper_party {
    double streams, share; /* of its requests; of the queue's entries */
    double sms;            /* with 128 requests under way each (HSM Table 1) */
    double offered;        /* of the peak, if the memory answered at once */
};

struct paper_row {
    const char *what, *unit; /* unit "%": the value is shown times 100 */
    const char *suite, *policy, *against, *kinds;
    const char *apps;      /* the one mix: "imc+BFS"; NULL: all */
    const char *published; /* as text: "46 to 50", "all" */
    int32_t measure, reduction;
    double at_least, row_hits, reads;
    double level_least, level_most; /* of the suite's levels */
    int32_t streams;                /* of the memory's requests */
    int32_t queue, cap;             /* of its controller; cap 0: none */
    bool has_pair;
    struct paper_party pair[2];         /* of PAPER_EQ5_... and PAPER_MEMORY_... */
    struct paper_copy copy;             /* of PAPER_COPY_MB_S */
    struct paper_prediction prediction; /* of PAPER_PREDICTION */
    struct paper_cluster cluster;       /* of PAPER_CLUSTER_... */
};

struct paper_item {
    const char *id, *where, *verdict, *note;
    const struct paper_row *rows;
    size_t row_count;
};

/* A row as a part of its item. */
struct paper_line {
    const struct paper_item *item;
    const struct paper_row *row;
};

/* What a letter of applications stands for: "memory-bound". */
struct paper_kind {
    char letter;
    const char *name;
};

struct paper {
    struct json_t *document; /* has the texts */
    struct ct_arena arena;
    const char *name, *title, *missing; /* missing: items that are not rebuilt, in words */
    const struct paper_kind *kinds;     /* that have a name */
    size_t kind_count;
    const struct paper_suite *suites;
    size_t suite_count;
    const struct paper_item *items;
    size_t item_count;
};

/* How a measure is called in files, and on the axis of a figure. */
struct paper_measure_name {
    const char *name, *axis;
};
extern const struct paper_measure_name paper_measures[PAPER_MEASURES];

/* Reads workloads/papers/NAME.json. enum ct_status: CT_USAGE with the nearest name where there is
 * no such paper. Free in every case. */
int paper_read(const char *name, struct paper *paper, struct ct_diags *diags);
void paper_free(struct paper *paper);

/* NULL: no suite of this name. */
const struct paper_suite *paper_suite_find(const struct paper *paper, const char *name);

/* The workload of a mix, applications in the given order; in the arena, NULL without memory. */
const char *paper_mix_document(const struct paper_suite *suite, const uint32_t *apps,
                               uint32_t count, struct ct_arena *arena);

#endif
