#include "workload/launch_latency.h"

#include "base/ct_sort.h"

#include <stdlib.h>

/* A pageable copy begins once the host has put its first part where the device reads it, so that
 * copies take other times than kernels, and those in others than those out. */
enum launch_class { LAUNCH_COPY_IN, LAUNCH_COPY_OUT, LAUNCH_OTHER, LAUNCH_CLASSES };

/* The latencies that are known. */
struct known {
    double *all[LAUNCH_CLASSES];
    size_t count[LAUNCH_CLASSES];
};

static enum launch_class class_of(const struct trace_task *task) {
    if (!trace_task_crosses_link(task))
        return LAUNCH_OTHER;
    return task->direction == TRACE_HOST_TO_DEVICE ? LAUNCH_COPY_IN : LAUNCH_COPY_OUT;
}

static ct_time_ps later(ct_time_ps a, ct_time_ps b) {
    return a > b ? a : b;
}

/* Nothing is said by one that was launched in another window, or that followed the task before it
 * in its stream by the device's own doing. */
static bool says(const struct trace_task *task) {
    return !(task->flags & TRACE_CARRIED) && task->lag_ps == 0;
}

static ct_time_ps from_launch_to_start(const struct trace_task *task) {
    return says(task) ? later(0, task->start_ps - task->launch_begin_ps) : 0;
}

/* Whether the host went on only after the job's work: its own time, or a synchronous copy, is last.
 */
static bool is_waited_for(const struct trace_app *app, const struct trace_job *job) {
    const struct trace_task *last = &app->tasks.items[job->first_task + job->task_count - 1];
    return job->tail_ps > 0 || last->launch_end_ps >= trace_task_end(last);
}

/*
 * Tells of one job's tasks, in the order of their launch; those that say what their launch took are
 * known, the others get -1. `waited`: the host had waited for the job before it. Else one that
 * begins at its first launch may have begun while others' tasks ran. `busy_until`: when the device
 * had done what the job launched before.
 */
static void know_job(const struct trace_task *tasks, uint32_t count, bool waited,
                     ct_time_ps *latency, ct_time_ps *busy_until, struct known *known) {
    ct_time_ps until = waited || tasks[0].launch_begin_ps > 0 ? 0 : CT_TIME_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        bool idle = tasks[i].launch_begin_ps >= until && !(tasks[i].flags & TRACE_BEHIND_OTHERS);
        enum launch_class class = class_of(&tasks[i]);
        ct_time_ps end = trace_task_end(&tasks[i]);
        latency[i] = idle ? from_launch_to_start(&tasks[i]) : -1;
        busy_until[i] = until;
        if (idle && says(&tasks[i]))
            known->all[class][known->count[class]++] = (double)latency[i];
        until = i == 0 ? end : later(until, end);
    }
}

static void know_jobs(const struct trace_app *app, ct_time_ps *latency, ct_time_ps *busy_until,
                      struct known *known) {
    for (size_t j = 0; j < app->jobs.count; j++) {
        const struct trace_job *job = &app->jobs.items[j];
        know_job(app->tasks.items + job->first_task, job->task_count,
                 j > 0 && is_waited_for(app, job - 1), latency + job->first_task,
                 busy_until + job->first_task, known);
    }
}

static ct_time_ps median_of(double *values, size_t count) {
    ct_sort_doubles(values, count);
    return count ? ct_time_round(values[count / 2]) : 0;
}

/* What a launch took that was hidden behind the work before it: what launches usually take, or all
 * that passed until its task began, where the device would have been idle before. */
static ct_time_ps hidden(const struct trace_task *task, ct_time_ps usual, ct_time_ps busy_until) {
    ct_time_ps most = from_launch_to_start(task);
    bool was_idle =
        !(task->flags & TRACE_BEHIND_OTHERS) && task->launch_begin_ps + usual > busy_until;
    return most < usual || was_idle ? most : usual;
}

static void guess(const struct trace_app *app, struct known *known, const ct_time_ps *busy_until,
                  ct_time_ps *latency) {
    ct_time_ps usual[LAUNCH_CLASSES];
    for (int c = 0; c < LAUNCH_CLASSES; c++)
        usual[c] = median_of(known->all[c], known->count[c]);
    for (size_t i = 0; i < app->tasks.count; i++) {
        const struct trace_task *task = &app->tasks.items[i];
        if (latency[i] < 0)
            latency[i] = hidden(task, usual[class_of(task)], busy_until[i]);
    }
}

bool launch_latencies(const struct trace_app *app, ct_time_ps *latency) {
    size_t count = app->tasks.count;
    for (size_t i = 0; i < count; i++)
        latency[i] = 0;
    if (!app->launches_recorded)
        return true;
    double *values = malloc((LAUNCH_CLASSES * count + 1) * sizeof *values);
    ct_time_ps *busy_until = malloc((count + 1) * sizeof *busy_until);
    if (!values || !busy_until) {
        free(values);
        free(busy_until);
        return false;
    }
    struct known known = {{values, values + count, values + 2 * count}, {0}};
    know_jobs(app, latency, busy_until, &known);
    guess(app, &known, busy_until, latency);
    free(busy_until);
    free(values);
    return true;
}

/* ---- Gaps of streams ---- */

/* `order`: of one job's tasks, by their start. */
static void gaps_of_job(const struct trace_task *tasks, const struct ct_ranked *order,
                        uint32_t count, const ct_time_ps *latency, ct_time_ps *gap) {
    ct_time_ps idle_since = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t index = order[i].index;
        const struct trace_task *task = &tasks[index];
        ct_time_ps arrived = task->launch_begin_ps + latency[index], end = trace_task_end(task);
        /* What was on the device besides, of other jobs or not kept, is not in its job. */
        bool alone = !(task->flags & (TRACE_CARRIED | TRACE_BEHIND_OTHERS)) && task->lag_ps == 0;
        if (i > 0 && alone && arrived <= idle_since && idle_since < task->start_ps)
            gap[index] = task->start_ps - idle_since;
        idle_since = i == 0 || end > idle_since ? end : idle_since;
    }
}

bool stream_gaps(const struct trace_app *app, const ct_time_ps *latency, ct_time_ps *gap) {
    struct ct_ranked *order = malloc((app->tasks.count + 1) * sizeof *order);
    if (!order)
        return false;
    for (size_t i = 0; i < app->tasks.count; i++)
        gap[i] = app->tasks.items[i].lag_ps;
    for (size_t j = 0; app->launches_recorded && j < app->jobs.count; j++) {
        const struct trace_job *job = &app->jobs.items[j];
        const struct trace_task *tasks = app->tasks.items + job->first_task;
        for (uint32_t i = 0; i < job->task_count; i++)
            order[i] = (struct ct_ranked){(double)tasks[i].start_ps, i};
        ct_sort_ranked(order, job->task_count);
        gaps_of_job(tasks, order, job->task_count, latency + job->first_task,
                    gap + job->first_task);
    }
    free(order);
    return true;
}
