/* How long an application's jobs take alone on the whole GPU, one after the other. */
#ifndef SOLO_H
#define SOLO_H

#include "run/sim.h"

/* Of a sample of jobs, in ms. */
struct solo {
    double mean_ms, median_ms;
};

/* Simulates some jobs of one application. enum ct_status. */
int solo_measure(const struct setup *setup, uint32_t app, uint64_t seed, struct solo *solo,
                 struct ct_diags *diags);

#endif
