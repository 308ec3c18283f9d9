#include "trace/trace_overlap.h"

#include "base/ct_sort.h"

#include <stdlib.h>

/* Where a span begins or ends. */
struct edge {
    ct_time_ps at_ps;
    int change; /* 1, -1 */
    bool counts;
};

static int compare_edges(const void *a, const void *b) {
    const struct edge *x = a, *y = b;
    return ct_then(ct_order(x->at_ps, y->at_ps), x->change - y->change);
}

static double beside(const struct edge *edges, size_t count) {
    double time = 0;
    int64_t running = 0, counting = 0;
    for (size_t i = 0; i < count; i++) {
        if (running > 1)
            time += (double)counting * (double)(edges[i].at_ps - edges[i - 1].at_ps);
        running += edges[i].change;
        counting += edges[i].counts ? edges[i].change : 0;
    }
    return time;
}

/* Time of spans that count: all, and that in which another one ran. */
struct sums {
    double all_ps, beside_ps;
};

static bool add(struct sums *sums, const struct trace_spans *spans) {
    struct edge *edges = malloc((2 * spans->count + 1) * sizeof *edges);
    if (!edges)
        return false;
    for (size_t i = 0; i < spans->count; i++) {
        const struct trace_span *span = &spans->items[i];
        edges[2 * i] = (struct edge){span->begin_ps, 1, span->counts};
        edges[2 * i + 1] = (struct edge){span->end_ps, -1, span->counts};
        sums->all_ps += span->counts ? (double)(span->end_ps - span->begin_ps) : 0;
    }
    ct_sort(edges, 2 * spans->count, sizeof *edges, compare_edges);
    sums->beside_ps += beside(edges, 2 * spans->count);
    free(edges);
    return true;
}

static double part_of(struct sums sums, bool done) {
    if (!done)
        return NAN;
    return sums.all_ps > 0 ? sums.beside_ps / sums.all_ps : 0;
}

double trace_spans_overlap(const struct trace_spans *spans) {
    struct sums sums = {0};
    bool done = add(&sums, spans);
    return part_of(sums, done);
}

static bool list_kernels(struct trace_spans *spans, const struct trace_task *tasks, size_t count) {
    spans->count = 0;
    for (size_t i = 0; i < count; i++)
        if (tasks[i].kind == TRACE_KERNEL &&
            !ct_vec_push(spans,
                         (struct trace_span){tasks[i].start_ps, trace_task_end(&tasks[i]), true}))
            return false;
    return true;
}

double trace_app_overlap(const struct trace_app *app) {
    struct trace_spans spans = {0};
    struct sums sums = {0};
    bool done = true;
    for (size_t i = 0; i < app->jobs.count && done; i++) {
        const struct trace_job *job = &app->jobs.items[i];
        done = list_kernels(&spans, app->tasks.items + job->first_task, job->task_count) &&
               add(&sums, &spans);
    }
    ct_vec_free(&spans);
    return part_of(sums, done);
}
