/* Whether more came to an application in the window than it did. */
#include "des/des_statistics.h"
#include "run/run.h"

#include <gsl/gsl_cdf.h>
#include <math.h>

/* The probability of so much growth by chance up to which it is believed, and the share of the jobs
 * that it must be for the second. */
#define CHANCE 0.01
#define CHANCE_IF_LARGE 0.05
#define LARGE_GROWTH 0.15

/*
 * More arrives than leaves: over the whole window and over its second half the backlog grows, and
 * by segments it grows by more than chance (one-sided t test). In a stable system growth is paid
 * back, and the sum stays small beside the segments' spread. docs/statistics.md has how often it
 * errs.
 */
static bool overload_is_seen(const struct run_app *app) {
    /* Jobs by which the backlog has to grow. */
    enum { LEAST = 3, LEAST_IF_LARGE = 9 };
    struct des_tally growth = {0};
    double second_half = 0;
    for (size_t i = 0; i < RUN_SEGMENTS; i++) {
        des_tally_add(&growth, app->growth[i]);
        second_half += i >= RUN_SEGMENTS / 2 ? app->growth[i] : 0;
    }
    double error = sqrt(des_tally_variance(&growth) / RUN_SEGMENTS);
    double all = growth.mean * RUN_SEGMENTS;
    bool large = all > LARGE_GROWTH * (double)app->arrived && all > LEAST_IF_LARGE;
    double quantile = gsl_cdf_tdist_Qinv(large ? CHANCE_IF_LARGE : CHANCE, RUN_SEGMENTS - 1);
    return all > LEAST && second_half > 0 && growth.mean > quantile * error;
}

/* A stage has only what those before it have done: what waits there is late here, too. */
static bool is_behind_overload(const struct run *run, uint32_t app) {
    const bool *before = run->setup->apps[app].spec->arrivals.before;
    for (uint32_t i = 0; before && i < run->setup->app_count; i++)
        if (before[i] && run->apps[i].closed)
            return true;
    return false;
}

void overload_find(struct run *run) {
    for (uint32_t i = 0; i < run->setup->app_count; i++) {
        struct run_app *app = &run->apps[i];
        app->result->backlog = (double)app->in_system;
        app->closed =
            arrivals_are_open(&run->setup->apps[i].spec->arrivals) && overload_is_seen(app);
    }
    for (uint32_t i = 0; i < run->setup->app_count; i++) {
        run->apps[i].closed |= is_behind_overload(run, i);
        run->apps[i].result->overloaded = run->apps[i].closed;
    }
}
