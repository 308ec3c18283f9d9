#include "workload/launch_latency.h"

#include "base/ct_sort.h"

#include <stdlib.h>

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

/* Tells of one job's tasks, in the order of their launch; into `known` those that say what their
 * launch took. Returns how many there are now. */
static size_t know_job(const struct trace_task *tasks, uint32_t count, ct_time_ps *latency,
                       double *known, size_t found) {
    /* A job that begins at its first launch may have begun while others' tasks ran. */
    ct_time_ps busy_until = tasks[0].launch_begin_ps > 0 ? 0 : CT_TIME_NEVER;
    for (uint32_t i = 0; i < count; i++) {
        bool idle =
            tasks[i].launch_begin_ps >= busy_until && !(tasks[i].flags & TRACE_BEHIND_OTHERS);
        ct_time_ps end = tasks[i].start_ps + tasks[i].duration_ps;
        latency[i] = idle ? from_launch_to_start(&tasks[i]) : -1;
        if (idle && says(&tasks[i]))
            known[found++] = (double)latency[i];
        busy_until = i == 0 ? end : later(busy_until, end);
    }
    return found;
}

static double median_of(double *values, size_t count) {
    ct_sort_doubles(values, count);
    return count ? values[count / 2] : 0;
}

void launch_latencies_keep(struct trace_task *tasks, uint32_t count) {
    ct_time_ps busy_until = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (i > 0 && tasks[i].launch_begin_ps < busy_until)
            tasks[i].flags |= TRACE_BEHIND_OTHERS;
        busy_until = later(busy_until, tasks[i].start_ps + tasks[i].duration_ps);
    }
}

bool launch_latencies(const struct trace_app *app, ct_time_ps *latency) {
    size_t count = app->tasks.count, found = 0;
    double *known = malloc((count + 1) * sizeof *known);
    if (!known)
        return false;
    for (size_t i = 0; i < count; i++)
        latency[i] = 0;
    for (size_t j = 0; app->launches_recorded && j < app->jobs.count; j++) {
        const struct trace_job *job = &app->jobs.items[j];
        found = know_job(app->tasks.items + job->first_task, job->task_count,
                         latency + job->first_task, known, found);
    }
    ct_time_ps usual = ct_time_round(median_of(known, found));
    for (size_t i = 0; i < count; i++) {
        ct_time_ps most = from_launch_to_start(&app->tasks.items[i]);
        if (latency[i] < 0)
            latency[i] = most < usual ? most : usual;
    }
    free(known);
    return true;
}
