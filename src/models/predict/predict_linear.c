#include "predict.h"
#include "predict_scale.h"

#include <gsl/gsl_linalg.h>

/* Singular values below this part of the largest are noise of standardised doubles, and dropped. */
#define RANK_TOLERANCE 1e-10

struct linear_model {
    struct predict_scale scale;
    bool known[PREDICT_TARGETS];
    double intercept[PREDICT_TARGETS], slope[PREDICT_TARGETS][PREDICT_FEATURES_MOST];
};

/* What one fit works on. */
struct linear_work {
    gsl_matrix *x; /* samples and features; then its QR decomposition */
    gsl_vector *y, *tau, *balance, *beta;
    gsl_matrix *u, *v; /* of the singular values s of R */
    gsl_vector *s;
};

static void work_free(struct linear_work *work) {
    gsl_matrix_free(work->x);
    gsl_matrix_free(work->u);
    gsl_matrix_free(work->v);
    gsl_vector_free(work->y);
    gsl_vector_free(work->tau);
    gsl_vector_free(work->balance);
    gsl_vector_free(work->beta);
    gsl_vector_free(work->s);
}

static bool work_alloc(struct linear_work *work, size_t rows, size_t columns) {
    work->x = gsl_matrix_calloc(rows, columns);
    work->u = gsl_matrix_calloc(columns, columns);
    work->v = gsl_matrix_calloc(columns, columns);
    work->y = gsl_vector_calloc(rows);
    work->tau = gsl_vector_calloc(columns);
    work->balance = gsl_vector_calloc(columns);
    work->beta = gsl_vector_calloc(columns);
    work->s = gsl_vector_calloc(columns);
    if (work->x && work->u && work->v && work->y && work->tau && work->balance && work->beta &&
        work->s)
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

/* beta = D^-1 V S^-1 U^T y without the singular values that are noise. */
static void expand(struct linear_work *work) {
    size_t columns = work->beta->size;
    double least = RANK_TOLERANCE * gsl_vector_get(work->s, 0);
    gsl_vector_set_zero(work->beta);
    for (size_t k = 0; k < columns; k++) {
        double value = gsl_vector_get(work->s, k), sum = 0;
        if (value <= least)
            continue;
        for (size_t i = 0; i < columns; i++)
            sum += gsl_matrix_get(work->u, i, k) * gsl_vector_get(work->y, i);
        for (size_t i = 0; i < columns; i++)
            *gsl_vector_ptr(work->beta, i) += gsl_matrix_get(work->v, i, k) * sum / value;
    }
    gsl_vector_div(work->beta, work->balance);
}

/* X D^-1 = QR and R = U S V^T. GSL's gsl_multifit_linear_tsvd does the same, but takes memory on
 * its way (in gsl_linalg_bidiag_decomp) without a look at whether it got any. */
static bool solve(struct linear_work *work) {
    if (gsl_linalg_balance_columns(work->x, work->balance) != GSL_SUCCESS ||
        gsl_linalg_QR_decomp(work->x, work->tau) != GSL_SUCCESS ||
        gsl_linalg_QR_QTvec(work->x, work->tau, work->y) != GSL_SUCCESS)
        return false;
    for (size_t i = 0; i < work->beta->size; i++)
        for (size_t k = 0; k < work->beta->size; k++)
            gsl_matrix_set(work->u, i, k, k >= i ? gsl_matrix_get(work->x, i, k) : 0);
    if (gsl_linalg_SV_decomp_jacobi(work->u, work->v, work->s) != GSL_SUCCESS)
        return false;
    expand(work);
    return true;
}

/*
 * Least squares for one target (Baymax Eq. 1). The targets are divided by the largest, so that
 * picoseconds neither lose digits nor overflow.
 */
static void fit_target(struct linear_model *linear, struct linear_work *work,
                       const struct predict_sample *const *samples, size_t count, int target) {
    if (work_fill(work, &linear->scale, samples, count, target) == 0)
        return;
    double largest = fmax(fabs(gsl_vector_max(work->y)), fabs(gsl_vector_min(work->y)));
    if (largest > 0)
        gsl_vector_scale(work->y, 1 / largest);
    if (!solve(work))
        return;
    linear->known[target] = true;
    linear->intercept[target] = gsl_vector_get(work->beta, 0) * largest;
    for (uint32_t k = 0; k < linear->scale.count; k++)
        linear->slope[target][k] = gsl_vector_get(work->beta, k + 1) * largest;
}

static bool linear_fit(void *model, const struct predict_sample *const *samples, size_t count) {
    struct linear_model *linear = model;
    struct linear_work work;
    predict_scale_fit(&linear->scale, samples, count);
    size_t columns = linear->scale.count + 1u;
    if (!work_alloc(&work, count < columns ? columns : count, columns))
        return false;
    for (int target = 0; target < PREDICT_TARGETS; target++)
        fit_target(linear, &work, samples, count, target);
    work_free(&work);
    return true;
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
