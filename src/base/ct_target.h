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

/* Whether a value is beyond its target, or keeps it: neither where one of the two is unknown (NAN).
 * Targets are not negative. For progress, of which more is better, call them with value and target
 * changed over. */
static inline bool ct_is_beyond(double value, double target) {
    return value > target * (1 + CT_TARGET_ROUNDING);
}

static inline bool ct_is_kept(double value, double target) {
    return value <= target * (1 + CT_TARGET_ROUNDING);
}

#endif
