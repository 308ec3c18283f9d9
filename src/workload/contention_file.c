#include "workload/contention_file.h"

#include "base/ct_text.h"
#include "format/json_place.h"
#include "format/json_writer.h"

#include <string.h>

static const char schema[] = "cotenant.contention/1";
static const char form[] = "s = 1 + S (k0 Q + k min(Q P,2) / (1 - min(D,0.8))) + delay n m / T";

static const char *const sensitivities[] = {"one", "own_demand"}; /* S */

/* The members that are numbers, by name: one list for writing and for reading. */
struct member {
    const char *name;
    size_t offset; /* of a double in struct contention_file */
};

enum { PARAMETERS = 3, RESIDUALS = 4 };
static const struct member parameters[PARAMETERS] = {
    {"contention_k0", offsetof(struct contention_file, contention_k0)},
    {"contention_k", offsetof(struct contention_file, contention_k)},
    {"launch_delay_us", offsetof(struct contention_file, launch_delay_us)},
};
static const struct member residuals[RESIDUALS] = {
    {"mean_error", offsetof(struct contention_file, mean_error)},
    {"median_error", offsetof(struct contention_file, median_error)},
    {"p90_error", offsetof(struct contention_file, p90_error)},
    {"max_error", offsetof(struct contention_file, max_error)},
};

static double get(const struct contention_file *file, const struct member *member) {
    return *(const double *)(const void *)((const char *)file + member->offset);
}

static void write_source(struct json_writer *json, const char *key, const char *path,
                         const char *hash) {
    json_writer_object(json, key, "file", ct_text_file_name(path), "fnv1a_128", hash);
}

void contention_file_write(FILE *out, const struct contention_file *file) {
    struct json_writer json = json_writer_start(out, 2);
    json_writer_begin_object(&json, NULL);
    json_writer_members(&json, "schema", schema, "gpu", file->gpu, "form", form);
    json_writer_begin_object(&json, "parameters");
    for (size_t i = 0; i < PARAMETERS; i++)
        json_writer_double(&json, parameters[i].name, get(file, &parameters[i]));
    json_writer_end_object(&json);
    json_writer_string(&json, "sensitivity", sensitivities[file->own_sensitivity]);
    json_writer_begin_array(&json, "fitted");
    for (size_t i = 0; i < PARAMETERS; i++)
        if (file->fitted[i])
            json_writer_string(&json, NULL, parameters[i].name);
    json_writer_end_array(&json);
    json_writer_members(&json, "rows", file->rows, "latencies", file->latencies, "median_slowdown",
                        file->median_slowdown);
    json_writer_begin_object(&json, "residuals");
    for (size_t i = 0; i < RESIDUALS; i++)
        json_writer_double(&json, residuals[i].name, get(file, &residuals[i]));
    json_writer_end_object(&json);
    json_writer_double(&json, "shrinkage", file->shrinkage);
    json_writer_begin_array(&json, "apps");
    for (size_t i = 0; i < file->app_count; i++)
        json_writer_object(&json, NULL, "name", file->apps[i].name, "sensitivity",
                           file->apps[i].sensitivity, "pressure", file->apps[i].pressure);
    json_writer_end_array(&json);
    write_source(&json, "solo", file->solo_path, file->solo_hash);
    write_source(&json, "pairs", file->pairs_path, file->pairs_hash);
    json_writer_end_object(&json);
    fputc('\n', out);
}

/* ---- reading ---- */

/* `standard`: where it is missing; NAN: that is a mistake. */
static double read_number(struct json_place *place, const json_t *object, const char *key,
                          double standard) {
    const json_t *value = json_object_get(object, key);
    double number = json_is_number(value) ? json_number_value(value) : value ? NAN : standard;
    if (!(number >= 0))
        json_place_error(place, key,
                         value ? "'%s' is not a number of 0 or more" : "'%s' is missing", key);
    return number;
}

static void read_numbers(struct json_place *place, const json_t *root, const char *key,
                         const struct member *members, size_t count, struct contention_file *file) {
    const json_t *object = json_object_get(root, key);
    if (!json_is_object(object))
        json_place_error(place, key, "'%s' is missing or no object", key);
    size_t length = json_place_enter(place, key);
    for (size_t i = 0; i < count && json_is_object(object); i++)
        *(double *)(void *)((char *)file + members[i].offset) =
            read_number(place, object, members[i].name, NAN);
    json_place_leave(place, length);
}

static void read_sensitivity(struct json_place *place, const json_t *root,
                             struct contention_file *file) {
    const char *name = json_string_value(json_object_get(root, "sensitivity"));
    file->own_sensitivity = name && strcmp(name, sensitivities[1]) == 0;
    if (!file->own_sensitivity && (!name || strcmp(name, sensitivities[0]) != 0))
        json_place_error(place, "sensitivity", "'sensitivity' is neither 'one' nor 'own_demand'");
}

/* A name, alone or with its factors, which are 1 where the file has none. */
static void read_app(struct json_place *place, const json_t *value, struct contention_app *app) {
    const json_t *text = json_is_object(value) ? json_object_get(value, "name") : value;
    if (!json_is_string(text)) {
        json_place_error(place, NULL, "is no application: its name is missing");
        return;
    }
    app->name = json_place_keep(place, json_string_value(text));
    app->sensitivity = read_number(place, value, "sensitivity", 1);
    app->pressure = read_number(place, value, "pressure", 1);
}

/* Reads applications up to the first that is none. */
static void read_apps(struct json_place *place, const json_t *root, struct contention_file *file) {
    const json_t *array = json_object_get(root, "apps");
    struct contention_app *apps = json_place_take(place, json_array_size(array) + 1, sizeof *apps);
    size_t length = json_place_enter(place, "apps"), errors = place->diags->errors, index;
    json_t *value;
    file->apps = apps;
    json_array_foreach((json_t *)array, index, value) {
        if (!apps || place->diags->errors > errors)
            break;
        size_t entered = json_place_enter_index(place, index);
        read_app(place, value, &apps[file->app_count++]);
        json_place_leave(place, entered);
    }
    json_place_leave(place, length);
}

static void read_root(struct json_place *place, const json_t *root, void *into) {
    struct contention_file *file = into;
    const char *gpu = json_string_value(json_object_get(root, "gpu"));
    if (!json_place_schema(place, root, schema, true))
        return;
    read_numbers(place, root, "parameters", parameters, PARAMETERS, file);
    read_numbers(place, root, "residuals", residuals, RESIDUALS, file);
    file->median_slowdown = read_number(place, root, "median_slowdown", NAN);
    read_sensitivity(place, root, file);
    file->gpu = gpu ? json_place_keep(place, gpu) : NULL;
    /* 0 where it is missing */
    file->shrinkage = json_number_value(json_object_get(root, "shrinkage"));
    read_apps(place, root, file);
}

int contention_file_read(const char *path, struct contention_file *file, struct ct_arena *arena,
                         struct ct_diags *diags) {
    *file = (struct contention_file){0};
    return json_place_read(path, read_root, file, arena, diags);
}
