#include "models/device/contention_model.h"

#include "models/device/contention.h"

#include <math.h>

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
