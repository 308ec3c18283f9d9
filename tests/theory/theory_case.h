/*
 * What the theory tests share: a workload file, independent replications of it, and a mean with its
 * 99 % interval that must hold a closed form and be narrow enough to say something. Where runs take
 * long a quarter of each is simulated, so that intervals are twice as wide; COTENANT_THEORY=all:
 * the whole.
 */
#ifndef THEORY_CASE_H
#define THEORY_CASE_H

#include "cmocka_complete.h"
#include "policies/policies.h"
#include "run/sim.h"
#include "workload/setup.h"
#include "workload/workload.h"

#include <gsl/gsl_cdf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A few replications look for errors of memory; the intervals are for fast builds. */
#ifdef COTENANT_SMALL
enum { THEORY_REPLICATIONS = 2, THEORY_INTERVALS = 0 };
#else
enum { THEORY_REPLICATIONS = 30, THEORY_INTERVALS = 1 };
#endif
enum { THEORY_METRICS_MOST = 8 };

struct theory_case {
    struct workload workload;
    struct setup setup;
    struct ct_diags diags;
    const struct ct_policy *policy;
};

/* Observations of some quantities, one per replication. */
struct theory_samples {
    double of[THEORY_METRICS_MOST][THEORY_REPLICATIONS];
};

/* How wide intervals are against those of whole runs; until the next theory_open. */
static double theory_width = 1;

/* Whether studies have all of their runs. */
static inline bool theory_all(void) {
    const char *wish = getenv("COTENANT_THEORY");
    return wish && strcmp(wish, "all") == 0;
}

/* A quarter of what is counted. */
static inline void theory_shorten(struct workload *w) {
    if (!THEORY_INTERVALS || theory_all())
        return;
    w->duration_s = w->warmup_s + (w->duration_s - w->warmup_s) / 4;
    theory_width = 2;
}

static inline void theory_fail(const struct ct_diags *diags, const char *what) {
    for (size_t i = 0; i < diags->count; i++)
        print_message("%s: %s\n", diags->items[i].where, diags->items[i].text);
    fail_msg("%s", what);
}

/* tests/theory/workloads/NAME.json with assignments; NULL ends them. The policy is the file's. */
static inline struct theory_case *theory_open(const char *name, const char *const *assignments) {
    static struct theory_case theory;
    char path[1024];
    size_t count = 0;
    theory = (struct theory_case){0};
    theory_width = 1;
    while (assignments && assignments[count])
        count++;
    snprintf(path, sizeof path, "%s/tests/theory/workloads/%s.json", COTENANT_SOURCE_DIR, name);
    struct workload_source source = {
        .path = path, .assignments = assignments, .assignment_count = count};
    if (workload_read(&source, &theory.workload, &theory.diags) != CT_OK)
        theory_fail(&theory.diags, path);
    if (setup_make(&theory.workload, &theory.setup, &theory.diags) != CT_OK)
        theory_fail(&theory.diags, path);
    theory.policy = policies_find(theory.workload.policy);
    assert_non_null(theory.policy);
    assert_null(theory.policy->options_size ? theory.workload.policy_settings.items : NULL);
    return &theory;
}

/* theory_open for runs that are shortened. */
static inline struct theory_case *theory_open_short(const char *name,
                                                    const char *const *assignments) {
    struct theory_case *theory = theory_open(name, assignments);
    theory_shorten(&theory->workload);
    return theory;
}

static inline void theory_close(struct theory_case *theory) {
    setup_free(&theory->setup);
    workload_free(&theory->workload);
    ct_diags_free(&theory->diags);
}

FREER(theory_close, struct theory_case)

/* One replication; the default options of a policy with options are those of `options`. */
static inline void theory_run(struct theory_case *theory, uint64_t replication, const void *options,
                              struct sim_result *result) {
    const struct workload *w = &theory->workload;
    struct sim_params params = {.setup = &theory->setup,
                                .policy = theory->policy,
                                .policy_options = options,
                                .seed = (uint64_t)w->seed,
                                .replication = replication,
                                .only_app = SIM_ALL_APPS,
                                .warmup_ps = ct_time_round(w->warmup_s * (double)CT_PS_PER_S),
                                .duration_ps = ct_time_round(w->duration_s * (double)CT_PS_PER_S),
                                .dump_at_ps = CT_TIME_NEVER};
    if (sim_run(&params, result, &theory->diags) != CT_OK)
        theory_fail(&theory->diags, "the run failed");
    assert_null(result->broken_law);
    assert_true(result->littles_law_ok);
    assert_true(result->utilisation_law_ok);
    assert_int_equal(result->stale_events, 0);
}

/* Mean latency in ms of applications first .. last, of jobs that ended. */
static inline double theory_latency_ms(const struct sim_result *result, uint32_t first,
                                       uint32_t last) {
    double sum = 0, count = 0;
    for (uint32_t a = first; a <= last; a++) {
        const struct sim_app_result *app = &result->apps[a];
        for (size_t i = 0; i < app->latency_ps.count; i++)
            if (!isnan(app->latency_ps.items[i])) {
                sum += app->latency_ps.items[i];
                count++;
            }
    }
    assert_true(count > 0);
    return sum / count / (double)CT_PS_PER_MS;
}

/* Counted jobs per second of applications first .. last. */
static inline double theory_rate_per_s(const struct sim_result *result, uint32_t first,
                                       uint32_t last) {
    double jobs = 0;
    for (uint32_t a = first; a <= last; a++)
        jobs += (double)result->apps[a].jobs;
    return jobs / ct_time_s(result->window_ps);
}

/*
 * The exact value must lie in the 99 % t interval of the mean (Law, Simulation Modeling and
 * Analysis, section 4.5), whose half-width is at most `precision` of it for whole runs.
 */
static inline void theory_expect(const char *what, const double *samples, double exact,
                                 double precision) {
    double mean = 0, square = 0, n = THEORY_REPLICATIONS;
    for (int i = 0; i < THEORY_REPLICATIONS; i++)
        mean += samples[i] / n;
    for (int i = 0; i < THEORY_REPLICATIONS; i++)
        square += (samples[i] - mean) * (samples[i] - mean);
    double half = gsl_cdf_tdist_Pinv(0.995, n - 1) * sqrt(square / (n - 1) / n);
    print_message("%-44s exact %9.5f simulated %9.5f +- %.5f (%.2f %%)\n", what, exact, mean, half,
                  100 * half / exact);
    if (!THEORY_INTERVALS)
        return;
    if (!(fabs(mean - exact) <= half))
        fail_msg("%s: %.6f is outside %.6f +- %.6f", what, exact, mean, half);
    if (!(half <= theory_width * precision * exact))
        fail_msg("%s: half-width %.6f is too wide for %.6f", what, half, exact);
}

#endif
