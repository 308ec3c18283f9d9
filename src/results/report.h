/*
 * A report as plain records, and its writers. The records mirror the report JSON (schema
 * cotenant.report/1): one struct per level, units in the names.
 *
 * Unknown numbers are NAN (counts: REPORT_UNKNOWN): null in JSON, "-" in text, empty in CSV.
 * Strings and arrays belong to whoever fills a report (usually an arena); writers keep nothing.
 * Writers need no order of applications and print them as they come; the same records give the same
 * bytes.
 */
#ifndef REPORT_H
#define REPORT_H

#include "base/ct_blame.h"
#include "base/ct_provenance.h"
#include "base/ct_types.h"

#include <stdio.h>

#define REPORT_SCHEMA "cotenant.report/1"
#define REPORT_COMPARISON_SCHEMA "cotenant.comparison/1"

/* A count that is not known. */
#define REPORT_UNKNOWN (-1)

/* Asserted to be as enum ct_role. */
enum report_role { REPORT_SERVICE, REPORT_BATCH };
enum report_truth { REPORT_NO, REPORT_YES, REPORT_OPEN = REPORT_UNKNOWN };

/* How far chance moves an estimate, by the spread of groups of jobs; kept in no store. */
struct report_error {
    double deviation;
    int64_t groups; /* 0: unknown */
};

struct report_latency {
    double mean, p50, p90, p95, p99, max;
    double mean_low, mean_high; /* 95 % intervals from replications or batches of a run; NAN: too */
    double p99_low, p99_high;   /* short for one, or overloaded */
    struct report_error p99_error;
};

/* Time that another application cost the jobs of the slowest 1 %, mean per job. */
struct report_delay {
    const char *app;
    double ms;
};

/* Where a number lies over draws of what nobody knows (experiment/bands.h): the least and the most;
 * of 20 draws and more without the twentieth at either end. NAN: nothing was drawn. */
struct report_range {
    double low, high;
    double none; /* in the same replication, with what is unknown as none */
};

/* The ranges of an application's numbers over draws of the unknown memory demand. */
struct report_app_band {
    struct report_range p99_ms; /* of an overloaded application: of lower bounds */
    struct report_range normalised_progress;
    double qos_met; /* part of the draws in which the p99 is known to keep its target */
};

/* What kernels of an application ask of the memory: those of a class whose launches fill the GPU
 * ("full") or do not ("partial"), and whose demand came to be known in one way. */
struct report_kernels {
    const char *class, *launch, *source;
    const char *units_source; /* NULL in stores of before */
    double time_fraction;     /* of the application's kernel time, alone */
    double dram_fraction;     /* of the peak bandwidth, alone, mean by time; NAN: unknown */
    double unit_fraction;     /* of the busiest units, in the same way */
};

/* What an application with a server shows on top: its jobs are requests. */
struct report_server {
    double goodput_per_s; /* requests that ended, not late */
    double dropped_fraction;
    int64_t requests;     /* that came to the first stage of its pipeline, or to itself */
    double lost_fraction; /* of these, dropped by it or by a stage before it */
    int64_t dropped_queue, dropped_limit, dropped_timeout;
    int64_t batches;
    double batch_mean; /* requests of a batch */
    double queue_ms;   /* mean time in the server before its batch, of requests that were run */
};

/* What an application whose server generates tokens shows on top; times of requests that ended, the
 * first token's of those that wait, too. */
struct report_tokens {
    double per_s;                                /* generated, of all instances */
    double first_p50_ms, first_p99_ms;           /* from arrival; lower bounds while some wait */
    double each_p50_ms, each_p99_ms;             /* mean of the tokens after it, by request */
    struct report_error first_error, each_error; /* of these p99 */
    double first_target_ms, each_target_ms;      /* of the same; NAN: none */
    int64_t first_met, each_met;           /* REPORT_OPEN: no target, or the p99 cannot tell */
    int64_t waiting;                       /* requests that had no token when the run ended */
    double longest_p99_ms;                 /* longest between two tokens of a request */
    int64_t recomputes, swaps, recomputed; /* preemptions; tokens that went with them */
    double cache;                          /* most that was used of it, part of all */
    int64_t dropped_length;
};

/* Batches of one size. */
struct report_batches {
    int64_t size, count;
};

/* What sharing cost the slowest 1 % of jobs, on average: their latency minus what the same jobs
 * would have taken alone with the same arrivals. All NAN and 0 where that is unknown. */
struct report_sharing {
    double alone_ms;
    double cause_ms[CT_BLAME_COUNT]; /* adds up to their latency minus alone_ms */
    const struct report_delay *by; /* so does this; the last one, of nobody's doing, has no name */
    size_t by_count;
};

/* The cause in files that stands for alone_ms. */
#define REPORT_ALONE "alone"

struct report_app {
    const char *name;
    int64_t role; /* enum report_role */
    int64_t instances;
    int64_t jobs; /* finished after the warm-up, all instances and replications */
    struct report_latency latency_ms; /* from arrival; overloaded: lower bounds */
    double service_p99_ms;            /* from the issue of the first kernel to the end */
    double alone_p99_ms;              /* the same application alone under the same arrivals */
    int64_t alone_overloaded;         /* REPORT_YES: even then, so that this is a lower bound */
    double alone_per_s;               /* jobs that end then, of all instances; in no store */
    int64_t overloaded;               /* enum report_truth */
    double backlog_jobs;              /* waiting at the end, mean over replications */
    double qos_ms;                    /* target; NAN: none */
    double p99_over_qos, p99_over_qos_low, p99_over_qos_high;
    int64_t qos_met;      /* enum report_truth; REPORT_OPEN: no target, or the p99 cannot tell */
    double late_fraction; /* jobs later than the target */
    double np_target;     /* NAN: none */
    double throughput_per_s, normalised_progress, solo_ms;
    struct report_server server; /* all unknown without one */
    struct report_tokens tokens; /* all unknown where it generates none */
    struct report_app_band band;
    double blame_ms_p99[CT_BLAME_COUNT]; /* mean over the slowest 1 % of jobs */
    const struct report_delay *delayed_by;
    size_t delayed_by_count;
    struct report_sharing sharing;
    const struct report_kernels *kernels; /* the longest first; none in stores of before */
    size_t kernels_count;
    const struct report_batches *batches; /* by size, none empty */
    size_t batches_count;
};

/* The ranges of the system's numbers over draws of the unknown memory demand. */
struct report_band {
    int64_t draws; /* REPORT_UNKNOWN: nothing was drawn */
    struct report_range stp, antt, batch_throughput_normalised;
    double best; /* part of the draws in which the policy is the best one (report_is_best); NAN:
                    there is but one */
    const char *class; /* whose kernels, among the classes that were looked at, move STP most; NULL:
                          none was, or none moves it */
    struct report_range class_stp; /* with it at its 5 and 95 % of memory and units, in all four
                                      ways, and the others at their medians */
    const char *stake_class;       /* with most at stake: time times the width of the 90 % band */
    double stake_time;             /* part of the time of all tasks that its unknown kernels take */
};

struct report_system {
    double stp, antt, fairness;
    double sm_utilisation, dram_utilisation, pcie_h2d_utilisation, pcie_d2h_utilisation;
    double batch_throughput_normalised, batch_busy_fraction, turnaround_ms, goals_met;
    double host_utilisation; /* NAN: nobody shares its cores */
    int64_t decisions, rejected_verbs;
    struct report_band band;
};

struct report_engine {
    int64_t events, kernels;
    double wall_s, events_per_s; /* only with --timing: NAN leaves them out */
};

struct report_checks {
    const char *conservation, *littles_law,
        *utilisation_law; /* "ok" or what is wrong; NULL: not checked */
    int64_t stale_events;
};

/* A setting of the device that decides results ("hw_queues", "32"). */
struct report_setting {
    const char *key, *value;
};

/* One line of the policy's own report. */
struct report_counter {
    const char *key;
    double value;
};

struct report {
    const char *version, *workload, *gpu;
    const char *policy; /* as the user named it: "baymax:margin=0.2" */
    const char *config; /* every number used, as JSON text (run_key.h); NULL: not kept */
    int64_t seed, reps;
    const char *fidelity; /* "fluid", "block" */
    double duration_s, warmup_s;
    int64_t oracle; /* enum report_truth: the policy was told true durations: an upper bound */
    const struct report_app *apps;
    size_t app_count;
    struct report_system system;
    struct ct_coverage inputs;
    struct report_engine engine;
    struct report_checks checks;
    const struct report_setting *device;
    size_t device_count;
    const struct report_counter *policy_counters;
    size_t policy_counter_count;
    const char *const *notices; /* assumptions and limits, in words */
    size_t notice_count;
};

/* REPORT_SAME: no difference in any replication. */
enum report_verdict { REPORT_BETTER, REPORT_WORSE, REPORT_NOT_SEPARABLE, REPORT_SAME };

/* One measure of two policies under common random numbers: policy_b minus policy_a; better and
 * worse are b's. */
struct report_difference {
    const char *measure; /* a measure of compare_stats.h: "p99_ms", "stp" ... */
    const char *app;     /* NULL: of the system */
    const char *policy_a, *policy_b;
    double mean_a, mean_b;
    double difference, ci95_low, ci95_high; /* 95 % for this difference by itself */
    double simultaneous_low,
        simultaneous_high;        /* 95 % for all differences of a comparison at once */
    double p, p_holm, p_adjusted; /* adjusted: that the simultaneous interval just leaves out 0 */
    int64_t verdict;              /* enum report_verdict */
    int64_t more_reps; /* about how many more replications would separate them; REPORT_UNKNOWN */
};

struct report_comparison {
    const struct report *reports; /* one per policy, replications pooled */
    size_t report_count;
    const struct report_difference *differences;
    size_t difference_count;
};

/* Why two policies had the same schedule in every replication, in words; NULL: they had not. */
const char *report_why_identical(const struct report *a, const struct report *b);

/* Everything unknown: start here, so that what is not filled is not 0. */
struct report report_unknown(void);
struct report_app report_app_unknown(void);

/* The application of this name; NULL: there is none. */
const struct report_app *report_app_named(const struct report *report, const char *name);

/* Whether an overloaded application's jobs queue up: else each of its instances had at most one at
 * the end, of a batch application one that is older than any that ended, which may be chance, or
 * for want of the GPU, or they may yet keep a target that a backlog which grows would miss. */
bool report_queues_up(const struct report_app *app);

/* Whether there is a server in front of it: its jobs are requests, and what a run stores as its
 * jobs are batches of them, or parts of steps. */
bool report_has_server(const struct report_app *app);

/* Whether its server generates tokens: what is reported of its jobs is of its requests, and what a
 * run stores as its jobs are parts of steps, each for several of them. */
bool report_generates(const struct report_app *app);

/* Whether requests have no first token yet, so that times to the first are lower bounds. */
bool report_awaits_tokens(const struct report_app *app);

/* A 99th percentile that an application wants. */
struct report_target {
    const char *what; /* "TTFT", to the first token, "TPOT", of each after it; NULL: the latency */
    double p99_ms, ms, ratio;
    int64_t met;   /* enum report_truth; REPORT_OPEN where the p99 cannot tell */
    bool is_bound; /* the p99 is a lower bound */
};
enum { REPORT_TARGETS = 3 };

/* An application's targets: of its latency, first token, and each token after it. Returns how many
 * it has. */
size_t report_targets(const struct report_app *app, struct report_target targets[REPORT_TARGETS]);

/* The causes or the applications with some time, the largest first; their number. `order` has room
 * for all. */
size_t report_rank(const double *times, size_t count, size_t *order);

/* Late jobs, and dropped requests: where more are, the p99 of all is beyond the target. */
#define REPORT_MOST_LATE 0.01

/* Whether no p99 keeps a target: what was dropped is later than any, though it has no latency. */
bool report_drops_too_many(double dropped, double requests);

/* Late jobs of the worst service, in per cent; NAN without services that have a target. */
double report_worst_late_pct(const struct report *report);

/* The first check that does not hold, by name; NULL: all hold. */
const char *report_broken_check(const struct report_checks *checks);

/* Whether none of several policies on the same workload is better than number `which`: misses fewer
 * targets (one that it is not known to keep counts as missed), or as many, with a larger STP. */
bool report_is_best(const struct report *reports, size_t count, size_t which);

/* Names in JSON: "service", "better" ... */
const char *report_role_name(int64_t role);
const char *report_verdict_name(int64_t verdict);

/* The verdict as text and page have it: what is open without an interval is "too few". */
const char *report_verdict_words(const struct report_difference *difference);

/*
 * Writers: an enum ct_status; CT_DATA when `out` failed (full disk; errno holds the reason) or
 * memory ran out. JSON is one object for one report and an array for several. CSV is long: a row
 * per measure with the columns workload,gpu,policy,seed,reps,scope,name,measure,value; scope is
 * "app" (name: the application), "system", "inputs", "engine", "checks", "device" or "policy".
 */
int report_write_document(const struct report *reports, size_t count, bool markdown, FILE *out);
int report_write_json(const struct report *reports, size_t count, FILE *out);
int report_write_csv(const struct report *reports, size_t count, FILE *out);

/* A report as a list of measures, one at a time: what CSV writes line by line. */
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

/*
 * Comparisons: JSON {"schema": "cotenant.comparison/1", "reports": [...], "comparisons": [...]};
 * text and Markdown are one line per policy and service and one per difference from the first
 * policy; CSV is
 * measure,app,policy_a,policy_b,mean_a,mean_b,difference,ci95_low,ci95_high,p,p_holm,verdict,more_reps,
 * simultaneous_low,simultaneous_high,p_adjusted.
 */
int report_write_comparison_document(const struct report_comparison *comparison, bool markdown,
                                     FILE *out);
int report_write_comparison_json(const struct report_comparison *comparison, FILE *out);
int report_write_comparison_csv(const struct report_comparison *comparison, FILE *out);

/* The writers by `--format`. */
enum report_format { REPORT_TEXT, REPORT_JSON, REPORT_CSV, REPORT_MARKDOWN, REPORT_FORMAT_COUNT };
extern const char *const report_format_names[REPORT_FORMAT_COUNT + 1]; /* NULL-terminated */
int report_write(enum report_format format, const struct report *reports, size_t count, FILE *out);
int report_write_comparison(enum report_format format, const struct report_comparison *comparison,
                            FILE *out);

#endif
