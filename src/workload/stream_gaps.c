#include "workload/stream_gaps.h"

#include "base/ct_sort.h"

#include <stdlib.h>

/* What was on the device besides, of other jobs or not kept, is not in its job. */
static bool says(const struct trace_task *task) {
    return !(task->flags & (TRACE_CARRIED | TRACE_BEHIND_OTHERS)) && task->lag_ps == 0;
}

/* `order`: of one job's tasks, by their start. */
static void gaps_of_job(const struct trace_task *tasks, const struct ct_ranked *order,
                        uint32_t count, const ct_time_ps *latency, ct_time_ps *gap) {
    ct_time_ps idle_since = 0;
    for (uint32_t i = 0; i < count; i++) {
        size_t index = order[i].index;
        const struct trace_task *task = &tasks[index];
        ct_time_ps arrived = task->launch_begin_ps + latency[index], end = trace_task_end(task);
        if (i > 0 && says(task) && arrived <= idle_since && idle_since < task->start_ps)
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
