/*
 * Applications seen in training: by how much each feels its neighbours more, and does more to them,
 * than its use of the memory says. Factors are shrunk towards 1 by as much as cross-validation on
 * the training rows asks for, and left out where they do not pay.
 */
#include "models/device/contention_fit.h"

#include "base/ct_arena.h"
#include "des/des_stream.h"

enum { FOLDS = 5, SWEEPS = 10 };

/* Imagined samples with a factor of 1: from hardly any shrinkage to much of it. */
static const double shrinkages[] = {64, 16, 4, 1};

/* A sample as the factors see it: shared / solo latency = fixed + scaled S Q. */
struct part {
    double scaled, fixed, slowdown;
    uint32_t victim, other, fold;
};

struct fitting {
    struct part *parts;
    size_t count;
    double delta;           /* of Huber's loss; INFINITY: none */
    double typical;         /* mean square of the scaled part, over the slowdown */
    double *weights, *sums; /* scratch, by app */
};

void contention_apps_free(struct contention_apps *apps) {
    free(apps->sensitivity);
    free(apps->pressure);
    *apps = (struct contention_apps){0};
}

static double predict(const struct contention_apps *apps, const struct part *part) {
    return part->fixed +
           part->scaled * apps->sensitivity[part->victim] * apps->pressure[part->other];
}

/* ---- one fit ---- */

/*
 * One set of factors with the other one fixed: the weighted least-squares value of each
 * application, with imagined samples that pull it to 1. `fold` is left out.
 */
static void sweep(struct fitting *fitting, struct contention_apps *apps, bool victims,
                  double shrinkage, uint32_t fold) {
    double *own = victims ? apps->sensitivity : apps->pressure;
    const double *others = victims ? apps->pressure : apps->sensitivity;
    double pull = shrinkage * fitting->typical;
    for (size_t a = 0; a < apps->count; a++)
        fitting->weights[a] = fitting->sums[a] = pull;
    for (size_t i = 0; i < fitting->count; i++) {
        const struct part *p = &fitting->parts[i];
        if (p->fold == fold)
            continue;
        uint32_t app = victims ? p->victim : p->other;
        double slope = p->scaled * others[victims ? p->other : p->victim] / p->slowdown;
        double wanted = 1.0 - p->fixed / p->slowdown;
        double error = (slope * own[app] - wanted) / fitting->delta;
        double weight = 1.0 / sqrt(1.0 + error * error);
        fitting->weights[app] += weight * slope * slope;
        fitting->sums[app] += weight * slope * wanted;
    }
    for (size_t a = 0; a < apps->count; a++)
        own[a] = fmax(0.0, fitting->sums[a] / fitting->weights[a]);
}

/* FOLDS as `fold` leaves nothing out. */
static void fit(struct fitting *fitting, struct contention_apps *apps, double shrinkage,
                uint32_t fold) {
    for (size_t a = 0; a < apps->count; a++)
        apps->sensitivity[a] = apps->pressure[a] = 1.0;
    for (int i = 0; i < SWEEPS; i++) {
        sweep(fitting, apps, true, shrinkage, fold);
        sweep(fitting, apps, false, shrinkage, fold);
    }
}

/* ---- how much to shrink ---- */

/* How much the factors lower the relative error of a sample that they were not fitted to. */
struct gain {
    double mean, standard_error;
};

static struct gain cross_validate(struct fitting *fitting, struct contention_apps *apps,
                                  double shrinkage) {
    double sum = 0, squares = 0, n = (double)fitting->count;
    for (uint32_t fold = 0; fold < FOLDS; fold++) {
        fit(fitting, apps, shrinkage, fold);
        for (size_t i = 0; i < fitting->count; i++) {
            const struct part *p = &fitting->parts[i];
            if (p->fold != fold)
                continue;
            double gain = fabs((p->fixed + p->scaled) / p->slowdown - 1.0) -
                          fabs(predict(apps, p) / p->slowdown - 1.0);
            sum += gain;
            squares += gain * gain;
        }
    }
    double mean = sum / n;
    return (struct gain){mean, sqrt(fmax(0.0, squares / n - mean * mean) / n)};
}

static void choose(struct fitting *fitting, struct contention_apps *apps) {
    struct gain best = {0};
    for (size_t i = 0; i < CT_COUNT_OF(shrinkages); i++) {
        struct gain gain = cross_validate(fitting, apps, shrinkages[i]);
        if (gain.mean <= best.mean)
            continue;
        best = gain;
        apps->shrinkage = shrinkages[i];
    }
    if (best.mean > CONTENTION_STANDARD_ERRORS * best.standard_error)
        fit(fitting, apps, apps->shrinkage, FOLDS);
    else
        contention_apps_free(apps);
}

/* ---- the whole ---- */

static void make_parts(struct fitting *fitting, const struct contention_sample *samples,
                       const struct contention_model *model) {
    struct des_stream stream;
    const struct contention_model delay = {.launch_delay_us = model->launch_delay_us};
    uint32_t fold = 0;
    des_stream_init(&stream, 1, 0, "calibrate", "fold");
    for (size_t i = 0; i < fitting->count; i++) {
        const struct contention_sample *s = &samples[i];
        if (i == 0 || s->row != samples[i - 1].row)
            fold = (uint32_t)des_stream_below(&stream, FOLDS);
        double fixed = contention_predict_ms(&delay, s) / s->solo_ms;
        double scaled = contention_predict_ms(model, s) / s->solo_ms - fixed;
        fitting->parts[i] =
            (struct part){scaled, fixed, s->shared_ms / s->solo_ms, s->app, s->other_app, fold};
        fitting->typical +=
            scaled / fitting->parts[i].slowdown * scaled / fitting->parts[i].slowdown;
    }
    fitting->typical /= (double)fitting->count;
}

static size_t count_apps(const struct contention_sample *samples, size_t count) {
    size_t apps = 0;
    for (size_t i = 0; i < count; i++) {
        apps = samples[i].app >= apps ? samples[i].app + (size_t)1 : apps;
        apps = samples[i].other_app >= apps ? samples[i].other_app + (size_t)1 : apps;
    }
    return apps;
}

int contention_apps_fit(const struct contention_sample *samples, size_t count,
                        const struct contention_model *model, struct contention_apps *apps,
                        struct ct_diags *diags) {
    struct contention_model alike = *model;
    alike.apps = NULL;
    size_t app_count = count_apps(samples, count);
    *apps = (struct contention_apps){calloc(app_count + 1, sizeof(double)),
                                     calloc(app_count + 1, sizeof(double)), app_count, 0};
    struct ct_arena arena = {0};
    struct fitting fitting = {.parts = ct_arena_array(&arena, count, sizeof *fitting.parts),
                              .count = count,
                              .delta = contention_huber_delta(samples, count, &alike),
                              .weights = ct_arena_array(&arena, app_count, sizeof(double)),
                              .sums = ct_arena_array(&arena, app_count, sizeof(double))};
    bool good = apps->sensitivity && apps->pressure && fitting.parts && fitting.weights &&
                fitting.sums && !isnan(fitting.delta);
    if (good)
        make_parts(&fitting, samples, &alike);
    if (good && fitting.typical > 0)
        choose(&fitting, apps);
    else
        contention_apps_free(apps);
    ct_arena_free(&arena);
    return good ? CT_OK : ct_out_of_memory(diags);
}
