#include "models/device/contention_fit.h"

#include "base/ct_sort.h"
#include "models/device/contention.h"

#include <gsl/gsl_blas.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <gsl/gsl_multifit_nlinear.h>

enum { TERMS = 3, ITERATIONS = 200 };

/* Huber's tuning constant: 95 % efficiency on normal errors (Huber, Ann. Math. Stat. 35(1), 1964),
 * in standard deviations, which are 1.4826 times the median absolute error of a normal. */
#define HUBER_DEVIATIONS 1.345
#define DEVIATION_PER_MEDIAN 1.4826

/* Relative to a slowdown of 1: what is below is no information but rounding. */
#define ROUNDING 1e-9

/* Columns of unit length whose matrix has a condition number of this or more depend on each other
 * so closely that what each of them does cannot be told (Belsley, Kuh, Welsch: Regression
 * Diagnostics, Wiley 1980, chapter 3). */
#define CONDITION_MOST 30.0

double contention_apps_factor(const double *factors, size_t count, uint32_t app) {
    return factors && app < count ? factors[app] : 1.0;
}

double contention_predict_ms(const struct contention_model *model,
                             const struct contention_sample *sample) {
    const struct gpu gpu = {.contention_k0 = model->k0,
                            .contention_k = model->k,
                            .launch_delay_us = model->launch_delay_us};
    const struct contention_apps none = {0}, *apps = model->apps ? model->apps : &none;
    double presence = contention_apps_factor(apps->pressure, apps->count, sample->other_app);
    double feeling = contention_apps_factor(apps->sensitivity, apps->count, sample->app);
    if (model->sensitivity == CONTENTION_SENSITIVITY_OWN)
        feeling *= fmin(1.0, sample->own);
    const struct contention_load load = {.presence = presence,
                                         .pressure = sample->pressure * presence,
                                         .dram = sample->dram,
                                         .sensitivity = feeling};
    return sample->solo_ms * contention_slowdown(&gpu, &load) +
           model->launch_delay_us * 1e-3 * sample->launches;
}

size_t contention_count_rows(const struct contention_sample *samples, size_t count) {
    size_t rows = 0;
    for (size_t i = 0; i < count; i++)
        rows += i == 0 || samples[i].row != samples[i - 1].row;
    return rows;
}

/* What each parameter adds to the slowdown per unit; the model is their sum. */
static void basis(const struct contention_sample *sample, enum contention_sensitivity sensitivity,
                  double x[TERMS]) {
    const struct contention_model units[TERMS] = {{.k0 = 1.0, .sensitivity = sensitivity},
                                                  {.k = 1.0, .sensitivity = sensitivity},
                                                  {.launch_delay_us = 1.0}};
    for (int i = 0; i < TERMS; i++)
        x[i] = contention_predict_ms(&units[i], sample) / sample->solo_ms - 1.0;
}

/* ---- the least-squares problem over some of the terms ---- */

/* The relative error of a sample is a constant plus a multiple of each parameter. */
struct line {
    double constant, slope[TERMS];
};

struct problem {
    struct line *lines; /* of each sample */
    size_t count;
    unsigned terms;
    enum contention_sensitivity sensitivity;
    double delta; /* where errors begin to count linearly; INFINITY: never */
};

static struct line make_line(const struct contention_sample *sample,
                             enum contention_sensitivity sensitivity) {
    double ratio = sample->solo_ms / sample->shared_ms;
    struct line line = {.constant = ratio - 1.0};
    basis(sample, sensitivity, line.slope);
    for (int t = 0; t < TERMS; t++)
        line.slope[t] *= ratio;
    return line;
}

static double line_error(const struct line *line, const struct contention_model *model) {
    return line->constant + line->slope[0] * model->k0 + line->slope[1] * model->k +
           line->slope[2] * model->launch_delay_us;
}

static struct contention_model unpack(const gsl_vector *p, const struct problem *problem) {
    double all[TERMS] = {0};
    size_t next = 0;
    for (int i = 0; i < TERMS; i++)
        if (problem->terms & 1u << i)
            all[i] = gsl_vector_get(p, next++);
    return (struct contention_model){all[0], all[1], all[2], problem->sensitivity, NULL};
}

/* f with f^2 / 2 = delta^2 (sqrt(1 + (r / delta)^2) - 1), written without cancellation. */
static double robust(double r, double delta) {
    double q = sqrt(1.0 + r / delta * (r / delta));
    return r * sqrt(2.0 / (1.0 + q));
}

static double robust_slope(double r, double delta) {
    double q = sqrt(1.0 + r / delta * (r / delta));
    return sqrt((1.0 + q) / 2.0) / q;
}

static int residuals(const gsl_vector *p, void *context, gsl_vector *f) {
    const struct problem *problem = context;
    struct contention_model model = unpack(p, problem);
    for (size_t i = 0; i < problem->count; i++)
        gsl_vector_set(f, i, robust(line_error(&problem->lines[i], &model), problem->delta));
    return GSL_SUCCESS;
}

static int jacobian(const gsl_vector *p, void *context, gsl_matrix *j) {
    const struct problem *problem = context;
    struct contention_model model = unpack(p, problem);
    for (size_t i = 0; i < problem->count; i++) {
        const struct line *line = &problem->lines[i];
        double slope = robust_slope(line_error(line, &model), problem->delta);
        size_t next = 0;
        for (int t = 0; t < TERMS; t++)
            if (problem->terms & 1u << t)
                gsl_matrix_set(j, i, next++, slope * line->slope[t]);
    }
    return GSL_SUCCESS;
}

static size_t count_terms(unsigned terms) {
    return (size_t)__builtin_popcount(terms);
}

/* The minimum over the chosen terms without bounds, from 0. NAN when memory ran out. */
static double minimise(struct problem *problem, struct contention_model *model) {
    size_t n = count_terms(problem->terms);
    double cost = NAN;
    int info;
    gsl_multifit_nlinear_fdf fdf = {
        .f = residuals, .df = jacobian, .n = problem->count, .p = n, .params = problem};
    gsl_multifit_nlinear_parameters choice = gsl_multifit_nlinear_default_parameters();
    gsl_multifit_nlinear_workspace *work =
        gsl_multifit_nlinear_alloc(gsl_multifit_nlinear_trust, &choice, problem->count, n);
    gsl_vector *start = gsl_vector_calloc(n);
    if (work && start && gsl_multifit_nlinear_init(start, &fdf, work) == GSL_SUCCESS) {
        /* at the end of the iterations the best point so far holds */
        gsl_multifit_nlinear_driver(ITERATIONS, 1e-12, 1e-12, 0.0, NULL, NULL, &info, work);
        const gsl_vector *f = gsl_multifit_nlinear_residual(work);
        *model = unpack(gsl_multifit_nlinear_position(work), problem);
        cost = 0;
        for (size_t i = 0; i < problem->count; i++)
            cost += gsl_vector_get(f, i) * gsl_vector_get(f, i);
    }
    if (work)
        gsl_multifit_nlinear_free(work);
    if (start)
        gsl_vector_free(start);
    return cost;
}

/* The cost with every parameter at 0. */
static double cost_of_none(const struct problem *problem) {
    static const struct contention_model none = {0};
    double cost = 0;
    for (size_t i = 0; i < problem->count; i++) {
        double f = robust(line_error(&problem->lines[i], &none), problem->delta);
        cost += f * f;
    }
    return cost;
}

/*
 * The minimum with every parameter at 0 or above. The loss is convex in the parameters, so the
 * minimum within the bounds is the best feasible one among the unbounded minima over every subset
 * of the terms. Fewer terms go first: another one must earn its place. False when memory ran out.
 */
static bool minimise_bounded(struct problem *problem, struct contention_model *best) {
    const unsigned allowed = problem->terms;
    double least = cost_of_none(problem);
    *best = (struct contention_model){.sensitivity = problem->sensitivity};
    for (size_t size = 1; size <= TERMS; size++)
        for (unsigned terms = 1; terms <= CONTENTION_TERMS_ALL; terms++) {
            struct contention_model model = {0};
            if ((terms & ~allowed) || count_terms(terms) != size)
                continue;
            problem->terms = terms;
            double cost = minimise(problem, &model);
            if (isnan(cost))
                return false;
            bool feasible = model.k0 >= 0 && model.k >= 0 && model.launch_delay_us >= 0;
            if (feasible && cost < least - ROUNDING * least) {
                least = cost;
                *best = model;
            }
        }
    problem->terms = allowed;
    return true;
}

static double relative_error(const struct contention_model *model,
                             const struct contention_sample *sample) {
    return contention_predict_ms(model, sample) / sample->shared_ms - 1.0;
}

double contention_huber_delta(const struct contention_sample *samples, size_t count,
                              const struct contention_model *model) {
    double *errors = calloc(count + 1, sizeof *errors);
    if (!errors)
        return NAN;
    for (size_t i = 0; i < count; i++)
        errors[i] = fabs(relative_error(model, &samples[i]));
    double typical = ct_sort_median(errors, count);
    free(errors);
    return typical > ROUNDING ? HUBER_DEVIATIONS * DEVIATION_PER_MEDIAN * typical : INFINITY;
}

/* ---- what the samples can tell ---- */

/* The columns of the terms, each of unit length. False when one of them is 0 everywhere. */
static bool scaled_columns(const struct problem *problem, gsl_matrix *columns) {
    size_t next = 0;
    for (int t = 0; t < TERMS; t++) {
        if (!(problem->terms & 1u << t))
            continue;
        gsl_vector_view column = gsl_matrix_column(columns, next++);
        for (size_t i = 0; i < problem->count; i++)
            gsl_vector_set(&column.vector, i, problem->lines[i].slope[t]);
        double length = gsl_blas_dnrm2(&column.vector);
        if (length == 0)
            return false;
        gsl_vector_scale(&column.vector, 1.0 / length);
    }
    return true;
}

/* The condition number of the scaled columns; INFINITY when one of them is 0, NAN when memory ran
 * out. */
static double scaled_condition(const struct problem *problem) {
    size_t n = count_terms(problem->terms);
    double condition = NAN;
    gsl_matrix *columns = gsl_matrix_alloc(problem->count, n);
    gsl_multifit_linear_workspace *work = gsl_multifit_linear_alloc(problem->count, n);
    if (columns && work && !scaled_columns(problem, columns))
        condition = INFINITY;
    else if (columns && work && gsl_multifit_linear_svd(columns, work) == GSL_SUCCESS)
        condition = 1.0 / gsl_multifit_linear_rcond(work);
    if (work)
        gsl_multifit_linear_free(work);
    if (columns)
        gsl_matrix_free(columns);
    return condition;
}

/*
 * Leaves k0 and every other term whose column the ones before it do not make up: k0 takes a
 * pressure that is everywhere the same, and launches that come everywhere at the same rate. False
 * when memory ran out.
 */
static bool leave_identifiable(struct problem *problem) {
    double condition = 1;
    unsigned told = CONTENTION_TERM_K0;
    for (unsigned t = CONTENTION_TERM_K; t <= CONTENTION_TERM_DELAY && !isnan(condition); t *= 2) {
        problem->terms = told | t;
        condition = scaled_condition(problem);
        if (condition < CONDITION_MOST)
            told = problem->terms;
    }
    problem->terms = told;
    return !isnan(condition);
}

/* A first fit tells the size of errors, the second bounds their weight. False when memory ran out.
 */
static bool minimise_twice(struct problem *problem, const struct contention_sample *samples,
                           struct contention_model *model) {
    problem->delta = INFINITY;
    if (!minimise_bounded(problem, model))
        return false;
    problem->delta = contention_huber_delta(samples, problem->count, model);
    return !isnan(problem->delta) &&
           (!isfinite(problem->delta) || minimise_bounded(problem, model));
}

static void set_lines(struct problem *problem, const struct contention_sample *samples,
                      enum contention_sensitivity sensitivity) {
    problem->sensitivity = sensitivity;
    for (size_t i = 0; i < problem->count; i++)
        problem->lines[i] = make_line(&samples[i], sensitivity);
}

/* Whether the mean absolute error falls from one model to the other by more than chance. */
static bool is_clearly_better(const struct contention_model *better,
                              const struct contention_model *worse,
                              const struct contention_sample *samples, size_t count) {
    double sum = 0, squares = 0;
    for (size_t i = 0; i < count; i++) {
        double gain =
            fabs(relative_error(worse, &samples[i])) - fabs(relative_error(better, &samples[i]));
        sum += gain;
        squares += gain * gain;
    }
    double n = (double)count, mean = sum / n;
    double variance = fmax(0.0, squares / n - mean * mean);
    return mean > ROUNDING && mean > CONTENTION_STANDARD_ERRORS * sqrt(variance / n);
}

/* Terms are told apart with S = 1. Otherwise launches that come everywhere at the same rate would
 * count as a common slowdown beside a k0 that is none. */
static int fit_problem(struct problem *problem, const struct contention_sample *samples,
                       struct contention_model *model, struct ct_diags *diags) {
    struct contention_model own = {0};
    set_lines(problem, samples, CONTENTION_SENSITIVITY_ONE);
    if (!leave_identifiable(problem) || !minimise_twice(problem, samples, model))
        return ct_out_of_memory(diags);
    if (!(problem->terms & CONTENTION_TERM_K))
        return CT_OK;
    set_lines(problem, samples, CONTENTION_SENSITIVITY_OWN);
    if (!minimise_twice(problem, samples, &own))
        return ct_out_of_memory(diags);
    if (is_clearly_better(&own, model, samples, problem->count))
        *model = own;
    return CT_OK;
}

int contention_fit(const struct contention_sample *samples, size_t count,
                   struct contention_model *model, unsigned *terms, const char *where,
                   struct ct_diags *diags) {
    size_t rows = contention_count_rows(samples, count);
    if (rows < CONTENTION_ROWS_LEAST) {
        ct_error(diags, where,
                 "%zu co-location%s too few to fit three parameters: at least %d are needed, "
                 "%d random ones are nearly as good as hundreds",
                 rows, rows == 1 ? " is" : "s are", CONTENTION_ROWS_LEAST, CONTENTION_ROWS_ENOUGH);
        return CT_DATA;
    }
    gsl_set_error_handler_off();
    struct problem problem = {.lines = calloc(count, sizeof *problem.lines), .count = count};
    if (!problem.lines)
        return ct_out_of_memory(diags);
    int status = fit_problem(&problem, samples, model, diags);
    *terms = problem.terms;
    free(problem.lines);
    return status;
}

double contention_median_slowdown(const struct contention_sample *samples, size_t count) {
    double *slowdowns = count ? calloc(count, sizeof *slowdowns) : NULL;
    if (!slowdowns)
        return NAN;
    for (size_t i = 0; i < count; i++)
        slowdowns[i] = samples[i].shared_ms / samples[i].solo_ms;
    double median = ct_sort_median(slowdowns, count);
    free(slowdowns);
    return median;
}
