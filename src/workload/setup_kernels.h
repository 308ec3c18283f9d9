/* The kernels of an application by what they do, and what they ask of memory and units in a run. */
#ifndef SETUP_KERNELS_H
#define SETUP_KERNELS_H

#include "trace/kernel_class.h"
#include "workload/setup.h"

/* Kernels of one class, launch, and provenance of demand and units. */
struct setup_kernels {
    enum kernel_class class;
    bool full;                               /* launches fill the GPU */
    enum ct_provenance source, units_source; /* of the demand, of the use of units */
    double work_ps;                          /* alone on the GPU, of one job of each choice */
    double dram_fraction;                    /* of the peak, mean by time; NAN: unknown */
    double unit_fraction;                    /* of the busiest units, mean by time; NAN: unknown */
};

/* Those that there are, the longest first, `count` of them, in the arena. False: memory ran out. */
bool setup_kernels(const struct setup *setup, const struct setup_app *app, struct ct_arena *arena,
                   const struct setup_kernels **kernels, size_t *count);

#endif
