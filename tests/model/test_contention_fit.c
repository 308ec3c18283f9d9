/*
 * The fit of the contention model: exact data give back their parameters, bounds hold, what the
 * data cannot tell is said, errors are those worked out by hand; and on co-locations made by
 * another law, a queue at the memory behind a smooth roofline, the model beats both baselines on
 * rows and applications that it has not seen.
 */
#include "models/device/contention_fit.h"
#include "models/device/contention_validate.h"

#include "cmocka_complete.h"
#include "des/des_stream.h"

#include <stdio.h>
#include <string.h>

enum { PAIRS = 300, NETS = 8, SIZES = 3, QUOTAS = 9, APPS = NETS * SIZES };

struct measured {
    struct contention_solo solos[APPS * QUOTAS];
    struct contention_meeting meetings[2 * PAIRS];
    struct contention_samples samples;
    struct contention_columns columns;
    uint32_t families[APPS]; /* the three batch sizes of a net are one family */
};

static void make_samples(struct measured *m, size_t solos, size_t meetings) {
    struct ct_diags diags = {0};
    assert_int_equal(contention_samples_make(m->solos, solos, m->meetings, meetings, &m->samples,
                                             &m->columns, &diags),
                     CT_OK);
    assert_int_equal(diags.count, 0);
}

/* ---- another law ---- */

struct net {
    double compute_ms, memory_ms; /* on the whole GPU */
    double l2, launches;
};

/* How strongly applications meet at the memory. */
struct law {
    double misses;      /* additional memory time per unit of the other's L2 use */
    double queue;       /* additional memory time per unit of queueing */
    double memory_most; /* memory time over compute time, at most */
};

/* Chosen by the range of slowdowns alone: up to about 1.3, and up to about 3.5. */
static const struct law weak = {0.2, 0.1, 0.6}, strong = {1.0, 0.6, 1.4};

/* A smooth roofline: compute slows with fewer SMs, sublinearly; memory does not. */
static double roofline(const struct net *net, double quota, double memory_factor) {
    double compute = net->compute_ms / pow(quota, 0.8);
    return cbrt(pow(compute, 3) + pow(net->memory_ms * memory_factor, 3));
}

static double busy(const struct net *net, double quota) {
    return 0.9 * net->memory_ms / roofline(net, quota, 1.0);
}

/* The memory as a server: waiting grows as load / (1 - load). */
static double beside(const struct law *law, const struct net *net, double quota,
                     const struct net *other, double other_quota, struct des_stream *chance) {
    double load = busy(other, other_quota);
    double wait = load / (1.0 - fmin(0.95, load + 0.5 * busy(net, quota)));
    double l2 = other->l2 * roofline(other, 1.0, 1.0) / roofline(other, other_quota, 1.0);
    double launch_ms = net->launches * 1e-3 * (1.0 + 2.0 * des_stream_uniform(chance));
    double noise = exp(0.015 * des_stream_normal(chance));
    return noise *
           (roofline(net, quota, (1.0 + law->misses * l2) * (1.0 + law->queue * wait)) + launch_ms);
}

static void draw_nets(const struct law *law, struct net nets[APPS], struct des_stream *chance) {
    static const double batch[SIZES] = {1, 3, 9};
    for (int n = 0; n < NETS; n++) {
        double compute = 1.0 + 4.0 * des_stream_uniform(chance);
        double memory = compute * law->memory_most * des_stream_uniform(chance);
        double l2 = 0.1 + 0.5 * des_stream_uniform(chance);
        double launches = 20.0 + (double)des_stream_below(chance, 180);
        for (int b = 0; b < SIZES; b++)
            nets[n * SIZES + b] = (struct net){compute * batch[b], memory * batch[b], l2, launches};
    }
}

/* Solos at 10 to 90 %, and pairs that share the GPU without overlap; everything known at 100 % is
 * known at every quota. */
static void draw_measured(struct measured *m, const struct law *law, uint64_t seed) {
    struct des_stream chance;
    struct net nets[APPS];
    memset(m, 0, sizeof *m);
    des_stream_init(&chance, seed, 0, "test", "contention");
    draw_nets(law, nets, &chance);
    for (uint32_t i = 0; i < APPS * QUOTAS; i++) {
        const struct net *net = &nets[i / QUOTAS];
        double quota = 0.1 * (i % QUOTAS + 1);
        double latency = roofline(net, quota, 1.0) * exp(0.005 * des_stream_normal(&chance));
        m->solos[i] = (struct contention_solo){.app = i / QUOTAS,
                                               .quota_pct = 100 * quota,
                                               .latency_ms = latency,
                                               .dram = busy(net, quota),
                                               .l2 = net->l2 * roofline(net, 1.0, 1.0) / latency,
                                               .launches = net->launches};
        m->families[i / QUOTAS] = i / QUOTAS / SIZES;
    }
    for (uint32_t row = 0; row < PAIRS; row++) {
        uint32_t a = (uint32_t)des_stream_below(&chance, APPS);
        uint32_t b = (uint32_t)des_stream_below(&chance, APPS);
        uint32_t tenths = 1 + (uint32_t)des_stream_below(&chance, QUOTAS);
        double qa = 0.1 * tenths, qb = 1.0 - qa;
        uint32_t sa = a * QUOTAS + tenths - 1, sb = b * QUOTAS + (10 - tenths) - 1;
        m->meetings[2 * row] = (struct contention_meeting){
            sa, sb, row, beside(law, &nets[a], qa, &nets[b], qb, &chance)};
        m->meetings[2 * row + 1] = (struct contention_meeting){
            sb, sa, row, beside(law, &nets[b], qb, &nets[a], qa, &chance)};
    }
    make_samples(m, (size_t)APPS * QUOTAS, (size_t)2 * PAIRS);
}

static double largest_slowdown(const struct measured *m) {
    double largest = 0;
    for (size_t i = 0; i < m->samples.count; i++)
        largest = fmax(largest, m->samples.items[i].shared_ms / m->samples.items[i].solo_ms);
    return largest;
}

static void print_errors(const char *what, const struct contention_errors *e) {
    printf("%-22s %4llu rows: mean %.2f %% median %.2f %% p90 %.2f %% worst %.2f %%; no slowdown "
           "%.2f %%, median slowdown %.2f %%\n",
           what, (unsigned long long)e->rows, 100 * e->mean, 100 * e->median, 100 * e->p90,
           100 * e->max, 100 * e->baseline_none, 100 * e->baseline_median);
}

/* Clearly below both baselines, known and unseen. */
static void beats_baselines(const struct law *law, const char *name, double held_part) {
    FREED_BY(free) struct measured *m = calloc(1, sizeof *m);
    assert_non_null(m);
    for (uint64_t seed = 1; seed <= 3; seed++) {
        struct contention_errors held, unseen;
        struct ct_diags diags = {0};
        draw_measured(m, law, seed);
        assert_int_equal(contention_validate_held_out(m->samples.items, m->samples.count, 0.5, seed,
                                                      &held, NULL, "", &diags),
                         CT_OK);
        assert_int_equal(contention_validate_unseen(m->samples.items, m->samples.count, m->families,
                                                    &unseen, NULL, &diags),
                         CT_OK);
        printf("%s, seed %d, slowdowns up to %.2f\n", name, (int)seed, largest_slowdown(m));
        print_errors("held out", &held);
        print_errors("unseen application", &unseen);
        assert_int_equal(held.rows, PAIRS / 2);
        assert_int_equal(held.latencies, PAIRS);
        assert_int_equal(unseen.rows, PAIRS);
        assert_int_equal(unseen.latencies, 2 * PAIRS);
        assert_true(contention_is_worth_it(&held) && contention_is_worth_it(&unseen));
        assert_true(held.mean < held_part * fmin(held.baseline_none, held.baseline_median));
        assert_true(unseen.mean < 0.85 * fmin(unseen.baseline_none, unseen.baseline_median));
        assert_int_equal(diags.count, 0);
        ct_vec_free(&m->samples);
    }
}

TEST(small_slowdowns) {
    beats_baselines(&weak, "weak meeting", 0.85);
}

TEST(large_slowdowns) {
    beats_baselines(&strong, "strong meeting", 0.5); /* applications have factors */
}

/* What the user is told: for the parameters of the GPU 16 random co-locations are nearly as good as
 * hundreds. Each window of 16 rows is fitted alone and tested on all the others. */
TEST(few_rows_suffice) {
    enum { FEW = 2 * 16, MANY = PAIRS, WINDOWS = MANY / FEW };
    FREED_BY(free) struct measured *m = calloc(1, sizeof *m);
    double few = 0;
    struct contention_errors errors;
    struct contention_model model;
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    unsigned terms;
    assert_non_null(m);
    draw_measured(m, &strong, 1);
    const struct contention_sample *first = m->samples.items, *second = first + MANY;
    for (int i = 0; i < WINDOWS; i++) {
        contention_fit(first + (size_t)FEW * (size_t)i, FEW, &model, &terms, "", &diags);
        contention_score(second, MANY, &model, 1, &errors, NULL, &diags);
        few += errors.mean / WINDOWS;
    }
    contention_fit(first, MANY, &model, &terms, "", &diags);
    contention_score(second, MANY, &model, 1, &errors, NULL, &diags);
    printf("mean error after 16 rows %.2f %%, after %d rows %.2f %%\n", 100 * few, MANY / 2,
           100 * errors.mean);
    assert_true(few < 1.35 * errors.mean);
    ct_vec_free(&m->samples);
}

/* ---- factors of applications ---- */

enum { FACTOR_APPS = 6, FACTOR_SAMPLES = 240 };

/* Every pair of six applications again and again, with known factors on top of k0 alone; `noise`
 * is relative. */
static void factor_samples(struct contention_sample *samples, const double *feels,
                           const double *presses, double noise) {
    struct des_stream chance;
    des_stream_init(&chance, 5, 0, "test", "factors");
    for (uint32_t i = 0; i < FACTOR_SAMPLES; i++) {
        uint32_t app = i % FACTOR_APPS, other = i / FACTOR_APPS % FACTOR_APPS;
        samples[i] =
            (struct contention_sample){.app = app,
                                       .other_app = other,
                                       .row = i,
                                       .solo_ms = 2,
                                       .shared_ms = 2 * (1 + 0.2 * feels[app] * presses[other]) *
                                                    exp(noise * des_stream_normal(&chance))};
    }
}

TEST(factors_are_found) {
    static const double feels[FACTOR_APPS] = {0.5, 0.8, 1, 1, 1.2, 1.5},
                        presses[FACTOR_APPS] = {1, 1.4, 1, 0.6, 1, 1};
    struct contention_sample samples[FACTOR_SAMPLES];
    const struct contention_model model = {.k0 = 0.2};
    CLOSED_BY(contention_apps_free) struct contention_apps apps = {0};
    struct ct_diags diags = {0};
    factor_samples(samples, feels, presses, 0);
    assert_int_equal(contention_apps_fit(samples, FACTOR_SAMPLES, &model, &apps, &diags), CT_OK);
    assert_true(apps.shrinkage == 1);
    for (uint32_t i = 0; i < FACTOR_APPS; i++)
        assert_true(fabs(apps.sensitivity[i] - feels[i]) < 0.05 &&
                    fabs(apps.pressure[i] - presses[i]) < 0.05);
    /* The model uses them: the first beside the second, and one that it does not know as before. */
    struct contention_model with = model;
    with.apps = &apps;
    struct contention_sample known = {.app = 0, .other_app = 1, .solo_ms = 2};
    struct contention_sample unseen = {.app = 90, .other_app = 91, .solo_ms = 2};
    assert_true(fabs(contention_predict_ms(&with, &known) - 2 * (1 + 0.2 * 0.5 * 1.4)) < 0.02);
    assert_true(fabs(contention_predict_ms(&with, &unseen) - 2.4) < 1e-12);
}

/* Where applications do not differ, noise must not be taken for it. */
TEST(factors_that_do_not_pay_stay_out) {
    static const double ones[FACTOR_APPS] = {1, 1, 1, 1, 1, 1};
    struct contention_sample samples[FACTOR_SAMPLES];
    const struct contention_model model = {.k0 = 0.2}, none = {0};
    struct contention_apps apps = {0};
    struct ct_diags diags = {0};
    factor_samples(samples, ones, ones, 0.02);
    assert_int_equal(contention_apps_fit(samples, FACTOR_SAMPLES, &model, &apps, &diags), CT_OK);
    assert_null(apps.sensitivity);
    assert_true(contention_apps_factor(apps.sensitivity, apps.count, 0) == 1);
    assert_int_equal(contention_apps_fit(samples, FACTOR_SAMPLES, &none, &apps, &diags), CT_OK);
    assert_null(apps.sensitivity); /* nothing to multiply */
}

/* ---- by hand ---- */

static const struct contention_model truth = {.k0 = 0.057, .k = 0.028, .launch_delay_us = 4.0};

/* Samples with inputs that vary independently, and latencies exactly of the model. */
static void exact_samples(struct contention_sample *samples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        struct contention_sample *s = &samples[i];
        *s = (struct contention_sample){.app = (uint32_t)i % 5,
                                        .other_app = (uint32_t)(i + 1) % 5,
                                        .row = (uint32_t)i,
                                        .solo_ms = 1.0 + (double)(i * 7 % 11),
                                        .pressure = 0.1 * (double)(i * 5 % 13),
                                        .dram = 0.07 * (double)(i * 3 % 11),
                                        .launches = 10.0 * (double)(1 + i * 11 % 17)};
        double room = 1.0 - fmin(s->dram, 0.8);
        s->shared_ms = s->solo_ms * (1.0 + 0.057 + 0.028 * s->pressure / room) + 4e-3 * s->launches;
    }
}

TEST(exact_data_give_back_the_parameters) {
    struct contention_sample samples[40];
    struct contention_model model;
    struct ct_diags diags = {0};
    unsigned terms;
    exact_samples(samples, 40);
    assert_int_equal(contention_fit(samples, 40, &model, &terms, "", &diags), CT_OK);
    assert_int_equal(terms, CONTENTION_TERMS_ALL);
    assert_true(fabs(model.k0 - truth.k0) < 1e-8);
    assert_true(fabs(model.k - truth.k) < 1e-8);
    assert_true(fabs(model.launch_delay_us - truth.launch_delay_us) < 1e-6);
    assert_int_equal(diags.count, 0);
}

/* Where every application feels its neighbours by its own use of the memory, the fit finds that
 * out; where all feel them alike, it finds that. */
TEST(sensitivity_is_told_by_the_data) {
    struct contention_sample samples[40];
    struct contention_model model;
    struct ct_diags diags = {0};
    unsigned terms;
    exact_samples(samples, 40);
    for (size_t i = 0; i < 40; i++)
        samples[i].own = 0.05 * (double)(i * 9 % 23); /* up to 1.1: above 1 counts as 1 */
    assert_int_equal(contention_fit(samples, 40, &model, &terms, "", &diags), CT_OK);
    assert_int_equal(model.sensitivity, CONTENTION_SENSITIVITY_ONE);
    for (size_t i = 0; i < 40; i++) {
        struct contention_sample *s = &samples[i];
        double s_i = fmin(1.0, s->own), room = 1.0 - fmin(s->dram, 0.8);
        s->shared_ms =
            s->solo_ms * (1.0 + s_i * (0.057 + 0.028 * s->pressure / room)) + 4e-3 * s->launches;
    }
    assert_int_equal(contention_fit(samples, 40, &model, &terms, "", &diags), CT_OK);
    assert_int_equal(model.sensitivity, CONTENTION_SENSITIVITY_OWN);
    assert_true(fabs(model.k0 - truth.k0) < 1e-8 && fabs(model.k - truth.k) < 1e-8);
    assert_true(fabs(model.launch_delay_us - truth.launch_delay_us) < 1e-6);
}

/* One latency in eight was disturbed and took three times as long. */
TEST(outliers_move_little) {
    struct contention_sample samples[40];
    struct contention_model model;
    struct ct_diags diags = {0};
    unsigned terms;
    exact_samples(samples, 40);
    for (size_t i = 3; i < 40; i += 8)
        samples[i].shared_ms *= 3;
    assert_int_equal(contention_fit(samples, 40, &model, &terms, "", &diags), CT_OK);
    for (size_t i = 0; i < 40; i++) {
        double error = contention_predict_ms(&model, &samples[i]) / samples[i].shared_ms - 1;
        assert_true(i % 8 == 3 || fabs(error) < 0.05);
    }
}

TEST(bounds_hold) {
    struct contention_sample samples[12];
    struct contention_model model;
    struct ct_diags diags = {0};
    unsigned terms;
    exact_samples(samples, 12);
    for (size_t i = 0; i < 12; i++) /* faster together than alone: noise */
        samples[i].shared_ms = 0.97 * samples[i].solo_ms;
    assert_int_equal(contention_fit(samples, 12, &model, &terms, "", &diags), CT_OK);
    assert_true(model.k0 == 0 && model.k == 0 && model.launch_delay_us == 0);
    for (size_t i = 0; i < 12; i++) /* k0 alone explains it, and more pressure means less */
        samples[i].shared_ms = samples[i].solo_ms * (1.3 - 0.05 * samples[i].pressure);
    assert_int_equal(contention_fit(samples, 12, &model, &terms, "", &diags), CT_OK);
    assert_true(model.k0 > 0.2 && model.k0 < 0.3 && model.k == 0);
}

TEST(what_is_not_there_is_not_fitted) {
    struct contention_sample samples[12];
    struct contention_model model;
    struct ct_diags diags = {0};
    unsigned terms;
    exact_samples(samples, 12);
    for (size_t i = 0; i < 12; i++)
        samples[i].launches = 0;
    assert_int_equal(contention_fit(samples, 12, &model, &terms, "", &diags), CT_OK);
    assert_int_equal(terms, CONTENTION_TERM_K0 | CONTENTION_TERM_K);
    assert_true(model.launch_delay_us == 0);
    for (size_t i = 0; i < 12; i++) {
        samples[i].pressure = samples[i].dram = 0;
        samples[i].shared_ms = 1.25 * samples[i].solo_ms;
    }
    assert_int_equal(contention_fit(samples, 12, &model, &terms, "", &diags), CT_OK);
    assert_int_equal(terms, CONTENTION_TERM_K0);
    assert_true(fabs(model.k0 - 0.25) < 1e-9 && model.k == 0);
}

/* Every job launches as much per millisecond as any other, within 5 %: a delay per launch is a
 * common slowdown, which k0 is. Where jobs differ, it is told in spite of the noise. */
TEST(launches_at_one_rate_are_not_told) {
    struct contention_sample samples[80];
    struct contention_model model;
    struct ct_diags diags = {0};
    struct des_stream chance;
    unsigned terms;
    des_stream_init(&chance, 1, 0, "test", "noise");
    exact_samples(samples, 80);
    for (size_t i = 0; i < 80; i++)
        samples[i].shared_ms *= exp(0.01 * des_stream_normal(&chance));
    assert_int_equal(contention_fit(samples, 80, &model, &terms, "", &diags), CT_OK);
    assert_int_equal(terms, CONTENTION_TERMS_ALL);
    assert_true(fabs(model.launch_delay_us - truth.launch_delay_us) < 0.5);
    for (size_t i = 0; i < 80; i++)
        samples[i].launches = 5 * samples[i].solo_ms * (1 + 0.05 * des_stream_uniform(&chance));
    assert_int_equal(contention_fit(samples, 80, &model, &terms, "", &diags), CT_OK);
    assert_int_equal(terms, CONTENTION_TERM_K0 | CONTENTION_TERM_K);
    assert_true(model.launch_delay_us == 0);
}

TEST(too_few_rows) {
    struct contention_sample samples[6];
    struct contention_model model;
    CLOSED_BY(ct_diags_free) struct ct_diags diags = {0};
    unsigned terms;
    exact_samples(samples, 6);
    for (uint32_t i = 0; i < 6; i++)
        samples[i].row = i / 2; /* two latencies each: three co-locations */
    assert_int_equal(contention_count_rows(samples, 6), 3);
    assert_int_equal(contention_fit(samples, 6, &model, &terms, "pairs.csv", &diags), CT_DATA);
    assert_int_equal(diags.errors, 1);
    assert_string_equal(diags.items[0].where, "pairs.csv");
}

/* T(50) = 8 is twice T(100) = 4: half the rate, half the utilisation. 25 % is nearer to 50. */
TEST(utilisation_follows_the_rate) {
    FREED_BY(free) struct measured *m = calloc(1, sizeof *m);
    assert_non_null(m);
    m->solos[0] = (struct contention_solo){0, 100, 4, 0.6, NAN, NAN};
    m->solos[1] = (struct contention_solo){0, 50, 8, NAN, NAN, 30};
    m->solos[2] = (struct contention_solo){0, 25, 16, NAN, NAN, NAN};
    m->solos[3] = (struct contention_solo){1, 50, 2, 0.2, 0.4, 10};
    m->solos[4] = (struct contention_solo){2, 50, 5, NAN, NAN, NAN};
    m->meetings[0] = (struct contention_meeting){3, 1, 0, 3};
    make_samples(m, 5, 1);
    assert_true(fabs(m->solos[1].dram - 0.3) < 1e-12);
    assert_true(fabs(m->solos[2].dram - 0.15) < 1e-12);
    assert_true(m->solos[0].launches == 30 && m->solos[2].launches == 30);
    assert_true(m->columns.dram.used && m->columns.launches.used);
    assert_int_equal(m->columns.dram.guessed, 1);
    assert_true(fabs(m->solos[4].dram - 0.25) < 1e-12); /* median of 0.15, 0.2, 0.3, 0.6 */
    assert_false(m->columns.l2.used);                   /* one row in five */
    assert_true(m->solos[3].l2 == 0);
    const struct contention_sample *s = &m->samples.items[0];
    assert_true(fabs(s->pressure - 0.3) < 1e-12 && fabs(s->dram - 0.5) < 1e-12);
    assert_true(s->solo_ms == 2 && s->shared_ms == 3 && s->launches == 10);
    ct_vec_free(&m->samples);
}

/* k0 = 0.5 alone: predictions 1.5 T. Errors by hand: 1.5/1.5, 1.5/1.2, 1.5/2, 1.5/3. */
TEST(errors_by_hand) {
    const double shared[4] = {1.5, 1.2, 2.0, 3.0};
    const struct contention_model model = {.k0 = 0.5};
    struct contention_sample samples[4] = {0};
    struct contention_errors e;
    struct ct_diags diags = {0};
    for (uint32_t i = 0; i < 4; i++)
        samples[i] = (struct contention_sample){.row = i / 2, .solo_ms = 1, .shared_ms = shared[i]};
    assert_int_equal(contention_score(samples, 4, &model, 1.2, &e, NULL, &diags), CT_OK);
    assert_int_equal(e.rows, 2);
    assert_int_equal(e.latencies, 4);
    assert_true(fabs(e.mean - (0 + 0.25 + 0.25 + 0.5) / 4) < 1e-12);
    assert_true(fabs(e.median - 0.25) < 1e-12 && fabs(e.max - 0.5) < 1e-12);
    assert_true(fabs(e.p90 - (0.25 + 0.7 * 0.25)) < 1e-12); /* place 2.7 of 0 to 3 */
    assert_true(fabs(e.baseline_none - (1 / 3.0 + 1 / 6.0 + 0.5 + 2 / 3.0) / 4) < 1e-12);
    assert_true(fabs(e.baseline_median - (0.2 + 0 + 0.4 + 0.6) / 4) < 1e-12);
    assert_true(contention_is_worth_it(&e));
    assert_true(fabs(contention_median_slowdown(samples, 4) - 1.75) < 1e-12);
    assert_int_equal(contention_score(samples, 0, &model, 1.2, &e, NULL, &diags), CT_OK);
    assert_true(e.rows == 0 && isnan(e.mean) && !contention_is_worth_it(&e));
}

/* Two families that never meet: one takes three times as long, one no longer. Each is predicted by
 * what the other taught: 1 instead of 3, and 3 instead of 1. */
TEST(unseen_means_unseen) {
    const uint32_t families[2] = {0, 1};
    struct contention_sample samples[12] = {0};
    struct contention_errors e;
    struct ct_diags diags = {0};
    for (uint32_t i = 0; i < 12; i++)
        samples[i] = (struct contention_sample){
            .app = i / 6, .other_app = i / 6, .row = i, .solo_ms = 2, .shared_ms = i < 6 ? 6 : 2};
    assert_int_equal(contention_validate_unseen(samples, 12, families, &e, NULL, &diags), CT_OK);
    assert_int_equal(e.rows, 12);
    assert_true(fabs(e.max - 2) < 1e-9);
    assert_true(fabs(e.mean - (2 + 2 / 3.0) / 2) < 1e-9);
    const uint32_t one[2] = {0, 0};
    assert_int_equal(contention_validate_unseen(samples, 12, one, &e, NULL, &diags), CT_OK);
    assert_int_equal(e.rows, 0);
}

TEST(the_seed_decides) {
    FREED_BY(free) struct measured *m = calloc(1, sizeof *m);
    struct contention_errors first, again, other;
    struct ct_diags diags = {0};
    assert_non_null(m);
    draw_measured(m, &strong, 1);
    const struct contention_sample *samples = m->samples.items;
    contention_validate_held_out(samples, m->samples.count, 0.5, 7, &first, NULL, "", &diags);
    contention_validate_held_out(samples, m->samples.count, 0.5, 7, &again, NULL, "", &diags);
    contention_validate_held_out(samples, m->samples.count, 0.5, 8, &other, NULL, "", &diags);
    assert_memory_equal(&first, &again, sizeof first);
    assert_true(first.mean != other.mean);
    ct_vec_free(&m->samples);
}
