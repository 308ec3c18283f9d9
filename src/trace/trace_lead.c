#include "trace/trace_lead.h"

#include <stdio.h>

bool trace_app_lead(const struct trace_app *app, char *text, size_t size) {
    ct_time_ps before = 0, all = 0;
    for (size_t i = 0; i < app->jobs.count; i++) {
        const struct trace_job *job = &app->jobs.items[i];
        before = ct_time_later(before, app->tasks.items[job->first_task].launch_begin_ps);
        all = ct_time_later(all, job->recorded_ps);
    }
    double jobs = (double)app->jobs.count;
    snprintf(text, size,
             "%.4g of the %.4g ms of a job%s pass before its first launch: if that is the "
             "profiler's start or the preparation of inputs, import with '--from-launch'",
             ct_time_ms(before) / jobs, ct_time_ms(all) / jobs, jobs > 1 ? " (mean)" : "");
    return (double)before > TRACE_CLOSE * (double)all;
}
