#include "results/result_place.h"

struct result_place result_job_place(const struct result_job *job) {
    return (struct result_place){job->app, job->instance, job->number};
}

struct result_place result_task_place(const struct result_task *task) {
    return (struct result_place){task->app, task->instance, task->job};
}

struct result_place result_presence_place(const struct result_presence *presence) {
    return (struct result_place){presence->app, presence->instance, presence->job};
}

int result_compare_places(struct result_place x, struct result_place y) {
    if (x.app != y.app)
        return x.app < y.app ? -1 : 1;
    if (x.instance != y.instance)
        return x.instance < y.instance ? -1 : 1;
    return x.job < y.job ? -1 : x.job > y.job;
}

int result_compare_jobs(const void *a, const void *b) {
    return result_compare_places(result_job_place(a), result_job_place(b));
}
