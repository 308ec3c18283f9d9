/* Rough lengths of jobs, for warnings before a run; the simulation measures them. */
#include "workload.h"

#include <stdlib.h>

struct weighted {
    double ms, weight;
};

static int by_length(const void *a, const void *b) {
    const struct weighted *x = a, *y = b;
    return (x->ms > y->ms) - (x->ms < y->ms);
}

/* The recorded length, with its kernels as often and as long as the workload asks. */
static double job_ms(const struct workload_app *app, uint32_t index) {
    const struct trace_job *job = &app->trace->jobs.items[index];
    double kernels_ps = 0, factor = (double)app->iterations * app->duration_scale;
    for (uint32_t i = 0; i < job->task_count; i++) {
        const struct trace_task *task = &app->trace->tasks.items[job->first_task + i];
        kernels_ps += task->kind == TRACE_KERNEL ? (double)task->duration_ps : 0;
    }
    return ((double)job->recorded_ps + kernels_ps * (factor - 1)) / (double)CT_PS_PER_MS *
           app->size.mean;
}

static struct workload_solo summarise(struct weighted *jobs, size_t count) {
    struct workload_solo solo = {0, NAN};
    double weights = 0, below = 0;
    qsort(jobs, count, sizeof *jobs, by_length);
    for (size_t i = 0; i < count; i++) {
        solo.mean_ms += jobs[i].ms * jobs[i].weight;
        weights += jobs[i].weight;
    }
    solo.mean_ms /= weights;
    for (size_t i = 0; i < count && below < weights / 2; i++) {
        below += jobs[i].weight;
        solo.median_ms = jobs[i].ms;
    }
    return solo;
}

struct workload_solo workload_app_solo(const struct workload_app *app) {
    if (!app->trace) {
        const struct workload_synthetic *s = &app->synthetic;
        double ms = (double)(s->kernels * app->iterations) * s->duration_ms.mean *
                    app->duration_scale * app->size.mean;
        return (struct workload_solo){ms, ms};
    }
    size_t count = app->job_count ? app->job_count : app->trace->jobs.count;
    struct weighted *jobs = count ? malloc(count * sizeof *jobs) : NULL;
    if (!jobs)
        return (struct workload_solo){NAN, NAN};
    for (size_t i = 0; i < count; i++) {
        const struct workload_job_choice *choice = app->job_count ? &app->jobs[i] : NULL;
        jobs[i] = (struct weighted){job_ms(app, choice ? choice->index : (uint32_t)i),
                                    choice ? choice->weight : 1};
    }
    struct workload_solo solo = summarise(jobs, count);
    free(jobs);
    return solo;
}
