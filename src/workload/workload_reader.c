#include "workload/workload_reader.h"

#include "base/ct_quantity.h"
#include "base/ct_text.h"
#include "workload/gpu_catalogue.h"

#include <stdio.h>
#include <string.h>

/* "folder/mix.json" is called "mix". */
static const char *name_of(struct ct_arena *arena, const char *path) {
    const char *start = ct_text_file_name(path);
    const char *dot = strrchr(start, '.');
    return ct_arena_strndup(arena, start,
                            dot && dot > start ? (size_t)(dot - start) : strlen(start));
}

static bool is_one_or_other(const char *key) {
    return strcmp(key, "trace") == 0 || strcmp(key, "synthetic") == 0;
}

/* Gives an application the default of one key, unless it has its own. */
static bool inherit(struct workload_reader *reader, json_t *app, size_t index, const char *key,
                    json_t *value, const char *where) {
    if (json_object_get(app, key) || (is_one_or_other(key) && (json_object_get(app, "trace") ||
                                                               json_object_get(app, "synthetic"))))
        return true;
    json_place_alias(&reader->place, key, where);
    return json_object_set_new(app, key, json_deep_copy(value)) == 0 &&
           ct_vec_push(&reader->inherited,
                       (struct workload_inherited){
                           .app = index, .key = key, .elements = json_array_size(value)});
}

/* A file of a few bytes would ask for any amount of memory. */
static bool defaults_fit(struct workload_reader *reader, const json_t *root) {
    size_t apps = json_array_size(json_object_get(root, "apps"));
    size_t size = json_dumpb(json_object_get(root, "defaults"), NULL, 0, JSON_COMPACT);
    if (!apps || size <= JSON_PLACE_LONGEST / apps)
        return true;
    return workload_mistake(
        reader, "defaults",
        "%zu bytes for each of %zu applications are more than the %d MiB that a "
        "workload may have",
        size, apps, JSON_PLACE_LONGEST >> 20);
}

/* False: they are too long to be copied. */
static bool merge_defaults(struct workload_reader *reader, json_t *root) {
    json_t *defaults = json_object_get(root, "defaults"), *app, *value;
    size_t index;
    const char *key;
    if (defaults && !json_is_object(defaults))
        workload_mistake(reader, "defaults", "'defaults' is not an object");
    if (!json_is_object(defaults))
        return true;
    if (!defaults_fit(reader, root))
        return false;
    json_array_foreach(json_object_get(root, "apps"), index, app) {
        size_t length = json_place_enter(&reader->place, "apps");
        json_place_enter_index(&reader->place, index);
        json_object_foreach(defaults, key, value) {
            char where[300];
            snprintf(where, sizeof where, "%s: defaults.%s", reader->place.file, key);
            if (json_is_object(app) && !inherit(reader, app, index, key, value, where))
                json_place_no_memory(&reader->place);
        }
        json_place_leave(&reader->place, length);
    }
    return true;
}

/* Notes the keys that change something in an application. False when memory ran out. */
static bool find_busy_defaults(const struct workload_reader *reader, struct ct_intern *busy) {
    bool found = true;
    for (size_t i = 0; i < reader->inherited.count && found; i++) {
        const struct workload_inherited *in = &reader->inherited.items[i];
        found = in->idle || ct_intern_text(busy, in->key) != UINT32_MAX;
    }
    return found;
}

/* A default that changes nothing in any application that has it. */
static void report_idle_defaults(struct workload_reader *reader) {
    struct ct_intern busy = {0};
    if (!find_busy_defaults(reader, &busy))
        json_place_no_memory(&reader->place);
    for (size_t i = 0; i < reader->inherited.count; i++) {
        const char *key = reader->inherited.items[i].key;
        if (ct_intern_find(&busy, key, strlen(key)) != UINT32_MAX)
            continue;
        size_t length = json_place_enter(&reader->place, "defaults");
        ct_warning(reader->place.diags, json_place_member(&reader->place, key),
                   "'%s' changes nothing in any application", key);
        json_place_leave(&reader->place, length);
    }
    ct_intern_free(&busy);
}

/* The preset's own name, so that every spelling of it has one identity; of no preset as it is. */
static const char *known_gpu(struct workload_reader *reader, const char *name, const char *where) {
    const char *known = gpu_catalogue_find(name, where, reader->place.arena, reader->place.diags);
    if (!known && reader->place.diags->no_memory)
        json_place_fail(&reader->place, CT_DATA);
    return known ? known : name;
}

const char *workload_named_read(struct workload_reader *reader, const json_t *root, const char *key,
                                const char *name_key, struct workload_settings *settings,
                                const char **where) {
    const json_t *value = json_object_get(root, key);
    const json_t *name = json_is_object(value) ? json_object_get(value, name_key) : value;
    size_t length = json_place_enter(&reader->place, key);
    const char *copy = NULL;
    if (json_is_object(value))
        settings_collect(&reader->place, value, &name_key, 1, settings);
    if (name && !json_is_string(name))
        workload_mistake(reader, json_is_object(value) ? name_key : NULL,
                         "'%s' is neither a name nor an object",
                         json_is_object(value) ? name_key : key);
    else if (name)
        copy = json_place_keep(&reader->place, json_string_value(name));
    else if (value && strcmp(key, "gpu") == 0)
        workload_mistake(reader, NULL, "key '%s' is missing", name_key);
    *where = json_place_keep(
        &reader->place, json_place_member(&reader->place, json_is_object(value) ? name_key : NULL));
    if (*where && copy && strcmp(key, "gpu") == 0)
        copy = known_gpu(reader, copy, *where);
    json_place_leave(&reader->place, length);
    return copy;
}

/* The clock as the workload overrides it, else of the preset; 0 when neither says (the GPU's reader
 * says why). */
static double clock_hz(struct workload_reader *reader) {
    struct workload *w = reader->workload;
    struct workload_settings preset = {0};
    struct ct_diags unheard = {.files = reader->place.diags->files};
    const char *text = workload_setting_find(&w->gpu_settings, "clock_mhz");
    const char *path =
        w->gpu ? share_find(&w->arena, reader->place.diags->files, "gpus", w->gpu, NULL) : NULL;
    if (!text && path && settings_read(path, &w->arena, &preset, &unheard) == CT_OK)
        text = workload_setting_find(&preset, "clock_mhz");
    double mhz;
    if (!text || !ct_quantity_read(text, "MHz", &mhz))
        mhz = 0;
    ct_vec_free(&preset);
    ct_diags_free(&unheard);
    return mhz > 0 ? mhz * 1e6 : 0;
}

/* Checks the keys of the file itself against each other. */
static void check_run(struct workload_reader *reader, const json_t *root) {
    struct workload *w = reader->workload;
    if (json_object_get(root, "duration_s") && w->duration_cycles > 0)
        workload_mistake(reader, NULL,
                         "keys 'duration_s' and 'duration_cycles' exclude each other");
    else if (w->duration_cycles > 0 && clock_hz(reader) > 0)
        w->duration_s = w->duration_cycles / clock_hz(reader);
    w->duration_cycles = 0;
    if (w->warmup_s >= w->duration_s)
        workload_mistake(reader, "warmup_s", "'warmup_s' of %g s leaves nothing of the run, %g s",
                         w->warmup_s, w->duration_s);
}

static void read_run(struct workload_reader *reader, const json_t *root) {
    struct workload *w = reader->workload;
    workload_table_read(reader, root, workload_keys, w, false);
    w->name = w->name ? w->name : name_of(&w->arena, w->path);
    w->gpu = workload_named_read(reader, root, "gpu", "base", &w->gpu_settings, &w->gpu_where);
    w->policy =
        workload_named_read(reader, root, "policy", "name", &w->policy_settings, &w->policy_where);
    workload_member_read(reader, root, "host", workload_host_keys, &w->host);
    check_run(reader, root);
}

static void read_apps(struct workload_reader *reader, const json_t *root) {
    const json_t *apps = json_object_get(root, "apps");
    size_t length = json_place_enter(&reader->place, "apps"), index;
    json_t *app;
    if (apps && !json_is_array(apps))
        workload_mistake(reader, NULL, "'apps' is not an array of applications");
    else if (apps && json_array_size(apps) == 0)
        workload_mistake(reader, NULL, "'apps' names no application");
    json_array_foreach((json_t *)apps, index, app) {
        size_t outer = json_place_enter_index(&reader->place, index);
        if (json_is_object(app))
            workload_app_read(reader, app, index);
        else
            workload_mistake(reader, NULL, "an application is not an object");
        json_place_leave(&reader->place, outer);
    }
    workload_stages_connect(reader);
    json_place_leave(&reader->place, length);
}

void workload_document_read(struct workload_reader *reader, json_t *root,
                            const char *const *assignments, size_t assignment_count) {
    for (size_t i = 0; i < assignment_count; i++)
        workload_assign(reader, root, assignments[i], true);
    if (!merge_defaults(reader, root))
        return;
    for (size_t i = 0; i < assignment_count; i++)
        workload_assign(reader, root, assignments[i], false);
    read_run(reader, root);
    read_apps(reader, root);
    report_idle_defaults(reader);
}

int workload_read(const struct workload_source *source, struct workload *workload,
                  struct ct_diags *diags) {
    const char *path = source->path;
    struct workload_reader reader = {
        .workload = workload,
        .place = {.file = path, .diags = diags, .arena = &workload->arena},
        .known = source->known};
    *workload = (struct workload){0};
    workload->path = ct_arena_strdup(&workload->arena, path);
    if (!workload->path)
        return ct_out_of_memory(diags);
    int *status = &reader.place.status;
    json_t *root = json_place_load(path, source->text, status, diags);
    if (root && json_place_schema(&reader.place, root, workload_keys[0].option.standard, false))
        workload_document_read(&reader, root, source->assignments, source->assignment_count);
    json_decref(root);
    if (*status == CT_OK)
        workload_hash_traces(workload);
    workload_reader_free(&reader);
    return *status;
}

void workload_reader_free(struct workload_reader *reader) {
    json_place_free(&reader->place);
    ct_vec_free(&reader->inherited);
    ct_intern_free(&reader->names);
    ct_vec_free(&reader->named);
}

void workload_free(struct workload *workload) {
    ct_vec_free(&workload->gpu_settings);
    ct_vec_free(&workload->policy_settings);
    ct_vec_free(&workload->apps);
    ct_vec_free(&workload->loaded);
    trace_set_free(&workload->traces);
    ct_arena_free(&workload->arena);
    *workload = (struct workload){0};
}
