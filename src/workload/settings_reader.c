/* The scalar members of a JSON object as settings: text that an option table resolves later. */
#include "workload/workload_reader.h"

#include <string.h>

static bool is_listed(const char *const *list, const char *name) {
    for (; *list; list++)
        if (strcmp(*list, name) == 0)
            return true;
    return false;
}

static bool append(struct workload_settings *settings, const char *key, const char *value,
                   const char *where, struct ct_arena *arena) {
    struct workload_setting setting = {.key = ct_arena_strdup(arena, key),
                                       .value = value,
                                       .where = ct_arena_strdup(arena, where),
                                       .assigned = strncmp(where, "--set ", 6) == 0};
    return setting.key && value && setting.where && ct_vec_push(settings, setting);
}

int settings_collect(struct json_place *place, const json_t *object, const char *const *skip,
                     struct ct_arena *arena, struct workload_settings *settings,
                     struct ct_diags *diags) {
    int status = CT_OK;
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)object, name, value) {
        if (is_listed(skip, name))
            continue;
        const char *where = json_place_member(place, name);
        if (json_is_object(value) || json_is_array(value) || json_is_null(value)) {
            ct_error(diags, where, "'%s' is neither a number nor a text nor true or false", name);
            status = CT_USAGE;
            continue;
        }
        enum ct_option_kind kind = json_is_string(value) ? CT_OPTION_STRING : CT_OPTION_INT;
        if (!append(settings, name, json_place_scalar(value, kind, arena), where, arena))
            return ct_out_of_memory(diags);
    }
    return status;
}

/* The keys whose numbers are assumed, one setting "assumed" each. */
static int collect_assumed(struct json_place *place, const json_t *root, struct ct_arena *arena,
                           struct workload_settings *settings, struct ct_diags *diags) {
    const json_t *list = json_object_get(root, "assumed");
    const char *where = json_place_member(place, "assumed");
    size_t index;
    json_t *value;
    if (list && !json_is_array(list)) {
        ct_error(diags, where, "'assumed' is not an array of keys");
        return CT_USAGE;
    }
    json_array_foreach((json_t *)list, index, value) {
        if (!json_is_string(value)) {
            ct_error(diags, where, "'assumed' is not an array of keys");
            return CT_USAGE;
        }
        if (!append(settings, "assumed", ct_arena_strdup(arena, json_string_value(value)), where,
                    arena))
            return ct_out_of_memory(diags);
    }
    return CT_OK;
}

static int read_settings(struct json_place *place, const json_t *root, void *settings,
                         struct ct_arena *arena, struct ct_diags *diags) {
    static const char *const skip[] = {"also", "sources", "assumed", NULL};
    int status = settings_collect(place, root, skip, arena, settings, diags);
    int assumed = collect_assumed(place, root, arena, settings, diags);
    return assumed > status ? assumed : status;
}

int settings_read(const char *path, struct ct_arena *arena, struct workload_settings *settings,
                  struct ct_diags *diags) {
    return json_place_read(path, read_settings, settings, arena, diags);
}

static int read_sources(struct json_place *place, const json_t *root, void *sources,
                        struct ct_arena *arena, struct ct_diags *diags) {
    static const char *const skip[] = {NULL};
    const json_t *object = json_object_get(root, "sources");
    json_place_enter(place, "sources");
    return json_is_object(object) ? settings_collect(place, object, skip, arena, sources, diags)
                                  : CT_OK;
}

int settings_read_sources(const char *path, struct ct_arena *arena,
                          struct workload_settings *sources, struct ct_diags *diags) {
    return json_place_read(path, read_sources, sources, arena, diags);
}
