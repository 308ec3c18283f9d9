/* The points of a sweep's designs, by number: the same file gives the same points everywhere. */
#ifndef SWEEP_DESIGN_H
#define SWEEP_DESIGN_H

#include "results/report.h"
#include "workload/sweep_file.h"

/* The parts of latin designs, shuffled; zero-initialise, free with sweep_shuffle_free. */
struct sweep_shuffle {
    uint32_t **parts; /* of a latin design, by axis: the part that each point draws from; NULL:
                         another design */
    size_t count;
};

/* Draws the parts of all latin designs of a file. enum ct_status. */
int sweep_shuffle_make(const struct sweep_file *sweep, struct sweep_shuffle *shuffle,
                       struct ct_diags *diags);
void sweep_shuffle_free(struct sweep_shuffle *shuffle);

/* One point: the axes' values as assignments ("gpu=\"a100\"") and as texts for tables. */
struct sweep_point {
    const char **assignments; /* the sweep's settings and the values, short keys first */
    size_t assignment_count;
    struct report_setting *values;
    size_t value_count;
};

/* Point `index` of 0 ... sweep->points - 1, in the arena. False when memory ran out. */
bool sweep_point_make(const struct sweep_file *sweep, const struct sweep_shuffle *shuffle,
                      uint64_t index, struct ct_arena *arena, struct sweep_point *point);

/* How many values of an axis are looked at by themselves: all that are listed; of whole numbers
 * both ends, of other ranges one between as well. */
size_t sweep_axis_probes(const struct sweep_axis *axis);

/* Point of the design that has the axis' value `value` (below sweep_axis_probes) and the first of
 * all other axes: to check a value by itself. */
bool sweep_point_probe(const struct sweep_file *sweep, size_t design, size_t axis, size_t value,
                       struct ct_arena *arena, struct sweep_point *point);

#endif
