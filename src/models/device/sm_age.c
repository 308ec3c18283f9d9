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

/*
 * Behind older blocks that ask for all slots, or several times as many, a kernel keeps a part of
 * its speed, whatever it needs: a scheduler goes on with a warp that it has begun, until that
 * waits. With older multiply-adds that ask for 1, 2, 3.5, 6 and 10 times the slots, each block for
 * what it would use by itself, others that compute kept 0.48, 0.32, 0.27, 0.12 and 0.06, reads
 * 0.70, 0.39, 0.24, 0.11 and 0.06, sums over lanes and matrix products 0.31, 0.20, 0.15, 0.07 and
 * 0.04 (ISSUE.csv of the H100, geometric means). Behind those of BESIDE.csv, 0.9 and 2.4, it was
 * 0.31 to 0.45 and 0.08 to 0.15 of what computes, and a layer norm kept 0.005 behind 7.2 of them.
 * Between these:
 */
static const double KEPT = 0.4, KEPT_DEPENDENT = 0.2, KEPT_FALLS = 1.5;

static double kept(double asked, bool dependent) {
    double most = dependent ? KEPT_DEPENDENT : KEPT;
    return asked > 0 ? most / pow(fmax(1, asked), KEPT_FALLS) : 0;
}

double sm_age_part(double needed, double left, double asked, bool dependent) {
    return needed > left ? fmax(left / needed, kept(asked, dependent)) : 1;
}

double sm_age_needed(double use, double threads) {
    return fmax(use, TURNS * fmin(1, threads / THREADS_OF_WARP / WARPS_OF_TURNS));
}

/* pow, which takes its time also for what needs none. */
static double power(double x, double y) {
    return y == 1 || x == 1 ? x : pow(x, y);
}

double sm_age_slots_of_block(double alone, double most) {
    return 1 - power(1 - fmin(USED_MOST, alone), 1 / most);
}

double sm_age_left(double left, double slots_of_block, double blocks) {
    return left * power(1 - slots_of_block, blocks);
}
