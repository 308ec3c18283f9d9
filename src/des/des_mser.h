/*
 * Where the warm-up of a run ends, by MSER-5 (White, Cobb and Spratt, Winter Simulation Conference
 * 2000, pages 755 to 760): means of five observations each; cut off so many of the first that the
 * standard error of the mean of the rest is least.
 */
#ifndef DES_MSER_H
#define DES_MSER_H

#include "base/ct_types.h"

struct des_mser {
    size_t cut; /* observations to leave out, a multiple of five, at most half of them */
    bool found; /* false: fewer than fifty observations (cut 0), or the least error lies at the end
                   of the first half: the series has not settled */
};

/* The series in the order in which it was observed. */
struct des_mser des_mser5(const double *values, size_t count);

#endif
