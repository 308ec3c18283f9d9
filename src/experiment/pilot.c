#include "experiment/pilot.h"

#include "des/des_mser.h"

#include <stdlib.h>

void pilot_keep_job(void *context, const struct sim_job_record *job) {
    struct pilot *pilot = context;
    struct pilot_job kept = {job->app, job->instance, job->number, job->arrival_ps,
                             (double)(job->end_ps - job->arrival_ps)};
    pilot->lost |= !ct_vec_push(&pilot->jobs, kept);
}

static int compare_jobs(const void *a, const void *b) {
    const struct pilot_job *x = a, *y = b;
    if (x->arrival_ps != y->arrival_ps)
        return x->arrival_ps < y->arrival_ps ? -1 : 1;
    if (x->instance != y->instance)
        return x->instance < y->instance ? -1 : 1;
    return x->number < y->number ? -1 : x->number > y->number;
}

bool pilot_find_warmup(const struct pilot *pilot, uint32_t app, ct_time_ps duration_ps,
                       struct warmup *warmup) {
    struct pilot_job *jobs = malloc((pilot->jobs.count + 1) * sizeof *jobs);
    double *latencies = malloc((pilot->jobs.count + 1) * sizeof *latencies);
    size_t count = 0;
    for (size_t i = 0; jobs && i < pilot->jobs.count; i++)
        if (pilot->jobs.items[i].app == app && pilot->jobs.items[i].arrival_ps < duration_ps)
            jobs[count++] = pilot->jobs.items[i];
    if (jobs && latencies && count) {
        qsort(jobs, count, sizeof *jobs, compare_jobs);
        for (size_t i = 0; i < count; i++)
            latencies[i] = jobs[i].latency_ps;
        struct des_mser mser = des_mser5(latencies, count);
        ct_time_ps end = mser.cut ? jobs[mser.cut].arrival_ps : 0;
        warmup->end_ps = end > warmup->end_ps ? end : warmup->end_ps;
        warmup->settled &= mser.found;
    }
    bool done = jobs && latencies;
    free(jobs);
    free(latencies);
    return done;
}
