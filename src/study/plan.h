/*
 * Capacity: the most load that keeps every service's target with a given confidence. A point is the
 * workload at one load under one policy; the search bisects between points that are decided.
 *
 * A point is decided by looks at growing numbers of jobs (the same arrivals at every point and
 * policy: streams are keyed by seed, replication and application). It holds when the upper bound of
 * every service's p99 is at most its target, and misses when a lower bound is above it, or the
 * service is overloaded. Bounds are those of des_batch_quantile. To look again and again must cost
 * no confidence: look k spends (1 - confidence) / 2^k of the chance of a wrong verdict, and all
 * looks together, however many there are, no more than the whole (the union bound; Lan and DeMets,
 * Biometrika 70(3), 1983, for spending it). How many jobs the next look has follows from what the
 * last one lacked; a p99 counts as held only by replications that are as long as a group of its
 * interval.
 */
#ifndef PLAN_H
#define PLAN_H

#include "experiment/experiment.h"
#include "format/doc_writer.h"

/* Some ten to twenty seconds of two cores (chosen). */
#define PLAN_BUDGET 200e6
/* What an application costs in a run however little it does (its streams, its interval of the mean,
 * its rows of the report), in events: 704 services that hardly do anything take 6 ms in a run,
 * where an event takes some 60 ns (tests/fault/worst_sizes.py, "plan: applications";
 * bench/README.md). */
#define PLAN_APP_EVENTS 100

enum plan_goal { PLAN_RATE, PLAN_GPUS, PLAN_INSTANCES, PLAN_PRESET, PLAN_GOALS };
extern const char *const plan_goals[PLAN_GOALS]; /* as `--find` names them */
enum plan_verdict { PLAN_HOLDS, PLAN_MISSES, PLAN_OPEN };

/* What a verdict rests on. */
enum plan_reason {
    /* The interval of the p99 is on one side of the target. */
    PLAN_BY_P99,
    /* Surely more than 1 % are late, with too few jobs for the p99, or dropped. */
    PLAN_BY_LATE_JOBS,
    PLAN_BY_OVERLOAD,
    /* Open: there is no interval of the p99. */
    PLAN_TOO_FEW_JOBS,
    /* Open: the interval of the p99 holds the target. */
    PLAN_TOO_NOISY,
    /* Open: the interval of dropped requests holds the 1 % that may be. */
    PLAN_DROPS_NOISY,
    /* Misses: this GPU cannot run the workload under the policy at all. */
    PLAN_BY_NO_FIT,
    /* Misses, as every load does: alone and without any load its jobs take longer. */
    PLAN_BY_TIME_ALONE
};

/* A ratio of sums over replications, and how far off chance may have it to either side; NAN:
 * unknown. */
struct plan_ratio {
    double value, half;
};

/* What one instance of a batch application does alone on the GPU. */
struct plan_solo {
    double busy;            /* part of the time that it has work for */
    const double *ps_per_s; /* its work on the device, by replication of a first look */
};

struct plan {
    const struct workload *workload;
    enum plan_goal goal;
    uint32_t app;               /* of PLAN_RATE and PLAN_INSTANCES */
    const char *const *presets; /* of PLAN_PRESET, the cheapest first */
    uint32_t preset_count;
    uint32_t most; /* instances or GPUs that are tried */
    const struct experiment_policy *policies;
    uint32_t policy_count;
    /* Tolerance: of a rate, and of a p99 that lies at its target, as a part of it. */
    double confidence, tolerance;
    /* Part by which kernel durations are changed to see how the answer moves; 0: not done. */
    double error;
    /* Draws of the unknown memory demand (experiment/bands.h) that show the same; BANDS_OWN; 0: not
     * done. */
    int64_t draws;
    uint32_t replications, most_replications; /* of the first look and of the last; beyond that
                                                 they grow longer. 0: 40, or 1000 where what an
                                                 application does depends on when it is */
    /* What the search may cost for each policy, in events of its runs, with PLAN_APP_EVENTS for
     * each application of a run; INFINITY: what it takes. Every point is looked at once in any
     * case. Searches that show what an answer leans on cost as much as it in all, those over
     * unknown demand three times as much as all of these. */
    double budget;
    /* Instead of that, seconds for everything, by `seconds_now`, which makes the result depend on
     * the machine; 0: none. */
    double budget_s;
    double (*seconds_now)(void);
    uint32_t spare; /* of PLAN_GPUS: so many may fail */
    double growth;  /* services get so many times their rates; of PLAN_RATE all but the one */
    const double *prices_per_h; /* of the workload's GPU, or by preset, NAN: unknown; NULL */
    /* By application: what batch work is weighed by, instead of what batch applications do without
     * services. NULL. */
    const struct plan_solo *solo;
    bool excuses; /* a point that cannot be run misses, and says why; presets and instances may in
                     any case */
    uint32_t threads;
    uint64_t seed;
    const struct run_cache *cache; /* as in struct experiment */
    const char *version;
    struct ct_listener listener;
};

/* `load` grows with how hard it is: jobs per second, instances, minus the number of GPUs that work,
 * or the position of a preset. */
struct plan_point {
    double load;
    enum plan_verdict verdict;
    enum plan_reason reason;
    uint32_t replications, runs; /* of the last length, and of all */
    double duration_s;           /* of each of them */
    double events, first_events; /* as the budget counts: of all its looks, and of the first */
    double wanted;               /* about how many would decide what is open; 0: it is at the
                                    target, to within the tolerance */
    bool cut;                    /* the budget ended a look */
    const char *service;         /* the one that decides */
    enum result_time target;     /* by which of its targets */
    double p99_over_qos, p99_low, p99_high; /* of it; NAN: no interval */
    bool is_bound; /* it is at least that: jobs that the run cut off may yet keep the target */
    struct plan_ratio dropped; /* part of its requests; value NAN: it has none */
    uint64_t jobs, needed;     /* of it: counted, and for an interval of its p99 */
    double settled; /* `needed` by the correlation time of "slower than the p90" where that is the
                       longer one: of ten times as many slow jobs it is known from fewer; 0 where
                       every replication is periodic */
    /* Batch work of the first look, as a part of what the same replications have without services,
     * or with `solo` in seconds of it alone that are done in a second; and what chance leaves of
     * it. NAN: unknown. */
    double batch_work, batch_low, batch_high;
    double requests_per_s; /* finished by services */
    double sm_utilisation;
    const char *broken; /* check of a run that does not hold; NULL: all hold */
    const char *no_fit; /* why nothing ran; NULL: it did */
};

/* What leaves a point open, its p99 or what it drops, over what may be. */
struct plan_bounds {
    double estimate, low, high;
};
struct plan_bounds plan_open_bounds(const struct plan_point *point);

/* A point of which nothing is known. */
extern const struct plan_point plan_point_unknown;

/* Why not even the least load holds: what delays the service that decides. */
struct plan_cause {
    const char *service; /* NULL: a load holds */
    enum result_time target;
    double alone_p99_ms, p99_ms, target_ms; /* alone: NAN of times of tokens */
    int blame;                              /* enum ct_blame: the largest part but its own work */
    double blame_ms;                        /* per job of the slowest 1 % */
    const char *delayed_by;                 /* NULL: nobody */
    /* What sharing cost each of them, its largest part, and to whom most of it is due (NULL:
     * nobody). NAN: unknown. */
    double sharing_ms, cost_ms;
    int cost; /* enum ct_blame */
    const char *cost_by;
    /* What its median job takes alone on an idle GPU, where that is longer than the target, so that
     * nothing was run; all times but the target are unknown then. Else 0. */
    double median_alone_ms;
};

/* The answer for one policy, with kernels `scale` times as long, or with unknown memory demand as
 * one of the draws has it. */
struct plan_answer {
    const char *policy;
    double scale;
    uint32_t draw;                    /* its number, from 1; 0: unknown demand is none */
    CT_VEC(struct plan_point) points; /* by load */
    double holds, misses; /* the answer is at least the one and below the other; NAN: none. Of the
                             loads above `below` */
    double guess;         /* the hardest load that keeps the targets by what was seen; NAN: none */
    double open;          /* the guess, if it is not sure, else the next harder load that is open;
                             NAN: none is */
    double wanted;        /* of the point there; 0: none */
    double events;        /* of all its points */
    double dearest;       /* of the first look at a point that took the most */
    bool stopped;         /* the budget ended the search */
    double above;         /* a load above `misses` that holds: the boundary is not monotone; NAN */
    double below;         /* the hardest load that misses below all that may hold: nor is it; NAN */
    bool complete;        /* not interrupted */
    bool settled;         /* intervals say that the guess is that load and no harder one */
    struct plan_cause cause;
};

/* What the answer leans on. */
struct plan_caveat {
    const char *kind;  /* "assumed", "extrapolated", "sensitivity", "demand" */
    const char *about; /* an application, a GPU, a policy */
    const char *text;
};

struct plan_result {
    struct ct_arena arena;
    struct plan_answer *answers; /* by policy, as asked */
    struct plan_answer *changed; /* by policy: all others of plan_answer_at */
    uint32_t draws;
    uint32_t finished; /* policies whose answers were begun */
    CT_VEC(struct plan_caveat) caveats;
};

/* Jobs per second, instances or GPUs, those to spare included, of a load. */
double plan_amount(const struct plan *plan, double load);
/* What an hour costs at a load, and a million requests, of a point; NAN: unknown. */
double plan_price_per_h(const struct plan *plan, double load);
double plan_price_per_million(const struct plan *plan, const struct plan_point *point);

/* What the p99 of one of an application's times is to keep, in ms (0: nothing), its key in the
 * workload file, and how many of its times have such a target. */
double plan_target_ms(const struct workload_app *app, enum result_time of);
uint32_t plan_target_count(const struct workload_app *app);
const char *plan_target_key(enum result_time of);

/* The n-th answer for a policy: as it is, with kernels 1 + error and 1 - error times as long, then
 * (from PLAN_DRAWN on) over the draws; NULL after the last one. */
enum { PLAN_AS_IT_IS, PLAN_SLOWER, PLAN_FASTER, PLAN_DRAWN };
struct plan_answer *plan_answer_at(const struct plan_result *result, uint32_t policy, uint32_t n);

/* The point of an answer at a load; NULL: it has none. */
const struct plan_point *plan_point_at(const struct plan_answer *answer, double load);

/* Nothing to find yet; how closely and how surely as nobody asked otherwise: 5 replications and up,
 * 95 %, a rate to 2 %, kernels 5 % longer and shorter, at most 64 instances or GPUs, PLAN_BUDGET
 * events for each policy. */
struct plan plan_standard(void);

/* What is searched in: the workload of a scenario, under its policies, with its seed. */
struct scenario;
void plan_take(struct plan *plan, const struct scenario *scenario);

/* Reads what is to be found, as `--find` takes it: "max-rate:APP", "gpus", "batch-instances:APP" or
 * "gpu:PRESET,PRESET". The plan has its workload; names lie in the arena. False and errors where
 * there is no such thing. */
bool plan_find(struct plan *plan, const char *what, struct ct_arena *arena, struct ct_diags *diags);

/* What is asked for, by `option`, that cannot be planned, as errors. enum ct_status. */
int plan_check(const struct plan *plan, const char *option, struct ct_diags *diags);

/* A notice that names the applications that are to make some progress, which is against running
 * alone: whether they do is not judged, because of `why`. */
void plan_note_unjudged(const struct workload *workload, const char *why, struct ct_diags *diags);

/* Whether the jobs of an application are requests from outside, not a further stage of one: what a
 * million of costs so much. */
bool plan_is_request(const struct workload *workload, size_t app);

/* Whether what an application does depends on when it is: a longer run would ask something else. */
bool plan_has_dates(const struct workload *workload);

/* Searches everything. enum ct_status; CT_INTERRUPTED with what is known. Free with
 * plan_result_free in every case. */
int plan_run(const struct plan *plan, struct plan_result *result, struct ct_diags *diags);

/* Events of all its runs. */
double plan_events(const struct plan_result *result);
void plan_result_free(struct plan_result *result);

/* ---- plan_print.c ---- */

/* Warns of an answer that is only guessed, and says, as gravely as `none`, that there is none: no
 * load keeps the targets, not even by what is seen and not sure. CT_DATA in that case, else CT_OK.
 */
int plan_tell_answer(const struct plan *plan, const struct plan_result *result,
                     enum ct_severity none, struct ct_diags *diags);

/* Whose target decides a point or a cause: the service and, where it is not its latency, which of
 * its times, "chat ttft_ms". */
const char *plan_target_text(struct doc *doc, const char *service, enum result_time target);

const char *plan_verdict_name(enum plan_verdict verdict); /* "holds" */

/* Why it misses where its p99 does not say so. */
const char *plan_late_text(struct doc *doc, const char *of);

/* "its slowest jobs lose most waiting for earlier queries of its own (46.77 ms each)". */
const char *plan_lost_text(struct doc *doc, const struct plan_cause *cause);

/* What an answer leans on, as items of a list, and as a member of an object. */
void plan_print_envelope(struct doc *doc, const struct plan_result *result);
void plan_json_envelope(struct json_writer *json, const struct plan_result *result);

/* Prints it, with the sentence of settings.h (may be NULL). CT_OK, or CT_DATA when the stream
 * failed or memory ran out. */
int plan_print(const struct plan *plan, const struct plan_result *result, const char *settings,
               enum table_format format, FILE *out);

#endif
