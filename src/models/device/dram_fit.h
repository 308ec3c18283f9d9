/*
 * The bank-level model as the line or the curve that the fluid model uses: runs over localities, a
 * least-squares line, and how far row hit rates move when two applications share the channel.
 */
#ifndef DRAM_FIT_H
#define DRAM_FIT_H

#include "models/device/dram.h"
#include "models/device/dram_bank.h"

enum { DRAM_FIT_POINTS = 21, DRAM_FIT_SHIFTS = 12 };

struct dram_fit_point {
    double locality, row_hit_rate, utilisation; /* asked for; measured */
    double residual;                            /* utilisation minus the line */
};

/* Row hit rate in company minus alone, over pairs of localities 0.2, 0.5 and 0.8. */
struct dram_fit_shift {
    int64_t streams, cap;
    double share;       /* of the queue */
    double mean, worst; /* absolute */
};

struct dram_fit {
    struct dram_fit_point points[DRAM_FIT_POINTS];
    double slope, base, r2; /* least squares: utilisation = slope * RBH + base (HSM Eq. 3) */
    double worst_residual;  /* largest absolute */
    struct dram_point curve[DRAM_FIT_POINTS]; /* rising, as struct dram wants it */
    double curve_lift;                        /* most that a point was lifted for that */
    struct dram_fit_shift shifts[DRAM_FIT_SHIFTS];
};

/* Every locality from 0 to 1 in steps of 0.05, `params->requests` each (a tenth for the shifts);
 * the applications of `params` do not matter. Errors as of dram_bank_run. */
int dram_fit_run(const struct dram_bank_params *params, struct dram_fit *fit,
                 struct ct_diags *diags);

#endif
