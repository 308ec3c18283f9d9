/*
 * What kernels of a class ask of the memory and the units, as JSON, cotenant.demand/2: made of
 * measured kernels by scripts/demand-table, and what is left to say where nobody measured
 * (docs/demand.md). And what if kernels of which nobody knows what they ask for ask for what those
 * of their class were measured to? A draw says at which place of each distribution.
 */
#ifndef DEMAND_H
#define DEMAND_H

#include "base/ct_arena.h"
#include "base/ct_diag.h"
#include "models/device/kernel_profile.h"
#include "trace/kernel_class.h"
#include "workload/setup_types.h"

/* 0, 5, 10, 25, 50, 75, 90, 95 and 100 %. */
enum { DEMAND_LEVELS = 9, DEMAND_LOW = 1, DEMAND_MEDIAN = 4, DEMAND_HIGH = 7 };

/* What a kernel alone on the GPU uses. */
struct demand_cell {
    int64_t applications, kernels;   /* measured ones that it was learnt of */
    double quantiles[DEMAND_LEVELS]; /* of the share of peak DRAM bandwidth */
    double units[DEMAND_LEVELS];     /* of the part of the busiest units or issue slots */
};

struct demand_file {
    const char *gpu, *source;
    struct demand_cell cells[KERNEL_CLASSES][2]; /* by class, and whether the launch is full */
};

/* Strings live in the arena. CT_OK; CT_DATA when it cannot be read; CT_USAGE after errors at their
 * places: not valid JSON, another schema, a class that is missing, quantiles that fall. */
int demand_file_read(const char *path, struct demand_file *file, struct ct_arena *arena,
                     struct ct_diags *diags);

/* The one that ships. enum ct_status. */
int demand_file_shipped(struct demand_file *file, struct ct_arena *arena, struct ct_diags *diags);

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
    double all;                   /* the sum of `time` */
    double memory;                /* of kernels of unknown demand, a part of setup.gpu_time */
};

/* What is unknown over one job of each choice, as setup.inputs. */
struct demand_unknown demand_unknown_of(const struct setup *setup, const struct demand_file *file);

#endif
