/* The slowest jobs of an application and where their time went. */
#include "run/run.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* ---- A min-heap of rows by their latency ---- */

static double *row_at(const struct sim_slowest *slowest, size_t i) {
    return slowest->rows.items + i * slowest->row_length;
}

static size_t row_count(const struct sim_slowest *slowest) {
    return slowest->row_length ? slowest->rows.count / slowest->row_length : 0;
}

static void swap_rows(const struct sim_slowest *slowest, size_t a, size_t b) {
    double *first = row_at(slowest, a), *second = row_at(slowest, b);
    for (size_t i = 0; i < slowest->row_length; i++) {
        double value = first[i];
        first[i] = second[i];
        second[i] = value;
    }
}

static double latency_at(const struct sim_slowest *slowest, size_t i) {
    return row_at(slowest, i)[SIM_ROW_LATENCY];
}

static void heap_down(const struct sim_slowest *slowest) {
    size_t count = row_count(slowest);
    for (size_t i = 0;;) {
        size_t least = i;
        for (size_t child = 2 * i + 1; child <= 2 * i + 2 && child < count; child++)
            if (latency_at(slowest, child) < latency_at(slowest, least))
                least = child;
        if (least == i)
            return;
        swap_rows(slowest, i, least);
        i = least;
    }
}

static void heap_up(const struct sim_slowest *slowest) {
    for (size_t i = row_count(slowest) - 1;
         i > 0 && latency_at(slowest, i) < latency_at(slowest, (i - 1) / 2); i = (i - 1) / 2)
        swap_rows(slowest, i, (i - 1) / 2);
}

static void drop_least(struct sim_slowest *slowest) {
    swap_rows(slowest, 0, row_count(slowest) - 1);
    slowest->rows.count -= slowest->row_length;
    heap_down(slowest);
}

/* Room for a row at the end; NULL: memory ran out. */
static double *add_row(struct sim_slowest *slowest) {
    for (size_t i = 0; i < slowest->row_length; i++)
        if (!ct_vec_push(&slowest->rows, 0))
            return NULL;
    return row_at(slowest, row_count(slowest) - 1);
}

/* ---- During a run ---- */

static uint64_t hundredth(uint64_t jobs) {
    return jobs / 100 + (jobs % 100 > 0);
}

/* How many of so many jobs a run keeps: the slowest one in a hundred of several runs may all be of
 * one, of up to twenty runs where there are not very many. */
static double kept_of(double jobs) {
    return fmax(64, fmax(jobs / 20, fmin(jobs / 5, 20000)));
}

/*
 * How many rows are kept: for the jobs that the window will have seen if they go on to arrive as
 * they do. Where the slowest come first, a part of those that have come until then is too few.
 */
static size_t most_kept(const struct run *run, const struct run_app *app) {
    double window = (double)(run->measured.end_ps - run->measured.begin_ps),
           passed = (double)(des_engine_now(run->engine) - run->measured.begin_ps);
    double jobs = (double)app->arrived * fmax(1, window / fmax(1, passed));
    return (size_t)fmin(kept_of(jobs), (double)(SIZE_MAX / 2));
}

static void fill_row(const struct run *run, const struct slowest_job *job, double *row) {
    size_t apps = run->setup->app_count, alone = sim_row_alone(run->setup->app_count);
    row[SIM_ROW_LATENCY] = (double)job->latency_ps;
    for (size_t i = 0; i < CT_BLAME_COUNT; i++)
        row[SIM_ROW_PARTS + i] = (double)job->parts[i];
    memcpy(row + SIM_ROW_DELAYS, run->culprit_scratch, apps * sizeof *row);
    row[alone] = job->alone_ps >= 0 ? (double)job->alone_ps : NAN;
    for (size_t i = 0; i < sharing_count(run); i++)
        row[alone + 1 + i] = job->alone_ps >= 0 ? (double)run->costs[i] : NAN;
}

void slowest_keep(struct run *run, struct run_app *app, const struct slowest_job *job) {
    struct sim_slowest *slowest = &app->result->slowest;
    bool full = row_count(slowest) >= most_kept(run, app);
    double *row = full ? row_at(slowest, 0) : add_row(slowest);
    if (!row) {
        run_out_of_memory(run);
        return;
    }
    if (full && (double)job->latency_ps <= row[SIM_ROW_LATENCY])
        return;
    fill_row(run, job, row);
    if (full)
        heap_down(slowest);
    else
        heap_up(slowest);
}

void slowest_finish(const struct run_app *app) {
    struct sim_slowest *slowest = &app->result->slowest;
    slowest->jobs = app->finished_counted + app->result->unfinished;
    while ((double)row_count(slowest) > kept_of((double)slowest->jobs))
        drop_least(slowest);
}

/* ---- Of all runs ---- */

/* A row, by the place of which equal ones are told apart. */
struct ranked {
    const double *row;
    size_t place, run;
};

/* Slower ones first; of equal ones, those with more in the first part. */
static int slower_first(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    for (size_t i = SIM_ROW_LATENCY; i < SIM_ROW_DELAYS; i++)
        if (x->row[i] != y->row[i])
            return x->row[i] < y->row[i] ? 1 : -1;
    return x->place < y->place ? -1 : x->place > y->place;
}

/* What sharing cost, of those of whom it is known. */
static void mean_of_rows(const struct ranked *rows, size_t count, uint32_t apps, double *mean) {
    size_t known = 0, alone = sim_row_alone(apps), length = sim_row_length(apps);
    for (size_t i = 0; i < length; i++)
        mean[i] = 0;
    for (size_t r = 0; r < count; r++) {
        bool costs = !isnan(rows[r].row[alone]);
        known += costs;
        for (size_t i = 0; i < (costs ? length : alone); i++)
            mean[i] += rows[r].row[i];
    }
    for (size_t i = 0; i < length; i++)
        mean[i] /= (double)(i < alone ? count : known); /* NAN: of none */
}

/* Whether all that a run kept of its jobs is among the slowest, so that more of it may be. */
static bool may_miss_some(const struct ranked *rows, size_t count, size_t run,
                          const struct sim_slowest *slowest) {
    size_t chosen = 0, kept = row_count(slowest);
    for (size_t i = 0; i < count; i++)
        chosen += rows[i].run == run;
    return kept < slowest->jobs && chosen == kept && kept > 0;
}

bool sim_slowest_mean(const struct sim_app_result *const *results, size_t count, uint32_t apps,
                      double *mean) {
    size_t rows = 0, taken = 0;
    uint64_t jobs = 0;
    for (size_t r = 0; r < count; r++) {
        jobs += results[r]->slowest.jobs;
        rows += row_count(&results[r]->slowest);
    }
    struct ranked *all = calloc(rows + 1, sizeof *all);
    if (!all)
        return false;
    for (size_t r = 0; r < count; r++)
        for (size_t i = 0; i < row_count(&results[r]->slowest); i++, taken++)
            all[taken] = (struct ranked){row_at(&results[r]->slowest, i), taken, r};
    qsort(all, rows, sizeof *all, slower_first);
    size_t wanted = rows < hundredth(jobs) ? rows : (size_t)hundredth(jobs);
    for (size_t r = 0; r < count; r++)
        if (may_miss_some(all, wanted, r, &results[r]->slowest))
            wanted = 0;
    mean_of_rows(all, wanted, apps, mean);
    free(all);
    return true;
}
