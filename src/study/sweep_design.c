#include "study/sweep_design.h"

#include "base/ct_text.h"
#include "des/des_stream.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- Latin hypercubes: McKay, Beckman and Conover, Technometrics 21(2), 1979 ---- */

/* A random order of 0 ... n - 1. */
static uint32_t *shuffled(const struct sweep_design *design, const char *key,
                          struct ct_arena *arena) {
    uint32_t *parts = ct_arena_array(arena, (size_t)design->points, sizeof *parts);
    struct des_stream stream;
    des_stream_init(&stream, (uint64_t)design->seed, 0, "latin", key);
    for (uint64_t i = 0; parts && i < design->points; i++)
        parts[i] = (uint32_t)i;
    if (parts)
        des_stream_shuffle(&stream, parts, (size_t)design->points, sizeof *parts);
    return parts;
}

const uint32_t *const *sweep_shuffle(const struct sweep_file *sweep, struct ct_arena *arena) {
    size_t axes = 0, number = 0;
    for (size_t d = 0; d < sweep->design_count; d++)
        axes += sweep->designs[d].axis_count;
    const uint32_t **parts = ct_arena_array(arena, axes + 1, sizeof *parts);
    bool made = parts;
    for (size_t d = 0; made && d < sweep->design_count; d++) {
        const struct sweep_design *design = &sweep->designs[d];
        for (size_t a = 0; a < design->axis_count; a++, number++)
            if (design->latin) {
                parts[number] = shuffled(design, design->axes[a].key, arena);
                made &= parts[number] != NULL;
            }
    }
    return made ? parts : NULL;
}

/* ---- Values ---- */

/* Six digits: labels stay short, and no machine's log or exp shows. */
static struct sweep_value number_value(double number, const char *format, struct ct_arena *arena) {
    char text[40];
    snprintf(text, sizeof text, format, number);
    ct_text_double(text, sizeof text, strtod(text, NULL));
    const char *copy = ct_arena_strdup(arena, text);
    return (struct sweep_value){copy, copy};
}

/* The value at a place in [0, 1) of the axis' range. */
static struct sweep_value value_at(const struct sweep_axis *axis, double place,
                                   struct ct_arena *arena) {
    double width = axis->high - axis->low;
    switch (axis->law) {
    case SWEEP_UNIFORM:
        return number_value(axis->low + place * width, "%.6g", arena);
    case SWEEP_LOGUNIFORM:
        return number_value(axis->low * exp(place * log(axis->high / axis->low)), "%.6g", arena);
    case SWEEP_INTEGERS:
        return number_value(axis->low + floor(place * (width + 1)), "%.0f", arena);
    default:
        return axis->values[(size_t)(place * (double)axis->value_count)];
    }
}

static struct sweep_value random_value(const struct sweep_design *design,
                                       const struct sweep_axis *axis, const uint32_t *parts,
                                       uint64_t index, struct ct_arena *arena) {
    struct des_stream stream;
    des_stream_init(&stream, (uint64_t)design->seed, index, "sweep", axis->key);
    double place = des_stream_uniform(&stream);
    if (parts)
        place = (parts[index] + place) / (double)design->points;
    return value_at(axis, fmin(place, 1 - 0x1p-53), arena);
}

/* ---- Points ---- */

/* How many steps the key before the "=" has beyond its first. */
static size_t steps_of(const char *assignment) {
    size_t steps = 0;
    for (; *assignment && *assignment != '='; assignment++)
        steps += *assignment == '.';
    return steps;
}

/* Short keys first: "gpu" replaces the object in which "gpu.sms" is then set. */
static void add_assignment(struct sweep_point *point, const char *assignment) {
    size_t at = point->assignment_count++;
    for (; at > 0 && steps_of(point->assignments[at - 1]) > steps_of(assignment); at--)
        point->assignments[at] = point->assignments[at - 1];
    point->assignments[at] = assignment;
}

static bool start_point(const struct sweep_file *sweep, const struct sweep_design *design,
                        struct ct_arena *arena, struct sweep_point *point) {
    *point = (struct sweep_point){0};
    point->assignments = ct_arena_array(arena, sweep->setting_count + design->axis_count + 1,
                                        sizeof *point->assignments);
    point->values = ct_arena_array(arena, design->axis_count + 1, sizeof *point->values);
    for (size_t i = 0; point->assignments && i < sweep->setting_count; i++)
        add_assignment(point, sweep->settings[i]);
    return point->assignments && point->values;
}

static bool add_value(struct sweep_point *point, const struct sweep_axis *axis,
                      struct sweep_value value, struct ct_arena *arena) {
    const char *assignment =
        value.text ? ct_arena_format(arena, "%s=%s", axis->key, value.text) : NULL;
    if (!assignment)
        return false;
    add_assignment(point, assignment);
    point->values[point->value_count++] = (struct report_setting){axis->key, value.label};
    return true;
}

bool sweep_point_make(const struct sweep_file *sweep, const uint32_t *const *shuffle,
                      uint64_t index, struct ct_arena *arena, struct sweep_point *point) {
    const struct sweep_design *design = sweep->designs;
    size_t number = 0;
    for (; index >= design->points; design++) {
        index -= design->points;
        number += design->axis_count;
    }
    bool made = start_point(sweep, design, arena, point);
    uint64_t left = design->points;
    for (size_t a = 0; made && a < design->axis_count; a++) {
        const struct sweep_axis *axis = &design->axes[a];
        if (design->random) {
            const uint32_t *parts = shuffle[number + a];
            made = add_value(point, axis, random_value(design, axis, parts, index, arena), arena);
        } else {
            left /= axis->value_count;
            made = add_value(point, axis, axis->values[index / left % axis->value_count], arena);
        }
    }
    return made;
}

/* The ends of a range, and a place between at which a number is hardly ever whole. */
static const double PROBES[] = {0, 1 - 0x1p-53, 0.381966};

size_t sweep_axis_probes(const struct sweep_axis *axis) {
    if (axis->law == SWEEP_VALUES)
        return axis->value_count;
    return axis->law == SWEEP_INTEGERS ? 2 : CT_COUNT_OF(PROBES);
}

/* The index of an axis' last end among PROBES, or of the last of the values listed. */
static size_t last_probe(const struct sweep_axis *axis) {
    return axis->law == SWEEP_VALUES ? axis->value_count - 1 : 1;
}

bool sweep_point_probe(const struct sweep_file *sweep, const struct sweep_probe *probe,
                       struct ct_arena *arena, struct sweep_point *point) {
    const struct sweep_design *design = &sweep->designs[probe->design];
    bool made = start_point(sweep, design, arena, point);
    for (size_t a = 0; made && a < design->axis_count; a++) {
        const struct sweep_axis *axis = &design->axes[a];
        size_t others = probe->others_last ? last_probe(axis) : 0;
        size_t wanted = a == probe->axis ? probe->value : others;
        struct sweep_value chosen = axis->law == SWEEP_VALUES
                                        ? axis->values[wanted]
                                        : value_at(axis, PROBES[wanted], arena);
        made = add_value(point, axis, chosen, arena);
    }
    return made;
}
