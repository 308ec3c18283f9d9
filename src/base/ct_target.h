/* Whether a number keeps its target: the one place where the two are compared. */
#ifndef CT_TARGET_H
#define CT_TARGET_H

#include <stdbool.h>

/*
 * Within this part of its target a number is equal to it, and kept. A target that is met exactly
 * (the SMs are nine tenths of the GPU, and so is what is wanted) is compared with a quotient or a
 * mean of sums, which is off by some 1e-16 per term; no run is told apart from another by 1e-9.
 */
#define CT_TARGET_ROUNDING 1e-9

/* Neither holds where one of the two is unknown (NAN); targets are not negative. Progress is beyond
 * its target from below: the target is kept by it. */
static inline bool ct_is_beyond(double value, double target) {
    return value > target * (1 + CT_TARGET_ROUNDING);
}

static inline bool ct_is_kept(double value, double target) {
    return value <= target * (1 + CT_TARGET_ROUNDING);
}

#endif
