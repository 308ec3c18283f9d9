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

/* A value of an axis (below sweep_axis_probes) beside the others' first values, or their last. */
struct sweep_probe {
    size_t design, axis, value;
    bool others_last;
};

/* The point of the design that checks a value. */
bool sweep_point_probe(const struct sweep_file *sweep, const struct sweep_probe *probe,
                       struct ct_arena *arena, struct sweep_point *point);

#endif
