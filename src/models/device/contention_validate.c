#include "models/device/contention_validate.h"

#include "des/des_stream.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>

/* Errors one by one, of the model and of the baselines, until they are summed up. */
struct score {
    CT_VEC(double) errors;
    double none, median;
    uint64_t rows;
    uint32_t last_row;
    struct contention_predictions *kept; /* may be NULL */
};

static const struct contention_errors nothing = {0, 0, NAN, NAN, NAN, NAN, NAN, NAN};

static double error_of(double predicted_ms, const struct contention_sample *sample) {
    return fabs(predicted_ms / sample->shared_ms - 1.0);
}

static bool score_add(struct score *score, const struct contention_sample *sample,
                      const struct contention_model *model, double median_slowdown) {
    if (score->errors.count == 0 || sample->row != score->last_row)
        score->rows++;
    score->last_row = sample->row;
    score->none += error_of(sample->solo_ms, sample);
    score->median += error_of(sample->solo_ms * median_slowdown, sample);
    struct contention_prediction made = {*sample, contention_predict_ms(model, sample)};
    return (!score->kept || ct_vec_push(score->kept, made)) &&
           ct_vec_push(&score->errors, error_of(made.predicted_ms, sample));
}

static struct contention_errors sum_up(struct score *score) {
    double *errors = score->errors.items;
    size_t n = score->errors.count;
    if (n == 0)
        return nothing;
    gsl_sort(errors, 1, n);
    return (struct contention_errors){
        .rows = score->rows,
        .latencies = n,
        .mean = gsl_stats_mean(errors, 1, n),
        .median = gsl_stats_median_from_sorted_data(errors, 1, n),
        .p90 = gsl_stats_quantile_from_sorted_data(errors, 1, n, 0.9),
        .max = errors[n - 1],
        .baseline_none = score->none / (double)n,
        .baseline_median = score->median / (double)n,
    };
}

/* Ends a score, good or not. */
static int finish(struct score *score, bool good, struct contention_errors *errors,
                  struct ct_diags *diags) {
    *errors = good ? sum_up(score) : nothing;
    ct_vec_free(&score->errors);
    return good ? CT_OK : ct_out_of_memory(diags);
}

bool contention_is_worth_it(const struct contention_errors *errors) {
    return errors->latencies > 0 && errors->mean < errors->baseline_none &&
           errors->mean < errors->baseline_median;
}

int contention_score(const struct contention_sample *samples, size_t count,
                     const struct contention_model *model, double median_slowdown,
                     struct contention_errors *errors, struct contention_predictions *kept,
                     struct ct_diags *diags) {
    struct score score = {.kept = kept};
    bool good = true;
    for (size_t i = 0; i < count && good; i++)
        good = score_add(&score, &samples[i], model, median_slowdown);
    return finish(&score, good, errors, diags);
}

/* ---- held out at random ---- */

/* Marks `wanted` of the rows, each set of them as likely as any other (Floyd's method is not needed
 * at this size: one pass, each row with the chance of what is still to be chosen). */
static void choose_rows(bool *chosen, size_t rows, size_t wanted, uint64_t seed) {
    struct des_stream stream;
    des_stream_init(&stream, seed, 0, "validate", "holdout");
    for (size_t i = 0; i < rows; i++) {
        chosen[i] = des_stream_below(&stream, rows - i) < wanted;
        wanted -= chosen[i];
    }
}

/* The samples of the rows that are not chosen, then those of the chosen: returns the first number.
 */
static size_t split(const struct contention_sample *samples, size_t count, const bool *chosen,
                    struct contention_sample *parts) {
    size_t row = 0, kept = 0, held = 0;
    for (size_t i = 0; i < count; i++) {
        row += i > 0 && samples[i].row != samples[i - 1].row;
        kept += !chosen[row];
    }
    row = 0;
    size_t next = 0;
    for (size_t i = 0; i < count; i++) {
        row += i > 0 && samples[i].row != samples[i - 1].row;
        parts[chosen[row] ? kept + held++ : next++] = samples[i];
    }
    return kept;
}

/* The parameters and the factors of applications. The caller frees the factors, which the model
 * points to. */
static int fit_all(const struct contention_sample *samples, size_t count,
                   struct contention_model *model, struct contention_apps *apps, const char *where,
                   struct ct_diags *diags) {
    unsigned terms;
    int status = contention_fit(samples, count, model, &terms, where, diags);
    if (status == CT_OK)
        status = contention_apps_fit(samples, count, model, apps, diags);
    model->apps = apps;
    return status;
}

static int fit_and_score(const struct contention_sample *parts, size_t fitted, size_t count,
                         struct contention_errors *errors, struct contention_predictions *kept,
                         const char *where, struct ct_diags *diags) {
    struct contention_model model;
    struct contention_apps apps = {0};
    int status = fit_all(parts, fitted, &model, &apps, where, diags);
    double median = contention_median_slowdown(parts, fitted);
    if (status == CT_OK && isnan(median))
        status = ct_out_of_memory(diags);
    if (status == CT_OK)
        status =
            contention_score(parts + fitted, count - fitted, &model, median, errors, kept, diags);
    contention_apps_free(&apps);
    return status;
}

int contention_validate_held_out(const struct contention_sample *samples, size_t count,
                                 double holdout, uint64_t seed, struct contention_errors *errors,
                                 struct contention_predictions *kept, const char *where,
                                 struct ct_diags *diags) {
    size_t rows = contention_count_rows(samples, count);
    size_t held = (size_t)fmax(1.0, nearbyint(holdout * (double)rows));
    *errors = nothing;
    if (rows < held + CONTENTION_ROWS_LEAST) {
        ct_error(diags, where,
                 "%zu co-location%s too few to hold out %zu: at least %d must be left to fit", rows,
                 rows == 1 ? " is" : "s are", held, CONTENTION_ROWS_LEAST);
        return CT_DATA;
    }
    bool *chosen = calloc(rows, sizeof *chosen);
    struct contention_sample *parts = calloc(count, sizeof *parts);
    if (!chosen || !parts) {
        free(chosen);
        free(parts);
        return ct_out_of_memory(diags);
    }
    choose_rows(chosen, rows, held, seed);
    size_t fitted = split(samples, count, chosen, parts);
    int status = fit_and_score(parts, fitted, count, errors, kept, where, diags);
    free(chosen);
    free(parts);
    return status;
}

/* ---- applications never seen ---- */

/* Predicts the latencies of one family from the rows without it. False when memory ran out. */
static bool test_family(const struct contention_sample *samples, size_t count,
                        const uint32_t *families, uint32_t family, struct contention_sample *kept,
                        struct score *score, struct ct_diags *diags) {
    size_t others = 0;
    struct contention_model model;
    struct contention_apps apps = {0};
    for (size_t i = 0; i < count; i++)
        if (families[samples[i].app] != family && families[samples[i].other_app] != family)
            kept[others++] = samples[i];
    if (contention_count_rows(kept, others) < CONTENTION_ROWS_LEAST)
        return true;
    double median = contention_median_slowdown(kept, others);
    bool good = fit_all(kept, others, &model, &apps, "", diags) == CT_OK && !isnan(median);
    for (size_t i = 0; i < count && good; i++)
        if (families[samples[i].app] == family)
            good = score_add(score, &samples[i], &model, median);
    contention_apps_free(&apps);
    return good;
}

/* Co-locations of which a latency was tested; a pair of two families meets the score twice. */
static uint64_t count_tested(const struct contention_sample *samples, size_t count,
                             const uint32_t *families, const bool *tested) {
    uint64_t rows = 0;
    for (size_t i = 0; i < count;) {
        bool any = false;
        uint32_t row = samples[i].row;
        for (; i < count && samples[i].row == row; i++)
            any |= tested[families[samples[i].app]];
        rows += any;
    }
    return rows;
}

int contention_validate_unseen(const struct contention_sample *samples, size_t count,
                               const uint32_t *families, struct contention_errors *errors,
                               struct contention_predictions *kept, struct ct_diags *diags) {
    struct score score = {.kept = kept};
    uint32_t family_count = 0;
    for (size_t i = 0; i < count; i++)
        if (families[samples[i].app] >= family_count)
            family_count = families[samples[i].app] + 1;
    struct contention_sample *others = calloc(count + 1, sizeof *others);
    bool *tested = calloc((size_t)family_count + 1, sizeof *tested);
    bool good = others && tested;
    for (uint32_t family = 0; family < family_count && good; family++) {
        size_t before = score.errors.count;
        good = test_family(samples, count, families, family, others, &score, diags);
        tested[family] = score.errors.count > before;
    }
    if (good)
        score.rows = count_tested(samples, count, families, tested);
    free(others);
    free(tested);
    return finish(&score, good, errors, diags);
}
