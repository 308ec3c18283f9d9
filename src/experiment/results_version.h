/* Which results the simulator gives: its own version beside that of the program. */
#ifndef RESULTS_VERSION_H
#define RESULTS_VERSION_H

/*
 * Raised with every change of device, host, predictors or policies that changes the result of any
 * run. Kept results of sweeps under another number are not taken again, and the papers' reports
 * and the golden results say of which number they are.
 */
enum { RESULTS_VERSION = 16 };

/* ---- Raised in the stead of RESULTS_VERSION by what changes such runs alone ---- */

/* Runs on GPUs whose SMs are shared by age (sm_sharing), or whose memory answers later under load
 * (dram_latency_growth): no paper's report has one. */
enum { HOPPER_RESULTS_VERSION = 4 };

/* Runs on GPUs with calibrated contention that a kernel feels by its own demand. */
enum { OWN_DEMAND_RESULTS_VERSION = 2 };

/* Runs with a server that forms batches or generates tokens (0070, 0075, 0087). */
enum { SERVER_RESULTS_VERSION = 5 };

/* Runs at block fidelity (0085). */
enum { BLOCK_RESULTS_VERSION = 1 };

/* Runs with blame: whom a loss is due to (0078). */
enum { BLAME_RESULTS_VERSION = 1 };

/* What changes runs under some policies alone raises their `revision` (ct_policy.h):
 * CQOS_REVISION, HSM_REVISION and LAIUS_REVISION in src/policies. */

#endif
