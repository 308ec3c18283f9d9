/*
 * The contention model of one GPU fitted to measured co-locations: three parameters for the GPU.
 * Factors of single applications are fitted after it.
 * docs/models-contention.md says what it reaches; docs/decisions/0010-contention-fit.md why the
 * form and the loss are these.
 */
#ifndef CONTENTION_FIT_H
#define CONTENTION_FIT_H

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

enum contention_term {
    CONTENTION_TERM_K0 = 1,
    CONTENTION_TERM_K = 2,
    CONTENTION_TERM_DELAY = 4,
    CONTENTION_TERMS_ALL = 7
};

/* Fewer co-locations than this cannot hold three parameters and leave anything to judge them by. */
#define CONTENTION_ROWS_LEAST 4
/* Random co-locations that are nearly as good as hundreds, and a comfortable number of them. */
#define CONTENTION_ROWS_ENOUGH 16
#define CONTENTION_ROWS_COMFORTABLE 32

/* A difference of mean errors counts from this many standard errors on: 95 % of chance differences
 * are smaller. */
#define CONTENTION_STANDARD_ERRORS 2.0

/* Different rows among the samples, which are grouped by row. */
size_t contention_count_rows(const struct contention_sample *samples, size_t count);

/*
 * The parameters, each 0 or more, that minimise the pseudo-Huber loss of the relative errors of the
 * co-located latencies, by GSL's nonlinear least squares, and the sensitivity. Terms that the
 * samples cannot tell from those before them are 0; `terms` says which were fitted. S is 1 unless
 * the other choice, which has as many parameters, lowers the mean error by more than twice the
 * standard error of the difference. CT_OK; CT_DATA after an error: fewer than CONTENTION_ROWS_LEAST
 * rows, or memory ran out. `where` names the file in messages.
 */
int contention_fit(const struct contention_sample *samples, size_t count,
                   struct contention_model *model, unsigned *terms, const char *where,
                   struct ct_diags *diags);

/* From where on errors count linearly, by the errors of the model on the samples; INFINITY when it
 * is exact, NAN when memory ran out. */
double contention_huber_delta(const struct contention_sample *samples, size_t count,
                              const struct contention_model *model);

/* The median of shared over solo latency: the second baseline. NAN when memory ran out or there is
 * no sample. */
double contention_median_slowdown(const struct contention_sample *samples, size_t count);

/* contention_apps.c */

/*
 * Factors of the applications in the samples, for the fitted model. The shrinkage is that of the
 * least mean error over five parts of the rows, each predicted from the other four; the factors
 * stay out unless that error is below the model's by more than twice the standard error of the
 * difference. CT_OK or CT_DATA (memory ran out).
 */
int contention_apps_fit(const struct contention_sample *samples, size_t count,
                        const struct contention_model *model, struct contention_apps *apps,
                        struct ct_diags *diags);
void contention_apps_free(struct contention_apps *apps);

#endif
