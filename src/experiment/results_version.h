/* Which results the simulator gives: its own version beside that of the program. */
#ifndef RESULTS_VERSION_H
#define RESULTS_VERSION_H

/*
 * Raised with every change of device, host, predictors or policies that changes the result of any
 * run. Kept results of sweeps under another number are not taken again, and the papers' reports
 * and the golden results say of which number they are.
 */
enum { RESULTS_VERSION = 9 };

/* Raised in its stead by what changes runs alone whose servers generate tokens: no paper's report
 * and no golden result has one. */
enum { GENERATION_RESULTS_VERSION = 2 };

/* The same of runs in time slices alone. */
enum { SLICES_RESULTS_VERSION = 2 };

/* The same of runs alone whose policy may hold kernels to a part of the SMs. */
enum { SHARES_RESULTS_VERSION = 2 };

/* The same of runs alone on GPUs whose SMs are shared by age (sm_sharing). */
enum { HOPPER_RESULTS_VERSION = 2 };

#endif
