/*
 * What if kernels whose demand for memory nobody knows ask for what kernels of their class were
 * measured to ask for (docs/demand.md)? A draw says at which place of each distribution.
 */
#ifndef DEMAND_DRAW_H
#define DEMAND_DRAW_H

#include "workload/demand_file.h"
#include "workload/setup_types.h"

/* A draw for one recorded application: kernels of a class are the same code, and stand at one
 * place.
 */
struct demand_draw {
    const struct demand_file *file;
    double levels[KERNEL_CLASSES]; /* the part of kernels that ask for less, 0 to 1 */
};

/* The share of peak below which this part of the kernels is: straight between the quantiles. */
double demand_cell_at(const struct demand_cell *cell, double level);

/* The share of the peak of `recorded`, on which it was recorded, that a kernel asks for. */
double demand_draw_of(const struct demand_draw *draw, const struct trace_kernel *kernel,
                      const struct gpu *recorded);

/* Whether nobody knows what some kernel of a recorded application asks for. */
bool demand_is_unknown(const struct setup *setup);

/* What is unknown of the recorded applications, by class of kernels, in parts of the time of all
 * tasks alone on the device. */
struct demand_unknown {
    double time[KERNEL_CLASSES];
    double stake[KERNEL_CLASSES]; /* the same times the width of the band that holds 90 % */
    double all;                   /* the sum of `time` */
};

/* What is unknown over one job of each choice, as setup.inputs. False: memory ran out. */
bool demand_unknown_of(const struct setup *setup, const struct demand_file *file,
                       struct demand_unknown *unknown);

#endif
