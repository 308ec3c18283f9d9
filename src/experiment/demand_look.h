/*
 * One look at a workload whose unknown memory demand is other than none, and whose unknown use of
 * units is other than the median: a draw, or one class of kernels in a corner of what it may ask
 * for.
 * Every policy and replication sees the same.
 */
#ifndef DEMAND_LOOK_H
#define DEMAND_LOOK_H

#include "trace/kernel_class.h"
#include "workload/demand.h"

enum demand_kind { DEMAND_OF_MEMORY, DEMAND_OF_UNITS, DEMAND_KINDS };

/*
 * Number `draw` of `draws`, of a Latin hypercube (McKay, Beckman and Conover, Technometrics 21,
 * 1979) whose dimensions are the classes of kernels of each recording, for memory and units apart:
 * each stands once in the middle of each of `draws` parts of its distribution that are alike, in an
 * order of its own. Without draws: `class` at these levels, all others at their medians.
 */
struct demand_look {
    uint32_t draws, draw;
    enum kernel_class class;
    double levels[DEMAND_KINDS];
};

/* Where the kernels of a class stand, which follows from seed and names alone: applications that
 * are instances of one recording stand at the same places. */
double demand_look_level(const struct demand_look *look, uint64_t seed, enum demand_kind kind,
                         const char *recording, enum kernel_class class);

/* The workload as the look has it. It borrows from the other one, and its own lies in the arena.
 * False: memory ran out. */
bool demand_look_workload(const struct demand_look *look, const struct workload *workload,
                          const struct demand_file *file, uint64_t seed, struct ct_arena *arena,
                          struct workload *looked);

#endif
