#include "models/device/dram_fit.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_statistics_double.h>

enum { SHIFT_PART = 10, SHIFT_STREAMS = 16, SHIFT_CAP = 5 };

static int measure(const struct dram_bank_params *params, const struct dram_bank_app *apps,
                   size_t count, struct dram_bank_result *result, struct ct_diags *diags) {
    struct dram_bank_params run = *params;
    run.apps = apps;
    run.app_count = count;
    return dram_bank_run(&run, result, diags);
}

static int measure_points(const struct dram_bank_params *params, struct dram_fit *fit,
                          struct ct_diags *diags) {
    for (int i = 0; i < DRAM_FIT_POINTS; i++) {
        struct dram_bank_app app = {(double)i / (DRAM_FIT_POINTS - 1), 1.0};
        struct dram_bank_result result;
        int status = measure(params, &app, 1, &result, diags);
        if (status != CT_OK)
            return status;
        fit->points[i] = (struct dram_fit_point){.locality = app.locality,
                                                 .row_hit_rate = result.row_hit_rate,
                                                 .utilisation = result.utilisation};
    }
    return CT_OK;
}

static void fit_line(struct dram_fit *fit) {
    enum { STRIDE = sizeof(struct dram_fit_point) / sizeof(double) };
    const double *x = &fit->points[0].row_hit_rate, *y = &fit->points[0].utilisation;
    double c00, c01, c11, squares;
    gsl_fit_linear(x, STRIDE, y, STRIDE, DRAM_FIT_POINTS, &fit->base, &fit->slope, &c00, &c01, &c11,
                   &squares);
    double total = gsl_stats_tss(y, STRIDE, DRAM_FIT_POINTS);
    fit->r2 = total > 0.0 ? 1.0 - squares / total : NAN;
    fit->worst_residual = 0.0;
    for (int i = 0; i < DRAM_FIT_POINTS; i++) {
        struct dram_fit_point *p = &fit->points[i];
        p->residual = p->utilisation - (fit->slope * p->row_hit_rate + fit->base);
        fit->worst_residual = fmax(fit->worst_residual, fabs(p->residual));
    }
}

/* A running maximum: what little a longer row loses at the plateau is no loss that a user should be
 * able to exploit, and the curve must be invertible. */
static void make_curve(struct dram_fit *fit) {
    fit->curve_lift = 0.0;
    for (int i = 0; i < DRAM_FIT_POINTS; i++) {
        const struct dram_fit_point *p = &fit->points[i];
        double before = i > 0 ? fit->curve[i - 1].utilisation : 0.0;
        fit->curve[i] = (struct dram_point){p->row_hit_rate, fmax(p->utilisation, before)};
        fit->curve_lift = fmax(fit->curve_lift, fit->curve[i].utilisation - p->utilisation);
    }
}

/* Mean and worst shift of the first of two applications at one share, streams and cap. */
static int measure_shift(const struct dram_bank_params *params, struct dram_fit_shift *shift,
                         struct ct_diags *diags) {
    static const double localities[] = {0.2, 0.5, 0.8};
    const size_t count = CT_COUNT_OF(localities);
    struct dram_bank_params run = *params;
    run.streams = shift->streams;
    run.cap = shift->cap;
    run.requests = params->requests / SHIFT_PART + 1;
    for (size_t i = 0; i < count; i++) {
        struct dram_bank_app pair[2] = {{localities[i], 1.0}};
        struct dram_bank_result alone, shared;
        int status = measure(&run, pair, 1, &alone, diags);
        pair[0].share = shift->share;
        for (size_t j = 0; j < count && status == CT_OK; j++) {
            pair[1] = (struct dram_bank_app){localities[j], 1.0 - shift->share};
            status = measure(&run, pair, 2, &shared, diags);
            double moved = fabs(shared.apps[0].row_hit_rate - alone.row_hit_rate);
            shift->mean += moved / (double)(count * count);
            shift->worst = fmax(shift->worst, moved);
        }
        if (status != CT_OK)
            return status;
    }
    return CT_OK;
}

static int measure_shifts(const struct dram_bank_params *params, struct dram_fit *fit,
                          struct ct_diags *diags) {
    static const double shares[] = {0.25, 0.5, 0.75};
    const int64_t streams[] = {params->streams, SHIFT_STREAMS}, caps[] = {0, SHIFT_CAP};
    struct dram_fit_shift *shift = fit->shifts;
    for (size_t s = 0; s < CT_COUNT_OF(streams); s++)
        for (size_t c = 0; c < CT_COUNT_OF(caps); c++)
            for (size_t k = 0; k < CT_COUNT_OF(shares); k++, shift++) {
                *shift = (struct dram_fit_shift){
                    .streams = streams[s], .cap = caps[c], .share = shares[k]};
                int status = measure_shift(params, shift, diags);
                if (status != CT_OK)
                    return status;
            }
    return CT_OK;
}

int dram_fit_run(const struct dram_bank_params *params, struct dram_fit *fit,
                 struct ct_diags *diags) {
    *fit = (struct dram_fit){0};
    int status = measure_points(params, fit, diags);
    if (status != CT_OK)
        return status;
    fit_line(fit);
    make_curve(fit);
    return measure_shifts(params, fit, diags);
}
