#include "models/predict/predict.h"
#include "models/predict/predict_scale.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multifit.h>
#include <setjmp.h>

/* Singular values below this part of the largest are noise of standardised doubles, and dropped. */
#define RANK_TOLERANCE 1e-10

struct linear_model {
    struct predict_scale scale;
    bool known[PREDICT_TARGETS];
    double intercept[PREDICT_TARGETS], slope[PREDICT_TARGETS][PREDICT_FEATURES_MOST];
};

/* What one fit of GSL's works on. */
struct linear_work {
    gsl_matrix *x;
    gsl_vector *y, *beta;
    gsl_multifit_linear_workspace *space; /* the decomposition of x */
};

static void work_free(struct linear_work *work) {
    gsl_matrix_free(work->x);
    gsl_vector_free(work->y);
    gsl_vector_free(work->beta);
    gsl_multifit_linear_free(work->space);
}

static bool work_alloc(struct linear_work *work, size_t rows, size_t columns) {
    work->x = gsl_matrix_alloc(rows, columns);
    work->y = gsl_vector_alloc(rows);
    work->beta = gsl_vector_alloc(columns);
    work->space = gsl_multifit_linear_alloc(rows, columns);
    if (work->x && work->y && work->beta && work->space)
        return true;
    work_free(work);
    return false;
}

/* One row per sample that has the target. Rows that are left are zero and weigh nothing. */
static void fill_rows(struct linear_work *work, const struct predict_scale *scale,
                      const struct predict_sample *const *samples, size_t count, int target) {
    size_t row = 0;
    gsl_matrix_set_zero(work->x);
    for (size_t i = 0; i < count; i++) {
        double z[PREDICT_FEATURES_MOST];
        if (isnan(samples[i]->y[target]))
            continue;
        predict_scale_apply(scale, &samples[i]->features, z);
        gsl_matrix_set(work->x, row, 0, 1);
        for (uint32_t k = 0; k < scale->count; k++)
            gsl_matrix_set(work->x, row, k + 1, z[k]);
        row++;
    }
}

/* The target of these rows; returns their number. */
static size_t fill_target(struct linear_work *work, const struct predict_sample *const *samples,
                          size_t count, int target) {
    size_t row = 0;
    gsl_vector_set_zero(work->y);
    for (size_t i = 0; i < count; i++)
        if (!isnan(samples[i]->y[target]))
            gsl_vector_set(work->y, row++, samples[i]->y[target]);
    return row;
}

/* gsl_multifit_linear_tsvd of the rows as far as it is the same for every target. */
static bool decompose(struct linear_work *work) {
    if (gsl_multifit_linear_bsvd(work->x, work->space))
        return false;
    gsl_vector *values = work->space->S;
    double least = RANK_TOLERANCE * gsl_vector_get(values, 0);
    for (size_t i = 0; i < work->x->size2; i++)
        if (gsl_vector_get(values, i) <= least)
            gsl_vector_set(values, i, 0); /* GSL's own solution leaves it out then */
    return true;
}

/*
 * Least squares for one target (Baymax Eq. 1). The targets are divided by the largest, so that
 * picoseconds neither lose digits nor overflow.
 */
static void solve_target(struct linear_model *linear, struct linear_work *work, int target) {
    double length, residual;
    double largest = fmax(fabs(gsl_vector_max(work->y)), fabs(gsl_vector_min(work->y)));
    if (largest > 0)
        gsl_vector_scale(work->y, 1 / largest);
    if (gsl_multifit_linear_solve(0, work->x, work->y, work->beta, &residual, &length, work->space))
        return;
    linear->known[target] = true;
    linear->intercept[target] = gsl_vector_get(work->beta, 0) * largest;
    for (uint32_t k = 0; k < linear->scale.count; k++)
        linear->slope[target][k] = gsl_vector_get(work->beta, k + 1) * largest;
}

/* Whether the same samples have both targets. */
static bool same_rows(const struct predict_sample *const *samples, size_t count, int a, int b) {
    for (size_t i = 0; i < count; i++)
        if (isnan(samples[i]->y[a]) != isnan(samples[i]->y[b]))
            return false;
    return true;
}

/*
 * gsl_linalg_bidiag_decomp alone, of what GSL does here, takes memory without a look at whether it
 * got any: its error is the last word before it would crash, and leaves the fit. What GSL had taken
 * by then is lost.
 */
static _Thread_local jmp_buf *without_memory;

static void leave_fit(const char *reason, const char *file, int line, int error) {
    (void)reason, (void)file, (void)line;
    if (error == GSL_ENOMEM && without_memory)
        longjmp(*without_memory, 1);
}

void predict_survive_gsl(void) {
    gsl_set_error_handler(leave_fit);
}

static bool fit_targets(struct linear_model *linear, struct linear_work *work,
                        const struct predict_sample *const *samples, size_t count) {
    jmp_buf place;
    if (setjmp(place) != 0) {
        without_memory = NULL;
        return false;
    }
    without_memory = &place;
    bool decomposed = false;
    for (int target = 0, rows_of = -1; target < PREDICT_TARGETS; target++) {
        if (fill_target(work, samples, count, target) == 0)
            continue;
        if (rows_of < 0 || !same_rows(samples, count, rows_of, target)) {
            fill_rows(work, &linear->scale, samples, count, target);
            decomposed = decompose(work);
            rows_of = target;
        }
        if (decomposed)
            solve_target(linear, work, target);
    }
    without_memory = NULL;
    return true;
}

static bool linear_fit(void *model, const struct predict_sample *const *samples, size_t count) {
    struct linear_model *linear = model;
    struct linear_work work;
    predict_scale_fit(&linear->scale, samples, count);
    size_t columns = linear->scale.count + 1u;
    if (!work_alloc(&work, count < columns ? columns : count, columns))
        return false;
    bool fitted = fit_targets(linear, &work, samples, count);
    work_free(&work);
    return fitted;
}

static void linear_predict(const void *model, const struct predict_features *features,
                           double y[PREDICT_TARGETS]) {
    const struct linear_model *linear = model;
    double z[PREDICT_FEATURES_MOST];
    predict_scale_apply(&linear->scale, features, z);
    for (int target = 0; target < PREDICT_TARGETS; target++) {
        double sum = linear->intercept[target];
        for (uint32_t k = 0; k < linear->scale.count; k++)
            sum += linear->slope[target][k] * z[k];
        y[target] = linear->known[target] ? fmax(sum, 0) : NAN;
    }
}

const struct predict_model_type predict_linear = {
    .name = "linear",
    .size = sizeof(struct linear_model),
    .fit = linear_fit,
    .predict = linear_predict,
};
