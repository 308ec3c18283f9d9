/* The points of a sweep's designs, by number: the same file gives the same points everywhere. */
#ifndef SWEEP_DESIGN_H
#define SWEEP_DESIGN_H

#include "results/report.h"
#include "workload/sweep_file.h"

/* By axis of all designs of a file: the parts that the points of a latin one draw from, shuffled;
 * NULL of another design. In the arena; NULL when memory ran out. */
const uint32_t *const *sweep_shuffle(const struct sweep_file *sweep, struct ct_arena *arena);

/* One point: the axes' values as assignments ("gpu=\"a100\"") and as texts for tables. */
struct sweep_point {
    const char **assignments; /* the sweep's settings and the values, short keys first */
    size_t assignment_count;
    struct report_setting *values;
    size_t value_count;
};

/* Point `index` of 0 ... sweep->points - 1, in the arena. False when memory ran out. */
bool sweep_point_make(const struct sweep_file *sweep, const uint32_t *const *shuffle,
                      uint64_t index, struct ct_arena *arena, struct sweep_point *point);

/* How many values of an axis are looked at by themselves: all that are listed; of whole numbers
 * both ends, of other ranges one between as well. */
size_t sweep_axis_probes(const struct sweep_axis *axis);

/* Point of the design that has the axis' value `value` (below sweep_axis_probes) and the first of
 * all other axes: to check a value by itself. */
bool sweep_point_probe(const struct sweep_file *sweep, size_t design, size_t axis, size_t value,
                       struct ct_arena *arena, struct sweep_point *point);

#endif
