#include "models/device/sm_age.h"

#include <math.h>

/*
 * A kernel that mostly waits needs this part of the slots nonetheless, or it is slowed: its warps
 * go on when it is their turn. Where a kernel that computes left 3 % of the slots (its issue by
 * Nsight Compute), reads of memory that use 3 to 8 % ran at 15 to 29 % of their speed (BESIDE.csv
 * of the H200, fma_b8). From two warps for each of the four schedulers on; of fewer in proportion.
 */
static const double TURNS = 0.15;
static const double WARPS_OF_TURNS = 8;
static const double THREADS_OF_WARP = 32;

static const double USED_MOST = 0.98; /* of an SM's slots, by one kernel: others still get on */

/* The least that was seen to be left: blocks of a layer norm, 5 us alone, took 1,833 us. */
static const double LEAST_LEFT = 0.003;

double sm_age_needed(double use, double threads) {
    return fmax(use, TURNS * fmin(1, threads / THREADS_OF_WARP / WARPS_OF_TURNS));
}

/* pow, which takes its time also for what needs none. */
static double power(double x, double y) {
    return y == 1 ? x : pow(x, y);
}

double sm_age_slots_of_block(double alone, double most) {
    return 1 - power(1 - fmin(USED_MOST, alone), 1 / most);
}

double sm_age_left(double left, double slots_of_block, double blocks) {
    return fmax(left * power(1 - slots_of_block, blocks), LEAST_LEFT);
}
