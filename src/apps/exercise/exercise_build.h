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

/* Tells the numbers of the problem that course.json describes: all of them, in its order. */
#define exercise_givens(p, ...)                                                                    \
    exercise_give_all((p), (const double[]){__VA_ARGS__},                                          \
                      CT_COUNT_OF(((const double[]){__VA_ARGS__})))
void exercise_give_all(struct exercise_problem *p, const double *values, size_t count);

/* Tells one more. */
void exercise_give(struct exercise_problem *p, const char *key, double value, const char *unit,
                   const char *format, ...) EXERCISE_TEXT(5);

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
 * Runs the workload of the problem, whose last application was added, with every task, job and
 * decision kept; it then ends with the last task, for those who want to run it themselves, and its
 * results are there until the problem is freed. Of a run that failed nothing is known.
 */
void exercise_simulate(struct exercise_problem *p);
/* Runs it as exercise_simulate does, where measures are all that is asked for. */
void exercise_measure(struct exercise_problem *p);

/* Opens it instead, for those who look at, or search, what is run: scenario_close in every case. */
struct scenario;
void exercise_open(struct exercise_problem *p, struct scenario *scenario);

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

/* Begins the workload of the problem, up to its list of applications. `gpu`: further keys of the
 * GPU, each with a comma before it; `policy`: its name, or an object. */
void exercise_head(struct exercise_problem *p, int sms, const char *gpu, const char *policy,
                   const char *fidelity);

/* Adds an application that runs one job, `at_ms` after the begin. `more`: further keys, `format`:
 * of the synthetic part; each begins with a comma. */
void exercise_app(struct exercise_problem *p, const char *name, double at_ms, const char *more,
                  int blocks, double duration_ms, const char *format, ...) EXERCISE_TEXT(7);

/* Adds applications as they stand in a file. */
void exercise_apps(struct exercise_problem *p, const char *format, ...) EXERCISE_TEXT(2);

/* Lets the run of the problem end at this time. */
void exercise_until(struct exercise_problem *p, double end_ms);

/* ---- families ---- */

exercise_maker exercise_occupancy, exercise_waves, exercise_caps;
exercise_maker exercise_leftover, exercise_one_queue, exercise_timeslice, exercise_priority;
exercise_maker exercise_copies, exercise_rows, exercise_bandwidth;
exercise_maker exercise_tail, exercise_capacity, exercise_measures, exercise_blame;
exercise_maker exercise_copy_limit, exercise_headroom, exercise_queries, exercise_refill;
exercise_maker exercise_quota, exercise_knapsack, exercise_lag;
exercise_maker exercise_progress, exercise_partition, exercise_drain, exercise_dase;
exercise_maker exercise_triggers, exercise_completion, exercise_look_ahead, exercise_preempt;

#endif
