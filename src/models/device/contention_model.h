/*
 * The contention model of one GPU as it was fitted: three parameters (contention_fit.h) and, where
 * they pay, factors of single applications (contention_apps.h); what it predicts of a co-location.
 */
#ifndef CONTENTION_MODEL_H
#define CONTENTION_MODEL_H

#include "models/device/contention_samples.h"

/* S, how much of what its neighbours do a kernel feels: all of it, or in proportion to its own use
 * of DRAM and L2, 1 at most. */
enum contention_sensitivity { CONTENTION_SENSITIVITY_ONE, CONTENTION_SENSITIVITY_OWN };

/* Zero-initialise; free with contention_apps_free. */
struct contention_apps {
    double *sensitivity, *pressure; /* by app; NULL: 1 for all, the factors did not pay */
    size_t count;
    double shrinkage; /* how many average samples with a factor of 1 each application is given */
};

struct contention_model {
    double k0, k, launch_delay_us; /* as in struct gpu, 0 or more */
    enum contention_sensitivity sensitivity;
    const struct contention_apps *apps; /* NULL: no application has its own */
};

/* The factor of an application; 1 for an application that is not there; `factors` may be NULL. */
double contention_apps_factor(const double *factors, size_t count, uint32_t app);

/* T s: the latency beside the other application. */
double contention_predict_ms(const struct contention_model *model,
                             const struct contention_sample *sample);

#endif
