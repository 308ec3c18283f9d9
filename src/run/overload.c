/* Whether an application got more work in the window than was done. */
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
bool overload_is_seen(const struct run_app *app) {
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
