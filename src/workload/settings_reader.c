/* The scalar members of a JSON object as settings: text that an option table resolves later. */
#include "workload/workload_reader.h"

#include "base/ct_text.h"

#include <string.h>

static void append(struct json_place *place, struct workload_settings *settings, const char *key,
                   const char *value, const char *where) {
    struct workload_setting setting = {.key = ct_arena_strdup(place->arena, key),
                                       .value = value,
                                       .where = ct_arena_strdup(place->arena, where),
                                       .assigned = strncmp(where, "--set ", 6) == 0};
    if (!setting.key || !value || !setting.where || !ct_vec_push(settings, setting))
        json_place_no_memory(place);
}

void settings_collect(struct json_place *place, const json_t *object, const char *const *skip,
                      size_t skipped, struct workload_settings *settings) {
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        enum ct_option_kind kind = json_is_string(value) ? CT_OPTION_STRING : CT_OPTION_INT;
        if (ct_text_index(name, skip, skipped) < skipped)
            continue;
        if (json_is_object(value) || json_is_array(value) || json_is_null(value))
            json_place_error(place, name, "'%s' is neither a number nor a text nor true or false",
                             name);
        else
            append(place, settings, name, json_place_scalar(value, kind, place->arena),
                   json_place_member(place, name));
    }
}

/* The keys whose numbers are assumed, one setting "assumed" each. */
static void collect_assumed(struct json_place *place, const json_t *root,
                            struct workload_settings *settings) {
    const json_t *list = json_object_get(root, "assumed");
    size_t index;
    json_t *value;
    bool good = !list || json_is_array(list);
    json_array_foreach((json_t *)list, index, value) {
        good = good && json_is_string(value);
        if (good)
            append(place, settings, "assumed",
                   ct_arena_strdup(place->arena, json_string_value(value)),
                   json_place_member(place, "assumed"));
    }
    if (!good)
        json_place_error(place, "assumed", "'assumed' is not an array of keys");
}

static void read_settings(struct json_place *place, const json_t *root, void *settings) {
    static const char *const skip[] = {"also", "sources", "assumed"};
    settings_collect(place, root, skip, CT_COUNT_OF(skip), settings);
    collect_assumed(place, root, settings);
}

int settings_read(const char *path, struct ct_arena *arena, struct workload_settings *settings,
                  struct ct_diags *diags) {
    return json_place_read(path, read_settings, settings, arena, diags);
}

static void read_sources(struct json_place *place, const json_t *root, void *sources) {
    const json_t *object = json_object_get(root, "sources");
    json_place_enter(place, "sources");
    if (json_is_object(object))
        settings_collect(place, object, NULL, 0, sources);
}

int settings_read_sources(const char *path, struct ct_arena *arena,
                          struct workload_settings *sources, struct ct_diags *diags) {
    return json_place_read(path, read_sources, sources, arena, diags);
}
