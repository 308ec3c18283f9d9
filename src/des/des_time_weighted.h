/* The mean over time of a piecewise constant quantity: a queue's length, busy SMs. */
#ifndef DES_TIME_WEIGHTED_H
#define DES_TIME_WEIGHTED_H

#include "ct_types.h"

struct des_time_weighted {
    ct_time_ps begin, last;
    double value;    /* since `last` */
    double integral; /* over begin ... last, in value times picoseconds */
    double most;     /* the largest value so far */
};

/* Begins, or begins anew after a warm-up, with the value that holds from `now` on. */
void des_time_weighted_start(struct des_time_weighted *weighted, ct_time_ps now, double value);

/* From `now` (not before the last change; asserted) the quantity has this value, or so much more.
 */
void des_time_weighted_set(struct des_time_weighted *weighted, ct_time_ps now, double value);
void des_time_weighted_add(struct des_time_weighted *weighted, ct_time_ps now, double change);

/* Value times picoseconds from the start to `now`, which is not before the last change. */
double des_time_weighted_integral(const struct des_time_weighted *weighted, ct_time_ps now);

/* NAN if no time has passed since the start. */
double des_time_weighted_mean(const struct des_time_weighted *weighted, ct_time_ps now);

#endif
