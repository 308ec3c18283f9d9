#include "run/slowest.h"

#include <stdlib.h>
#include <string.h>

/* The parts of its time, who delayed it, what it would have taken alone, and what sharing cost. */
static size_t row_length(const struct run *run) {
    return CT_BLAME_COUNT + run->setup->app_count + sim_sharing_count(run->setup->app_count);
}

/* What sharing cost the job that ends, behind what it would have taken alone. */
static void keep_sharing(const struct run *run, ct_time_ps alone_ps, double *row) {
    bool known = alone_ps >= 0;
    row[0] = known ? (double)alone_ps : NAN;
    for (size_t i = 0; i < sharing_count(run); i++)
        row[1 + i] = known ? (double)run->costs[i] : NAN;
}

static void swap_rows(struct run_app *app, size_t a, size_t b, size_t length) {
    double latency = app->slowest_latency_ps[a];
    app->slowest_latency_ps[a] = app->slowest_latency_ps[b];
    app->slowest_latency_ps[b] = latency;
    for (size_t i = 0; i < length; i++) {
        double value = app->slowest_rows[a * length + i];
        app->slowest_rows[a * length + i] = app->slowest_rows[b * length + i];
        app->slowest_rows[b * length + i] = value;
    }
}

static void heap_down(struct run_app *app, size_t length) {
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < app->slowest_count; child++)
            if (app->slowest_latency_ps[child] < app->slowest_latency_ps[least])
                least = child;
        if (least == i)
            return;
        swap_rows(app, i, least, length);
        i = least;
    }
}

static void heap_up(struct run_app *app, size_t length) {
    for (size_t i = app->slowest_count - 1;
         i > 0 && app->slowest_latency_ps[i] < app->slowest_latency_ps[(i - 1) / 2];
         i = (i - 1) / 2)
        swap_rows(app, i, (i - 1) / 2, length);
}

static bool heap_reserve(struct run_app *app, size_t length) {
    if (app->slowest_count < app->slowest_capacity)
        return true;
    size_t capacity = app->slowest_capacity ? 2 * app->slowest_capacity : 64;
    double *latencies = realloc(app->slowest_latency_ps, capacity * sizeof(double));
    if (latencies)
        app->slowest_latency_ps = latencies;
    double *rows =
        latencies ? realloc(app->slowest_rows, capacity * length * sizeof(double)) : NULL;
    if (!rows)
        return false;
    app->slowest_rows = rows;
    app->slowest_capacity = capacity;
    return true;
}

void slowest_keep(struct run *run, struct run_app *app, const struct slowest_ended *ended) {
    double latency = (double)ended->latency_ps;
    size_t length = row_length(run), most = 64 + app->finished_counted / 50, at = 0;
    if (app->slowest_count < most) {
        if (!heap_reserve(app, length)) {
            run_out_of_memory(run);
            return;
        }
        at = app->slowest_count++;
    } else if (latency <= app->slowest_latency_ps[0])
        return;
    app->slowest_latency_ps[at] = latency;
    for (int i = 0; i < CT_BLAME_COUNT; i++)
        app->slowest_rows[at * length + (size_t)i] = (double)ended->parts[i];
    double *delays = &app->slowest_rows[at * length + CT_BLAME_COUNT];
    memcpy(delays, run->culprit_scratch, run->setup->app_count * sizeof(double));
    keep_sharing(run, ended->alone_ps, delays + run->setup->app_count);
    if (at)
        heap_up(app, length);
    else
        heap_down(app, length);
}

void slowest_mean(struct run *run, struct run_app *app) {
    const size_t length = row_length(run), sharing = CT_BLAME_COUNT + run->setup->app_count;
    size_t wanted = (app->finished_counted + 99) / 100;
    struct sim_app_result *result = app->result;
    while (app->slowest_count > wanted) {
        app->slowest_count--;
        swap_rows(app, 0, app->slowest_count, length);
        heap_down(app, length);
    }
    for (size_t row = 0; row < app->slowest_count; row++)
        for (size_t i = 0; i < length; i++) {
            double part = app->slowest_rows[row * length + i] / (double)app->slowest_count;
            if (i < CT_BLAME_COUNT)
                result->blame_ps[i] += part;
            else if (i < sharing)
                result->delayed_by_ps[i - CT_BLAME_COUNT] += part;
            else
                result->sharing_ps[i - sharing] += part;
        }
}
