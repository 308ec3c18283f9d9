/* What one app adds to a decision when the times of its tasks are known: C-QoS Eq. 2, 8, 9, 11. */
#ifndef CQOS_WORTH_H
#define CQOS_WORTH_H

#include "policies/cqos.h"

/* A kernel, and the copies of its app that are on the device or ready: all that can overlap does
 * (Eq. 2). */
static inline double cqos_remaining_ps(const struct cqos_prospect *prospect, double kernel) {
    double most = kernel;
    for (int e = 0; e < CQOS_ENGINES; e++)
        most = prospect->copy_ps[e] > most ? prospect->copy_ps[e] : most;
    return most;
}

/* Tasks that are not ready yet: Eq. 8 predicts all kernels of the application under the decision.
 * Another app may have the link when the kernels before the next copy have ended: its t_w. */
static inline double cqos_later_ps(const struct cqos_app *own, const struct cqos_prospect *prospect,
                                   int64_t sms, double kernel) {
    double end = kernel + own->before_copy_ps * own->slowdown[sms];
    return own->rest_ps * own->slowdown[sms] + cqos_at_least_zero(prospect->link_ps - end);
}

/* Q, Eq. 8: whether the goal is kept, and how much time is left over. */
static inline double cqos_quality(const struct cqos_scene *scene, const struct cqos_app *own,
                                  const struct cqos_prospect *prospect, int64_t sms,
                                  double kernel) {
    double later = cqos_later_ps(own, prospect, sms, kernel);
    if (own->target_ps <= 0 ||
        own->elapsed_ps + cqos_remaining_ps(prospect, kernel) + later > own->target_ps)
        return 0;
    double sum = prospect->kernel_waited_ps + kernel;
    for (int e = 0; e < CQOS_ENGINES; e++)
        sum += prospect->copy_term_ps[e];
    sum += own->spent_ps + later;
    return 1 + (own->tasks - sum / own->target_ps) / ((double)scene->count * own->tasks);
}

/* The first term of U, Eq. 9. */
static inline double cqos_use_of(const struct cqos_app *app, int64_t sms) {
    return app->kernel.there ? app->kernel.use_sum[sms] / (CQOS_RESOURCES * app->tasks) : 0;
}

/* O, Eq. 11. Without a resource in use its value is 0: Eq. 10 lies above 0. */
static inline double cqos_value_of(const struct cqos_weights *weights,
                                   const struct cqos_prospect *prospect, double quality,
                                   double used, double steady) {
    /* Eq. 10: its quarter undoes counting bw once per resource */
    double cost = used + prospect->bandwidth;
    if (weights->per_cost && cost <= 0)
        return 0;
    double value = weights->qos * quality + weights->use * (used + steady);
    return weights->per_cost ? value / cost : value;
}

#endif
