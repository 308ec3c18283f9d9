/* What the families of exercises are made with: draws, texts, pictures, and runs of the simulator.
 */
#ifndef EXERCISE_BUILD_H
#define EXERCISE_BUILD_H

#include "api/cotenant.h"
#include "apps/exercise/exercise.h"

#define EXERCISE_TEXT(n) __attribute__((format(printf, n, n + 1)))

/* A whole number from `least` to `most`, each as likely as the others. */
int exercise_draw(struct exercise_problem *p, int least, int most);

/* A formatted text that lives as long as the problem; "" when memory ran out. */
const char *exercise_text(struct exercise_problem *p, const char *format, ...) EXERCISE_TEXT(2);

/* Tells a number of the problem; returns it. */
double exercise_give(struct exercise_problem *p, const char *key, double value, const char *unit,
                     const char *format, ...) EXERCISE_TEXT(5);

void exercise_story(struct exercise_problem *p, const char *format, ...) EXERCISE_TEXT(2);
void exercise_ask(struct exercise_problem *p, const char *unit, const char *format, ...)
    EXERCISE_TEXT(3);
void exercise_hint(struct exercise_problem *p, const char *format, ...) EXERCISE_TEXT(2);
void exercise_step(struct exercise_problem *p, const char *equation, const char *format, ...)
    EXERCISE_TEXT(3);

/* An answer that somebody may give who overlooks something. Where another mistake has led to that
 * number already, it is either. */
void exercise_mistake(struct exercise_problem *p, double value, const char *format, ...)
    EXERCISE_TEXT(3);

/* A bar of a time line, or of a chart of values; the first one decides which. */
void exercise_span(struct exercise_problem *p, const char *axis, const char *lane,
                   const char *label, double from, double to);
void exercise_value(struct exercise_problem *p, const char *axis, const char *lane, double value);

/* The answer, right within `tolerance` of it; 0: a whole number. */
void exercise_answer(struct exercise_problem *p, double value, double tolerance);

/* ---- runs ---- */

/*
 * Runs a workload, written as JSON, that names its policy, with every task, job and decision kept;
 * the problem has it, to end with the last task, for those who want to run it themselves, and its
 * results until it is freed: what follows is for a run that came to its end. enum ct_status.
 */
int exercise_simulate(struct exercise_problem *p, const char *json, struct ct_diags *diags);
/* Runs one as exercise_simulate does, where measures are all that is asked for. */
int exercise_measure(struct exercise_problem *p, const char *json, struct ct_diags *diags);

/* Opens one for those who look at, or search, what is run: scenario_close in every case. enum
 * ct_status. */
struct scenario;
int exercise_open(struct scenario *scenario, const struct exercise_problem *p, const char *json,
                  struct ct_diags *diags);

/* A number of the run's report, of an application or (NULL) of none; NAN: unknown. */
double exercise_measured(const struct exercise_problem *p, const char *app, const char *measure);

/* A task that ended, by its place among all; or by its number in the first job of an application.
 * False: there is none. */
bool exercise_task(const struct exercise_problem *p, size_t index, struct ct_task_record *task);
bool exercise_find_task(const struct exercise_problem *p, uint32_t app, uint32_t number,
                        struct ct_task_record *task);

/* When an application's first task ended; NAN: it did not end. */
double exercise_end_ms(const struct exercise_problem *p, uint32_t app);

/* A part of the time of a job of an application's first instance; NAN: no such job. */
double exercise_part_ms(const struct exercise_problem *p, uint32_t app, uint64_t number,
                        const char *part);

/* The n-th value, from 0, that the policy noted under a key about a task of an application; NAN. */
double exercise_noted(const struct exercise_problem *p, uint32_t app, const char *key, size_t n);

/* A bar for every task that ended, in a lane of its application; host copies named so. */
void exercise_spans_of_run(struct exercise_problem *p);

/* ---- pieces of workloads ---- */

/* The head of a workload up to its list of applications. `gpu`: further keys of the GPU, each with
 * a comma before it; `policy`: its name, or an object. */
const char *exercise_head(struct exercise_problem *p, int sms, const char *gpu, const char *policy,
                          const char *fidelity);

/* A workload with such a head, to end at this time. */
const char *exercise_until(struct exercise_problem *p, const char *json, double end_ms);

/* One application that runs one job, `at_ms` after the begin. `more`: further keys,
 * `kernel`: of the synthetic part; each begins with a comma. */
const char *exercise_app(struct exercise_problem *p, const char *name, double at_ms,
                         const char *more, int blocks, double duration_ms, const char *kernel);

/* ---- families ---- */

extern const struct exercise exercise_occupancy, exercise_waves, exercise_leftover,
    exercise_one_queue, exercise_caps, exercise_timeslice, exercise_priority;
extern const struct exercise exercise_copies, exercise_copy_limit, exercise_rows,
    exercise_bandwidth;
extern const struct exercise exercise_tail, exercise_capacity, exercise_measures, exercise_blame;
extern const struct exercise exercise_headroom, exercise_queries, exercise_refill;
extern const struct exercise exercise_quota, exercise_knapsack, exercise_lag;
extern const struct exercise exercise_progress, exercise_partition, exercise_drain, exercise_dase;
extern const struct exercise exercise_triggers, exercise_completion, exercise_look_ahead,
    exercise_preempt;

#endif
