#include "workload/sweep_file.h"

#include "base/ct_quantity.h"
#include "base/ct_text.h"
#include "format/json_place.h"
#include "workload/workload.h"
#include "workload/workload_keys.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Far beyond any sweep: what is looked at for each value before the first run must end. */
enum { MOST_REPS = 100000, MOST_AXES = 1000, MOST_POLICIES = 1000 };

struct reader {
    struct sweep_file *sweep;
    struct json_place place; /* its arena is the sweep's */
};

#define mistake(r, key, ...) json_place_error(&(r)->place, (key), __VA_ARGS__)

/* Numbers as short as they read back the same. */
static const char *dump(struct reader *r, const json_t *value) {
    char number[40];
    if (json_is_real(value)) {
        ct_text_double(number, sizeof number, json_real_value(value));
        return json_place_keep(&r->place, number);
    }
    char *text = json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT);
    const char *copy = text ? json_place_keep(&r->place, text) : NULL;
    if (!text)
        json_place_no_memory(&r->place);
    free(text);
    return copy;
}

/* Every member must be one of the names. */
static void check_keys(struct reader *r, const json_t *object, const char *const *names,
                       size_t count) {
    const char *key;
    json_t *value;
    json_object_foreach((json_t *)object, key, value) {
        char hint[CT_HINT_BYTES];
        if (ct_text_index(key, names, count) == count)
            mistake(r, key, "unknown key '%s'%s", key, ct_text_hint(hint, key, names, count));
    }
}

static int64_t read_integer(struct reader *r, const json_t *object, const char *key, int64_t least,
                            int64_t most, int64_t standard) {
    const json_t *value = json_object_get(object, key);
    if (!value)
        return standard;
    int64_t number = json_is_integer(value) ? json_integer_value(value) : least - 1;
    if (!json_is_integer(value) || number < least || number > most) {
        mistake(r, key, "'%s' is not a whole number from %" PRId64 " to %" PRId64, key, least,
                most);
        return standard;
    }
    return number;
}

/* ---- Axes ---- */

/* As tables show a value: a number with a unit becomes one in the unit of its key, so that the axis
 * has numbers. */
static const char *label_of(struct reader *r, const char *key, const char *text) {
    const char *unit = ct_quantity_has_unit(text) ? workload_key_unit(key) : NULL;
    double number;
    char label[32];
    if (!unit || !ct_quantity_read(text, unit, &number))
        return json_place_keep(&r->place, text);
    snprintf(label, sizeof label, "%.15g", number);
    return json_place_keep(&r->place, label);
}

static void read_values(struct reader *r, const json_t *array, struct sweep_axis *axis) {
    size_t index;
    json_t *value;
    axis->values = json_place_take(&r->place, json_array_size(array) + 1, sizeof *axis->values);
    if (json_array_size(array) == 0)
        mistake(r, NULL, "'%s' has no values", axis->key);
    if (!axis->values)
        return;
    json_array_foreach((json_t *)array, index, value) {
        struct sweep_value *v = &axis->values[axis->value_count++];
        v->text = dump(r, value);
        v->label =
            json_is_string(value) ? label_of(r, axis->key, json_string_value(value)) : v->text;
    }
}

/* A number, or one with a unit that the key has; false: neither. */
static bool read_end(const json_t *value, const char *key, double *number) {
    const char *text = json_string_value(value),
               *unit = text && ct_quantity_has_unit(text) ? workload_key_unit(key) : NULL;
    *number = json_number_value(value);
    return json_is_number(value) || (unit && ct_quantity_read(text, unit, number));
}

static bool is_counted(double number) {
    return number == floor(number) && fabs(number) <= 0x1p50;
}

static void read_range(struct reader *r, const char *law, const json_t *range,
                       struct sweep_axis *axis) {
    bool low = read_end(json_array_get(range, 0), axis->key, &axis->low);
    bool high = read_end(json_array_get(range, 1), axis->key, &axis->high);
    if (json_array_size(range) != 2 || !low || !high || !(axis->low < axis->high))
        mistake(r, law, "'%s' is not [LOW, HIGH] with LOW below HIGH", law);
    else if (axis->law == SWEEP_INTEGERS && !(is_counted(axis->low) && is_counted(axis->high)))
        mistake(r, law, "'%s' needs whole numbers up to 2^50", law);
    else if (axis->law == SWEEP_LOGUNIFORM && axis->low <= 0)
        mistake(r, law, "'%s' needs numbers above 0", law);
}

/* {"uniform": [low, high]}, {"choice": [values]} ... */
static void read_law(struct reader *r, const json_t *object, struct sweep_axis *axis) {
    static const char *const laws[] = {
        [SWEEP_VALUES] = "choice",
        [SWEEP_UNIFORM] = "uniform",
        [SWEEP_LOGUNIFORM] = "loguniform",
        [SWEEP_INTEGERS] = "integers",
    };
    if (!json_is_object(object) || json_object_size(object) != 1) {
        mistake(r, NULL,
                "'%s' is not one of {\"uniform\": [LOW, HIGH]}, {\"loguniform\": [LOW, HIGH]}, "
                "{\"integers\": [LOW, HIGH]}, {\"choice\": [VALUES]}",
                axis->key);
        return;
    }
    check_keys(r, object, laws, CT_COUNT_OF(laws));
    for (size_t i = 0; i < CT_COUNT_OF(laws); i++) {
        const json_t *range = json_object_get(object, laws[i]);
        axis->law = range ? (int)i : axis->law;
        if (range && i == SWEEP_VALUES)
            read_values(r, range, axis);
        else if (range)
            read_range(r, laws[i], range, axis);
    }
}

static void read_axes(struct reader *r, const json_t *object, struct sweep_design *design) {
    const char *key;
    json_t *value;
    if (!json_is_object(object) || json_object_size(object) == 0) {
        mistake(r, NULL, "is not an object of keys and their values");
        return;
    }
    if (json_object_size(object) > MOST_AXES) {
        mistake(r, NULL, "%zu keys; a design has at most %d", json_object_size(object), MOST_AXES);
        return;
    }
    design->axes = json_place_take(&r->place, json_object_size(object) + 1, sizeof *design->axes);
    if (!design->axes)
        return;
    json_object_foreach((json_t *)object, key, value) {
        struct sweep_axis *axis = &design->axes[design->axis_count++];
        size_t length = json_place_enter(&r->place, key);
        *axis = (struct sweep_axis){
            .key = json_place_keep(&r->place, key),
            .where = json_place_keep(&r->place, json_place_member(&r->place, NULL))};
        if (design->random)
            read_law(r, value, axis);
        else if (json_is_array(value))
            read_values(r, value, axis);
        else
            mistake(r, NULL, "'%s' is not an array of values", key);
        json_place_leave(&r->place, length);
    }
}

/* ---- Designs ---- */

/* Products beyond 64 bits stay at the largest number, as no such sweep is run. */
static uint64_t multiply(uint64_t a, uint64_t b) {
    return b && a > UINT64_MAX / b ? UINT64_MAX : a * b;
}

static void check_count(struct reader *r, const char *key, uint64_t points) {
    if (points > SWEEP_MOST_POINTS)
        mistake(r, key, "makes %s%" PRIu64 " points; a sweep has at most %" PRIu64,
                points == UINT64_MAX ? "more than " : "", points, SWEEP_MOST_POINTS);
}

static void read_design(struct reader *r, const json_t *object, struct sweep_design *design) {
    static const char *const grid_keys[] = {"grid"};
    static const char *const random_keys[] = {"random", "points", "seed", "latin"};
    const json_t *grid = json_object_get(object, "grid"),
                 *random = json_object_get(object, "random");
    const json_t *latin = json_object_get(object, "latin");
    if (!json_is_object(object) || (!grid == !random)) {
        mistake(r, NULL, "a design has either 'grid' or 'random'");
        return;
    }
    design->random = random;
    check_keys(r, object, random ? random_keys : grid_keys,
               random ? CT_COUNT_OF(random_keys) : CT_COUNT_OF(grid_keys));
    if (latin && !json_is_boolean(latin))
        mistake(r, "latin", "'latin' is neither true nor false");
    design->latin = json_is_true(latin);
    if (random && !json_object_get(object, "points"))
        mistake(r, NULL, "key 'points' is missing");
    design->points = (uint64_t)read_integer(r, object, "points", 1, INT64_MAX, 1);
    design->seed = read_integer(r, object, "seed", 0, INT64_MAX, 1);
    size_t length = json_place_enter(&r->place, random ? "random" : "grid");
    read_axes(r, random ? random : grid, design);
    json_place_leave(&r->place, length);
    for (size_t i = 0; !random && i < design->axis_count; i++)
        design->points = multiply(design->points, design->axes[i].value_count);
    check_count(r, random ? "points" : "grid", design->points);
}

static void read_designs(struct reader *r, const json_t *root) {
    const json_t *array = json_object_get(root, "designs");
    size_t index, length = json_place_enter(&r->place, "designs");
    json_t *object;
    struct sweep_file *sweep = r->sweep;
    if (!json_is_array(array) || json_array_size(array) == 0)
        mistake(r, NULL, "'designs' is not an array of designs");
    sweep->designs = json_place_take(&r->place, json_array_size(array) + 1, sizeof *sweep->designs);
    json_array_foreach((json_t *)array, index, object) {
        size_t outer = json_place_enter_index(&r->place, index);
        struct sweep_design *design = &sweep->designs[sweep->design_count];
        if (r->place.status != CT_DATA) {
            *design = (struct sweep_design){0};
            read_design(r, object, design);
            sweep->design_count++;
            sweep->points = design->points > UINT64_MAX - sweep->points
                                ? UINT64_MAX
                                : sweep->points + design->points;
        }
        json_place_leave(&r->place, outer);
    }
    if (r->place.status == CT_OK)
        check_count(r, NULL, sweep->points);
    json_place_leave(&r->place, length);
}

/* ---- The rest ---- */

static void read_policies(struct reader *r, const json_t *root) {
    const json_t *array = json_object_get(root, "policies");
    size_t index;
    json_t *name;
    const char **names = json_place_take(&r->place, json_array_size(array) + 1, sizeof *names);
    if (!json_is_array(array) || json_array_size(array) == 0)
        mistake(r, "policies",
                array ? "'policies' is not an array of names" : "'policies' is missing");
    if (json_array_size(array) > MOST_POLICIES)
        mistake(r, "policies", "%zu policies; a sweep has at most %d", json_array_size(array),
                MOST_POLICIES);
    json_array_foreach((json_t *)array, index, name) {
        if (!json_is_string(name) || strchr(json_string_value(name), ','))
            mistake(r, "policies", "a policy is not a text NAME or NAME:KEY=VALUE");
        else if (names)
            names[r->sweep->policy_count++] = json_place_keep(&r->place, json_string_value(name));
    }
    r->sweep->policies = names;
}

static void read_settings(struct reader *r, const json_t *root) {
    const json_t *object = json_object_get(root, "set");
    const char *key;
    json_t *value;
    if (object && !json_is_object(object))
        mistake(r, "set", "'set' is not an object of keys and values");
    const char **settings =
        json_place_take(&r->place, json_object_size(object) + 1, sizeof *settings);
    json_object_foreach((json_t *)object, key, value) {
        const char *text = dump(r, value);
        if (!settings || !text)
            return;
        const char *assignment = ct_arena_format(&r->sweep->arena, "%s=%s", key, text);
        if (!assignment)
            json_place_no_memory(&r->place);
        settings[r->sweep->setting_count++] = assignment;
    }
    r->sweep->settings = settings;
}

/* What is fixed for all points cannot be an axis, too. */
static void check_axis(struct reader *r, const json_t *root, const struct sweep_axis *axis) {
    const char *other = json_object_get(json_object_get(root, "set"), axis->key) ? "under 'set'"
                        : strcmp(axis->key, "seed") == 0 && r->sweep->seed >= 0
                            ? "the sweep's own key"
                            : NULL;
    if (*axis->key == '\0')
        ct_error(r->place.diags, axis->where, "a key is empty");
    else if (other)
        ct_error(r->place.diags, axis->where, "'%s' is %s already, for all points", axis->key,
                 other);
    if (*axis->key == '\0' || other)
        json_place_fail(&r->place, CT_USAGE);
}

static void check_axes(struct reader *r, const json_t *root) {
    for (size_t d = 0; d < r->sweep->design_count; d++)
        for (size_t a = 0; a < r->sweep->designs[d].axis_count; a++)
            check_axis(r, root, &r->sweep->designs[d].axes[a]);
}

static void read_workload(struct reader *r, const json_t *root) {
    const json_t *value = json_object_get(root, "workload");
    struct sweep_file *sweep = r->sweep;
    if (json_is_object(value)) {
        sweep->workload_text = dump(r, value);
    } else if (json_is_string(value)) {
        const char *name = json_string_value(value);
        sweep->workload =
            share_find(&sweep->arena, r->place.diags->files, "workloads", name, sweep->path);
        if (!sweep->workload)
            mistake(r, "workload", "there is no workload '%s'", name);
    } else {
        mistake(r, "workload",
                value ? "'workload' is neither a path nor a workload" : "'workload' is missing");
    }
}

static void read_document(struct reader *r, const json_t *root) {
    static const char *const keys[] = {"schema", "name", "workload", "policies",
                                       "reps",   "seed", "set",      "designs"};
    const json_t *name = json_object_get(root, "name");
    check_keys(r, root, keys, CT_COUNT_OF(keys));
    if (name && !json_is_string(name))
        mistake(r, "name", "'name' is not a text");
    r->sweep->name =
        json_place_keep(&r->place, json_is_string(name) ? json_string_value(name) : r->sweep->path);
    r->sweep->reps = read_integer(r, root, "reps", 1, MOST_REPS, 1);
    r->sweep->seed = read_integer(r, root, "seed", 0, INT64_MAX, -1);
    read_workload(r, root);
    read_policies(r, root);
    read_settings(r, root);
    read_designs(r, root);
    check_axes(r, root);
}

int sweep_file_read(const char *path, const char *text, struct sweep_file *sweep,
                    struct ct_diags *diags) {
    struct reader r = {.sweep = sweep,
                       .place = {.file = path, .diags = diags, .arena = &sweep->arena}};
    int *status = &r.place.status;
    *sweep = (struct sweep_file){0};
    sweep->path = ct_arena_strdup(&sweep->arena, path);
    if (!sweep->path)
        return ct_out_of_memory(diags);
    json_t *root = json_place_load(path, text, status, diags);
    if (root && json_place_schema(&r.place, root, SWEEP_SCHEMA, true))
        read_document(&r, root);
    json_decref(root);
    json_place_free(&r.place);
    return *status;
}

void sweep_file_free(struct sweep_file *sweep) {
    ct_arena_free(&sweep->arena);
    *sweep = (struct sweep_file){0};
}
