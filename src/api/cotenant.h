/*
 * cotenant as a library: what `cotenant run` and `cotenant compare` do, for programs.
 *
 *   struct ct_scenario *s = ct_scenario_file("mix.json");      or ct_scenario_text(json, "mix")
 *   ct_scenario_set(s, "apps.vit.qos_ms=20");
 *   ct_scenario_policies(s, "mps,baymax:margin=0.1");
 *   struct ct_results *r = ct_scenario_run(s, NULL);
 *   if (!r) ... ct_scenario_message(s, i) says why
 *   double p99 = ct_results_value(r, 0, "vit", "latency_ms_p99");
 *   ct_results_free(r);
 *   ct_scenario_free(s);
 *
 * Nothing here prints, ends the program or keeps anything outside the objects that it returns: two
 * threads may each have their own. Objects are not to be shared between threads without a lock.
 * Texts are UTF-8; those that go in are copied, those that come out live as long as their object.
 * An object that is NULL, as after an error that nobody looked at, has and does nothing: false, 0,
 * NAN or NULL is returned, an empty row, and of a scenario one message, an error that says so. A
 * NULL where one result goes leaves it out.
 * Presets of GPUs and shipped traces are found as by the program: COTENANT_SHARE,
 * COTENANT_TRACE_PATH, ../share/cotenant beside the library.
 */
#ifndef COTENANT_H
#define COTENANT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define CT_PUBLIC __attribute__((visibility("default")))
#else
#define CT_PUBLIC
#endif

struct ct_policy; /* ct_policy.h */
struct ct_study;
struct ct_scenario;
struct ct_results;

/* The version of the library, "0.1.0". */
CT_PUBLIC const char *ct_version(void);

/* ---- What is simulated ---- */

/* A workload file, or its text in memory (`name` is what messages call it; files that it names are
 * looked up beside that), or a cluster or a sweep file for a study of one. It is read by
 * ct_scenario_check or ct_scenario_run, so that everything that is wrong is said at once: also of
 * a path or text that is NULL. NULL: no memory. */
CT_PUBLIC struct ct_scenario *ct_scenario_file(const char *path);
CT_PUBLIC struct ct_scenario *ct_scenario_text(const char *json, const char *name);
CT_PUBLIC void ct_scenario_free(struct ct_scenario *scenario);

/* Serves files from memory: before a file is read (a workload, a trace store, arrivals as CSV that
 * is not compressed, a preset), `content` is asked for it, by its path beside the workload and then
 * at the other places where it is looked for. What it returns stays as it is until the scenario is
 * freed; NULL: the file system is asked. It is called from one thread at a time per scenario. */
CT_PUBLIC void ct_scenario_serve(struct ct_scenario *scenario,
                                 const void *(*content)(void *context, const char *path,
                                                        size_t *size),
                                 void *context);

/* "KEY=VALUE", as `--set` takes it. False: no memory, or NULL. */
CT_PUBLIC bool ct_scenario_set(struct ct_scenario *scenario, const char *assignment);
/* "NAME[:KEY=VALUE...],...", instead of those named before; a name with a slash or ending in ".so"
 * is loaded. Without any the workload's own policy runs, else mps. False: no memory, or NULL. */
CT_PUBLIC bool ct_scenario_policies(struct ct_scenario *scenario, const char *policies);
/* One more policy, the caller's own; it lives as long as the scenario and its results. False: no
 * memory, or NULL. */
CT_PUBLIC bool ct_scenario_policy(struct ct_scenario *scenario, const struct ct_policy *policy);

/* Shared objects that the workload, cluster or sweep file names are loaded, too: they are code,
 * which a file of a stranger's must not choose. As `--allow-policy-files`. */
CT_PUBLIC void ct_scenario_allow_policy_files(struct ct_scenario *scenario);

/* Reads everything and says what is wrong, without running. False: something is. */
CT_PUBLIC bool ct_scenario_check(struct ct_scenario *scenario);

/* What was found, in the order in which it was: since the last check or run. */
enum ct_message_kind { CT_MESSAGE_NOTICE, CT_MESSAGE_WARNING, CT_MESSAGE_ERROR };
struct ct_message {
    int kind;          /* enum ct_message_kind */
    const char *where; /* file, place in it, or an assignment; may be empty */
    const char *text;  /* with what is allowed, or the nearest name */
};
CT_PUBLIC size_t ct_scenario_message_count(const struct ct_scenario *scenario);
CT_PUBLIC struct ct_message ct_scenario_message(const struct ct_scenario *scenario, size_t index);

/* ---- A run ---- */

#define CT_REPS_MOST 100000

struct ct_run_options {
    size_t size;       /* sizeof(struct ct_run_options) */
    int64_t seed;      /* below 0: the workload's */
    uint32_t reps;     /* replications, the same for every policy, CT_REPS_MOST at most; 0: 1 */
    uint32_t threads;  /* change no result; 0: 1 */
    bool no_blame;     /* faster; where time was lost is unknown */
    const char *store; /* a result store to add the runs to, with their jobs; NULL: none */
    /* Called now and then with how much is done, 0 to 1, from one thread at a time; false ends the
     * run with what is finished. NULL: nobody asks. */
    bool (*progress)(void *context, double done);
    void *context;
    unsigned record; /* what every run keeps besides its measures: enum ct_record, or-ed */
    /* What several policies are compared by, as `compare` takes it. */
    const char *baseline; /* the policy that the others are compared with, as it was named; "all":
                             all pairs; NULL: the first */
    const char *measures; /* "targets" (and throughput) or "all"; NULL: "targets" */
    /* What `run` and `compare` ask as well, which may cost several times the runs: targets that
     * cannot be kept even alone, settings that change nothing, ranges over memory demand that
     * nobody measured. */
    bool self_check;
};
enum ct_record { CT_RECORD_JOBS = 1, CT_RECORD_TASKS = 2, CT_RECORD_DECISIONS = 4 };

/* Runs every policy on the same arrivals. `options` may be NULL. NULL: an error, see the messages;
 * or it was ended before one replication was finished. Messages beside results are no errors but
 * warnings, as of latencies that are lower bounds since a service is overloaded. */
CT_PUBLIC struct ct_results *ct_scenario_run(struct ct_scenario *scenario,
                                             const struct ct_run_options *options);

/* ---- What came out ---- */

CT_PUBLIC void ct_results_free(struct ct_results *results);
/* Replications that every policy has finished: fewer than asked for after an end by `progress`. */
CT_PUBLIC uint32_t ct_results_reps(const struct ct_results *results);

/* A measure of a policy, of an application or (NULL) of all: every row of `--format csv`. */
struct ct_row {
    const char *policy;  /* as it was named */
    const char *scope;   /* "app", "system", "inputs", "engine", "checks", "device", "policy" */
    const char *app;     /* NULL: of no one application */
    const char *measure; /* "latency_ms_p99", "stp" */
    const char *text;    /* what is no number, and whole numbers; NULL: it is a number */
    double number;       /* NAN: unknown, or a text that is none */
};
CT_PUBLIC size_t ct_results_row_count(const struct ct_results *results);
CT_PUBLIC struct ct_row ct_results_row(const struct ct_results *results, size_t index);

/* One measure, by the number of the policy in its list and the name of the application (NULL: of
 * none). NAN: unknown, or there is no such measure. */
CT_PUBLIC double ct_results_value(const struct ct_results *results, size_t policy, const char *app,
                                  const char *measure);

/* What was recorded of one replication (from 0) under a policy. Applications, instances and jobs
 * are numbered from 0, in the workload, its application and its instance; times are simulated
 * picoseconds, -1: it did not happen. Jobs that arrived in the run's duration and had not ended
 * when the run did come last. */
struct ct_job_record {
    uint32_t app, instance;
    uint64_t job;
    int64_t arrival_ps, first_issue_ps, end_ps;
};
struct ct_task_record {
    uint32_t app, instance;
    uint64_t job;
    uint32_t task, stream; /* within its job; within its instance */
    const char *kind;      /* "kernel", "copy", "memset" */
    const char *name;      /* of a kernel, else "" */
    uint64_t blocks, bytes;
    int32_t share; /* of the SMs, bound when it was issued, per mille; 0: not bound */
    int64_t ready_ps, issued_ps, queued_ps, started_ps, ended_ps; /* queued: head of its queue */
};
struct ct_decision_record { /* one call of a verb */
    int64_t time_ps;
    const char *decision;             /* "issue": in the store's words */
    int64_t app, instance, job, task; /* what it is about; -1: none */
    size_t notes;
};
/* The name of the application with this number; NULL: there are no more. */
CT_PUBLIC const char *ct_results_app(const struct ct_results *results, size_t app);
/* The job (in order of its end), task or decision with this index. False: there are no more, or
 * they were not recorded. */
CT_PUBLIC bool ct_results_job(const struct ct_results *results, size_t policy, size_t replication,
                              size_t index, struct ct_job_record *job);
CT_PUBLIC bool ct_results_task(const struct ct_results *results, size_t policy, size_t replication,
                               size_t index, struct ct_task_record *task);
CT_PUBLIC bool ct_results_decision(const struct ct_results *results, size_t policy,
                                   size_t replication, size_t index,
                                   struct ct_decision_record *decision);
/* The name of a note that the policy made with a decision, and its value; NULL: there are no more.
 */
CT_PUBLIC const char *ct_results_note(const struct ct_results *results, size_t policy,
                                      size_t replication, size_t decision, size_t note,
                                      double *value);
/* How much of a recorded job's time is one part, "own_queue" or "device_queue" as in the measures
 * "blame_ms_p99_...", in ms. NAN: there is no such job or part, or with `no_blame`. */
CT_PUBLIC double ct_results_job_part(const struct ct_results *results, size_t policy,
                                     size_t replication, size_t job, const char *part);

/* A report (of several policies a comparison) as "text", "json", "csv" or "markdown", to be freed
 * with ct_text_free. Tables of "text" are as wide as the environment variable COLUMNS says, and 80
 * columns at least. NULL: no such form, or no memory. */
CT_PUBLIC char *ct_results_report(const struct ct_results *results, const char *form);
CT_PUBLIC void ct_text_free(char *text);

/* ---- Many runs ---- */

/* What `cotenant plan` finds: `find` is "max-rate:APP", "gpus", "batch-instances:APP" or
 * "gpu:PRESET,PRESET". `reps` of the options are those of the first look at a point (0: 5). */
CT_PUBLIC struct ct_study *ct_scenario_plan(struct ct_scenario *scenario, const char *find,
                                            const struct ct_run_options *options);
/* What `cotenant cluster` simulates: the scenario is a cluster file; `placements`, separated by
 * commas, may be NULL: the file's own. `reps` 0: the file's. */
CT_PUBLIC struct ct_study *ct_scenario_cluster(struct ct_scenario *scenario, const char *placements,
                                               const struct ct_run_options *options);
/* What `cotenant sweep` simulates: the scenario is a sweep file, which says all but `threads`, its
 * policies included; the options name the store, and what that has is not run again. Where a point
 * cannot be run the others are, and are what is reported: beside them the messages have its errors.
 * So they do where a full disk ends the sweep after its first points. */
CT_PUBLIC struct ct_study *ct_scenario_sweep(struct ct_scenario *scenario,
                                             const struct ct_run_options *options);
/* Each of them returns NULL after an error (see the messages of the scenario; a sweep: where no
 * point has a result), and when it was ended before there was anything to report, which is a
 * message as well. Ended later, it reports what is finished: points, scenarios of a cluster, the
 * first points of a sweep. The scenario outlives the study. */

/* The report as of ct_results_report; "csv" and "json" hold every number. */
CT_PUBLIC char *ct_study_report(struct ct_study *study, const char *form);
CT_PUBLIC void ct_study_free(struct ct_study *study);

#ifdef __cplusplus
}
#endif

#endif
