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
    gsl_matrix *x, *covariance;
    gsl_vector *y, *beta;
    gsl_multifit_linear_workspace *space;
};

static void work_free(struct linear_work *work) {
    gsl_matrix_free(work->x);
    gsl_matrix_free(work->covariance);
    gsl_vector_free(work->y);
    gsl_vector_free(work->beta);
    gsl_multifit_linear_free(work->space);
}

static bool work_alloc(struct linear_work *work, size_t rows, size_t columns) {
    work->x = gsl_matrix_calloc(rows, columns);
    work->covariance = gsl_matrix_alloc(columns, columns);
    work->y = gsl_vector_calloc(rows);
    work->beta = gsl_vector_alloc(columns);
    work->space = gsl_multifit_linear_alloc(rows, columns);
    if (work->x && work->covariance && work->y && work->beta && work->space)
        return true;
    work_free(work);
    return false;
}

/* One row per sample that has the target; returns their number. Rows that are left stay zero and
 * weigh nothing. */
static size_t work_fill(struct linear_work *work, const struct predict_scale *scale,
                        const struct predict_sample *const *samples, size_t count, int target) {
    size_t row = 0;
    gsl_matrix_set_zero(work->x);
    gsl_vector_set_zero(work->y);
    for (size_t i = 0; i < count; i++) {
        double z[PREDICT_FEATURES_MOST];
        if (isnan(samples[i]->y[target]))
            continue;
        predict_scale_apply(scale, &samples[i]->features, z);
        gsl_matrix_set(work->x, row, 0, 1);
        for (uint32_t k = 0; k < scale->count; k++)
            gsl_matrix_set(work->x, row, k + 1, z[k]);
        gsl_vector_set(work->y, row++, samples[i]->y[target]);
    }
    return row;
}

/*
 * Least squares for one target (Baymax Eq. 1). The targets are divided by the largest, so that
 * picoseconds neither lose digits nor overflow.
 */
static void fit_target(struct linear_model *linear, struct linear_work *work,
                       const struct predict_sample *const *samples, size_t count, int target) {
    size_t rank;
    double chisq;
    if (work_fill(work, &linear->scale, samples, count, target) == 0)
        return;
    double largest = fmax(fabs(gsl_vector_max(work->y)), fabs(gsl_vector_min(work->y)));
    if (largest > 0)
        gsl_vector_scale(work->y, 1 / largest);
    if (gsl_multifit_linear_tsvd(work->x, work->y, RANK_TOLERANCE, work->beta, work->covariance,
                                 &chisq, &rank, work->space))
        return;
    linear->known[target] = true;
    linear->intercept[target] = gsl_vector_get(work->beta, 0) * largest;
    for (uint32_t k = 0; k < linear->scale.count; k++)
        linear->slope[target][k] = gsl_vector_get(work->beta, k + 1) * largest;
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
    for (int target = 0; target < PREDICT_TARGETS; target++)
        fit_target(linear, work, samples, count, target);
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

static void linear_free(void *model) {
    (void)model;
}

const struct predict_model_type predict_linear = {
    .name = "linear",
    .size = sizeof(struct linear_model),
    .fit = linear_fit,
    .predict = linear_predict,
    .free = linear_free,
};
