/*
 * What if kernels of which nobody knows what they ask of the memory and the units ask for what
 * kernels of their class were measured to ask for (docs/demand.md)? A draw says at which place of
 * each distribution.
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
    double levels[KERNEL_CLASSES]; /* the part of kernels that ask for less memory, 0 to 1 */
    double units[KERNEL_CLASSES];  /* the part of kernels that use less of the units */
};

/* The value below which this part of the kernels is: straight between the quantiles. */
double demand_quantile_at(const double quantiles[DEMAND_LEVELS], double level);

/* The share of the peak of `recorded`, on which it was recorded, that a kernel asks for. */
double demand_draw_of(const struct demand_draw *draw, const struct trace_kernel *kernel,
                      const struct gpu *recorded);

/* The part of the busiest units of `recorded` that kernels like this one use, of which so many use
 * less; no more than the part of the SMs that its blocks cover. */
double demand_units_of(const struct demand_file *file, const struct trace_kernel *kernel,
                       const struct gpu *recorded, double level);

/* Whether nobody knows what some kernel of a recorded application asks for, of the memory or of the
 * units. */
bool demand_is_unknown(const struct setup *setup);

/* What is unknown of the recorded applications, by class of kernels, in parts of the time of all
 * tasks alone on the device. */
struct demand_unknown {
    double time[KERNEL_CLASSES];  /* of kernels whose demand or use of units is unknown */
    double stake[KERNEL_CLASSES]; /* the times of either, times the width of its 90 % band */
    double all, memory;           /* the sum of `time`; that of unknown demand alone */
};

/* What is unknown over one job of each choice, as setup.inputs. False: memory ran out. */
bool demand_unknown_of(const struct setup *setup, const struct demand_file *file,
                       struct demand_unknown *unknown);

#endif
