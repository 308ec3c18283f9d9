#include "results/result_place.h"

#include "base/ct_sort.h"

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
    int order = ct_order(x.app, y.app);
    order = order ? order : ct_order(x.instance, y.instance);
    return order ? order : ct_order(x.job, y.job);
}

int result_compare_jobs(const void *a, const void *b) {
    return result_compare_places(result_job_place(a), result_job_place(b));
}
