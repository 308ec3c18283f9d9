/*
 * What the device needs to know of a distinct kernel on one GPU: how many blocks an SM holds, how
 * its speed follows the SMs it gets, and what it asks of memory and of the functional units. Models
 * reference, sections 1 and 2.
 */
#ifndef KERNEL_PROFILE_H
#define KERNEL_PROFILE_H

#include "base/ct_diag.h"
#include "models/device/gpu.h"
#include "models/device/occupancy.h"
#include "trace/trace.h"

struct kernel_profile {
    double blocks;              /* of a launch of size 1 */
    double blocks_per_sm;       /* occupancy */
    struct occupancy_need need; /* what a block takes of an SM */
    int64_t
        smem_division; /* bytes of shared memory that its SMs are divided for; 0: they are not */
    double
        compute_fraction; /* compute time / solo time: below it, fewer SMs do not slow the kernel */
    double unit_fraction; /* of the whole GPU's busiest functional unit, running alone; 0 where
                             unknown */
    double dram_bytes_per_s; /* asked of memory, running alone; 0 where unknown: neutral, and
                                counted as unknown */
    double latency_fraction; /* of its time alone: the memory's latency, which neither units nor
                                bandwidth explain; 0 where unknown */
    double memory_fraction;  /* of what the memory can deliver to it, running alone: what it asks
                                for; 0 where unknown */
    double l2_fraction;      /* 0 where unknown */
    bool off_memory;         /* known to draw nothing, and to use no L2 */
    bool dependent;          /* its instructions wait for each other, by its class; sm_age.h */
    double row_hit_rate;
    double instructions;   /* thread instructions per launch; NAN: unknown */
    double duration_scale; /* solo duration on this GPU / on the recorded one */
    bool scaled_by_unit;   /* on another GPU than the recorded one, by the peak of its units, which
                              bound it */
    const struct trace_curve_point *curve; /* measured duration by share; NULL: waves */
    uint32_t curve_count;
    uint8_t geometry_provenance, demand_provenance, units_provenance; /* enum ct_provenance */
};

/* Operations per second; 0: the GPU has no such units, or nobody says. */
double kernel_unit_peak(const struct gpu *gpu, enum kernel_unit unit);

/*
 * The part of the recorded GPU's busiest units that a kernel uses alone: as measured, or derived
 * with its demand from a layer; else by the operations of its shapes over the peak of the units
 * that its name says (products alone: elsewhere operations are the smaller part of what is issued);
 * else `of_class`, which kernels of its class use. NAN, CT_UNKNOWN: that is NAN, too.
 */
double kernel_units(const struct gpu *recorded, const struct trace_kernel *kernel, double of_class,
                    enum ct_provenance *source);

/* Whether the blocks of a launch fill all places for them on the GPU at least once, or are one for
 * each SM, of 128 threads or more (persistent kernels); false of a kernel that fits on no SM. What
 * its demand is judged by beside its class where nobody measured it (docs/demand.md). */
bool kernel_fills_gpu(const struct gpu *gpu, const struct trace_kernel *kernel);

/* What is known of a kernel beside its recording. */
struct kernel_beside {
    double units_of_class;   /* `of_class` of kernel_units */
    double compute_fraction; /* on the recorded GPU, as the user says; NAN: nothing is said */
    enum kernel_unit unit;   /* that it was made for; KERNEL_UNIT_UNKNOWN: nobody says */
    bool profiled; /* its own metrics are a profiler's, which counts units on the SMs that it is on
                    */
};

/*
 * Derives the profile of a kernel that was recorded on `recorded` and runs on `gpu` (the same
 * object: no scaling; else all of it holds on `gpu`). A kernel that fits on no SM is an error that
 * names the resource. enum ct_status.
 */
int kernel_profile_make(const struct gpu *gpu, const struct gpu *recorded,
                        const struct trace_kernel *kernel, const struct kernel_beside *beside,
                        const char *where, struct kernel_profile *profile, struct ct_diags *diags);

/* ceil(blocks / resident), at least 1: how often `resident` block slots are filled. */
static inline double kernel_waves(double blocks, double resident) {
    if (blocks <= resident)
        return 1;
    double waves = ceil(blocks / resident - 1e-9);
    return waves > 1 ? waves : 1;
}

/* The speed of a kernel with a measured curve on such a part of the GPU. In (0, 1]. */
double kernel_curve_speed(const struct kernel_profile *profile, double part);

double kernel_slowed_speed(const struct kernel_profile *profile, double blocks, double resident,
                           double slots);

/*
 * Speed of a kernel that holds `resident` block slots of the GPU's `slots`, against holding all:
 * measured curve where the trace has one, else waves. In (0, 1].
 */
static inline double kernel_speed(const struct kernel_profile *profile, double blocks,
                                  double resident, double slots) {
    double all = blocks < slots ? blocks : slots;
    return resident >= all ? 1 : kernel_slowed_speed(profile, blocks, resident, slots);
}

/*
 * The most that the rate of a kernel can be, against its solo duration, on so many of the GPU's
 * `all` SMs, however many slots it finds there: by its measured curve, else by the units of the SM
 * with most of its blocks, which ends last. Where its blocks are fewer than the GPU's `slots`, they
 * may come closer together there than alone; where they are more, they are as close alone, and
 * waves tell. A block uses as much as it does alone, where those of an SM do not use more than it
 * has: blocks that have an SM each run as alone. In (0, 1].
 */
static inline double kernel_rate_on_part(const struct kernel_profile *profile, double blocks,
                                         double slots, double sms, double all) {
    if (sms >= all)
        return 1;
    if (profile->curve)
        return kernel_curve_speed(profile, sms / all);
    if (blocks >= slots)
        return 1;
    double alone = ceil(blocks / all - 1e-9), here = ceil(blocks / sms - 1e-9);
    double each = fmin(profile->unit_fraction * all / blocks, 1 / alone); /* of an SM's units */
    return here * each > 1 ? 1 / (here * each) : 1;
}

#endif
